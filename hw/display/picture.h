// SPDX-License-Identifier: GPL-2.0-or-later
// The finished picture of a pipe: the compositor leaves it here, the front end takes what changed.
#pragma once

#include <cstdint>
#include <vector>

#include "hw/base/mutex.h"
#include "hw/display/compose.h"
#include "hw/display/compositor.h"
#include "hw/display/infoframe.h"
#include "softgen/softgen.h"

namespace softgen::display {

class Picture {
 public:
  // -- for the composer: one at a time, between begin() and end() --
  /// False: another thread composes.
  bool begin();
  void end();
  /// Makes the picture that of `scene`. Returns whether a pixel changed.
  bool compose(const Scene& scene, SinkRange sink, Compositor::Turn& turn);
  /// No picture; frees the memory.
  void clear();

  // -- the front end --
  struct Size {
    uint32_t width = 0, height = 0;
  };
  /// 0 x 0: there is none, or it is being composed.
  Size size();
  /// Copies what changed since the last call, or all, into pixels of width x height, and gives its bounding box. Nothing happens when
  /// the picture has another size or is being composed.
  void take(void* pixels, Size size, size_t stride, bool full, sg_dirty_rect* dirty);

 private:
  struct Box {
    uint32_t left = ~0u, top = ~0u, right = 0, bottom = 0;
    bool empty() const { return bottom == 0; }
    void add(const Box& other);
  };
  Box row_changed(uint32_t y, bool whole);

  Mutex mutex_;
  bool composing_ = false;
  // The composer's while composing_ is set, else guarded by the mutex.
  Size size_;
  std::vector<uint32_t> pixels_, row_;
  Box changed_;
};

}  // namespace softgen::display
