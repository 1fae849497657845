// SPDX-License-Identifier: GPL-2.0-or-later
// Compiled code in memory: never writable and executable, bounded in number and bytes, evicted by age, and not while a thread runs it.
#include "hw/eu/jit/code_store.h"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>
#include <thread>

#include "hw/base/log.h"
#include "hw/eu/isa/gen9/isa.h"
#include "tests/catch.h"
#include "tests/unit/eu/harness.h"
#include "tests/unit/eu/other_isa.h"

using namespace softgen;
using namespace softgen::eu;
using namespace softgen::eu::test;
using namespace softgen::eu::jit;

namespace {

/// "r-xp" for the page at `at`; empty: nothing is mapped there.
std::string protection(const void* at) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    unsigned long from = 0, to = 0;
    char how[5] = {};
    if (std::sscanf(line.c_str(), "%lx-%lx %4s", &from, &to, how) == 3 && reinterpret_cast<uintptr_t>(at) >= from &&
        reinterpret_cast<uintptr_t>(at) < to)
      return how;
  }
  return "";
}

size_t mappings() {
  std::ifstream maps("/proc/self/maps");
  size_t count = 0;
  for (std::string line; std::getline(maps, line);) count++;
  return count;
}

constexpr Variant variant{.channels = 0xff};

/// Kernels that differ in a constant, and a store for them.
class Kernels {
 public:
  explicit Kernels(size_t most, size_t bytes = 16 << 20) : arena(bytes), store(arena, most) {
    for (uint32_t n = 0; n < 2; n++) objects_.push_back(compile(*program(n), variant, best_host_isa()));
    REQUIRE(!objects_[0].refused);
  }
  std::shared_ptr<const Program> program(uint32_t value) {
    return Program::decode(gen9_isa(), assemble({mov_imm(8, grf(127, RegType::ud), RegType::ud, value), end()}));
  }
  /// All get kernel 0's code, under their own names: these tests do not check what it does.
  bool fill(CodeSlot& slot, const Program& program, const std::string& name) {
    slot.state = CodeSlot::State::asked;
    return store.fill(slot, program, variant, name, [&] {
      made++;
      return std::optional(renamed(name));
    });
  }
  /// The object with its function's name replaced: all names are of one length.
  ObjectFile renamed(const std::string& name) const {
    ObjectFile object = objects_[0];
    const std::string old = code_name(*Program::decode(gen9_isa(), assemble({mov_imm(8, grf(127, RegType::ud), RegType::ud, 0), end()})),
                                      variant, best_host_isa());
    const auto at = std::search(object.bytes.begin(), object.bytes.end(), old.begin(), old.end());
    REQUIRE(at != object.bytes.end());
    REQUIRE(name.size() <= old.size());
    std::fill(at, at + static_cast<ptrdiff_t>(old.size()), '\0');
    std::copy(name.begin(), name.end(), at);
    return object;
  }

  CodeArena arena;
  CodeStore store;
  unsigned made = 0;

 private:
  std::vector<ObjectFile> objects_;
};

std::string name_of(size_t n) { return fmt::format("k{}", n); }

}  // namespace

TEST_CASE("eu code arena: pages are writable, then executable, never both, and are zero when allocated again") {
  CodeArena arena(64 << 10);
  const auto block = arena.allocate(5000);
  REQUIRE(block.size() == 8192);
  CHECK(protection(block.data()) == "rw-p");
  std::memset(block.data(), 0xc3, block.size());
  REQUIRE(arena.seal(block));
  CHECK(protection(block.data()) == "r-xp");
  CHECK(arena.used() == 8192);
  arena.release(block);
  CHECK(protection(block.data()) == "---p");
  CHECK(arena.used() == 0);
  const auto again = arena.allocate(4096);
  REQUIRE(again.data() == block.data());
  CHECK(again[0] == std::byte{0});
  CHECK(arena.allocate(64 << 10).empty());
  CHECK(arena.allocate(0).empty());
  CHECK(arena.allocate(SIZE_MAX).empty());
  arena.release(again);
  CHECK(arena.allocate(64 << 10).size() == 64 << 10);
}

TEST_CASE("eu code arena: free pages are merged in any order") {
  CodeArena arena(8 * 4096);
  std::vector<std::span<std::byte>> blocks;
  for (unsigned n = 0; n < 8; n++) blocks.push_back(arena.allocate(1));
  CHECK(arena.allocate(1).empty());
  for (const unsigned n : {1u, 3u, 2u, 7u, 5u, 6u, 4u, 0u}) arena.release(blocks[n]);
  CHECK(arena.allocate(8 * 4096).size() == 8 * 4096);
}

TEST_CASE("eu code store: code of another instruction set is not used, even with the same name") {
  if (best_host_isa() == HostIsa::none) return note("test", "no compiler here");
  Kernels kernels(4);
  const auto ours = kernels.program(0), other = Program::decode(other_isa, ours->bytes());
  CodeSlot slot, other_slot;
  REQUIRE(kernels.fill(slot, *ours, name_of(0)));
  REQUIRE(kernels.fill(other_slot, *other, name_of(0)));
  CHECK(slot.code.load() != nullptr);
  CHECK(other_slot.code.load() == nullptr);
  kernels.store.leave(std::array{&slot});
}

TEST_CASE("eu code store: many kernels take few mappings") {
  if (best_host_isa() == HostIsa::none) return note("test", "no compiler here");
  Kernels kernels(4096);
  const auto program = kernels.program(0);
  const size_t before = mappings();
  std::vector<CodeSlot> slots(1000);
  for (size_t n = 0; n < slots.size(); n++) REQUIRE(kernels.fill(slots[n], *program, name_of(n)));
  CHECK(kernels.store.codes() == slots.size());
  CHECK(mappings() < before + 100);
}

