// SPDX-License-Identifier: GPL-2.0-or-later
// The inverse transforms (SMPTE 421M, annex A), and how their results meet samples.
#pragma once

#include <cstddef>
#include <cstdint>

namespace softgen::media::vc1 {

/// In place, of `width` and `height` 4 or 8; rows are 8 values apart.
void inverse_transform(int16_t* block, unsigned width, unsigned height);

/// A clamped sum with samples that are `step` bytes apart.
void add_block(const int16_t* block, unsigned width, unsigned height, uint8_t* to, size_t step, size_t stride);
/// 8x8 intra samples: clamped values, moved by `offset`.
void put_block(const int16_t* block, size_t block_stride, int offset, uint8_t* to, size_t step, size_t stride);

}  // namespace softgen::media::vc1
