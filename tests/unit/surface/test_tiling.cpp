// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/surface/tiling.h"

#include <random>
#include <set>
#include <string_view>
#include <vector>

#include "tests/catch.h"

using namespace softgen::surface;

namespace {

// Independent definition: the offset's bits from the top, x and y bits in rising order from the bottom (the
// PRM's and GmmLib's notation).
uint64_t offset_by_pattern(std::string_view pattern, uint32_t x, uint32_t y, uint32_t pitch, uint32_t pitch_of_tile) {
  uint32_t within = 0, width = 1, height = 1, xs = x, ys = y;
  for (size_t i = 0; i < pattern.size(); ++i) {
    const bool is_x = pattern[pattern.size() - 1 - i] == 'X';
    uint32_t& from = is_x ? xs : ys;
    within |= (from & 1) << i;
    from >>= 1;
    (is_x ? width : height) *= 2;
  }
  const uint64_t tiles = pitch / pitch_of_tile;
  return (y / height * tiles + x / width) * (uint64_t{width} * height) + within;
}

struct Case {
  Tiling tiling;
  unsigned element;
  std::string_view pattern;
  uint32_t pitch_of_tile;
};
const Case cases[] = {
    {Tiling::x, 4, "YYYXXXXXXXXX", 512},        {Tiling::y, 4, "XXXYYYYYXXXX", 128},      {Tiling::w, 1, "XXXYYYYXYXYX", 128},
    {Tiling::yf, 1, "XYXYYYYYXXXX", 64},        {Tiling::yf, 2, "XYXYXYYYXXXX", 128},     {Tiling::yf, 4, "XYXYXYYYXXXX", 128},
    {Tiling::yf, 8, "XYXYXXYYXXXX", 256},       {Tiling::yf, 16, "XYXYXXYYXXXX", 256},    {Tiling::ys, 1, "XYXYXYXYYYYYXXXX", 256},
    {Tiling::ys, 2, "XYXYXYXYXYYYXXXX", 512},   {Tiling::ys, 4, "XYXYXYXYXYYYXXXX", 512}, {Tiling::ys, 8, "XYXYXYXYXXYYXXXX", 1024},
    {Tiling::ys, 16, "XYXYXYXYXXYYXXXX", 1024},
};

}  // namespace

TEST_CASE("the offset's bits are the manual's interleave of x and y") {
  for (const Case& c : cases) {
    INFO(tiling_name(c.tiling) << " element " << c.element);
    const uint32_t pitch = 3 * c.pitch_of_tile;
    const uint32_t width = tile_shape(c.tiling, c.element).width * 3, height = tile_shape(c.tiling, c.element).height * 2;
    bool same = true;
    std::set<uint64_t> seen;
    for (uint32_t y = 0; y < height; ++y)
      for (uint32_t x = 0; x < width; ++x) {
        const uint64_t at = offset(c.tiling, c.element, x, y, pitch);
        same &= at == offset_by_pattern(c.pattern, x, y, pitch, c.pitch_of_tile);
        if (c.tiling != Tiling::ys || x % 64 == 0) seen.insert(at);
      }
    CHECK(same);
    CHECK(*seen.rbegin() < uint64_t{width} * height);
  }
}

// ILK PRM vol 1 part 2, 3.5.3, TiledOffsetW: W tiles of 64 bytes by 64 rows. The walk's pitch is counted in such tiles there; here it is twice as
// many bytes.
TEST_CASE("W tiles are where Ironlake's formula has them") {
  bool same = true;
  for (uint32_t y = 0; y < 192; ++y)
    for (uint32_t x = 0; x < 192; ++x) {
      const uint32_t tile_h = 64, xo = x % 64, yo = y % 64;
      const uint64_t expected = uint64_t{3 * 4096} * (y / 64) + 4096 * (x / 64) + tile_h * 8 * (xo / 8) + 64 * (yo / 8) +
                                32 * (yo / 4 % 2) + 16 * (xo / 4 % 2) + 8 * (yo / 2 % 2) + 4 * (xo / 2 % 2) + 2 * (yo % 2) + xo % 2;
      same &= offset(Tiling::w, 1, x, y, 3 * 128) == expected;
    }
  CHECK(same);
}

TEST_CASE("the inline forms agree with the general one") {
  bool same = true;
  for (uint32_t y = 0; y < 200; ++y)
    for (uint32_t x = 0; x < 1536; ++x) {
      same &= offset_x(x, y, 1536) == offset(Tiling::x, 1, x, y, 1536);
      same &= offset_y(x, y, 1536) == offset(Tiling::y, 1, x, y, 1536);
      same &= offset_w(x, y, 3072) == offset(Tiling::w, 1, x, y, 3072);
    }
  CHECK(same);
}

TEST_CASE("linear surfaces, and a pitch smaller than a tile") {
  CHECK(offset(Tiling::linear, 4, 17, 3, 100) == 317);
  CHECK(offset(Tiling::y, 4, 0, 32, 64) == 4096);
}

TEST_CASE("bulk moves equal the byte-wise definition for any rectangle in a page") {
  constexpr unsigned seed = 11;
  INFO("seed " << seed);
  std::mt19937 random(seed);
  for (const Case& c : cases) {
    INFO(tiling_name(c.tiling) << " element " << c.element);
    const PageShape shape = page_shape(c.tiling, c.element);
    std::vector<std::byte> page(4096);
    for (auto& b : page) b = static_cast<std::byte>(random());
    bool same = true;
    for (int i = 0; i < 300; ++i) {
      PageRect r;
      r.x = random() % shape.width, r.y = random() % shape.height;
      r.width = 1 + random() % (shape.width - r.x), r.height = 1 + random() % (shape.height - r.y);
      if (i == 0) r = {0, 0, shape.width, shape.height};
      const size_t stride = r.width + random() % 7;
      std::vector<std::byte> linear(stride * r.height, std::byte{0xcd}), expect = linear;
      const auto at = [&](uint32_t x, uint32_t y) {
        return page_column(c.tiling, c.element, r.x + x) + page_row(c.tiling, c.element, r.y + y);
      };
      for (uint32_t y = 0; y < r.height; ++y)
        for (uint32_t x = 0; x < r.width; ++x) expect[y * stride + x] = page[at(x, y)];
      page_to_linear(c.tiling, c.element, page.data(), r, linear.data(), stride);
      same &= linear == expect;

      for (auto& b : linear) b = static_cast<std::byte>(random());
      auto changed = page;
      for (uint32_t y = 0; y < r.height; ++y)
        for (uint32_t x = 0; x < r.width; ++x) changed[at(x, y)] = linear[y * stride + x];
      linear_to_page(c.tiling, c.element, page.data(), r, linear.data(), stride);
      same &= page == changed;

      std::vector<std::byte*> rows;
      for (uint32_t y = 0; y < r.height; ++y) rows.push_back(&linear[(r.height - 1 - y) * stride]);
      page_to_rows(c.tiling, c.element, page.data(), r, rows.data());
      for (uint32_t y = 0; y < r.height; ++y)
        for (uint32_t x = 0; x < r.width; ++x) {
          same &= rows[y][x] == page[at(x, y)];
          rows[y][x] = static_cast<std::byte>(random());
          changed[at(x, y)] = rows[y][x];
        }
      rows_to_page(c.tiling, c.element, page.data(), r, rows.data());
      same &= page == changed;
    }
    CHECK(same);
  }
}
