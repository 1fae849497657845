// SPDX-License-Identifier: GPL-2.0-or-later
// Macroblock headers, as the decoder reads them (RFC 6386, sections 9.3, 11, 16 and 17).
#pragma once

#include <cstddef>
#include <cstdint>

#include "hw/media/bits/bool_encoder.h"
#include "hw/media/vp8/picture.h"

namespace softgen::media::vp8 {

/// Sets the mode of an inter macroblock by its vectors (Mode::split: of its parts), and makes the vectors such as can be written. Its reference is set.
void choose_inter_mode(const FrameParams& frame, uint32_t x, uint32_t y, Macroblock* block, size_t stride);

void write_header(BoolEncoder& bits, const FrameParams& frame, uint32_t x, uint32_t y, const Macroblock* block, size_t stride);

}  // namespace softgen::media::vp8
