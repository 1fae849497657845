// SPDX-License-Identifier: GPL-2.0-or-later
// VEBOX_TILING_CONVERT as IGT's veboxcopy_gen12.c uses it.
#include <algorithm>

#include "hw/base/bits.h"
#include "hw/base/log.h"
#include "hw/defs/gen12/all.h"
#include "hw/media/decode/vebox_surface.h"

namespace softgen::media {
namespace {

/// Pixels as bytes.
struct Layout {
  uint8_t bytes = 0;    ///< of a pixel in the first plane; 0: the format is not there
  bool planar = false;  ///< 4:2:0, both colour differences in the second plane
};

template <class State>
Layout layout_of(const State& state) {
  using Format = typename State::SurfaceFormat;
  switch (state.surface_format) {
    case Format::YCRCB_NORMAL:
    case Format::YCRCB_SWAPUVY:
    case Format::YCRCB_SWAPUV:
    case Format::YCRCB_SWAPY: return {2};
    case Format::PACKED_444A_8:
    case Format::R8G8B8A8_UNORM:
    case Format::B8G8R8A8_UNORM: return {4};
    case Format::PLANAR_420_8: return {1, true};
    case Format::PLANAR_420_16: return {2, true};
    default: return {};
  }
}

template <class State, class Mode>
blitter::Plane plane_of(const State& s, uint64_t address, Mode mode, uint8_t bytes) {
  using surface::Tiling;
  const Tiling tiling = mode == Mode::TILEYF ? Tiling::yf : mode == Mode::TILEYS ? Tiling::ys : tiling_of(s);
  uint32_t pitch = s.surface_pitch + 1;
  if (tiling != Tiling::linear) pitch = surface::legal_pitch(surface::tile_pitch(tiling, bytes), pitch);
  uint64_t base = strip_canonical(address);
  if (tiling == Tiling::ys) base = align_down(base, surface::tile_bytes(tiling, bytes));
  return {.base = base, .pitch = static_cast<int32_t>(pitch), .tiling = tiling, .element = bytes};
}

}  // namespace

template <class G>
std::optional<Conversion> tiling_conversion(std::span<const uint32_t> packet, const VeboxDecoder::SurfaceStates& states) {
  using State = typename G::VEBOX_SURFACE_STATE;
  const State source = State::unpack(states[0]), target = State::unpack(states[1]);
  const typename G::VEBOX_TILING_CONVERT::View convert(packet);
  if (source.surface_format != target.surface_format) {
    guest_error("VEBOX_TILING_CONVERT", "formats {} and {}", static_cast<unsigned>(source.surface_format),
                static_cast<unsigned>(target.surface_format));
    return std::nullopt;
  }
  const Layout layout = layout_of(target);
  const bool separate = layout.planar && !(source.interleave_chroma && target.interleave_chroma);
  if (!layout.bytes || separate || is_moved(source) || is_moved(target)) {
    unimplemented("VEBOX surface", "format {}, chroma {}", static_cast<unsigned>(target.surface_format),
                  separate ? "apart" : "interleaved");
    return std::nullopt;
  }
  Conversion out;
  out.from = plane_of(source, convert.input_address(), convert.input_tiled_resource_mode(), layout.bytes);
  out.to = plane_of(target, convert.output_address(), convert.output_tiled_resource_mode(), layout.bytes);
  const uint32_t width = std::min(source.width, target.width) + 1, height = std::min(source.height, target.height) + 1;
  out.bands[0] = {.rows = height, .bytes = width * layout.bytes};
  if (layout.planar) out.bands[1] = {source.y_offset_for_u, target.y_offset_for_u, (height + 1) / 2, align_up(width, 2u) * layout.bytes};
  out.coded = convert.output_memory_compression_enable();
  return out;
}

template std::optional<Conversion> tiling_conversion<defs::Gen12>(std::span<const uint32_t>, const VeboxDecoder::SurfaceStates&);

}  // namespace softgen::media
