// SPDX-License-Identifier: GPL-2.0-or-later
// The clear state of a depth buffer's slices. Under HiZ a cleared slice has no depth of its own: it has the value of 3DSTATE_CLEAR_PARAMS
// that is bound with it, which drivers change without another clear (Mesa 25, iris_clear.c, fast_clear_depth). Our clears fill the depth
// buffer, so that all who read it find the value; a mark in the slice's part of the HiZ buffer says with which value, until something is
// drawn. The format of the HiZ buffer is not public, and no client reads it: the mark is ours. Whole slices alone are marked, since
// drivers resolve those that are drawn in part before they change the value.
#pragma once

#include <cstdint>
#include <optional>

#include "hw/memory/view.h"
#include "hw/render/state.h"
#include "hw/surface/surface.h"

namespace softgen::render {

class HizClear {
 public:
  /// `depth`: the bound depth buffer, not null.
  HizClear(const State& state, const surface::Surface& depth);

  /// HiZ is on and a clear value is bound. Otherwise nothing is marked, and the rest is not to be called.
  bool enabled() const { return enabled_; }
  /// `slice` counts from the surface's own first one, `value` is as the depth buffer holds it.
  void mark(memory::View& view, uint32_t slice, uint32_t value) const;
  void forget(memory::View& view, uint32_t slice) const;
  /// The value that the slice was cleared with, when nothing was drawn since.
  std::optional<uint32_t> cleared(memory::View& view, uint32_t slice) const;

 private:
  uint64_t address(uint32_t slice) const;

  bool enabled_;
  uint64_t base_ = 0;
  uint32_t pitch_ = 0, qpitch_ = 0;  ///< bytes; rows of samples
  uint32_t x_ = 0, y_ = 0, lod_ = 0; ///< where the level's slice 0 starts, in samples
};

}  // namespace softgen::render
