// SPDX-License-Identifier: GPL-2.0-or-later
// What drawing does to the codes of color control surfaces (hw/surface/ccs.h). Before a tile's worker draws an object, pairs within its
// bounds that are coded "clear" get the clear colour; when the tile is drawn, all pairs within such bounds are encoded again.
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
  /// Makes `part` ready to be drawn to. It is in one tile, the same until encode(), as is `rt`.
  void add(memory::View& view, const RenderTarget& rt, uint32_t slice, PixelRect part);
  /// Codes all added pairs by their pixels.
  void encode(memory::View& view);

 private:
  static constexpr uint32_t tile = 64;
  struct Touched {
    const RenderTarget* rt;
    uint32_t slice, first_column, first_row;                             ///< pairs, of the tile
    using Pairs = std::array<uint32_t, tile / surface::Ccs::pair_rows>;  ///< of each row of the tile, bit: column
    Pairs rows{};
    Pairs clear{};  ///< those of the tile that are still coded "clear"
  };

  static void find_clear(memory::View& view, Touched& touched);
  static void encode(memory::View& view, const Touched& touched);

  std::vector<Touched> touched_;
};

}  // namespace softgen::render
