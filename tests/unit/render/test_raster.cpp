// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/render/raster.h"

#include <algorithm>
#include <array>
#include <random>

#include "tests/catch.h"

using namespace softgen;
using namespace softgen::render;

TEST_CASE("the pixels of a block within a rectangle, wherever the block is") {
  const PixelRect rects[] = {{0, 0, 4, 4}, {3, 5, 21, 18}, {8, 8, 16, 16}, {5, 5, 5, 5}, {0, 0, 16384, 16384}, {10, 10, 4, 4}};
  for (const PixelRect& rect : rects)
    for (int32_t y = -400; y <= 400; y += 8)
      for (int32_t x = -400; x <= 400; x += 8) {
        uint64_t expected = 0;
        for (int32_t i = 0; i < 64; ++i) {
          const int32_t px = x + i % 8, py = y + i / 8;
          if (px >= rect.x0 && px < rect.x1 && py >= rect.y0 && py < rect.y1) expected |= uint64_t{1} << i;
        }
        CAPTURE(rect.x0, rect.y0, rect.x1, rect.y1, x, y);
        REQUIRE(PartRaster::within(rect, x, y) == expected);
      }
}

namespace {

/// Three random edges, most of which leave large parts of the tile inside.
Coverage random_part(std::mt19937& random) {
  const auto between = [&](int low, int high) { return low + static_cast<int>(random() % static_cast<uint32_t>(high - low)); };
  Coverage part;
  part.edge_count = 3;
  for (unsigned i = 0; i < part.edge_count; ++i) {
    PartEdge& e = part.edges[i];
    e.a = between(-20000, 20000), e.b = between(-20000, 20000);
    const int64_t x = between(-40, 104) * subpixels, y = between(-40, 104) * subpixels;
    e.c = -(e.a * x + e.b * y);
    if (e.at(32 * subpixels, 32 * subpixels) < 0) e.a = -e.a, e.b = -e.b, e.c = -e.c;
  }
  part.bounds = {between(0, 24), between(0, 24), between(40, 80), between(40, 80)};
  return part;
}

}  // namespace

TEST_CASE("runs of whole blocks and other blocks are a part's pixels, each once") {
  const uint32_t seed = 17;
  INFO("seed " << seed);
  std::mt19937 random(seed);
  RasterState raster;
  raster.sample_positions[0] = {subpixels / 2, subpixels / 2};
  const PixelRect tile{0, 0, 64, 64};
  unsigned long_runs = 0, all_covered = 0;
  for (unsigned round = 0; round < 2000; ++round) {
    Coverage part = random_part(random);
    if (round % 8 == 0) part.edge_count = 0;
    if (round % 16 == 0) part.bounds = {0, 0, 64, static_cast<int32_t>(60 + random() % 8)};
    PartRaster scan(part, raster);
    REQUIRE(scan.by_blocks());
    all_covered += scan.covers(tile);
    std::array<uint64_t, 64> rows{};  // bit x of row y
    bool twice = false;
    const auto add = [&](uint32_t x, uint32_t y, uint64_t pixels) {
      for (unsigned i = 0; i < 8; ++i) {
        const uint64_t row = (pixels >> 8 * i & 0xff) << x;
        twice = twice || (rows.at(y + i) & row);
        rows.at(y + i) |= row;
      }
      return true;
    };
    scan.each_run(
        tile,
        [&](uint32_t x, uint32_t y, uint64_t pixels) {
          REQUIRE(pixels != ~uint64_t{0});
          return add(x, y, pixels);
        },
        [&](uint32_t x, uint32_t y, uint32_t count) {
          long_runs += count > 1;
          for (uint32_t n = 0; n < count; ++n) add(x + 8 * n, y, ~uint64_t{0});
          return true;
        });
    std::array<uint64_t, 64> expected{};
    for (int32_t y = part.bounds.y0; y < std::min(part.bounds.y1, 64); ++y)
      for (int32_t x = part.bounds.x0; x < std::min(part.bounds.x1, 64); ++x) {
        bool inside = true;
        for (unsigned i = 0; i < part.edge_count; ++i)
          inside = inside && part.edges[i].at(x * subpixels + subpixels / 2, y * subpixels + subpixels / 2) >= 0;
        expected[static_cast<size_t>(y)] |= uint64_t{inside} << x;
      }
    CAPTURE(round);
    REQUIRE(rows == expected);
    REQUIRE_FALSE(twice);
  }
  CHECK(long_runs > 1000);
  CHECK(all_covered > 10);
}
