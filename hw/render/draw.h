// SPDX-License-Identifier: GPL-2.0-or-later
// One 3DPRIMITIVE from its vertices to its pixels.
#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "hw/base/worker_pool.h"
#include "hw/iface/engine.h"
#include "hw/render/assembly.h"
#include "hw/render/chunked_geometry.h"
#include "hw/render/kernel.h"
#include "hw/render/pixel_queue.h"
#include "hw/render/state_decoder.h"
#include "hw/render/urb.h"
#include "hw/render/vertex_fetch.h"

namespace softgen::mmio {
class RegisterFile;
}

namespace softgen::render {

/// What of a draw is on the render targets: whole batches of objects, and the first tiles of the next.
struct DrawProgress {
  uint64_t batches = 0, tiles = 0;
};

class Drawer {
 public:
  /// `isa`: of shaders. `pool` null: everything on the calling thread. `shared`: sampler and data ports, or null.
  Drawer(const eu::Isa& isa, eu::FastPaths* fast_paths, WorkerPool* pool, MessageTarget* shared)
      : pool_(pool), shared_(shared), kernels_(isa, fast_paths), queue_(pool) {}

  /// done: drawn, or part of deferred(). preempted: `progress` says how far it got, and is passed to the call that resumes it. Values
  /// beyond the draw end it.
  ExecResult draw(const DrawState& state, const StateDecoder& decoder, const DrawCall& call, EngineEnv& env, DrawProgress& progress);
  /// The draws whose pixels are yet to be drawn; null: there are none.
  DeferredWork* deferred() { return queue_.empty() ? nullptr : &queue_; }
  /// Draws those pixels. aborted: they were dropped.
  ExecResult finish(EngineEnv& env) { return queue_.finish(env); }
  /// 3DSTATE_WM_HZ_OP; never deferred. preempted: by a pause, at any point: it is done again from its start (idempotent).
  ExecResult depth_operation(const DrawState& state, const DepthOperation& op, EngineEnv& env);

  /// Between preemptions a draw runs for this time, or twice the time that it took to get to where it had stopped.
  std::chrono::nanoseconds minimum_run = std::chrono::milliseconds(20);

 private:
  class Draw;
  /// Leaves out what is left when `stops` says so.
  void in_bands(EngineEnv& env, const PixelRect& rect, StopReasons stops, const FillPart& part);

  WorkerPool* pool_;
  MessageTarget* shared_;
  KernelLoader kernels_;
  Urb urb_;
  eu::Thread thread_;
  VertexScratch vertices_;
  PixelQueue queue_;
  GeometrySlots geometry_slots_;
};

}  // namespace softgen::render
