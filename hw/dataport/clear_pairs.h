// SPDX-License-Identifier: GPL-2.0-or-later
// Typed messages on surfaces whose control surface the aux map finds: pairs of lines that are coded "clear" (hw/surface/mapped_ccs.h). Clients do not
// resolve such surfaces before (Mesa iris_resolve.c, iris_image_view_aux_usage; on Gen9 and Gen11 they do).
#pragma once

#include <array>
#include <cstring>

#include "hw/surface/mapped_ccs.h"

namespace softgen::dataport {

/// Of the surface of one message.
class ClearPairs {
 public:
  explicit ClearPairs(const surface::Surface& surface) : surface_(surface), any_(surface::mapped::has_codes(surface)) {}

  /// Reads the texel at `address` into `texel`, as memory has it or as its pair's code says.
  void read(memory::View& view, uint64_t address, std::byte* texel) const {
    if (any_ && surface::mapped::read_at(view, surface_.tiling, address) == surface::CcsCode::clear) [[unlikely]]
      return surface::store_clear_color(surface_, surface::ClearUse::rendering, texel);
    view.read(address, texel, surface_.format->block_bytes());
  }
  /// Before a texel at `address` is written: its pair is not clear then.
  void claim(memory::View& view, uint64_t address) const {
    if (!any_ || surface::mapped::read_at(view, surface_.tiling, address) != surface::CcsCode::clear) [[likely]]
      return;
    std::array<std::byte, 16> texel{};
    surface::store_clear_color(surface_, surface::ClearUse::rendering, texel.data());
    std::array<std::byte, 64> line;
    const unsigned bytes = surface_.format->block_bytes();
    for (size_t at = 0; at < line.size(); at += bytes) std::memcpy(line.data() + at, texel.data(), bytes);
    surface::mapped::claim(view, surface_.tiling, address, line.data());
  }

 private:
  const surface::Surface& surface_;
  const bool any_;
};

}  // namespace softgen::dataport
