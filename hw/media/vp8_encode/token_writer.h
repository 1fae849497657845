// SPDX-License-Identifier: GPL-2.0-or-later
// Writes the coefficients of a macroblock: the inverse of read_residual() (RFC 6386, section 13).
#pragma once

#include <array>

#include "hw/media/bits/bool_encoder.h"
#include "hw/media/vp8/tokens.h"
#include "hw/media/vp8_encode/quantizer.h"
#include "hw/media/vp8_encode/token_counts.h"

namespace softgen::media::vp8 {

/// Of a macroblock: 16 of Y, 4 of U, 4 of V, 1 of Y2. `end`: behind the last level that is not 0; 0: there is none.
struct MacroblockLevels {
  std::array<Levels, 25> block;
  std::array<uint8_t, 25> end{};
  bool any() const;
};
constexpr unsigned y2_block = 24;

/// `above`, `left`: as for the decoder.
void write_residual(BoolEncoder& bits, const TokenProbabilities& probs, const MacroblockLevels& levels, bool has_y2, Nonzero& above,
                    Nonzero& left, TokenCounts& counts);

}  // namespace softgen::media::vp8
