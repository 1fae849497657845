// SPDX-License-Identifier: GPL-2.0-or-later
// The discrete cosine transform of 8x8 blocks (T.81 A.3.3), in fixed point. The standard leaves its arithmetic open; errors are well below one half.
#pragma once

#include <cstddef>
#include <cstdint>

#include "hw/media/jpeg/tables.h"

namespace softgen::media::jpeg {

/// Coefficients beyond this, which no picture of 8 bits has, are clamped by the caller: the sums fit 32 bits then.
constexpr int max_coefficient = 2047;

/// Samples 0 to 255, rows `stride` bytes apart. `last`: the largest index of scan_order whose coefficient is not 0.
void inverse_transform(const Block& coefficients, unsigned last, uint8_t* to, size_t stride);
/// Coefficients with three bits of fraction, of values of 9 bits with a sign.
void forward_transform(const Block& values, Block& coefficients);
/// Of samples less 128.
void forward_transform(const std::array<uint8_t, 64>& samples, Block& coefficients);

}  // namespace softgen::media::jpeg
