// SPDX-License-Identifier: GPL-2.0-or-later
// From scaled coefficients to residuals (H.265 8.6.4).
#pragma once

#include <cstdint>

#include "hw/media/hevc/residual.h"

namespace softgen::media::hevc {

/// `residuals`: rows of 1 << block.log2. `sine`: DST, of intra luma blocks of 4x4.
void inverse_transform(const TransformBlock& block, const Coefficients& coefficients, unsigned bits, bool sine, int16_t* residuals);

}  // namespace softgen::media::hevc
