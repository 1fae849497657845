// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cstring>
#include <random>

#include "tests/catch.h"
#include "tests/unit/dataport/fixture.h"

using namespace softgen;
using namespace softgen::dataport::test;

namespace {

constexpr uint32_t pitch = 64, rows = 4;

/// A linear R8_UNORM surface, Width 4, Height 4, pitch 64, as IGT's fill kernels describe 16 bytes by 4 rows.
struct Blocks : Fixture {
  explicit Blocks(const std::array<uint32_t, 16>& state) : Fixture(state) {}
  Blocks()
      : Fixture({1u << 29 | 0x140u << 18 | 1 << 16 | 1 << 14, 0, (rows - 1) << 16 | 3, pitch - 1, 0, 0, 0,
                 4u << 25 | 5u << 22 | 6u << 19 | 7u << 16, pixels}) {}
  /// Data cache port 1, a block of 16 bytes x 1 row at (x, y).
  SendResult block(bool write, int32_t x, int32_t y, std::span<const Grf> data, std::span<Grf> response) {
    std::array<Grf, 2> payload{};
    payload[0].dw[0] = static_cast<uint32_t>(x), payload[0].dw[1] = static_cast<uint32_t>(y), payload[0].dw[2] = 15;
    if (!data.empty()) payload[1] = data[0];
    return send(write ? 0x0a : 0x04, 0, true, 16, 0xffff, std::span(payload).first(write ? 2 : 1), response);
  }
  uint8_t byte(uint32_t x, uint32_t y) { return view.load<uint8_t>(pixels + y * pitch + x); }
};

}  // namespace

TEST_CASE("a media block's surface is Width dwords wide, whatever its format") {
  Blocks f;
  Grf data{};
  for (uint32_t& dw : data.dw) dw = 0x4c4c4c4c;
  CHECK(f.block(true, 0, 1, std::span(&data, 1), {}) == SendResult::done);
  CHECK(f.byte(0, 1) == 0x4c);
  CHECK(f.byte(15, 1) == 0x4c);
  CHECK(f.byte(16, 1) == 0);
  CHECK(f.byte(0, 2) == 0);
  // Half of this one lies beyond the right border, where writes are dropped.
  CHECK(f.block(true, 8, 2, std::span(&data, 1), {}) == SendResult::done);
  CHECK(f.byte(7, 2) == 0);
  CHECK(f.byte(15, 2) == 0x4c);
  CHECK(f.byte(16, 2) == 0);
  CHECK(f.block(true, 0, 4, std::span(&data, 1), {}) == SendResult::done);
  CHECK(f.byte(0, 4) == 0);
}

TEST_CASE("media block reads repeat the border") {
  Blocks f;
  for (uint32_t x = 0; x < 16; ++x) f.view.store<uint8_t>(pixels + x, static_cast<uint8_t>(x + 1));
  Grf answer{};
  CHECK(f.block(false, 8, -3, {}, std::span(&answer, 1)) == SendResult::done);
  CHECK(answer.dw[0] == 0x0c0b0a09);
  CHECK(answer.dw[1] == 0x100f0e0d);
  CHECK(answer.dw[2] == 0x10101010);
  CHECK(answer.dw[3] == 0x10101010);
}

// In each tiling: bytes that are together in memory are moved together, and must be those that single bytes find.
TEST_CASE("media blocks of every tiling and place") {
  const surface::Tiling tiling = GENERATE(surface::Tiling::linear, surface::Tiling::w, surface::Tiling::x, surface::Tiling::y);
  constexpr uint32_t wide = 128, high = 8;
  const uint32_t mode = tiling == surface::Tiling::linear ? 0 : tiling == surface::Tiling::w ? 1 : tiling == surface::Tiling::x ? 2 : 3;
  const uint32_t bytes_per_row = tiling == surface::Tiling::linear ? wide : surface::legal_pitch(surface::tile_pitch(tiling, 1), wide);
  Blocks f({1u << 29 | 0x140u << 18 | 1 << 16 | 1 << 14 | mode << 12, 0, (high - 1) << 16 | (wide / 4 - 1), bytes_per_row - 1, 0, 0, 0,
            4u << 25 | 5u << 22 | 6u << 19 | 7u << 16, pixels});
  std::mt19937 random(5);
  std::array<uint8_t, 0x2000> memory;
  for (uint8_t& byte : memory) byte = static_cast<uint8_t>(random());
  f.view.write(pixels, memory.data(), memory.size());
  const auto place = [&](int x, int y) {
    return surface::offset(tiling, 1, static_cast<uint32_t>(x), static_cast<uint32_t>(y), bytes_per_row);
  };
  for (int round = 0; round < 100; ++round) {
    const int x = static_cast<int>(random() % (wide + 60)) - 30, y = static_cast<int>(random() % (high + 6)) - 3;
    std::array<Grf, 1> read{};
    REQUIRE(f.block(false, x, y, {}, read) == SendResult::done);
    std::array<uint8_t, 16> expected, data;
    for (int i = 0; i < 16; ++i)
      expected[static_cast<size_t>(i)] = memory[place(std::clamp(x + i, 0, int{wide} - 1), std::clamp(y, 0, int{high} - 1))];
    INFO("tiling " << surface::tiling_name(tiling) << " at " << x << ", " << y);
    REQUIRE(std::memcmp(read.data(), expected.data(), 16) == 0);
    std::array<Grf, 1> written{};
    for (uint8_t& byte : data) byte = static_cast<uint8_t>(random());
    std::memcpy(written.data(), data.data(), 16);
    REQUIRE(f.block(true, x, y, written, {}) == SendResult::done);
    for (int i = 0; i < 16; ++i)
      if (x + i >= 0 && x + i < int{wide} && y >= 0 && y < int{high}) memory[place(x + i, y)] = data[static_cast<size_t>(i)];
    std::array<uint8_t, 0x2000> now;
    f.view.read(pixels, now.data(), now.size());
    REQUIRE(now == memory);
  }
}
