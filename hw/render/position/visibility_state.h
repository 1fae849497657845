// SPDX-License-Identifier: GPL-2.0-or-later
// What the packets of position-only shading (3DSTATE_PTBR_*) say.
#pragma once

#include <cstdint>

namespace softgen::render {

/// The screen in tiles, one per pass, row by row.
struct TilePasses {
  static constexpr unsigned max_columns = 16, max_rows = 16;
  unsigned columns = 1, rows = 1;                 ///< 1 to max
  int32_t width = INT32_MAX, height = INT32_MAX;  ///< of a tile, pixels; at least 1
  bool operator==(const TilePasses&) const = default;
};

struct VisibilityState {
  // Of the position-only pipe.
  uint64_t page_pool = 0, free_list = 0, render_list = 0;
  TilePasses tiles;  ///< one without bounds when the context never said
  // Of the render pipe.
  uint64_t rendered_list = 0;
  unsigned pass = 0;     ///< any number
  bool enabled = false;  ///< draws use the record
};

}  // namespace softgen::render
