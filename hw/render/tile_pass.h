// SPDX-License-Identifier: GPL-2.0-or-later
// The objects of draws on the screen: they are binned by tiles, and tiles shared out among threads. In each tile the objects are drawn in the order in
// which they were added.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "hw/base/worker_pool.h"
#include "hw/iface/engine.h"
#include "hw/render/color_control.h"
#include "hw/render/draw_clock.h"
#include "hw/render/pixel_work.h"
#include "hw/render/tile_bins.h"

namespace softgen::render {

class TilePass {
 public:
  using Duration = std::chrono::steady_clock::duration;

  /// `pool` null: the caller draws all tiles.
  explicit TilePass(WorkerPool* pool);

  /// Adds the objects of `work`, which lives until they are drawn. Not while a pass is started().
  void add(PixelWork& work);
  /// Draws the tiles from number `tile` on, until `clock` stops it; null: until the work is to be dropped. False: stopped before the tile that it says
  /// now. Either way nothing is left of what was added. `shared`: on all threads.
  bool draw(EngineEnv& env, bool shared, uint64_t& tile, const DrawClock* clock);
  /// Begins to draw all tiles on the workers of the pool, which there has to be.
  void start(EngineEnv& env);
  /// Since start(), and until finish().
  bool started() const { return background_ && background_->started(); }
  /// Of a started pass: whether the workers have drawn all tiles.
  bool done() const { return background_->done(); }
  /// Returns when all tiles are drawn, to which the caller contributes.
  void finish();
  /// What the last pass took: the time of all threads divided by their number.
  Duration time() const;

 private:
  struct Item {
    PixelWork* work;
    const PreparedObject* object;
    PixelRect bounds;  ///< the object's
  };
  /// One host thread's.
  struct Slot {
    Slot(HostMemory& memory, unsigned number) : worker(memory, number) {}
    PixelWorker worker;
    TouchedPairs touched;
    Duration time{};
  };

  /// Forgets the pass at its end, also when an exception ends it.
  class End {
   public:
    explicit End(TilePass& pass) : pass_(pass) {}
    ~End() { pass_.clear(); }

   private:
    TilePass& pass_;
  };

  bool begin(EngineEnv& env);
  void clear();
  void draw_tile(size_t index, Slot& slot);
  static void fetch_ahead(std::span<const Item> items, size_t at);
  static void draw_object(Slot& slot, const Item& item, const PixelRect& tile, HeldControlWord& control);
  int32_t tile_height() const;

  WorkerPool* const pool_;
  std::vector<std::unique_ptr<Slot>> slots_;
  std::vector<Item> items_;
  PixelRect bounds_ = PixelRect::none();  ///< of all items
  bool controlled_ = false;               ///< one of them has a target with a CCS
  std::vector<PixelRect> tiles_;
  TileBins<Item> bins_;
  std::optional<BackgroundJob> background_;  ///< ends before what its bodies use
};

}  // namespace softgen::render
