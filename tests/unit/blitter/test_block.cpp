// SPDX-License-Identifier: GPL-2.0-or-later
// Gen12's XY_BLOCK_COPY_BLT and XY_FAST_COLOR_BLT against the byte-wise reference.
#include <algorithm>

#include "hw/defs/gen12/set.h"
#include "tests/unit/blitter/fixture.h"

using namespace softgen;
using namespace softgen::test;

namespace {

constexpr int scale_of_depth[] = {1, 1, 1, 2, 3, 4};

struct BlockFixture : BlitFixture {
  BlockFixture() { commands = &defs::gen12::commands; }

  // A dword of pitch, MOCS and tiling: 0 linear, 1 Y.
  uint32_t form(unsigned tiling) {
    const uint32_t pitch = tiling ? 1024 / 4 * (1 + below(2)) : 1024 + below(1024);
    return tiling << 30 | below(128) << 21 | (pitch - 1);
  }
  uint32_t offsets() { return below(3) ? 0 : below(60) | below(40) << 16; }
  std::vector<uint32_t> start(unsigned opcode, size_t dwords, unsigned depth, unsigned tiling) {
    std::vector<uint32_t> dw(dwords);
    dw[0] = header(opcode, depth << 19, dwords);
    dw[1] = form(tiling);
    const int scale = scale_of_depth[depth];
    const int x = static_cast<int>(below(100)) / scale - (below(8) ? 0 : 20), y = static_cast<int>(below(80)) - (below(8) ? 0 : 20);
    dw[2] = xy(x, y), dw[3] = xy(x + static_cast<int>(below(120)) / scale, y + static_cast<int>(below(80)));
    put64(dw, 4, destination_base + (tiling ? 0 : below(5000)));
    dw[6] = offsets();
    return dw;
  }
  std::vector<uint32_t> copy(unsigned depth, unsigned to, unsigned from) {
    auto dw = start(0x41, 12, depth, to);
    const int scale = scale_of_depth[depth];
    dw[7] = xy(static_cast<int>(below(100)) / scale - (below(8) ? 0 : 20), static_cast<int>(below(80)) - (below(8) ? 0 : 20));
    dw[8] = form(from);
    put64(dw, 9, source_base + (from ? 0 : below(5000)));
    dw[11] = offsets();
    return dw;
  }
};

}  // namespace

TEST_CASE_METHOD(BlockFixture, "block copies of all depths and tilings equal the byte-wise reference") {
  constexpr unsigned value = 1201;
  INFO("seed " << value);
  seed(value);
  for (unsigned depth = 0; depth < 6; ++depth)
    for (unsigned to = 0; to < 2; ++to)
      for (unsigned from = 0; from < 2; ++from)
        for (int i = 0; i < 24; ++i) {
          auto dw = copy(depth, to, from);
          const int scale = scale_of_depth[depth];
          // Also whole tiles, and operands with the same position in their tiles.
          if (i % 6 == 4) dw[2] = 0, dw[3] = xy(256 / scale, 128), dw[7] = xy(0, 64), dw[6] = dw[11] = 0;
          if (i % 6 == 5) dw[7] = dw[2], dw[11] = dw[6];
          INFO("depth " << depth << " to " << to << " from " << from << " round " << i);
          REQUIRE(same(dw));
        }
}

TEST_CASE_METHOD(BlockFixture, "block copies within a surface read everything before it is overwritten") {
  constexpr unsigned value = 1202;
  INFO("seed " << value);
  seed(value);
  for (int i = 0; i < 150; ++i) {
    const unsigned depth = below(6), tiling = below(2);
    auto dw = copy(depth, tiling, tiling);
    const int scale = scale_of_depth[depth];
    const int x = static_cast<int>(60 + below(60)) / scale, y = static_cast<int>(30 + below(30));
    dw[2] = xy(x, y), dw[3] = xy(x + static_cast<int>(below(120)) / scale, y + static_cast<int>(below(60)));
    dw[7] = xy(x + (static_cast<int>(below(41)) - 20) / scale, y + static_cast<int>(below(21)) - 10);
    dw[8] = dw[1], dw[11] = dw[6];
    put64(dw, 4, destination_base), put64(dw, 9, destination_base);
    INFO("round " << i << " depth " << depth << " tiling " << tiling);
    REQUIRE(same(dw));
  }
}

TEST_CASE_METHOD(BlockFixture, "fast colours of all depths and tilings equal the byte-wise reference") {
  constexpr unsigned value = 1203;
  INFO("seed " << value);
  seed(value);
  for (unsigned depth = 0; depth < 6; ++depth)
    for (unsigned to = 0; to < 2; ++to)
      for (int i = 0; i < 24; ++i) {
        auto dw = start(0x44, 11, depth, to);
        for (size_t k = 7; k < 11; ++k) dw[k] = random();
        INFO("depth " << depth << " to " << to << " round " << i);
        REQUIRE(same(dw));
      }
}

TEST_CASE_METHOD(BlockFixture, "reserved depths and tilings draw nothing; Gen9 does not have the commands") {
  seed(4);
  const auto good = copy(2, 0, 0);
  auto depth = good, to = good, from = good;
  depth[0] |= 6u << 19, to[1] |= 2u << 30, from[8] |= 3u << 30;
  for (const auto& bad : {depth, to, from}) {
    CHECK(execute(bad) == ExecResult::done);
    CHECK(std::memcmp(ram.get(), model.data(), size) == 0);
  }
  for (const uint32_t header : {0x5040000au, 0x51000009u}) {
    CHECK(defs::gen12::commands.find(defs::EngineClass::copy, header));
    CHECK_FALSE(defs::gen9::commands.find(defs::EngineClass::copy, header));
  }
}

TEST_CASE_METHOD(BlockFixture, "a block copy as large as its fields allow ends at a reset") {
  seed(5);
  auto dw = copy(5, 1, 1);
  dw[1] |= 0x3ffff, dw[8] |= 0x3ffff;
  dw[2] = xy(-32768, -32768), dw[3] = xy(32767, 32767), dw[6] = dw[11] = 0x3fff'3fff;
  stop.request(StopFlag::reset);
  CHECK(execute(dw) == ExecResult::aborted);
}

TEST_CASE_METHOD(BlockFixture, "random dwords of block commands never leave guest memory") {
  constexpr unsigned value = 1204;
  INFO("seed " << value);
  seed(value);
  for (int i = 0; i < 1500; ++i) {
    const bool copies = coin();
    std::vector<uint32_t> dw(copies ? 12 : 11);
    for (auto& d : dw) d = random();
    for (size_t k = 2; k < 4; ++k) dw[k] = xy(static_cast<int>(below(200)) - 60, static_cast<int>(below(200)) - 60);
    dw[0] = header(copies ? 0x41 : 0x44, dw[0] & 0x3fff00, dw.size());
    execute(dw);
  }
  SUCCEED();
}
