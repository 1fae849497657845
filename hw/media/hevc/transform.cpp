// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/hevc/transform.h"

#include <algorithm>
#include <array>

namespace softgen::media::hevc {
namespace {

/// The first column of the matrix's odd rows, and what follows from cosines' symmetry: element (k, n) is the cosine of (2n + 1) k pi / 64, which is that of
/// an angle in the first quarter with a sign.
constexpr int8_t cosines[33] = {64, 90, 90, 90, 89, 88, 87, 85, 83, 82, 80, 78, 75, 73, 70, 67, 64,
                                61, 57, 54, 50, 46, 43, 38, 36, 31, 25, 22, 18, 13, 9,  4,  0};

constexpr int8_t element(unsigned frequency, unsigned position) {
  unsigned angle = (2 * position + 1) * frequency % 128;
  if (angle > 64) angle = 128 - angle;
  return angle <= 32 ? cosines[angle] : static_cast<int8_t>(-cosines[64 - angle]);
}

struct Matrix {
  int8_t at[32][32];
};
constexpr Matrix make_matrix() {
  Matrix matrix{};
  for (unsigned k = 0; k < 32; ++k)
    for (unsigned n = 0; n < 32; ++n) matrix.at[k][n] = element(k, n);
  return matrix;
}
constexpr Matrix matrix = make_matrix();

constexpr int8_t sine_matrix[4][4] = {{29, 55, 74, 84}, {74, 74, 0, -74}, {84, -29, -74, 55}, {55, -84, 74, -29}};

int16_t clip(int32_t value) { return static_cast<int16_t>(std::clamp(value, -32768, 32767)); }

/// One dimension of 8.6.4.2: `count` lines of the input, of which `used` elements are not 0. Input element i of line l is at in[i * size + l], output
/// element n of it at out[l * size + n]: two calls transpose twice.
template <unsigned size>
void transform_lines(const int16_t* in, int16_t* out, unsigned lines, unsigned used, unsigned shift, const int8_t (*rows)[32],
                     unsigned row_step) {
  const int32_t round = 1 << (shift - 1);
  for (unsigned line = 0; line < lines; ++line) {
    std::array<int32_t, size> sums;
    sums.fill(round);
    for (unsigned k = 0; k < used; ++k) {
      const int32_t value = in[k * size + line];
      if (!value) continue;
      const int8_t* const row = rows[k * row_step];
      for (unsigned n = 0; n < size; ++n) sums[n] += value * row[n];
    }
    for (unsigned n = 0; n < size; ++n) out[line * size + n] = clip(sums[n] >> shift);
  }
}

template <unsigned size>
void transform(const Coefficients& coefficients, unsigned bits, int16_t* residuals) {
  std::array<int16_t, size * size> columns;
  const unsigned used_columns = std::min<unsigned>(coefficients.columns, size), used_rows = std::min<unsigned>(coefficients.rows, size);
  // Each column first; a column of zeros stays one.
  transform_lines<size>(coefficients.values.data(), columns.data(), used_columns, used_rows, 7, matrix.at, 32 / size);
  // columns: line x has the column's samples by y, so element k = x of line y is at columns[x * size + y].
  transform_lines<size>(columns.data(), residuals, size, used_columns, 20 - bits, matrix.at, 32 / size);
}

void sine_transform(const Coefficients& coefficients, unsigned bits, int16_t* residuals) {
  int8_t rows[4][32] = {};
  for (unsigned k = 0; k < 4; ++k) std::copy_n(sine_matrix[k], 4, rows[k]);
  std::array<int16_t, 16> columns;
  transform_lines<4>(coefficients.values.data(), columns.data(), 4, 4, 7, rows, 1);
  transform_lines<4>(columns.data(), residuals, 4, 4, 20 - bits, rows, 1);
}

}  // namespace

void inverse_transform(const TransformBlock& block, const Coefficients& coefficients, unsigned bits, bool sine, int16_t* residuals) {
  const unsigned size = 1u << block.log2, shift = 20 - bits;
  if (block.bypass) {
    std::copy_n(coefficients.values.begin(), size * size, residuals);
  } else if (coefficients.skip_transform) {
    for (unsigned i = 0; i < size * size; ++i) residuals[i] = clip((coefficients.values[i] * 128 + (1 << (shift - 1))) >> shift);
  } else if (sine) {
    sine_transform(coefficients, bits, residuals);
  } else if (coefficients.dc_only) {
    const int32_t column = clip((coefficients.values[0] * 64 + 64) >> 7);
    std::fill_n(residuals, size * size, clip((column * 64 + (1 << (shift - 1))) >> shift));
  } else {
    switch (block.log2) {
      case 2: transform<4>(coefficients, bits, residuals); break;
      case 3: transform<8>(coefficients, bits, residuals); break;
      case 4: transform<16>(coefficients, bits, residuals); break;
      default: transform<32>(coefficients, bits, residuals); break;
    }
  }
}

}  // namespace softgen::media::hevc
