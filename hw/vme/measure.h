// SPDX-License-Identifier: GPL-2.0-or-later
// How far predictions are from the source block. Samples are bytes; blocks of 4x4 are in the order of H.264 (figure 6-10): those of an 8x8 block follow
// each other.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "hw/vme/request.h"

namespace softgen::vme {

using Block = std::array<uint8_t, block_size * block_size>;  ///< row by row
using Distortions = std::array<uint32_t, sub_blocks>;

/// Of the 4x4 blocks. Haar: the coefficients of an orthonormal transform, so that noise counts as in a sum of differences.
Distortions distortions(const Block& source, const uint8_t* other, size_t stride, Measure measure);

/// Sums of differences of the four 8x8 blocks.
std::array<uint32_t, 4> quadrants(const Block& source, const uint8_t* other, size_t stride);

constexpr unsigned column_of(unsigned sub_block) { return (sub_block & 1) * 4 + (sub_block >> 2 & 1) * 8; }
constexpr unsigned row_of(unsigned sub_block) { return (sub_block >> 1 & 1) * 4 + (sub_block >> 3 & 1) * 8; }

/// The samples of a 16x16 block, or part of it, at a vector: `window` has the sample at the vector's whole part at `at`, and 2 before and 3 behind around it.
void interpolate(const uint8_t* at, size_t stride, Vector vector, bool bilinear, unsigned columns, unsigned rows, uint8_t* to);

}  // namespace softgen::vme
