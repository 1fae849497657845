// SPDX-License-Identifier: GPL-2.0-or-later
// The frame header, whose bits a driver's kernel has written, with no arithmetic coding: the first partition begins with it.
#pragma once

#include <cstdint>
#include <span>

#include "hw/media/bits/bool_encoder.h"

namespace softgen::media::vp8 {

/// What MFX_VP8_ENCODER_CFG says of it. All places may be beyond its end.
struct HeaderBits {
  uint32_t count = 0;       ///< bits
  uint32_t tokens_at = 0;   ///< where the updates of token probabilities begin
  uint32_t vectors_at = 0;  ///< those of vectors; 0: there are none
};

/// `bytes`: at least as many as `count` bits need, the highest bit of each first.
void write_frame_header(BoolEncoder& to, std::span<const uint8_t> bytes, const HeaderBits& header);

}  // namespace softgen::media::vp8
