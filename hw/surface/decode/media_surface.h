// SPDX-License-Identifier: GPL-2.0-or-later
// MEDIA_SURFACE_STATE, for the units that read such surfaces. Gen11 and Gen12 have Gen9's fields where they do (iHD mhw_state_heap_hwcmd_g11_X.h, g12_X.h).
#pragma once

#include <optional>

#include "hw/defs/gen9/all.h"
#include "hw/surface/tiling.h"

namespace softgen::surface {

/// None: W, which no unit reads.
inline std::optional<Tiling> media_tiling(defs::gen9::MEDIA_SURFACE_STATE::TileMode mode) {
  using Mode = defs::gen9::MEDIA_SURFACE_STATE::TileMode;
  switch (mode) {
    case Mode::XMAJOR: return Tiling::x;
    case Mode::YMAJOR: return Tiling::y;
    case Mode::WMAJOR: return std::nullopt;
    default: return Tiling::linear;
  }
}

}  // namespace softgen::surface
