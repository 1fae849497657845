// SPDX-License-Identifier: GPL-2.0-or-later
// The pixels of a draw: objects are listed, binned by tiles of the screen, and tiles shared out among host threads. In each tile objects are drawn in their
// order, so what is drawn does not depend on how many threads there are.
#pragma once

#include <memory>
#include <vector>

#include "hw/render/ilk/windowizer.h"

namespace softgen::render::ilk {

/// Objects between setup and the windowizer, with all that the latter needs of them.
struct PixelList {
  struct Entry {
    size_t prepared;  ///< index of its edges and its plane of depth
    float x, y;       ///< as PixelObject
    bool line;
    Topology topology;
  };
  PreparedObjects prepared;
  std::vector<Entry> entries;
  std::vector<uint32_t> planes;  ///< setup entries, `plane_dwords` of each object
  size_t plane_dwords = 0;

  void clear() { prepared.clear(), entries.clear(), planes.clear(); }
  PixelObject object(size_t n, const RasterState& raster) const;
};

/// Of one draw.
class PixelStage {
 public:
  /// All outlive it. `raster`: the draw's.
  PixelStage(const DrawContext& context, const RasterState& raster);
  ~PixelStage();
  PixelStage(const PixelStage&) = delete;
  PixelStage& operator=(const PixelStage&) = delete;

  /// What SetupStage appends to.
  PixelList& list() { return list_; }
  /// Draws the tiles of the list from the context's progress.tiles on, at least one, and empties it; a stop before its end is put down in the context.
  void draw_list();
  /// Of all host threads, so far.
  PixelTally tally() const;

 private:
  struct Item;
  struct Host;
  Windowizer& windowizer(unsigned slot);

  const DrawContext& context_;
  const RasterState& raster_;
  PixelList list_;
  std::vector<std::unique_ptr<Host>> threads_;  ///< by slot; null: it has drawn nothing
};

}  // namespace softgen::render::ilk
