// SPDX-License-Identifier: GPL-2.0-or-later
// What decoding and addressing of surfaces share.
#pragma once

#include <algorithm>

#include "hw/surface/format.h"
#include "hw/surface/tiling.h"

namespace softgen::surface {

inline unsigned element_bytes(const Format& format) { return std::max(format.block_bytes(), 1u); }
/// Yf and Ys, which have tiles of the same number of bytes for all formats.
inline bool is_standard(Tiling tiling) { return tiling == Tiling::yf || tiling == Tiling::ys; }

}  // namespace softgen::surface
