// SPDX-License-Identifier: GPL-2.0-or-later
// What the geometry stages share: one worker's thread, URB and window on memory, and kernels loaded for a draw.
#pragma once

#include <span>

#include "hw/eu/interp/run.h"
#include "hw/iface/engine.h"
#include "hw/render/draw_state.h"
#include "hw/render/geometry.h"
#include "hw/render/kernel.h"
#include "hw/render/messages.h"
#include "hw/render/urb.h"

namespace softgen::render {

constexpr unsigned simd8 = 8;

struct VertexScratch;

/// A worker's own. Stages keep no state elsewhere, so several workers may run the geometry of one draw.
struct GeometryWorker {
  memory::View& view;
  const DrawState& state;
  StopFlag& stop;
  MessageTarget* shared;  ///< sampler, data ports; null: not there
  KernelLoader& kernels;
  Urb& urb;
  eu::Thread& thread;
  VertexScratch& vertices;
  bool absolute_constants = false;  ///< 3DSTATE_CONSTANT_* hold graphics addresses: absolute_constants()
  uint32_t slot = 0;                ///< scratch slot
  mutable bool repeatable = true;   ///< no kernel that was loaded writes memory

  /// VS, HS, DS or GS.
  Kernel load(Stage stage) const {
    const ThreadState& thread_state = state.stage(stage).thread;
    Kernel kernel(thread_state);
    kernel.bases = state.bases(stage);
    kernel.program = kernels.load(view, kernel.bases, thread_state.kernel, stop);
    repeatable = repeatable && !kernel.program->uses_data_port();
    kernel.constants = KernelLoader::read_constants(view, state.push_constants(stage, absolute_constants));
    return kernel;
  }
  /// Puts the push constants into `thread`; returns the register after them.
  static unsigned put_constants(eu::Thread& thread, const Kernel& kernel) {
    unsigned reg = kernel.grf_start;
    for (const Grf& constant : kernel.constants) thread.grf(reg++) = constant;
    return reg;
  }
  /// Header fields of r0 that all stages have (SKL PRM vol 7, "Thread Payload").
  void put_header(Grf& r0, const Kernel& kernel) const {
    r0.dw[3] = kernel.bases.sampler_state & ~0x1fu;
    eu::put_scratch(r0, kernel.scratch_base, kernel.scratch_size, slot);
  }
  void put_header(eu::Thread& thread, const Kernel& kernel) const { put_header(thread.grf(0), kernel); }
  /// `payload`: registers that were filled; by default all (or cleared).
  static void start(eu::Thread& thread, const Kernel& kernel, uint32_t dispatch_mask, unsigned payload = eu::grf_count) {
    eu::ThreadStart how = kernel.start;
    how.payload = payload;
    how.program = kernel.program.get();
    how.dispatch_mask = dispatch_mask;
    thread.start(how);
  }
  eu::RunResult run(eu::Thread& on, const Kernel& kernel, Barrier* barrier = nullptr) const {
    ThreadEnv env{.view = view,
                  .bases = kernel.bases,
                  .stop = stop,
                  .slm = {},
                  .fftid = slot,
                  .scratch_base = kernel.scratch_base,
                  .scratch_size = kernel.scratch_size};
    RenderMessages messages({.urb = &urb, .shared = shared, .barrier = barrier});
    return eu::run(on, env, messages);
  }
};

}  // namespace softgen::render
