// SPDX-License-Identifier: GPL-2.0-or-later
#include <atomic>
#include <cstdlib>
#include <thread>
#include <vector>

#include "hw/base/log.h"
#include "hw/memory/flat_memory.h"
#include "hw/memory/gate.h"
#include "hw/memory/ggtt.h"
#include "hw/memory/sparse_memory.h"
#include "hw/memory/view.h"
#include "tests/catch.h"
#include "tests/quiet_log.h"

using namespace softgen;
using namespace softgen::memory;

namespace {

struct Block {
  std::byte* data = static_cast<std::byte*>(std::aligned_alloc(4096, 1 << 20));
  ~Block() { std::free(data); }
};

using Runs = std::vector<std::pair<uint64_t, uint64_t>>;

Runs sync(FlatMemory& memory, uint64_t gpa, uint64_t size) {
  Runs runs;
  memory.dirty_sync(gpa, size, [&](uint64_t at, uint64_t n) { runs.emplace_back(at, n); });
  return runs;
}

}  // namespace

TEST_CASE("the flat map: added ranges are mapped after commit, removed ones are not, also in the middle") {
  Block block;
  FlatMemory memory;
  memory.add(0x10'0000, 1 << 20, block.data, false);
  CHECK_FALSE(memory.resolve(0x10'0000, Access::read).data);
  const uint64_t epoch = memory.epoch();
  memory.commit();
  CHECK(memory.epoch() > epoch);
  CHECK(memory.resolve(0x10'1234, Access::write).data == block.data + 0x1234);
  CHECK(memory.resolve(0x10'1234, Access::write).size == (1 << 20) - 0x1234);
  CHECK_FALSE(memory.resolve(0xf'ffff, Access::read).data);
  CHECK_FALSE(memory.resolve(0x20'0000, Access::read).data);

  memory.remove(0x14'0000, 0x1000);
  memory.add(0x18'0000, 0x1000, block.data, true);
  memory.commit();
  CHECK(memory.resolve(0x13'f000, Access::read).size == 0x1000);
  CHECK_FALSE(memory.resolve(0x14'0000, Access::read).data);
  CHECK(memory.resolve(0x14'1000, Access::read).data == block.data + 0x4'1000);
  CHECK(memory.resolve(0x18'0010, Access::read).data == block.data + 0x10);
  CHECK_FALSE(memory.resolve(0x18'0010, Access::write).data);
  CHECK(memory.resolve(0x18'1000, Access::write).data == block.data + 0x8'1000);
}

TEST_CASE("only whole pages are mapped") {
  Block block;
  FlatMemory memory;
  memory.add(0x800, 0x2000, block.data, false);
  memory.add(0x9800, 0xc00, block.data, false);
  memory.commit();
  CHECK_FALSE(memory.resolve(0x800, Access::read).data);
  CHECK(memory.resolve(0x1000, Access::read).data == block.data + 0x800);
  CHECK(memory.resolve(0x1000, Access::read).size == 0x1000);
  CHECK_FALSE(memory.resolve(0xa000, Access::read).data);
}

TEST_CASE("the dirty log holds each page written since the last sync, through TLBs too") {
  Block block;
  FlatMemory memory;
  memory.add(0x10'0000, 1 << 20, block.data, false);
  memory.commit();
  Ggtt ggtt;
  for (unsigned i = 0; i < 16; ++i) ggtt.set_pte(i, (0x10'0000 + i * 4096) | 1);
  View view(memory, nullptr);
  view.set_space(AddressSpace::ggtt(ggtt));
  view.store<uint32_t>(0x3000, 1);
  CHECK(sync(memory, 0, 1 << 30).empty());
  memory.dirty_log(true);
  view.store<uint32_t>(0x3000, 1);
  view.store<uint64_t>(0x4ffc, 1);
  view.store<uint32_t>(0x8000, 1);
  view.load<uint32_t>(0x9000);
  CHECK(sync(memory, 0, 1 << 30) == Runs{{0x10'3000, 0x3000}, {0x10'8000, 0x1000}});
  CHECK(sync(memory, 0, 1 << 30).empty());
  view.store<uint32_t>(0x3000, 2);
  CHECK(sync(memory, 0x10'4000, 1 << 30).empty());
  CHECK(sync(memory, 0x10'0000, 0x4000) == Runs{{0x10'3000, 0x1000}});
  memory.commit();
  CHECK(sync(memory, 0, 1 << 30) == Runs{{0x10'0000, 1 << 20}});
  memory.dirty_log(false);
  view.store<uint32_t>(0x3000, 3);
  CHECK(sync(memory, 0, 1 << 30).empty());
}

TEST_CASE("sparse memory reads zero where nothing was written, and takes no more than its bound") {
  quiet_log();
  SparseMemory memory(3 * SparseMemory::chunk_size);
  uint32_t value = 1;
  memory.read(0x7f'1234'5678, &value, 4);
  CHECK(value == 0);
  CHECK(memory.allocated() == 0);
  const std::vector<uint8_t> data(SparseMemory::chunk_size, 0x5a);
  CHECK(memory.write(0x1'8000, data.data(), data.size()));
  CHECK(memory.allocated() == 2 * SparseMemory::chunk_size);
  CHECK(memory.write(0x7f'0000'0000, data.data(), 1));
  CHECK_FALSE(memory.write(0x7f'ffff'0000, data.data(), 1));
  CHECK_FALSE(memory.resolve(0x7f'ffff'0000, Access::write).data);
  CHECK(memory.resolve(0x7f'ffff'0000, Access::read).data);
  memory.read(0x1'8000 + SparseMemory::chunk_size - 2, &value, 4);
  CHECK(value == 0x00005a5a);
}

TEST_CASE("the gate waits for passes, and passes wait for the gate") {
  Gate gate;
  std::atomic<bool> closed{false}, quit{false};
  std::atomic<uint64_t> slices{0};
  std::atomic<bool> overlap{false};
  std::vector<std::thread> engines;
  for (int i = 0; i < 3; ++i)
    engines.emplace_back([&, i] {
      while (!quit) {
        Gate::Pass pass(gate);
        for (int k = 0; k < 50; ++k) {
          if (closed) overlap = true;
          if (i == 0) pass.step_aside();
          slices++;
        }
      }
    });
  for (int i = 0; i < 200; ++i) {
    gate.close();
    gate.close();
    closed = true;
    const uint64_t before = slices;
    for (int k = 0; k < 100; ++k) std::this_thread::yield();
    if (slices != before) overlap = true;
    closed = false;
    gate.open();
    CHECK(gate.closing());
    gate.open();
  }
  CHECK_FALSE(gate.closing());
  quit = true;
  for (auto& engine : engines) engine.join();
  CHECK_FALSE(overlap);
}
