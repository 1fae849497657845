// SPDX-License-Identifier: GPL-2.0-or-later
// Rectangles of one value, by whole pages where they cover them.
#pragma once

#include <cstddef>
#include <functional>

#include "hw/iface/engine.h"
#include "hw/memory/view.h"
#include "hw/render/raster_state.h"
#include "hw/surface/surface.h"

namespace softgen::render {

/// Polled in long fills: one of `reasons` to stop is set.
struct StopReasons {
  const StopFlag& flag;
  uint32_t reasons;
  operator bool() const { return flag.reasons() & reasons; }
};

/// Each pixel of `rect` (within the level) in `slice`, counted from the surface's own first one, gets `element` (the format's bytes) as its
/// sample `sample`. Ends early, with some of them done, when `stops` says so; asked each row of pixels or pages.
void fill(memory::View& view, const surface::Surface& surface, const surface::Level& level, const PixelRect& rect, uint32_t slice,
          uint32_t sample, const std::byte* element, StopReasons stops);

/// Does `part` for bands of `rect` that together are all of it: maybe on several threads, each with its own view.
using FillPart = std::function<void(memory::View& view, const PixelRect& band)>;
using FillBands = std::function<void(const PixelRect& rect, const FillPart& part)>;

}  // namespace softgen::render
