// SPDX-License-Identifier: GPL-2.0-or-later
// Yf and Ys tiles of 3D surfaces, which are blocks of several slices. Tile sizes: SKL PRM vol 5, "3D Alignment Requirements" (Mesa isl/isl.c,
// isl_tiling_get_info). Order within a tile: GmmLib's CpuSwizzleBlt.c, INTEL_TILE_YF_3D_* and INTEL_TILE_YS_3D_*; bits of the offset, highest first:
//   Yf by element size  8, 16 bit: YZYZ ZZYY XXXX   32: YZXY ZZYY XXXX   64, 128: YZXX ZZYY XXXX
//   Ys                  XYZX, then as Yf
// Tiles of the same depth lie in rows as those of 2D surfaces do; the next tiles downwards are QPitch rows further (isl_tiling_get_intratile_offset_el).
#pragma once

#include <cstdint>

#include "hw/surface/tiling.h"

namespace softgen::surface {

/// Bytes a row, rows and slices of a tile.
struct TileVolume {
  uint32_t width, height, depth;
};

/// `element` is a power of two up to 16; tiling yf or ys.
TileVolume tile_volume(Tiling tiling, unsigned element);

/// Byte offset from the surface's base of byte `x` of row `y` of slice `z`. `pitch` in bytes, whole tiles; `qpitch` in rows, rounded down to whole tiles.
uint64_t volume_offset(Tiling tiling, unsigned element, uint32_t x, uint32_t y, uint32_t z, uint32_t pitch, uint32_t qpitch);

}  // namespace softgen::surface
