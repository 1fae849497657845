// SPDX-License-Identifier: GPL-2.0-or-later
// Macroblock headers: segment, skip, intra modes, references and motion vectors (RFC 6386, sections 9.3, 11, 16 and 17).
#pragma once

#include <cstdint>
#include <span>

#include "hw/media/bits/bool_decoder.h"
#include "hw/media/vp8/picture.h"

namespace softgen::media::vp8 {

/// `block` has the segment of the frame before.
void read_header(BoolDecoder& bits, const FrameParams& frame, uint32_t x, uint32_t y, Macroblock* block, size_t stride);

}  // namespace softgen::media::vp8
