// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/mpeg2/idct.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace softgen::media::mpeg2 {
namespace {

/// cos(k pi / 16) * sqrt(2) * 2^14, rounded; the fourth is 1 less.
constexpr int32_t w1 = 22725, w2 = 21407, w3 = 19266, w4 = 16383, w5 = 12873, w6 = 8867, w7 = 4520;
constexpr unsigned row_shift = 11, column_shift = 20, dc_shift = 3;

/// One line of eight, `step` elements apart; sums may wrap for blocks that no encoder makes.
template <unsigned shift>
inline void transform(int16_t* line, size_t step, uint32_t dc) {
  const auto in = [&](size_t i) { return static_cast<uint32_t>(int32_t{line[i * step]}); };
  const uint32_t s1 = in(1), s2 = in(2), s3 = in(3), s4 = in(4), s5 = in(5), s6 = in(6), s7 = in(7);
  const uint32_t even[4] = {dc + w2 * s2 + w4 * s4 + w6 * s6, dc + w6 * s2 - w4 * s4 - w2 * s6, dc - w6 * s2 - w4 * s4 + w2 * s6,
                            dc - w2 * s2 + w4 * s4 - w6 * s6};
  const uint32_t odd[4] = {w1 * s1 + w3 * s3 + w5 * s5 + w7 * s7, w3 * s1 - w7 * s3 - w1 * s5 - w5 * s7,
                           w5 * s1 - w1 * s3 + w7 * s5 + w3 * s7, w7 * s1 - w5 * s3 + w3 * s5 - w1 * s7};
  for (size_t i = 0; i < 4; ++i) {
    line[i * step] = static_cast<int16_t>(static_cast<int32_t>(even[i] + odd[i]) >> shift);
    line[(7 - i) * step] = static_cast<int16_t>(static_cast<int32_t>(even[i] - odd[i]) >> shift);
  }
}

void transform_row(int16_t* row) {
  std::array<uint64_t, 2> words;
  std::memcpy(words.data(), row, sizeof words);
  if (!(words[1] | words[0] >> 16)) {
    std::fill_n(row, 8, static_cast<int16_t>(row[0] * (1 << dc_shift)));
    return;
  }
  transform<row_shift>(row, 1, static_cast<uint32_t>(w4 * row[0]) + (1u << (row_shift - 1)));
}

}  // namespace

void inverse_dct(int16_t* block) {
  for (size_t row = 0; row < 8; ++row) transform_row(block + row * 8);
  // The rounding constant is added before the multiplication, as a whole number of its steps.
  constexpr int32_t rounding = (1 << (column_shift - 1)) / w4;
  for (size_t column = 0; column < 8; ++column)
    transform<column_shift>(block + column, 8, static_cast<uint32_t>(w4 * (block[column] + rounding)));
}

void put_block(const int16_t* block, uint8_t* to, size_t step, size_t stride) {
  for (size_t y = 0; y < 8; ++y, to += stride)
    for (size_t x = 0; x < 8; ++x) to[x * step] = static_cast<uint8_t>(std::clamp<int>(block[y * 8 + x], 0, 255));
}

void add_block(const int16_t* block, uint8_t* to, size_t step, size_t stride) {
  for (size_t y = 0; y < 8; ++y, to += stride)
    for (size_t x = 0; x < 8; ++x) to[x * step] = static_cast<uint8_t>(std::clamp(to[x * step] + block[y * 8 + x], 0, 255));
}

}  // namespace softgen::media::mpeg2
