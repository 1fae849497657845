// SPDX-License-Identifier: GPL-2.0-or-later
// Coefficients to levels, as MFX_FQM_STATE and the rounding of MFX_MPEG2_PIC_STATE have it.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "hw/media/mpeg2/picture.h"

namespace softgen::media::mpeg2 {

/// Added before levels are rounded down: sixteenths, and eighths for the DC coefficient of intra blocks.
struct Rounding {
  uint8_t intra_dc = 1, intra_ac = 1, inter_dc = 1, inter_ac = 1;
};

struct Quantiser {
  std::array<std::array<uint16_t, 64>, 2> reciprocal{};  ///< 65536 divided by the matrix: intra and non-intra, raster order
  Rounding rounding;
};

/// `coefficients` have three bits of fraction. `scale`: quantiser_scale, not 0. True: a level is not 0.
bool quantise(const Quantiser& quantiser, const PictureParams& picture, bool intra, unsigned scale,
              std::span<const int16_t, 64> coefficients, std::array<int16_t, 64>& levels);

}  // namespace softgen::media::mpeg2
