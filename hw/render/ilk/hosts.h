// SPDX-License-Identifier: GPL-2.0-or-later
// The host threads that share a draw's vertices and pixels, and what they keep from draw to draw.
#pragma once

#include <memory>
#include <vector>

#include "hw/base/worker_pool.h"
#include "hw/iface/engine.h"
#include "hw/memory/view.h"
#include "hw/render/ilk/urb.h"

namespace softgen::render::ilk {

class DrawHosts {
 public:
  /// `pool` null: all on the calling thread. It outlives the hosts.
  explicit DrawHosts(WorkerPool* pool) : pool_(pool) {}

  /// For threads of `unit`, null where it has scratch space for fewer threads than there are host threads: that of slot n is its scratch space n.
  WorkerPool* pool(const ThreadUnit& unit) const { return unit.scratch_bytes && count() > unit.max_threads ? nullptr : pool_; }
  unsigned count() const { return slots_of(pool_); }
  /// Makes all of them see what `like` sees.
  void follow(const memory::View& like);
  /// `env` with the view of the host thread in `slot`.
  EngineEnv env(const EngineEnv& like, unsigned slot) {
    memory::View& view = hosts_[slot]->view;
    return {.engine = like.engine, .view = view, .ggtt = view, .registers = like.registers, .stop = like.stop};
  }
  /// For entries that no other unit sees.
  Urb& urb(unsigned slot) { return hosts_[slot]->urb; }

 private:
  struct Host {
    memory::View view;
    Urb urb;
  };
  WorkerPool* pool_;
  std::vector<std::unique_ptr<Host>> hosts_;
};

inline void DrawHosts::follow(const memory::View& like) {
  while (hosts_.size() < count()) hosts_.emplace_back(new Host{.view = {like.memory(), like.sink(), like.engine()}, .urb = {}});
  for (auto& host : hosts_) host->view.set_space(like.space());
}

}  // namespace softgen::render::ilk
