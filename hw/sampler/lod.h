// SPDX-License-Identifier: GPL-2.0-or-later
// The level of detail and the anisotropic footprint from derivatives (SKL PRM vol 7, "LOD Computation", "Anisotropic Filtering").
#pragma once

#include "hw/sampler/cube.h"
#include "hw/sampler/filter.h"

namespace softgen::sampler {

/// `dx`, `dy`: how u, v and r change from pixel to pixel. What does not vary at all has a very small level of detail.
Detail detail_of(const Filter& filter, const Direction& at, const Direction& dx, const Direction& dy);

}  // namespace softgen::sampler
