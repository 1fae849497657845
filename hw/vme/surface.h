// SPDX-License-Identifier: GPL-2.0-or-later
// A media surface: the source and the references of VME's messages.
#pragma once

#include <array>
#include <cstdint>

#include "hw/iface/message_target.h"
#include "hw/surface/tiling.h"

namespace softgen::vme {

struct Surface {
  uint32_t width = 0, height = 0;  ///< 0: there is none
  uint32_t pitch = 1, first_byte = 0, first_row = 0;
  surface::Tiling tiling = surface::Tiling::linear;
  uint64_t base = 0;
  uint32_t chroma_row = 0;  ///< where rows of pairs of Cb and Cr begin; 0: there are none

  bool is_there() const { return width && height; }
  /// Samples [x, x + columns) of rows [y, y + rows), at most 128 columns; beyond the edges those at the edge.
  void fetch(memory::View& view, int x, int y, unsigned columns, unsigned rows, uint8_t* to, size_t stride) const;
  /// The same of chroma's samples, at most 16 columns; mid-grey where there are none.
  void fetch_chroma(memory::View& view, int x, int y, unsigned columns, unsigned rows, std::array<uint8_t*, 2> to, size_t stride) const;
};

using SurfaceDwords = std::array<uint32_t, 8>;
/// A format without luma of 8 bits in a plane of its own gives no surface (counted).
Surface decode_surface(const SurfaceDwords& dwords);
/// That of entry `index` of the binding table.
Surface load_surface(ThreadEnv& env, uint32_t index);

}  // namespace softgen::vme
