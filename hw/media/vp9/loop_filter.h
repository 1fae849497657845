// SPDX-License-Identifier: GPL-2.0-or-later
// The loop filter: VP9 specification, 8.8.
#pragma once

#include <functional>

#include "hw/base/worker_pool.h"
#include "hw/media/vp9/frame_state.h"
#include "hw/media/vp9/planes.h"

namespace softgen::media::vp9 {

/// All of the picture. `aborting` is asked once per row of superblocks; false: it said so. `pool` null: this thread alone; the bits are the same.
template <typename T>
bool filter_picture(const FrameState& frame, Planes<T>& planes, WorkerPool* pool, const std::function<bool()>& aborting);

}  // namespace softgen::media::vp9
