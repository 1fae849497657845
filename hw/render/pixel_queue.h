// SPDX-License-Identifier: GPL-2.0-or-later
// Draws on their way to their pixels: objects are binned by tiles of the screen, and tiles shared out among threads. Small draws wait for
// others, so that threads meet once for many of them: in each tile all objects come in the order of the draws. Which draws wait depends on
// time; what is drawn does not.
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

class PixelQueue {
 public:
  /// `pool` null: nothing waits.
  explicit PixelQueue(WorkerPool* pool) : pool_(pool) {}

  /// Whether a draw like `work` may wait, and behind what is there already.
  bool takes_any(const PixelWork& work) const;
  bool follows(const PixelWork& work) const;
  /// Whether it is little enough, now that its objects are there.
  bool takes(PixelWork& work);
  /// Draws it later, or now. False: the engine is to be reset.
  bool add(std::unique_ptr<PixelWork> work, EngineEnv& env);
  /// Draws what waits. False: the engine is to be reset, and nothing waits any more.
  bool finish(EngineEnv& env);
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
  static void add_items(PixelWork& work, std::vector<Item>& items);
  struct Bins;
  /// How long a kernel has taken for a pixel of its objects' bounds.
  struct Pace {
    std::shared_ptr<const eu::Program> program;
    double nanoseconds;
  };

  using Clock = std::chrono::steady_clock;

  double nanoseconds(const PixelWork& work);
  Pace* find_pace(const PixelWork& work);
  void note_time(std::span<PixelWork* const> works, Clock::duration time);
  /// `nanoseconds`: about what it will take.
  bool draw_items(std::span<const Item> items, double nanoseconds, EngineEnv& env, uint64_t& tile, const DrawClock* clock);
  void draw_object(unsigned slot, const Item& item, const PixelRect& tile, HeldControlWord& control);
  static Bins bins(std::span<const Item> items, std::span<const PixelRect> tiles);
  static int32_t tile_height(std::span<const Item> items, const PixelRect& all);

  WorkerPool* pool_;
  std::vector<std::unique_ptr<PixelWorker>> workers_;
  std::vector<TouchedPairs> touched_;  ///< a worker
  std::vector<std::unique_ptr<PixelWork>> waiting_;
  size_t waiting_objects_ = 0;
  double waiting_nanoseconds_ = 0;  ///< about what they will take
  std::vector<Pace> paces_;
  std::vector<Lists> spare_;
};

}  // namespace softgen::render
