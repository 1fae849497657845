// SPDX-License-Identifier: GPL-2.0-or-later
// The filters of a picture whose macroblocks are all decoded: overlap smoothing (SMPTE 421M 8.5) and deblocking (8.6).
#pragma once

#include "hw/base/worker_pool.h"
#include "hw/iface/engine.h"
#include "hw/media/vc1/picture.h"

namespace softgen::media::vc1 {

/// Smooths the differences of intra blocks, and puts them into the frame. Rows of macroblocks are shared out. A stop request leaves rows out.
void smooth(Picture& picture, WorkerPool* pool, const StopFlag& stop);
void deblock(Picture& picture, WorkerPool* pool, const StopFlag& stop);

}  // namespace softgen::media::vc1
