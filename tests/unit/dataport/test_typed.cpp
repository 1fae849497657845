// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/catch.h"
#include "tests/unit/dataport/fixture.h"

using namespace softgen;
using namespace softgen::dataport::test;

namespace {

constexpr uint32_t selects = 4u << 25 | 5u << 22 | 6u << 19 | 7u << 16;
constexpr uint32_t typed_read = 0x05, typed_write = 0x0d, simd8_low = 1 << 4, red_only = 0xe;

/// R32_UINT, 2D, linear, 8x4 with levels of 4x2 below it at row 4, and of 2x1 to the right of that.
Fixture levels(uint32_t min_lod, uint32_t mip_count) {
  return Fixture({1u << 29 | 0xd7u << 18 | 1 << 16 | 1 << 14, 0, 3 << 16 | 7, 63, 0, min_lod << 4 | mip_count, 0, selects, pixels});
}
constexpr uint64_t level1 = pixels + 4 * 64, level2 = level1 + 16;

}  // namespace

TEST_CASE("typed messages reach the level that Surface Min LOD and their own LOD add up to") {
  auto f = levels(1, 1);
  // Channels 0 to 3: u, v, r and LOD a register each. The third is outside of level 2, the fourth beyond the last level.
  const std::array<Grf, 5> payload{Grf{{1, 1, 2, 0}}, Grf{{1, 0, 0, 0}}, Grf{}, Grf{{0, 1, 1, 2}}, Grf{{41, 42, 43, 44}}};
  CHECK(f.send(typed_write, simd8_low | red_only, false, 8, 0xf, payload, {}) == SendResult::done);
  CHECK(f.view.load<uint32_t>(level1 + 64 + 4) == 41);
  CHECK(f.view.load<uint32_t>(level2 + 4) == 42);
  for (uint64_t at = pixels; at < pixels + 0x1000; at += 4)
    if (at != level1 + 64 + 4 && at != level2 + 4) REQUIRE(f.view.load<uint32_t>(at) == 0);
  Grf answer{{9, 9, 9, 9}};
  CHECK(f.send(typed_read, simd8_low | red_only, false, 8, 0xf, std::span(payload).first(4), std::span(&answer, 1)) == SendResult::done);
  CHECK(answer.dw[0] == 41);
  CHECK(answer.dw[1] == 42);
  CHECK(answer.dw[2] == 0);
  CHECK(answer.dw[3] == 0);
}

TEST_CASE("typed messages without a LOD take the surface's first level") {
  auto f = levels(2, 0);
  const std::array<Grf, 3> payload{Grf{{1, 2}}, Grf{}, Grf{{41, 42}}};
  CHECK(f.send(typed_write, simd8_low | red_only, false, 8, 3, payload, {}) == SendResult::done);
  CHECK(f.view.load<uint32_t>(level2 + 4) == 41);
  CHECK(f.view.load<uint32_t>(level2 + 8) == 0);
}
