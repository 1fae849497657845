// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/jpeg/transform.h"

#include <algorithm>

namespace softgen::media::jpeg {
namespace {

// cos(n pi / 16) / 2 with 12 bits of fraction; that of n = 4 is the factor of the constant term, too.
constexpr int fraction = 12;
constexpr int32_t c1 = 2009, c2 = 1892, c3 = 1703, c4 = 1448, c5 = 1138, c6 = 784, c7 = 400;

constexpr int32_t rounded(int32_t value, int bits) { return (value + (1 << (bits - 1))) >> bits; }

struct Eight {
  int32_t v[8];
};

/// One dimension: sums of even and odd basis functions.
Eight inverse(const Eight& x) {
  const int32_t a = (x.v[0] + x.v[4]) * c4, b = (x.v[0] - x.v[4]) * c4;
  const int32_t c = x.v[2] * c2 + x.v[6] * c6, d = x.v[2] * c6 - x.v[6] * c2;
  const int32_t even[4] = {a + c, b + d, b - d, a - c};
  const int32_t odd[4] = {x.v[1] * c1 + x.v[3] * c3 + x.v[5] * c5 + x.v[7] * c7, x.v[1] * c3 - x.v[3] * c7 - x.v[5] * c1 - x.v[7] * c5,
                          x.v[1] * c5 - x.v[3] * c1 + x.v[5] * c7 + x.v[7] * c3, x.v[1] * c7 - x.v[3] * c5 + x.v[5] * c3 - x.v[7] * c1};
  Eight out;
  for (int i = 0; i < 4; ++i) out.v[i] = even[i] + odd[i], out.v[7 - i] = even[i] - odd[i];
  return out;
}

Eight forward(const Eight& x) {
  int32_t sum[4], difference[4];
  for (int i = 0; i < 4; ++i) sum[i] = x.v[i] + x.v[7 - i], difference[i] = x.v[i] - x.v[7 - i];
  const auto odd = [&](int32_t p, int32_t q, int32_t r, int32_t s) {
    return difference[0] * p + difference[1] * q + difference[2] * r + difference[3] * s;
  };
  return {{(sum[0] + sum[1] + sum[2] + sum[3]) * c4, odd(c1, c3, c5, c7), (sum[0] - sum[3]) * c2 + (sum[1] - sum[2]) * c6,
           odd(c3, -c7, -c1, -c5), (sum[0] - sum[1] - sum[2] + sum[3]) * c4, odd(c5, -c1, c7, c3),
           (sum[0] - sum[3]) * c6 - (sum[1] - sum[2]) * c2, odd(c7, -c5, c3, -c1)}};
}

// Between the two dimensions.
constexpr int kept = 3;

}  // namespace

void inverse_transform(const Block& coefficients, unsigned last, uint8_t* to, size_t stride) {
  if (last == 0) {
    const auto flat = static_cast<uint8_t>(std::clamp(rounded(coefficients[0], 3) + 128, 0, 255));
    for (int y = 0; y < 8; ++y, to += stride) std::fill_n(to, 8, flat);
    return;
  }
  // The first n coefficients of the scan are in the first rows only.
  const unsigned rows = last < 3 ? 2 : last < 10 ? 4 : 8;
  int32_t middle[8][8] = {};
  for (unsigned y = 0; y < rows; ++y) {
    Eight row;
    for (unsigned x = 0; x < 8; ++x) row.v[x] = coefficients[y * 8 + x];
    const Eight out = inverse(row);
    for (unsigned x = 0; x < 8; ++x) middle[x][y] = rounded(out.v[x], fraction - kept);
  }
  for (unsigned x = 0; x < 8; ++x) {
    Eight column;
    std::copy_n(middle[x], 8, column.v);
    const Eight out = inverse(column);
    for (unsigned y = 0; y < 8; ++y)
      to[y * stride + x] = static_cast<uint8_t>(std::clamp(rounded(out.v[y], fraction + kept) + 128, 0, 255));
  }
}

void forward_transform(const std::array<uint8_t, 64>& samples, Block& coefficients) {
  Block values;
  for (unsigned i = 0; i < values.size(); ++i) values[i] = static_cast<int16_t>(samples[i] - 128);
  forward_transform(values, coefficients);
}

void forward_transform(const Block& values, Block& coefficients) {
  int32_t middle[8][8];
  for (unsigned y = 0; y < 8; ++y) {
    Eight row;
    for (unsigned x = 0; x < 8; ++x) row.v[x] = values[y * 8 + x];
    const Eight out = forward(row);
    for (unsigned x = 0; x < 8; ++x) middle[x][y] = rounded(out.v[x], fraction - kept);
  }
  for (unsigned x = 0; x < 8; ++x) {
    Eight column;
    std::copy_n(middle[x], 8, column.v);
    const Eight out = forward(column);
    for (unsigned y = 0; y < 8; ++y) coefficients[y * 8 + x] = static_cast<int16_t>(rounded(out.v[y], fraction));
  }
}

}  // namespace softgen::media::jpeg