TEST_CASE("eu code store: the least recently used code is evicted, and made again on demand") {
  if (best_host_isa() == HostIsa::none) return note("test", "no compiler here");
  Kernels kernels(16);
  const auto program = kernels.program(0);
  std::vector<CodeSlot> slots(40);
  for (size_t n = 0; n < slots.size(); n++) {
    REQUIRE(kernels.fill(slots[n], *program, name_of(n)));
    CHECK(slots[n].code != nullptr);
    CHECK(kernels.store.codes() <= 16);
    // The first one is always in use.
    const RunningCode first(slots[0], kernels.store.now());
    CHECK(first);
  }
  CHECK(kernels.store.evicted() >= 24);
  CHECK(slots[0].code != nullptr);
  CHECK(slots[39].code != nullptr);
  CHECK(slots[1].code == nullptr);
  CHECK(slots[1].state == CodeSlot::State::idle);
  CHECK(kernels.made == 40);
  REQUIRE(kernels.fill(slots[1], *program, name_of(1)));
  CHECK(kernels.made == 41);
  CHECK(slots[1].code != nullptr);
  CHECK(slots[1].state == CodeSlot::State::decided);
}

TEST_CASE("eu code store: bytes are bounded by the arena, and code that does not fit is interpreted") {
  if (best_host_isa() == HostIsa::none) return note("test", "no compiler here");
  Kernels kernels(4096, 8 * 4096);
  const auto program = kernels.program(0);
  std::vector<CodeSlot> slots(30);
  for (size_t n = 0; n < slots.size(); n++) {
    REQUIRE(kernels.fill(slots[n], *program, name_of(n)));
    CHECK(slots[n].code != nullptr);
    CHECK(kernels.arena.used() <= 8 * 4096);
  }
  CodeArena none(0);
  CodeStore nowhere(none);
  CodeSlot slot;
  CHECK(nowhere.fill(slot, *program, variant, name_of(0), [&] { return std::optional(kernels.renamed(name_of(0))); }));
  CHECK(slot.code == nullptr);
  CHECK(slot.state == CodeSlot::State::decided);
}

TEST_CASE("eu code store: code is not freed while a thread runs it") {
  if (best_host_isa() == HostIsa::none) return note("test", "no compiler here");
  Kernels kernels(1);
  const auto program = kernels.program(0);
  std::vector<CodeSlot> slots(3);
  REQUIRE(kernels.fill(slots[0], *program, name_of(0)));
  const void* code = nullptr;
  {
    const RunningCode running(slots[0], kernels.store.now());
    REQUIRE(running);
    code = reinterpret_cast<const void*>(running.compiled().code);
    std::thread([&] { REQUIRE(kernels.fill(slots[1], *program, name_of(1))); }).join();
    // There is room for one, and it runs: the other one is interpreted.
    CHECK(slots[1].code == nullptr);
    CHECK(slots[0].code == nullptr);
    CHECK(protection(code) == "r-xp");
    CHECK(kernels.store.codes() == 1);
  }
  REQUIRE(kernels.fill(slots[2], *program, name_of(2)));
  CHECK(slots[2].code != nullptr);
  CHECK(kernels.store.codes() == 1);
}

TEST_CASE("eu code store: programs of the same bytes share code, which is freed with the last of them") {
  if (best_host_isa() == HostIsa::none) return note("test", "no compiler here");
  Kernels kernels(16);
  const auto a = kernels.program(0), b = kernels.program(0), other = kernels.program(1);
  std::vector<CodeSlot> slots(3);
  REQUIRE(kernels.fill(slots[0], *a, "k"));
  REQUIRE(kernels.fill(slots[1], *b, "k"));
  CHECK(slots[0].code == slots[1].code);
  // Of two kernels with the same name, the first has the code.
  REQUIRE(kernels.fill(slots[2], *other, "k"));
  CHECK(slots[2].code == nullptr);
  CHECK(slots[2].state == CodeSlot::State::decided);
  CHECK(kernels.made == 1);
  std::vector<CodeSlot*> first{&slots[0]}, second{&slots[1]};
  kernels.store.leave(first);
  CHECK(kernels.store.codes() == 1);
  CHECK(slots[1].code != nullptr);
  kernels.store.leave(second);
  CHECK(kernels.store.codes() == 0);
  CHECK(kernels.arena.used() == 0);
}

TEST_CASE("eu code store: threads run code while others evict it") {
  if (best_host_isa() == HostIsa::none) return note("test", "no compiler here");
  Kernels kernels(4);
  const auto program = kernels.program(0);
  std::vector<CodeSlot> slots(8);
  std::atomic<bool> quit{false};
  std::vector<std::thread> threads;
  std::atomic<uint64_t> ran{0};
  for (unsigned t = 0; t < 3; t++)
    threads.emplace_back([&, t] {
      for (size_t n = t; !quit; n++) {
        const RunningCode running(slots[n % slots.size()], kernels.store.now());
        if (!running) {
          std::this_thread::yield();
          continue;
        }
        // Its first byte can be read as long as it is there.
        ran += *reinterpret_cast<const volatile uint8_t*>(reinterpret_cast<uintptr_t>(running.compiled().code)) != 0;
      }
    });
  for (size_t round = 0; round < 400; round++) {
    CodeSlot& slot = slots[round % slots.size()];
    if (slot.code == nullptr) kernels.fill(slot, *program, name_of(round % slots.size()));
  }
  while (ran == 0) std::this_thread::yield();
  quit = true;
  for (auto& t : threads) t.join();
  CHECK(kernels.store.evicted() > 0);
}
