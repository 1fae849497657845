// SPDX-License-Identifier: GPL-2.0-or-later
// A block's coefficients: entropy decoding, inverse quantisation, saturation and mismatch control (ISO/IEC 13818-2, 7.2 to 7.4).
#pragma once

#include <array>
#include <cstdint>

#include "hw/media/bits/bit_reader.h"
#include "hw/media/mpeg2/picture.h"

namespace softgen::media::mpeg2 {

/// quantiser_scale (table 7.6).
unsigned quantiser_scale(unsigned code, bool q_scale_type);

/// dct_dc_differential: false when there is no such code.
bool read_dc(BitReader& bits, bool is_chroma, int& predictor);

/// Reads into `block` (64 coefficients that are 0). Intra: block[0] has its value already, and the others are read. False: not a code, or too many.
bool read_block(BitReader& bits, const PictureParams& picture, bool intra, unsigned scale, int16_t* block);

}  // namespace softgen::media::mpeg2
