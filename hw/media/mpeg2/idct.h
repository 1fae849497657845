// SPDX-License-Identifier: GPL-2.0-or-later
// The inverse transform. The standard leaves its arithmetic open (within IEEE 1180); this is the integer form that libavcodec publishes as its "simple" one,
// chosen so that tests can ask for equal pictures: rows first, each pass with 14-bit factors, 16 bits between the passes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace softgen::media::mpeg2 {

/// Of 64 coefficients, in place: raster order in and out. Results are not clamped to samples.
void inverse_dct(int16_t* block);

/// Writes or adds the block to samples, clamped. `step`: bytes between samples of a row, `stride`: between rows.
void put_block(const int16_t* block, uint8_t* to, size_t step, size_t stride);
void add_block(const int16_t* block, uint8_t* to, size_t step, size_t stride);

}  // namespace softgen::media::mpeg2
