// SPDX-License-Identifier: GPL-2.0-or-later
// The variable-length codes of H.264 9.2, and what decodes them.
#pragma once

#include <cstdint>

namespace softgen::media::avc {

struct Code {
  uint16_t bits;
  uint8_t length;  ///< 0: there is none
};

extern const Code coeff_token_codes[4][68];
extern const Code total_zeros_codes[15][16];
extern const Code chroma_zeros_codes[3][4];
extern const Code run_before_codes[7][16];

}  // namespace softgen::media::avc
