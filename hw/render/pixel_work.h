// SPDX-License-Identifier: GPL-2.0-or-later
// What the pixels of one draw need: all state and objects of its own.
#pragma once

#include <memory>
#include <vector>

#include "hw/render/pixel_stage.h"

namespace softgen::render {

struct PixelWork {
  PixelWork(const DrawState& now, EngineEnv& env, MessageTarget* shared);
  PixelWork(const PixelWork&) = delete;
  PixelWork& operator=(const PixelWork&) = delete;

  size_t object_count() const;
  /// Whether targets and depth buffer are those of `other`.
  bool same_targets(const PixelWork& other) const;
  /// Adds what was shaded and passed to the statistics registers.
  void count(mmio::RegisterFile& registers) const;

  const DrawState state;
  const RasterState raster;
  PixelCounts counts;
  PixelDraw pixels;
  std::unique_ptr<PixelDraw> wide;                      ///< the same with the kernel of more channels, where the draw has two
  std::vector<std::unique_ptr<PreparedObjects>> lists;  ///< what is drawn, list by list
  std::vector<const RenderTarget*> controlled;          ///< targets with a CCS
  int64_t bounds_pixels = 0;                            ///< of the objects, as is_short() or TilePass::add() found it last
};

}  // namespace softgen::render
