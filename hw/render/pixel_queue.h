// SPDX-License-Identifier: GPL-2.0-or-later
// The pixels of draws: objects are binned by tiles of the screen, and tiles shared out among threads. Small draws are deferred until there are
// more of them, so that threads meet once for many draws; in each tile the objects are drawn in the order of the draws. Which draws are deferred
// depends on measured times; what is drawn does not.
#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <vector>

#include "hw/base/worker_pool.h"
#include "hw/iface/engine.h"
#include "hw/render/color_control.h"
#include "hw/render/draw_clock.h"
#include "hw/render/pixel_stage.h"
#include "hw/render/tile_bins.h"

namespace softgen::render {

/// What the pixels of one draw need: all state and objects of its own.
struct PixelWork {
  PixelWork(const DrawState& now, EngineEnv& env, MessageTarget* shared);
  PixelWork(const PixelWork&) = delete;
  PixelWork& operator=(const PixelWork&) = delete;

  /// Adds what was shaded and passed to the statistics registers.
  void count(mmio::RegisterFile& registers) const;

  const DrawState state;
  const RasterState raster;
  PixelCounts counts;
  PixelDraw pixels;
  std::unique_ptr<PixelDraw> wide;                      ///< the same with the kernel of more channels, where the draw has two
  std::vector<std::unique_ptr<PreparedObjects>> lists;  ///< what is drawn, list by list
  std::vector<const RenderTarget*> controlled;          ///< targets with a CCS
  int64_t bounds_pixels = 0;                            ///< of the objects, as PixelQueue found it last
};

class PixelQueue : public DeferredWork {
 public:
  /// `pool` null: draws are never deferred.
  explicit PixelQueue(WorkerPool* pool) : pool_(pool) {}

  /// Whether draws with the state of `work` may be deferred at all.
  bool may_defer(const PixelWork& work) const;
  /// Whether its targets are those of what is deferred already; only such draws are deferred together.
  bool same_targets(const PixelWork& work) const;
  /// Whether its objects, which are there now, are expected to take so little time that it may be deferred.
  bool is_short(PixelWork& work);
  /// Takes the work for a later finish(); finishes what was deferred before if that becomes too much.
  ExecResult defer(std::unique_ptr<PixelWork> work, EngineEnv& env);
  bool empty() const { return deferred_.empty(); }
  ExecResult finish(EngineEnv& env) override;
  /// Draws the tiles of `work` from number `tile` on, until `clock` stops it; null: until the work is to be dropped. False: stopped before the
  /// tile that it says now.
  bool draw(PixelWork& work, EngineEnv& env, uint64_t& tile, const DrawClock* clock);

  using Lists = std::vector<std::unique_ptr<PreparedObjects>>;
  /// Lists of objects are used again.
  Lists spare_lists();
  void give_back(Lists&& lists);

 private:
  struct Item {
    PixelWork* work;
    const PreparedObject* object;
    PixelRect bounds;  ///< the object's
  };
  void add_items(PixelWork& work);
  /// How long a kernel has taken for a pixel of its objects' bounds.
  struct Pace {
    std::shared_ptr<const eu::Program> program;
    double nanoseconds;
  };

  using Clock = std::chrono::steady_clock;

  double nanoseconds(const PixelWork& work);
  Pace* find_pace(const PixelWork& work);
  void note_time(std::span<PixelWork* const> works, Clock::duration time);
  /// Draws the items that were added. `nanoseconds`: about what it will take.
  bool draw_items(double nanoseconds, EngineEnv& env, uint64_t& tile, const DrawClock* clock);
  bool draw_tiles(double nanoseconds, EngineEnv& env, uint64_t& tile, const DrawClock* clock);
  static void fetch_ahead(std::span<const Item> items, size_t at);
  void draw_object(unsigned slot, const Item& item, const PixelRect& tile, HeldControlWord& control);
  int32_t tile_height() const;

  WorkerPool* pool_;
  std::vector<std::unique_ptr<PixelWorker>> workers_;  ///< per slot of the pool
  std::vector<TouchedPairs> touched_;                  ///< per slot
  std::vector<std::unique_ptr<PixelWork>> deferred_;
  size_t deferred_objects_ = 0;
  double deferred_nanoseconds_ = 0;  ///< about what they will take
  std::vector<Pace> paces_;
  std::vector<Lists> spare_;
  // What is drawn now.
  std::vector<Item> items_;
  PixelRect bounds_ = PixelRect::none();  ///< of all items
  bool controlled_ = false;               ///< one of them has a target with a CCS
  TileBins<Item> bins_;
};

}  // namespace softgen::render
