// SPDX-License-Identifier: GPL-2.0-or-later
// Sizes that a display engine has. Software that exceeds them gets an undefined picture from hardware. Here what is too large is not shown
// (and counted as a guest error), so that no register value makes a frame dearer than the largest real one.
#pragma once

#include <cstdint>

namespace softgen::display {

struct Limits {
  uint32_t pipe_width, pipe_height;      ///< active size of a transcoder, and the source size of a pipe
  uint32_t scaler_width, scaler_height;  ///< source and window of a scaler
  uint32_t shrink, planar_shrink;        ///< it shrinks by less than this; the latter of planar YUV

  constexpr bool can_scale(uint32_t width, uint32_t height, uint32_t to_width, uint32_t to_height, bool planar) const {
    const uint32_t factor = planar ? planar_shrink : shrink;
    return width <= scaler_width && height <= scaler_height && to_width <= scaler_width && to_height <= scaler_height &&
           width < factor * to_width && height < factor * to_height;
  }
};

/// A raster with its blanks: what the timing registers can hold (i915 intel_display.c, intel_mode_valid).
constexpr uint32_t raster_width = 8192, raster_height = 8192;

}  // namespace softgen::display
