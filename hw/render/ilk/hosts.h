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
  void follow(EngineEnv& like);
  /// `env` with the views of the host thread in `slot`, but for constants, which no host thread reads.
  EngineEnv env(const EngineEnv& like, unsigned slot) {
    Host& host = *hosts_[slot];
    return {.engine = like.engine,
            .view = host.view,
            .ggtt = host.view,
            .registers = like.registers,
            .stop = like.stop,
            .vertices = &host.vertices,
            .states = &host.states};
  }
  /// For entries that no other unit sees.
  Urb& urb(unsigned slot) { return hosts_[slot]->urb; }

 private:
  struct Host {
    memory::View view, vertices, states;
    Urb urb;
    explicit Host(const memory::View& like)
        : view(like.memory(), like.sink(), like.engine()),
          vertices(like.memory(), like.sink(), like.engine()),
          states(like.memory(), like.sink(), like.engine()) {}
  };
  WorkerPool* pool_;
  std::vector<std::unique_ptr<Host>> hosts_;
};

inline void DrawHosts::follow(EngineEnv& like) {
  while (hosts_.size() < count()) hosts_.push_back(std::make_unique<Host>(like.view));
  for (auto& host : hosts_) {
    host->view.set_space(like.view.space());
    host->vertices.set_space(like.vertex_view().space());
    host->states.set_space(like.state_view().space());
  }
}

}  // namespace softgen::render::ilk
