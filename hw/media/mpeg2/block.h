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

/// Raster places in the order of the scan (figure 7.2, figure 7.3).
const std::array<uint8_t, 64>& scan_order(bool alternate);

/// 7.4.1.
int16_t restored_dc(int level, const PictureParams& picture);

/// Of levels in raster order that an encoder writes, what a decoder makes: `block` as read_block() leaves it. Intra: the level of DC is one of it.
void restore_block(const std::array<int16_t, 64>& levels, const PictureParams& picture, bool intra, unsigned scale, int16_t* block);

/// dct_dc_differential: false when there is no such code.
bool read_dc(BitReader& bits, bool is_chroma, int& predictor);

/// Reads into `block` (64 coefficients that are 0). Intra: block[0] has its value already, and the others are read. False: not a code, or too many.
bool read_block(BitReader& bits, const PictureParams& picture, bool intra, unsigned scale, int16_t* block);
/// The same, but the levels as they are coded.
bool read_levels(BitReader& bits, const PictureParams& picture, bool intra, int16_t* block);

}  // namespace softgen::media::mpeg2
