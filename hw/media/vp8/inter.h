// SPDX-License-Identifier: GPL-2.0-or-later
// Inter prediction (RFC 6386, section 18): six-tap and bilinear filters, vectors of chroma.
#pragma once

#include <cstdint>

#include "hw/media/vp8/picture.h"

namespace softgen::media::vp8 {

/// Predicts macroblock (x, y) by its vectors. `reference` that is not open reads as grey.
void predict_inter(const FrameParams& frame, const Macroblock& block, uint32_t x, uint32_t y, const PictureMap& reference,
                   Frame<uint8_t>& to);

}  // namespace softgen::media::vp8
