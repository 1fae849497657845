// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/memory/aperture.h"

#include <atomic>
#include <random>
#include <thread>
#include <vector>

#include "hw/base/log.h"
#include "hw/memory/flat_memory.h"
#include "hw/memory/sparse_memory.h"
#include "tests/catch.h"
#include "tests/quiet_log.h"

using namespace softgen;
using namespace softgen::memory;

namespace {

struct Fixture {
  SparseMemory memory{16 << 20};
  Ggtt ggtt;
  FaultRegisters faults;
  Aperture aperture{ggtt, memory, &faults};
  static constexpr uint64_t base = 0x100'0000;
  Fixture() {
    quiet_log();
    for (unsigned i = 0; i < 1024; ++i) ggtt.set_pte(i, (base + i * 4096) | 1);
  }
  uint8_t memory_byte(uint64_t offset) {
    uint8_t value;
    memory.read(base + offset, &value, 1);
    return value;
  }
};

uint64_t fence(uint64_t first, uint64_t size, uint64_t pitch, bool y) {
  return 1 | uint64_t{y} << 1 | first | (pitch / 128 - 1) << 32 | (first + size - 4096) << 32;
}

// The order of bytes in a tile from the PRM's figures ("X-Major Tile Layout", "Y-Major Tile Layout"): filled
// in walking order.
std::vector<uint32_t> tile_order(bool y) {
  std::vector<uint32_t> linear_of;  // byte in memory order -> row << 16 | column
  if (y) {
    for (unsigned column = 0; column < 8; ++column)
      for (unsigned row = 0; row < 32; ++row)
        for (unsigned b = 0; b < 16; ++b) linear_of.push_back(row << 16 | (column * 16 + b));
  } else {
    for (unsigned row = 0; row < 8; ++row)
      for (unsigned b = 0; b < 512; ++b) linear_of.push_back(row << 16 | b);
  }
  return linear_of;
}

}  // namespace

TEST_CASE_METHOD(Fixture, "a fenced region is seen linear, for both walks") {
  for (const bool y : {false, true}) {
    const uint64_t pitch = y ? 384 : 1536, first = 0x1'0000;
    const unsigned width = y ? 128 : 512, height = y ? 32 : 8, row_tiles = 3;
    const uint64_t size = 6 * 4096;
    aperture.set_fence(7, fence(first, size, pitch, y));
    const auto order = tile_order(y);
    std::vector<uint8_t> expect(size);
    for (unsigned tile = 0; tile < 6; ++tile)
      for (unsigned b = 0; b < 4096; ++b) {
        const uint8_t value = static_cast<uint8_t>(tile * 37 + b * 11 + (b >> 8));
        memory.write(base + first + tile * 4096 + b, &value, 1);
        const unsigned row = tile / row_tiles * height + (order[b] >> 16), column = tile % row_tiles * width + (order[b] & 0xffff);
        expect[row * pitch + column] = value;
      }
    bool same = true;
    for (uint64_t i = 0; i < size; ++i) same &= aperture.read(first + i, 1) == expect[i];
    CHECK(same);
    for (const unsigned n : {2u, 4u, 8u})
      for (uint64_t i = 0; i + n <= size; i += 3) {  // crosses columns and tiles
        uint64_t value = 0;
        std::memcpy(&value, &expect[i], n);
        same &= aperture.read(first + i, n) == value;
      }
    CHECK(same);
    aperture.set_fence(7, 0);
    CHECK(aperture.read(first + 512, 1) == memory_byte(512 + first));
  }
}

TEST_CASE_METHOD(Fixture, "writes through a fence land where reads find them") {
  constexpr unsigned seed = 20261121;
  INFO("seed " << seed);
  std::mt19937 random(seed);
  for (const bool y : {false, true}) {
    aperture.set_fence(0, fence(0, 64 * 4096, 2048, y));
    std::vector<uint8_t> model(64 * 4096);
    for (size_t i = 0; i < model.size(); ++i) aperture.write(i, 0, 1);
    for (int i = 0; i < 20000; ++i) {
      const unsigned size = 1u << random() % 4;
      const uint64_t at = random() % (model.size() - 8), value = random() * 0x100000001ull;
      aperture.write(at, value, size);
      std::memcpy(&model[at], &value, size);
    }
    bool same = true;
    for (size_t i = 0; i < model.size(); ++i) same &= aperture.read(i, 1) == model[i];
    CHECK(same);
  }
}

