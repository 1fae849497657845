// SPDX-License-Identifier: GPL-2.0-or-later
// The loop filters (RFC 6386, section 15), in place over a whole frame.
#pragma once

#include <cstdint>

#include "hw/media/vp8/picture.h"

namespace softgen::media::vp8 {

/// Filters one row of macroblocks; rows in order.
void filter_row(const FrameParams& params, const MacroblockMap& blocks, uint32_t y, Frame<uint8_t>& frame);

}  // namespace softgen::media::vp8
