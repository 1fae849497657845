// SPDX-License-Identifier: GPL-2.0-or-later
// What writing pixels does to the codes of color control surfaces (hw/surface/ccs.h): a tile's worker notes what the bounds of objects
// touched, and looks at it when the tile is drawn.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "hw/memory/view.h"
#include "hw/render/output_merger.h"
#include "hw/render/raster_state.h"

namespace softgen::render {

class TouchedPairs {
 public:
  /// `part`: pixels of one tile, the same until settle(), as is `rt`.
  void add(const RenderTarget& rt, uint32_t slice, PixelRect part);
  /// Gives all of them the code that their pixels have earned.
  void settle(memory::View& view);

 private:
  static constexpr uint32_t tile = 64;
  struct Touched {
    const RenderTarget* rt;
    uint32_t slice, first_column, first_row;               ///< pairs, of the tile
    std::array<uint32_t, tile / surface::Ccs::pair_rows> rows{};  ///< bit: column
  };

  static void settle(memory::View& view, const Touched& touched);

  std::vector<Touched> touched_;
};

}  // namespace softgen::render
