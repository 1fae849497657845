// SPDX-License-Identifier: GPL-2.0-or-later
// The loop filter: VP9 specification, 8.8.
#pragma once

#include "hw/media/vp9/frame_state.h"
#include "hw/media/vp9/planes.h"

namespace softgen::media::vp9 {

/// A row of superblocks; rows in order.
template <typename T>
void filter_row(const FrameState& frame, Planes<T>& planes, uint32_t row);

}  // namespace softgen::media::vp9
