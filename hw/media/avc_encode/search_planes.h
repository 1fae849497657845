// SPDX-License-Identifier: GPL-2.0-or-later
// A reference picture for motion search: luma with a border, and its half samples. Only the choice of vectors depends on it: prediction is InterPredictor's.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "hw/iface/engine.h"
#include "hw/media/avc/picture.h"
#include "hw/media/avc_encode/quantizer.h"
#include "hw/media/frame/plane_map.h"

namespace softgen::media::avc {

class SearchPlanes {
 public:
  /// Blocks may begin this far outside of the picture.
  static constexpr int reach = 24;
  /// False: a stop request ended it.
  bool load(const PlaneMap& luma, uint32_t width, uint32_t height, const StopFlag& stop);
  bool loaded() const { return loaded_; }
  void drop() { loaded_ = false; }
  /// Whole samples from (x, y) on.
  const uint8_t* at(int x, int y) const { return place(full, x, y); }
  ptrdiff_t stride() const { return stride_; }
  /// A block at (x, y) in quarter samples: as it is, or its mean in `scratch`.
  Block block(int x, int y, unsigned width, unsigned height, std::array<uint8_t, 256>& scratch) const;

 private:
  enum Kind : unsigned { full, across, down, both };
  static constexpr int border = 64;
  const uint8_t* place(Kind kind, int x, int y) const { return planes_[kind].data() + (y + border) * stride_ + x + border; }

  std::array<std::vector<uint8_t>, 4> planes_;
  ptrdiff_t stride_ = 0;
  bool loaded_ = false;
};

}  // namespace softgen::media::avc
