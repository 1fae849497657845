// SPDX-License-Identifier: GPL-2.0-or-later
// What the codecs of MFX read of MFX_SURFACE_STATE alike.
#pragma once

#include "hw/surface/tiling.h"

namespace softgen::media {

/// `walk`: MFX_SURFACE_STATE's Tile Walk, which counts for tiled surfaces only.
template <class Walk>
surface::Tiling mfx_tiling(bool tiled, Walk walk) {
  if (!tiled) return surface::Tiling::linear;
  return walk == Walk::TW_YMAJOR ? surface::Tiling::y : surface::Tiling::x;
}

}  // namespace softgen::media
