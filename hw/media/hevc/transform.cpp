// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/hevc/transform.h"

#include <algorithm>
#include <array>

#include "hw/media/hevc/sample_kernels.h"

namespace softgen::media::hevc {
namespace {

int16_t clip(int32_t value) { return static_cast<int16_t>(std::clamp(value, -32768, 32767)); }

/// Element n of line l is at out[l * 4 + n], for the input's at in[n * 4 + l]: two calls transpose twice.
void sine_lines(const int16_t* in, int16_t* out, unsigned shift) {
  for (unsigned line = 0; line < 4; ++line) {
    for (unsigned n = 0; n < 4; ++n) {
      int32_t sum = 1 << (shift - 1);
      for (unsigned k = 0; k < 4; ++k) sum += in[k * 4 + line] * sine_matrix[k][n];
      out[line * 4 + n] = clip(sum >> shift);
    }
  }
}

}  // namespace

void inverse_transform(const TransformBlock& block, const Coefficients& coefficients, unsigned bits, bool sine, int16_t* residuals) {
  const unsigned size = 1u << block.log2, shift = 20 - bits;
  if (block.bypass) {
    std::copy_n(coefficients.values.begin(), size * size, residuals);
  } else if (coefficients.skip_transform) {
    for (unsigned i = 0; i < size * size; ++i) residuals[i] = clip((coefficients.values[i] * 128 + (1 << (shift - 1))) >> shift);
  } else if (sine) {
    std::array<int16_t, 16> columns;
    sine_lines(coefficients.values.data(), columns.data(), 7);
    sine_lines(columns.data(), residuals, shift);
  } else if (coefficients.dc_only) {
    const int32_t column = clip((coefficients.values[0] * 64 + 64) >> 7);
    std::fill_n(residuals, size * size, clip((column * 64 + (1 << (shift - 1))) >> shift));
  } else {
    kernels().transform.inverse(coefficients.values.data(), block.log2, std::min<unsigned>(coefficients.columns, size),
                                std::min<unsigned>(coefficients.rows, size), bits, residuals);
  }
}

}  // namespace softgen::media::hevc
