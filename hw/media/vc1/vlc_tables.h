// SPDX-License-Identifier: GPL-2.0-or-later
// The codes of SMPTE 421M as it lists them: what a code stands for is its index.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace softgen::media::vc1 {

/// A code's value and its length in bits.
struct Code {
  uint32_t value;
  uint8_t length;
};

constexpr int dc_escape = 119;

extern const Code intra_patterns[64];
extern const Code inter_patterns[4][64];
extern const Code macroblock_transforms[3][16];
extern const Code block_transforms[3][8];
extern const Code subblock_patterns[3][15];
extern const Code vectors[4][73];
// Of interlaced pictures (interlaced_tables.cpp).
extern const Code field_modes[8][6], mixed_field_modes[8][8];
extern const Code frame_modes[4][9], four_vector_frame_modes[4][15];
extern const Code interlaced_patterns[8][63];
extern const Code four_vector_patterns[4][16], two_vector_patterns[4][4];
extern const Code one_reference_vectors[4][72], two_reference_vectors[8][126];
extern const Code dc_luma[2][120], dc_chroma[2][120];

/// Sets of AC codes (8.1.3.4). Even ones are for luma of intra blocks, odd ones for all else.
constexpr unsigned coding_sets = 8;
constexpr unsigned high_motion_set = 0, low_motion_set = 2, mid_rate_set = 4, high_rate_set = 6;

struct CoefficientCodes {
  std::span<const Code> codes;                     ///< the last one is the escape
  std::array<std::span<const uint8_t>, 2> levels;  ///< by whether the coefficient is the last one, run: the highest level
};
extern const std::array<CoefficientCodes, coding_sets> coefficient_codes;

}  // namespace softgen::media::vc1
