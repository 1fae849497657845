// SPDX-License-Identifier: GPL-2.0-or-later
// The clipper. It works on weights: a clipped polygon's corners are given as mixes of the triangle's three vertices, so that attributes are
// still interpolated over the whole triangle and no new vertices need shading or copying.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "hw/render/geometry.h"
#include "hw/render/raster_state.h"

namespace softgen::render {

struct ClipVertex {
  std::array<double, 4> position;  ///< clip space
  std::array<double, 3> weights;   ///< of the object's vertices; their sum is 1
};

/// At most 3 corners plus one per plane: 6 of the frustum or guard band, w, 8 user planes.
struct ClippedPolygon {
  std::array<ClipVertex, 20> vertices;
  unsigned count = 0;
};

enum class ClipResult : uint8_t { rejected, accepted, clipped };

/// Triangles (3 vertices), lines (2) and points (1). When `clipped`, `out` has the part that is left.
ClipResult clip_object(const RasterState& state, std::span<const Vue> vertices, const Viewport& viewport, ClippedPolygon& out);

}  // namespace softgen::render
