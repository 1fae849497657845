// SPDX-License-Identifier: GPL-2.0-or-later
// Sizes of Gen9's display engine. Sources: SKL PRM vol 12, "Pipe Scaler" and "Planes"; i915 as named.
#pragma once

#include "hw/display/size_limits.h"
#include "hw/surface/tiling.h"

namespace softgen::display::skl_limits {

/// i915 takes no mode that is larger than the largest plane (intel_display.c, intel_mode_valid_max_plane_size). Scalers: skl_scaler.c,
/// SKL_MAX_SRC_W to SKL_MAX_DST_H; skl_universal_plane.c, skl_plane_max_scale.
constexpr Limits all{.pipe_width = 5120, .pipe_height = 4096, .scaler_width = 4096, .scaler_height = 4096, .shrink = 3, .planar_shrink = 2};

/// Planes as fetched (skl_universal_plane.c, skl_plane_max_width and _max_height). `bytes`: of a pixel.
constexpr uint32_t plane_width(surface::Tiling tiling, uint32_t bytes) {
  const bool rows = tiling == surface::Tiling::linear || tiling == surface::Tiling::x;
  if (bytes == 8) return rows ? 4096 : 2048;
  return rows ? 5120 : 4096;
}
constexpr uint32_t plane_height = 4096;

/// Scalers of a pipe: pipe C has one (intel_device_info.c, num_scalers).
constexpr unsigned scalers(unsigned pipe) { return pipe == 2 ? 1 : 2; }

}  // namespace softgen::display::skl_limits
