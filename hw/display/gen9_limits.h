// SPDX-License-Identifier: GPL-2.0-or-later
// Sizes that Gen9's display engine has. Software that exceeds them gets an undefined picture from hardware. Here what is too large is not
// shown (and counted as a guest error), so that no register value makes a frame dearer than the largest real one.
// Sources: SKL PRM vol 12, "Pipe Scaler" and "Planes"; i915 as named.
#pragma once

#include <cstdint>

#include "hw/surface/tiling.h"

namespace softgen::display::limits {

/// Active size of a transcoder, and the source size of a pipe: i915 takes no mode that is larger than the largest plane
/// (intel_display.c, intel_mode_valid_max_plane_size).
constexpr uint32_t pipe_width = 5120, pipe_height = 4096;
/// The raster with its blanks (intel_mode_valid).
constexpr uint32_t raster_width = 8192, raster_height = 8192;

/// Planes as fetched (skl_universal_plane.c, skl_plane_max_width and _max_height). `bytes`: of a pixel.
constexpr uint32_t plane_width(surface::Tiling tiling, uint32_t bytes) {
  const bool rows = tiling == surface::Tiling::linear || tiling == surface::Tiling::x;
  if (bytes == 8) return rows ? 4096 : 2048;
  return rows ? 5120 : 4096;
}
constexpr uint32_t plane_height = 4096;

/// Source and window of a scaler (skl_scaler.c, SKL_MAX_SRC_W to SKL_MAX_DST_H).
constexpr uint32_t scaler_size = 4096;
/// It shrinks by less than 3, NV12 by less than 2 (skl_universal_plane.c, skl_plane_max_scale).
constexpr bool can_scale(uint32_t from, uint32_t to, bool nv12 = false) {
  return from <= scaler_size && to > 0 && to <= scaler_size && from < (nv12 ? 2 : 3) * to;
}
/// Scalers of a pipe: pipe C has one (intel_device_info.c, num_scalers).
constexpr unsigned scalers(unsigned pipe) { return pipe == 2 ? 1 : 2; }

}  // namespace softgen::display::limits
