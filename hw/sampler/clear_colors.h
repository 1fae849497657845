// SPDX-License-Identifier: GPL-2.0-or-later
// Clear colours of surfaces with a CCS, and clear values of depth under HiZ, in memory before their texels are read (hw/surface/ccs.h, hiz_clear.h):
// so all ways to read a texel stay what they are.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "hw/base/mutex.h"
#include "hw/iface/engine.h"
#include "hw/memory/view.h"
#include "hw/sampler/bound.h"

namespace softgen::sampler {

/// One for all host threads of an engine.
class ClearColors {
 public:
  ClearColors() { invalidate(); }

  /// To be called before texels of `bound` are read. Writes the clear colour to all pairs of the bound levels and slices that are coded "clear", or
  /// the clear value to all slices that HiZ says are clear, once for each surface state until invalidate(). A surface may have 12288 slices of
  /// 16384x16384 texels: with `stop` aborting the rest is left, and the surface counts as not expanded.
  void expand(memory::View& view, Bound& bound, const StopFlag& stop) {
    if ((bound.controls.empty() && bound.hiz.empty() && !bound.texture.surface().clear_address) ||
        bound.expanded == round_.load(std::memory_order_acquire)) [[likely]]
      return;
    expand_now(view, bound, stop);
  }
  /// As PIPE_CONTROL's Texture Cache Invalidation Enable and State Cache Invalidation Enable: software sets them between writing a surface or its
  /// codes, or another clear colour in its state, and sampling it. Not while threads sample.
  void invalidate();

 private:
  void expand_now(memory::View& view, Bound& bound, const StopFlag& stop);

  std::atomic<uint64_t> round_{0};  ///< no two rounds of the process have the same number
  Mutex mutex_;
  std::vector<surface::SurfaceDwords> expanded_ SG_GUARDED_BY(mutex_);  ///< states of this round
};

}  // namespace softgen::sampler
