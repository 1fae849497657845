// SPDX-License-Identifier: GPL-2.0-or-later
// The level of detail and the anisotropic footprint from derivatives (SKL PRM vol 7, "LOD Computation", "Anisotropic Filtering").
#pragma once

#include "hw/sampler/cube.h"
#include "hw/sampler/filter.h"
#include "hw/sampler/lane_kernels.h"

namespace softgen::sampler {

/// `dx`, `dy`: how u, v and r change from pixel to pixel, beginning at `at`; `own`: the direction that is sampled, for cubes. What does not vary
/// at all has a very small level of detail.
Detail detail_of(const Filter& filter, const Direction& own, const Direction& at, const Direction& dx, const Direction& dy);
inline Detail detail_of(const Filter& filter, const Direction& at, const Direction& dx, const Direction& dy) {
  return detail_of(filter, at, at, dx, dy);
}
/// Its lod for cubes: the quad's directions `at`, `right` and `below` seen on the face of `own`. `width`: what a coordinate of 1 spans, in texels.
float cube_lod(float width, const Direction& own, const Direction& at, const Direction& right, const Direction& below);
/// Its lod for 2D surfaces without anisotropy, from the differences of u and v. `width`, `height`: what coordinates of 1 span, in texels.
float plane_lod(float width, float height, float du_dx, float dv_dx, float du_dy, float dv_dy);
/// For 2D surfaces with anisotropy, of up to `most` taps, from the differences of u and v.
Detail plane_footprint(float width, float height, unsigned max, float du_dx, float dv_dx, float du_dy, float dv_dy);
/// What finish_lod() takes from a surface and a state, where no message gives a minimum.
LaneDetail lane_detail(const Texture& texture, const State& state);
/// Bias and clamps. `least`: a minimum that the message gives.
Lod finish_lod(const Texture& texture, const State& state, float lod, float bias, float min);

}  // namespace softgen::sampler
