// SPDX-License-Identifier: GPL-2.0-or-later
// From scaled coefficients to residuals (H.265 8.6.4).
#pragma once

#include <cstdint>

#include "hw/media/hevc/residual.h"

namespace softgen::media::hevc {

/// Of the DST of 8.6.4.2: a row for each frequency.
inline constexpr int8_t sine_matrix[4][4] = {{29, 55, 74, 84}, {74, 74, 0, -74}, {84, -29, -74, 55}, {55, -84, 74, -29}};

/// `residuals`: rows of 1 << block.log2. `sine`: DST, of intra luma blocks of 4x4.
void inverse_transform(const TransformBlock& block, const Coefficients& coefficients, unsigned bits, bool sine, int16_t* residuals);

}  // namespace softgen::media::hevc
