// SPDX-License-Identifier: GPL-2.0-or-later
// Parts of the HEVC decoder against slow and straightforward forms of H.265's equations.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "hw/media/hevc/inter.h"
#include "hw/media/hevc/intra.h"
#include "hw/media/hevc/motion.h"
#include "hw/media/hevc/picture_info.h"
#include "hw/media/hevc/transform.h"
#include "tests/catch.h"

using namespace softgen::media::hevc;

TEST_CASE("HEVC's inverse transforms are the cosine transform, within rounding") {
  std::mt19937 random(1);
  for (unsigned log2 = 2; log2 <= 5; ++log2) {
    const unsigned size = 1u << log2;
    Coefficients coefficients{};
    coefficients.columns = coefficients.rows = static_cast<uint8_t>(size);
    for (unsigned i = 0; i < size * size; ++i) coefficients.values[i] = static_cast<int16_t>(static_cast<int>(random() % 401) - 200);
    std::vector<int16_t> residuals(size * size);
    inverse_transform({.log2 = static_cast<uint8_t>(log2)}, coefficients, 8, false, residuals.data());
    const auto basis = [size](unsigned k, unsigned n) {
      return std::cos((2 * n + 1) * k * std::numbers::pi / (2 * size)) * std::sqrt((k ? 2.0 : 1.0) / size);
    };
    double worst = 0;
    for (unsigned y = 0; y < size; ++y) {
      for (unsigned x = 0; x < size; ++x) {
        double sum = 0;
        for (unsigned v = 0; v < size; ++v)
          for (unsigned u = 0; u < size; ++u) sum += coefficients.values[v * size + u] * basis(v, y) * basis(u, x);
        // The integer transform's gain is 2^(7 - log2) for 8 bits: 64 * 64 * size / 2^19 of the orthonormal one.
        worst = std::max(worst, std::abs(sum * (64.0 * 64.0 * size / 524288.0) - residuals[y * size + x]));
      }
    }
    INFO("size " << size << ", worst " << worst);
    CHECK(worst < 4);
  }
}

TEST_CASE("HEVC's interpolation is that of the equations") {
  std::mt19937 random(2);
  constexpr int stride = 40;
  std::vector<uint16_t> from(stride * 40);
  for (uint16_t& sample : from) sample = static_cast<uint16_t>(random() & 1023);
  for (unsigned fraction_x = 0; fraction_x < 4; ++fraction_x) {
    for (unsigned fraction_y = 0; fraction_y < 4; ++fraction_y) {
      std::array<int16_t, 16 * 8> to;
      interpolate<uint16_t, 8>(from.data() + 8 * stride + 8, stride, 1, 16, 8, luma_filter, fraction_x, fraction_y, 10, to.data(), 16);
      for (int y = 0; y < 8; ++y) {
        for (int x = 0; x < 16; ++x) {
          const auto row = [&](int at) {
            int sum = 0;
            for (int tap = 0; tap < 8; ++tap)
              sum += luma_filter[fraction_x][tap] * from[static_cast<size_t>((8 + at) * stride + 8 + x + tap - 3)];
            return sum;
          };
          int expected = 0;
          if (!fraction_y) {
            expected = fraction_x ? row(y) >> 2 : from[static_cast<size_t>((8 + y) * stride + 8 + x)] << 4;
          } else {
            for (int tap = 0; tap < 8; ++tap) {
              const int value = fraction_x ? row(y + tap - 3) >> 2 : from[static_cast<size_t>((8 + y + tap - 3) * stride + 8 + x)];
              expected += luma_filter[fraction_y][tap] * value;
            }
            expected >>= fraction_x ? 6 : 2;
          }
          REQUIRE(to[static_cast<size_t>(y * 16 + x)] == expected);
        }
      }
    }
  }
}

TEST_CASE("a border without neighbours is mid-grey, and one with some takes the nearest") {
  std::array<uint8_t, 32 * 32> plane;
  plane.fill(77);
  const Samples<uint8_t> block{plane.data() + 8 * 32 + 8, 32, 1};
  IntraBorder border;
  read_border(block, 4, {}, 4, 8, border);
  CHECK(std::all_of(border.left.begin(), border.left.begin() + 9, [](uint16_t v) { return v == 128; }));
  read_border(block, 4, {.left = 1, .above = 0, .corner = false}, 4, 8, border);
  CHECK(border.above[8] == 77);
  CHECK(border.left[8] == 77);
}

TEST_CASE("motion vectors scale with the distance") {
  CHECK(scale_mv({16, -16}, 2, 1) == Mv{32, -32});
  CHECK(scale_mv({100, -7}, 3, 3) == Mv{100, -7});
  CHECK(scale_mv({32767, -32768}, 127, 1) == Mv{32767, -32768});
  CHECK(scale_mv({5, 6}, 1, 0) == Mv{5, 6});
}

TEST_CASE("tiles are decoded one after the other") {
  PictureParameters parameters;
  parameters.width = 64, parameters.height = 32;
  parameters.tile_columns = 2;
  parameters.column_starts = {0, 1, 4};
  parameters.row_starts = {0, 2};
  PictureInfo info;
  info.begin(parameters);
  CHECK(info.to_raster == std::vector<uint32_t>{0, 4, 1, 2, 3, 5, 6, 7});
  CHECK(info.next_ctb(4) == 1);
  CHECK(info.next_ctb(7) == info.ctb_count());
}
