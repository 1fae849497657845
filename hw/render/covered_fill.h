// SPDX-License-Identifier: GPL-2.0-or-later
// Pixels of objects whose threads all write one colour: filled, without a thread each.
#pragma once

#include <cstdint>
#include <optional>

#include "hw/iface/engine.h"
#include "hw/memory/view.h"
#include "hw/render/output_merger.h"
#include "hw/render/raster.h"
#include "hw/render/thread_count.h"

namespace softgen::render {

struct CoveredFill {
  memory::View& view;
  const RenderTarget& target;
  std::optional<uint32_t> slice;  ///< from the surface's own first one; none: pixels are counted, and nothing is written
  uint32_t word;                  ///< a pixel as it is stored
  const StopFlag& stop;
};

struct FilledPixels {
  uint64_t covered = 0, written = 0;  ///< covered: also those outside of the target
};

/// Fills what `part` covers of `tile`, or some of it when the work is dropped. `part`: PartRaster::by_blocks(). `threads` adds up those that the fill
/// replaces.
FilledPixels fill_covered(const CoveredFill& how, const Coverage& part, const RasterState& state, const PixelRect& tile,
                          ThreadCount& threads);

}  // namespace softgen::render
