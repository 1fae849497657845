// SPDX-License-Identifier: GPL-2.0-or-later
// Intra prediction (RFC 6386, section 12), from samples before the loop filter.
#pragma once

#include <cstdint>

#include "hw/media/vp8/picture.h"
#include "hw/media/vp8/tokens.h"

namespace softgen::media::vp8 {

/// Predicts macroblock (x, y), and adds the residual where that goes block by block (Mode::by_block: luma). `width`: of the frame in macroblocks.
void predict_intra(const Macroblock& block, uint32_t x, uint32_t y, uint32_t width, const Residual* residual, Frame<uint8_t>& frame);

// The parts of it: block i of luma (0 to 15, in order, each behind the residual of those before), luma of one mode, chroma.
void predict_block(BlockMode mode, unsigned i, uint32_t x, uint32_t y, uint32_t width, Plane<uint8_t>& luma);
void predict_luma(Mode mode, uint32_t x, uint32_t y, Plane<uint8_t>& luma);
void predict_chroma(Mode mode, uint32_t x, uint32_t y, Plane<uint8_t>& chroma);

}  // namespace softgen::media::vp8
