// SPDX-License-Identifier: GPL-2.0-or-later
// The mip tail of Yf and Ys surfaces: the last levels share one tile, each in a slot of its own.
#pragma once

#include "hw/surface/surface.h"

namespace softgen::surface {

/// Where slot `slot` begins in the tail's tile, in elements of `element` bytes (a power of two up to 16). 2D and cube surfaces of one sample; slots
/// after the last one are the last one. SKL PRM vol 5, "Tiling and Mip Tail for 2D Surfaces".
Origin mip_tail_slot(Tiling tiling, unsigned element, unsigned slot);

/// The same of 3D surfaces. SKL PRM vol 5, "Tiling and Mip Tails for 3D Surfaces"; GmmLib's GmmTexture.h, GEN9_MIPTAIL_SLOT_OFFSET_3D_SURFACE.
Origin volume_mip_tail_slot(Tiling tiling, unsigned element, unsigned slot);

}  // namespace softgen::surface
