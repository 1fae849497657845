// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/render/raster.h"
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
