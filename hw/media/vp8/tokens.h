// SPDX-License-Identifier: GPL-2.0-or-later
// Coefficients of a macroblock (RFC 6386, section 13), and the inverse transforms (section 14).
#pragma once

#include <array>
#include <cstdint>

#include "hw/media/bits/bool_decoder.h"
#include "hw/media/vp8/picture.h"

namespace softgen::media::vp8 {

/// Which blocks had coefficients: 4 of Y, 2 of U, 2 of V, 1 of Y2; of the macroblock above or to the left.
using Nonzero = std::array<uint8_t, 9>;

/// Dequantised, raster order within a block: 16 of Y, 4 of U, 4 of V. What is not coded is 0.
struct Residual {
  alignas(32) std::array<std::array<int16_t, 16>, 24> block;
  uint32_t coded = 0;  ///< bit i: block i may have coefficients that are not 0
};

/// False: nothing was coded.
bool read_residual(BoolDecoder& bits, const TokenProbabilities& probs, const Quantizer& quantizer, bool has_y2, Nonzero& above,
                   Nonzero& left, Residual& to);
/// mb_skip_coeff: what the neighbours see.
void skip_residual(bool has_y2, Nonzero& above, Nonzero& left);

/// Section 14.3: the DCs of the 16 luma blocks.
void inverse_walsh(const std::array<int16_t, 16>& in, Residual& to);

/// Adds the block to 4x4 samples that are `step` bytes apart.
void add_residual(const std::array<int16_t, 16>& block, uint8_t* to, size_t step, size_t stride);

}  // namespace softgen::media::vp8
