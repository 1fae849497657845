// SPDX-License-Identifier: GPL-2.0-or-later
// Quick snapshots of memory: what was written is given back and named, the rest stays.
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "hw/debug/ram_snapshot.h"
#include "softgen/ram_snapshot.h"
#include "softgen/softgen.h"
#include "tests/catch.h"

using softgen::debug::RamSnapshot;

namespace {

const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));

/// Private anonymous memory, as QEMU allocates guest RAM.
class Memory {
 public:
  explicit Memory(size_t pages) : size_(pages * page) {
    host_ = static_cast<std::byte*>(mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    REQUIRE(static_cast<void*>(host_) != MAP_FAILED);
    madvise(host_, size_, MADV_NOHUGEPAGE);  // so that single pages come into being
  }
  Memory(const Memory&) = delete;
  ~Memory() { munmap(host_, size_); }

  std::span<std::byte> all() const { return {host_, size_}; }
  /// The first byte of a page.
  std::byte& operator[](size_t index) const { return host_[index * page]; }
  unsigned at(size_t index) const { return std::to_integer<unsigned>(host_[index * page]); }

 private:
  size_t size_;
  std::byte* host_;
};

/// Runs that a restore changed, as "first page+pages" within `memory`.
std::string restored(RamSnapshot& snapshot, const Memory& memory) {
  std::string text;
  snapshot.restore([&](RamSnapshot::Piece run) {
    text +=
        std::to_string((run.data() - memory.all().data()) / static_cast<ptrdiff_t>(page)) + "+" + std::to_string(run.size() / page) + " ";
  });
  return text;
}

}  // namespace

TEST_CASE("a restore gives back what was written, and names those pages only") {
  const bool scans = GENERATE(true, false);  // the two ways to read the page table
  const Memory memory(20000);                // more than one read of it
  memory[0] = std::byte{1};
  memory[9000] = std::byte{2};
  RamSnapshot snapshot({memory.all()}, scans);
  snapshot.take();
  const uint64_t taken = snapshot.hash();
  CHECK(memory.at(0) == 1);
  CHECK(memory.at(9000) == 2);
  CHECK(memory.at(1) == 0);
  CHECK(restored(snapshot, memory).empty());  // reads make no page private

  memory[0] = std::byte{7};
  memory[8191] = memory[8192] = memory[8193] = std::byte{8};
  memory[19999] = std::byte{9};
  CHECK(snapshot.hash() != taken);
  CHECK(restored(snapshot, memory) == "0+1 8191+3 19999+1 ");
  CHECK(memory.at(0) == 1);
  CHECK(memory.at(8192) == 0);
  CHECK(snapshot.hash() == taken);
  CHECK(restored(snapshot, memory).empty());
}

TEST_CASE("more runs than one look at the page table returns") {
  const Memory memory(3000);
  RamSnapshot snapshot({memory.all()}, GENERATE(true, false));
  snapshot.take();
  for (size_t i = 0; i < 3000; i += 2) memory[i] = std::byte{1};
  size_t runs = 0;
  CHECK(snapshot.restore([&](RamSnapshot::Piece run) {
    CHECK(run.size() == page);
    runs++;
  }) == 1500);
  CHECK(runs == 1500);
  CHECK(memory.at(0) == 0);
  CHECK(memory.at(2998) == 0);
}

TEST_CASE("a later snapshot takes the place of the first one") {
  const Memory memory(16), other(4);
  memory[3] = std::byte{1};
  RamSnapshot snapshot({memory.all(), other.all()});
  snapshot.take();
  memory[3] = std::byte{2};
  memory[5] = std::byte{3};
  other[1] = std::byte{4};
  snapshot.take();
  const uint64_t taken = snapshot.hash();
  memory[3] = memory[5] = other[1] = other[2] = std::byte{9};
  CHECK(snapshot.restore([](RamSnapshot::Piece) {}) == 4);
  CHECK(snapshot.hash() == taken);
  CHECK(memory.at(3) == 2);
  CHECK(memory.at(5) == 3);
  CHECK(other.at(1) == 4);
  CHECK(other.at(2) == 0);
}

TEST_CASE("many restores in a row leave the same memory") {
  const Memory memory(256);
  uint32_t random = 1;  // seed
  const auto next = [&] { return random = random * 1664525 + 1013904223; };
  for (unsigned i = 0; i < 100; i++) memory[next() % 256] = static_cast<std::byte>(next() >> 24);
  RamSnapshot snapshot({memory.all()});
  snapshot.take();
  const uint64_t taken = snapshot.hash();
  for (unsigned i = 0; i < 1000; i++) {
    for (unsigned n = next() >> 27; n > 0; n--) memory[(next() >> 8) % 256] = static_cast<std::byte>(next() >> 24);
    snapshot.restore([](RamSnapshot::Piece) {});
    REQUIRE(snapshot.hash() == taken);
  }
}

TEST_CASE("what a snapshot refuses") {
  const Memory memory(2);
  CHECK_THROWS_AS(RamSnapshot({memory.all().subspan(1)}), std::runtime_error);
  CHECK_THROWS_AS(RamSnapshot({memory.all().first(page + 1)}), std::runtime_error);
  RamSnapshot snapshot({memory.all()});
  CHECK_THROWS_AS(snapshot.restore([](RamSnapshot::Piece) {}), std::runtime_error);
}

TEST_CASE("the C form of snapshots") {
  const Memory memory(8);
  memory[2] = std::byte{5};
  const sg_ram_piece piece{memory.all().data(), memory.all().size()}, part{memory.all().data() + 1, page};
  char* error = nullptr;
  CHECK(sg_ram_snapshot_new(&part, 1, &error) == nullptr);
  CHECK(std::string(error) == "snapshot: a piece of memory is not made of whole pages");
  sg_free(error);
  sg_ram_snapshot* snapshot = sg_ram_snapshot_new(&piece, 1, &error);
  REQUIRE(snapshot != nullptr);
  size_t pages = 0, reported = 0;
  const auto changed = [](void* opaque, void*, size_t size) { *static_cast<size_t*>(opaque) += size; };
  CHECK_FALSE(sg_ram_snapshot_restore(snapshot, changed, &reported, &pages, &error));
  sg_free(error);
  REQUIRE(sg_ram_snapshot_take(snapshot, &error));
  const uint64_t taken = sg_ram_snapshot_hash(snapshot);
  memory[2] = memory[3] = std::byte{6};
  CHECK(sg_ram_snapshot_hash(snapshot) != taken);
  REQUIRE(sg_ram_snapshot_restore(snapshot, changed, &reported, &pages, &error));
  CHECK(pages == 2);
  CHECK(reported == 2 * page);
  CHECK(sg_ram_snapshot_hash(snapshot) == taken);
  sg_ram_snapshot_free(snapshot);
  CHECK(memory.at(2) == 5);  // the memory stays usable
}
