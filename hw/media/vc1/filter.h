// SPDX-License-Identifier: GPL-2.0-or-later
// The filters of a picture whose macroblocks are all decoded: overlap smoothing (SMPTE 421M 8.5) and deblocking (8.6).
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "hw/base/worker_pool.h"
#include "hw/iface/engine.h"
#include "hw/media/vc1/picture.h"

namespace softgen::media::vc1 {

/// Smooths the differences of intra blocks, and puts them into the frame. Rows of macroblocks are shared out. A stop request leaves rows out.
void smooth(Picture& picture, WorkerPool* pool, const StopFlag& stop);
/// Of an interlaced frame by deblock_frame().
void deblock(Picture& picture, WorkerPool* pool, const StopFlag& stop);
/// 8.6.4 to 8.6.6.
void deblock_frame(Picture& picture, WorkerPool* pool, const StopFlag& stop);

/// 4 lines over an edge; the third decides. `across` leads over it, `along` to the next line.
void filter_four(uint8_t* at, ptrdiff_t across, ptrdiff_t along, int quantizer);

/// Calls each of `passes` for all rows of macroblocks before the next one begins.
template <class Filter>
void run_passes(Filter& filter, std::initializer_list<void (Filter::*)(uint32_t row)> passes, uint32_t rows, WorkerPool* pool,
                const StopFlag& stop) {
  for (const auto pass : passes)
    for_each(pool, rows, [&](size_t row, unsigned) {
      if (!stop.aborting()) (filter.*pass)(static_cast<uint32_t>(row));
    });
}

}  // namespace softgen::media::vc1
