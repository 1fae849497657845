// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/vme/measure.h"

#include <algorithm>
#include <cstdlib>

namespace softgen::vme {
namespace {

struct HaarSums {
  uint32_t both = 0, one = 0, none = 0, dc = 0;  ///< by how many dimensions are differences of neighbours; of all
};

/// Four values: two sums of pairs become sum and difference, and the pairs' differences.
struct Four {
  int v[4];
};
Four haar(int a, int b, int c, int d) { return {{a + b + c + d, a + b - c - d, a - b, c - d}}; }

// Lengths of the basis functions: 2 of the first two, sqrt(2) of the others. So products are divided by 4, by sqrt(8) (taken as 8 / 3), and by 2.
uint32_t haar_4x4(const Block& source, const uint8_t* other, size_t stride, unsigned x, unsigned y, bool without_dc) {
  Four rows[4];
  for (unsigned row = 0; row < 4; ++row) {
    const uint8_t* const s = &source[(y + row) * block_size + x];
    const uint8_t* const o = other + (y + row) * stride + x;
    rows[row] = haar(s[0] - o[0], s[1] - o[1], s[2] - o[2], s[3] - o[3]);
  }
  HaarSums sums;
  for (unsigned column = 0; column < 4; ++column) {
    const Four c = haar(rows[0].v[column], rows[1].v[column], rows[2].v[column], rows[3].v[column]);
    const auto low = static_cast<uint32_t>(std::abs(c.v[0]) + std::abs(c.v[1])),
               high = static_cast<uint32_t>(std::abs(c.v[2]) + std::abs(c.v[3]));
    if (column < 2) sums.none += low, sums.one += high;
    else sums.one += low, sums.both += high;
    if (!column && without_dc) sums.none -= static_cast<uint32_t>(std::abs(c.v[0]));
  }
  return (2 * sums.none + 3 * sums.one + 4 * sums.both) >> 3;
}

uint32_t sad_4x4(const Block& source, const uint8_t* other, size_t stride, unsigned x, unsigned y) {
  uint32_t sum = 0;
  for (unsigned row = y; row < y + 4; ++row)
    for (unsigned column = x; column < x + 4; ++column)
      sum += static_cast<uint32_t>(std::abs(source[row * block_size + column] - other[row * stride + column]));
  return sum;
}

/// Six taps of H.264 (8.4.2.2.1), not divided.
template <typename T>
int six_taps(const T* at, ptrdiff_t step) {
  return at[-2 * step] - 5 * at[-step] + 20 * at[0] + 20 * at[step] - 5 * at[2 * step] + at[3 * step];
}
uint8_t rounded(int value, int bits) { return static_cast<uint8_t>(std::clamp((value + (1 << (bits - 1))) >> bits, 0, 255)); }

/// A sample at half positions: `half_x`, `half_y`.
uint8_t half_sample(const uint8_t* at, ptrdiff_t stride, bool half_x, bool half_y) {
  if (!half_x && !half_y) return *at;
  if (!half_y) return rounded(six_taps(at, 1), 5);
  if (!half_x) return rounded(six_taps(at, stride), 5);
  int column[6];
  for (int i = 0; i < 6; ++i) column[i] = six_taps(at + (i - 2) * stride, 1);
  return rounded(six_taps(column + 2, 1), 10);
}

/// Quarter positions are the mean of two nearest whole or half ones (8.4.2.2.1).
uint8_t quarter_sample(const uint8_t* at, ptrdiff_t stride, int x, int y) {
  if (!(x & 1) && !(y & 1)) return half_sample(at, stride, x != 0, y != 0);
  const auto half = [&](int hx, int hy) { return half_sample(at + (hx >> 1) + (hy >> 1) * stride, stride, hx & 1, hy & 1); };
  // In halves: both odd: the two on the diagonal that has no whole sample; else the two on either side.
  const int left = x >> 1, right = (x + 1) >> 1, top = y >> 1, bottom = (y + 1) >> 1;
  if ((x & 1) && (y & 1)) {
    const int ox = left & 1 ? left : right, oy = top & 1 ? top : bottom;
    return static_cast<uint8_t>((half(ox, oy == top ? bottom : top) + half(ox == left ? right : left, oy) + 1) >> 1);
  }
  return static_cast<uint8_t>((half(left, top) + half(right, bottom) + 1) >> 1);
}

}  // namespace

Distortions distortions(const Block& source, const uint8_t* other, size_t stride, Measure measure) {
  Distortions out;
  for (unsigned i = 0; i < sub_blocks; ++i)
    out[i] = measure == Measure::sad ? sad_4x4(source, other, stride, column_of(i), row_of(i))
                                     : haar_4x4(source, other, stride, column_of(i), row_of(i), measure == Measure::haar_without_dc);
  return out;
}

void interpolate(const uint8_t* at, size_t stride, Vector vector, bool bilinear, unsigned columns, unsigned rows, uint8_t* to) {
  const int fx = vector.x & 3, fy = vector.y & 3;
  for (unsigned row = 0; row < rows; ++row, at += stride, to += block_size) {
    if (bilinear) {
      const uint8_t* const below = at + (fy ? stride : 0);
      const unsigned right = fx != 0;
      for (unsigned i = 0; i < columns; ++i) {
        const int upper = at[i] * (4 - fx) + at[i + right] * fx, lower = below[i] * (4 - fx) + below[i + right] * fx;
        to[i] = static_cast<uint8_t>((upper * (4 - fy) + lower * fy + 8) >> 4);
      }
    } else {
      for (unsigned i = 0; i < columns; ++i) to[i] = quarter_sample(at + i, static_cast<ptrdiff_t>(stride), fx, fy);
    }
  }
}

}  // namespace softgen::vme
