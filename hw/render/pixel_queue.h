// SPDX-License-Identifier: GPL-2.0-or-later
// The pixels of draws. Small draws are deferred until there are more of them, so that threads meet once for many draws, and drawn by the workers of the
// pool while the engine goes on. Which draws are deferred depends on measured times; what is drawn does not.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "hw/iface/engine.h"
#include "hw/render/tile_pass.h"

namespace softgen::render {

class PixelQueue : public DeferredWork {
 public:
  /// `pool` null: draws are never deferred. `min_background`: nanoseconds that deferred draws are expected to take from which on workers begin with them.
  explicit PixelQueue(WorkerPool* pool, double min_background = 100e3) : pool_(pool), min_background_(min_background), pass_(pool) {}

  /// Whether draws with the state of `work` may be deferred at all.
  bool may_defer(const PixelWork& work) const;
  /// Whether its targets are those of what is deferred already; only such draws are deferred together.
  bool same_targets(const PixelWork& work) const;
  /// Whether its objects, which are there now, are expected to take so little time that it may be deferred.
  bool is_short(PixelWork& work);
  /// Takes the work for a later finish(). It is drawn before, in part or as a whole, if there is enough of it for the workers.
  ExecResult defer(std::unique_ptr<PixelWork> work, EngineEnv& env);
  bool empty() const { return deferred_.empty() && drawing_.empty(); }
  ExecResult finish(EngineEnv& env) override;
  /// Draws the tiles of `work` from number `tile` on, until `clock` stops it; null: until the work is to be dropped. False: stopped before the
  /// tile that it says now. Not while anything is deferred.
  bool draw(PixelWork& work, EngineEnv& env, uint64_t& tile, const DrawClock* clock);

  using Lists = std::vector<std::unique_ptr<PreparedObjects>>;
  /// Lists of objects are used again.
  Lists spare_lists();
  void give_back(Lists&& lists);

 private:
  /// How long a kernel has taken for a pixel of its objects' bounds.
  struct Pace {
    std::shared_ptr<const eu::Program> program;
    double nanoseconds;
  };
  using Works = std::vector<std::unique_ptr<PixelWork>>;

  double nanoseconds(const PixelWork& work);
  Pace* find_pace(const PixelWork& work);
  void note_time(std::span<PixelWork* const> works, TilePass::Duration time);
  Works take_deferred();
  void start(EngineEnv& env);
  void finish_started(EngineEnv& env);
  void end(const Works& works, EngineEnv& env);

  WorkerPool* const pool_;
  const double min_background_;
  Works deferred_;
  size_t deferred_objects_ = 0;
  double deferred_nanoseconds_ = 0;  ///< about what they will take
  Works drawing_;                    ///< what the workers draw since start()
  std::vector<Pace> paces_;
  std::vector<Lists> spare_;
  TilePass pass_;
};

}  // namespace softgen::render
