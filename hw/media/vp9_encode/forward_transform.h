// SPDX-License-Identifier: GPL-2.0-or-later
// From residuals to levels. What a decoder makes of the levels is hw/media/vp9/transform.h.
#pragma once

#include <array>
#include <cstdint>

#include "hw/media/vp9/block.h"

namespace softgen::media::vp9 {

/// `residual`: rows of 4 << tx_size. Coefficients are in rows, too, scaled as levels are: 8 times an orthonormal transform's (32x32: 4 times).
void forward_transform(unsigned tx_size, TxType type, bool lossless, const int16_t* residual, int32_t* coefficients);

struct Quantization {
  unsigned tx_size;
  TxType type;
  const std::array<uint16_t, 2>* quantizers;  ///< DC and AC
  uint8_t rounding;                           ///< sixteenths of a level
};

/// Levels in scan order. Returns how many there are up to the last that is not 0.
unsigned quantize(const Quantization& by, const int32_t* coefficients, int16_t* levels);

}  // namespace softgen::media::vp9
