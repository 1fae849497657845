// SPDX-License-Identifier: GPL-2.0-or-later
// Clear colours that stand in memory. Drivers write the raw colour; the converted one is written by the driver (Mesa 25, isl, CLEAR_COLOR) or by a
// fast clear whose surface state has Clear Color Conversion Enable (Mesa 22.3, blorp_clear.c).
#include <cstring>

#include "hw/defs/gen11/all.h"
#include "hw/surface/ccs.h"

namespace softgen::surface {
namespace {

using Layout = defs::gen11::CLEAR_COLOR;
constexpr size_t raw_dwords = 4, converted_at = raw_dwords * sizeof(uint32_t);

}  // namespace

void read_clear_color(memory::View& view, Surface& surface) {
  std::array<uint32_t, Layout::dwords> dwords;
  view.read(surface.clear_address, dwords.data(), sizeof dwords);
  const auto color = Layout::unpack(dwords);
  surface.clear_color = {static_cast<uint32_t>(color.raw_clear_color_red), static_cast<uint32_t>(color.raw_clear_color_green),
                         static_cast<uint32_t>(color.raw_clear_color_blue), static_cast<uint32_t>(color.raw_clear_color_alpha)};
  surface.clear_texel = surface.clear_texel_is_raw ? surface.clear_color[0] : color.converted_clear_value_hi_low;
}

void convert_clear_color(memory::View& view, const Surface& surface) {
  if (!surface.clear_address || !surface.converts_clear_color) return;
  std::array<std::byte, 16> texel{};
  encode(*surface.format, surface.clear_color, texel.data());
  uint64_t converted;
  std::memcpy(&converted, texel.data(), sizeof converted);
  view.store<uint64_t>(surface.clear_address + converted_at, converted);
}

}  // namespace softgen::surface