TEST_CASE_METHOD(Fixture, "only a page without a fence may be mapped directly") {
  aperture.write(0x5000, 0x1234, 4);
  std::byte* page = aperture.page(0x5000);
  REQUIRE(page);
  CHECK(std::to_integer<int>(page[0]) == 0x34);
  aperture.set_fence(31, fence(0x4000, 0x2000, 512, false));
  CHECK_FALSE(aperture.page(0x5000));
  CHECK(aperture.page(0x6000));
  CHECK_FALSE(aperture.page(0x500'0000));
}

TEST_CASE_METHOD(Fixture, "invalid fences are harmless") {
  constexpr unsigned seed = 7;
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  for (int i = 0; i < 3000; ++i) {
    aperture.set_fence(i % Aperture::fence_count, random());
    const uint64_t at = random() & 0xffff'ffff;
    aperture.write(at, 0, 1u << i % 4);
    aperture.read(at, 8);
  }
  aperture.read(0xffff'ffff, 8);
  CHECK(faults.count() > 0);
}

TEST_CASE_METHOD(Fixture, "fences survive save and load") {
  const uint64_t value = fence(0x4000, 0x2000, 512, true);
  aperture.set_fence(3, value);
  Archive writer;
  aperture.state(writer);
  aperture.reset();
  CHECK(aperture.fence(3) == 0);
  Archive reader(writer.output());
  aperture.state(reader);
  CHECK(aperture.fence(3) == value);
  CHECK_FALSE(aperture.page(0x4000));
}

TEST_CASE_METHOD(Fixture, "a fence that another thread changes is seen old or new, never torn") {
  // Two fences over the same pages map one offset to different bytes. A torn fence would give a third one.
  const uint64_t first = 0x1'0000, size = 0x10000, offset = first + 5 * 1024 + 64;
  const uint64_t fences[2] = {fence(first, size, 1024, false), fence(first, size, 256, true)};
  for (uint32_t at = 0; at < size; at += 4) memory.write(base + first + at, &at, 4);
  uint64_t seen[2];
  for (unsigned i = 0; i < 2; ++i) {
    aperture.set_fence(3, fences[i]);
    seen[i] = aperture.read(offset, 4);
  }
  aperture.set_fence(3, 0);
  const uint64_t linear = aperture.read(offset, 4);
  REQUIRE(seen[0] != seen[1]);
  REQUIRE(seen[0] != linear);
  REQUIRE(seen[1] != linear);

  aperture.set_fence(3, fences[0]);
  constexpr unsigned enough = 300'000;
  std::atomic<unsigned> changes{0};
  std::jthread writer([&] {
    for (unsigned i = 0; i < enough; ++i, ++changes) aperture.set_fence(3, fences[i & 1]);
  });
  unsigned strange = 0;
  while (changes < enough) {
    const uint64_t value = aperture.read(offset, 4);
    strange += value != seen[0] && value != seen[1];
  }
  CHECK(strange == 0);
}

TEST_CASE_METHOD(Fixture, "the halves of a fence are written separately") {
  aperture.set_fence_half(1, true, 0x8765'4321);
  aperture.set_fence_half(1, false, 0x1234'5678);
  CHECK(aperture.fence(1) == 0x8765'4321'1234'5678);
}

TEST_CASE_METHOD(Fixture, "with swizzling, bit 6 of a fenced address changes with bits 9 and 10, or 9") {
  Aperture swizzled{ggtt, memory, &faults, softgen::defs::gen5_swizzle};
  // X: of each row of 512 bytes the 64-byte columns are exchanged where one of the row's two lowest bits is set.
  swizzled.set_fence(0, fence(0, 4096, 512, false));
  for (unsigned row = 0; row < 8; ++row)
    for (unsigned column = 0; column < 512; column += 16) {
      const bool exchanged = (row & 3) == 1 || (row & 3) == 2;
      swizzled.write(row * 512 + column, row * 32 + column / 16, 1);
      CHECK(memory_byte(row * 512 + (exchanged ? column ^ 64 : column)) == row * 32 + column / 16);
    }
  // Y: in odd columns of 16 bytes each four rows are exchanged with the next four.
  swizzled.set_fence(0, fence(0, 4096, 128, true));
  for (unsigned row = 0; row < 32; ++row)
    for (unsigned column = 0; column < 8; ++column) {
      swizzled.write(row * 128 + column * 16, row * 8 + column, 1);
      CHECK(memory_byte(column * 512 + (column & 1 ? row ^ 4 : row) * 16) == row * 8 + column);
    }
  swizzled.set_fence(0, 0);
  swizzled.write(0x240, 0x5a, 1);
  CHECK(memory_byte(0x240) == 0x5a);
}
