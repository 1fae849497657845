// SPDX-License-Identifier: GPL-2.0-or-later
// The clear state of a depth buffer's slices. Under HiZ a cleared slice has no depth of its own: it has the clear value of the state that it is
// used with, 3DSTATE_CLEAR_PARAMS where it is drawn to or resolved, and Red Clear Color of a RENDER_SURFACE_STATE with AUX_HIZ where it is
// sampled. Drivers change the value without another clear (Mesa 25, iris_clear.c, fast_clear_depth). Our clears fill the depth buffer, so
// that all who read it find the value; a mark in the slice's part of the HiZ buffer says with which value, until something is drawn. The
// format of the HiZ buffer is not public, and no client reads it: the mark is ours. Whole slices alone are marked, since drivers resolve those
// that are drawn in part before they change the value. A HiZ buffer of zeros says "clear": Mesa 26 draws with a new one, which its kernel
// zeroed, without a clear or a resolve before; Mesa 22 to 25 resolve first (iris_resource.c, ISL_AUX_STATE_AUX_INVALID).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>

#include "hw/iface/engine.h"
#include "hw/memory/view.h"
#include "hw/surface/surface.h"

namespace softgen::surface {

/// What a depth buffer holds for depth `z`: R32_FLOAT the float, R24_UNORM_X8_TYPELESS and R16_UNORM codes.
inline uint32_t depth_code(const Format& format, double z) {
  // From full precision: a depth bias is of the size of the last bit.
  if (format.code == SurfaceFormat::R32_FLOAT) return std::bit_cast<uint32_t>(static_cast<float>(z));
  const double most = format.block_bits == 16 ? 65535.0 : 16777215.0;
  return z > 0 ? static_cast<uint32_t>(std::llround(std::min(z, 1.0) * most)) : 0;
}

class HizClear {
 public:
  /// `base`, `pitch` (bytes) and `qpitch` (rows of samples) are of the HiZ buffer; `depth` is not null.
  HizClear(uint64_t base, uint32_t pitch, uint32_t qpitch, const Surface& depth, unsigned lod);
  /// Of a level of a sampled surface; none unless it has a HiZ buffer: AUX_HIZ, one sample, 2D or cube, a depth format.
  static std::optional<HizClear> of_texture(const Surface& surface, unsigned lod);

  /// `slice` counts from the surface's own first one, `code` is as the depth buffer holds it.
  void mark(memory::View& view, uint32_t slice, uint32_t code) const;
  /// The slice was drawn to or resolved: it has the depth that its buffer holds. False: it was so before.
  bool forget(memory::View& view, uint32_t slice) const;
  /// The slice is clear, and what its buffer holds is not `code`.
  bool differs(memory::View& view, uint32_t slice, uint32_t code) const;
  /// A slice of a texture that is still clear gets the clear value of `surface`. The caller keeps other threads from it. False: `stop` is aborting,
  /// and the slice has it in part.
  bool follow(memory::View& view, const Surface& surface, const Level& level, uint32_t slice, const StopFlag& stop) const;

 private:
  using Words = std::array<uint32_t, 4>;
  uint64_t address(uint32_t slice) const;
  Words drawn() const;

  uint64_t base_;
  uint32_t pitch_, qpitch_;
  uint32_t x_, y_, lod_;  ///< where the level's slice 0 starts, in samples
};

}  // namespace softgen::surface
