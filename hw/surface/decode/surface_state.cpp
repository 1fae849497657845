// SPDX-License-Identifier: GPL-2.0-or-later
// RENDER_SURFACE_STATE (SKL PRM vol 2d) and the packets of the depth and stencil buffers (vol 2a) as a Surface.
#include <algorithm>
#include <bit>

#include "hw/base/bits.h"
#include "hw/base/log.h"
#include "hw/defs/gen11/all.h"
#include "hw/defs/gen12/all.h"
#include "hw/defs/gen9/all.h"
#include "hw/surface/standard_tiling.h"
#include "hw/surface/surface.h"

namespace softgen::surface {
namespace {

uint8_t alignment(uint32_t code) {
  switch (code) {
    case 2: return 8;
    case 3: return 16;
    default: return 4;
  }
}

template <class State>
Tiling decode_tiling(const State& s) {
  using Resource = typename State::TiledResourceMode;
  if constexpr (requires { State::TileMode::WMAJOR; })
    if (s.tile_mode == State::TileMode::WMAJOR) return Tiling::w;
  switch (s.tile_mode) {
    case State::TileMode::XMAJOR: return Tiling::x;
    case State::TileMode::YMAJOR:
      return s.tiled_resource_mode == Resource::_4KB ? Tiling::yf : s.tiled_resource_mode == Resource::_64KB ? Tiling::ys : Tiling::y;
    default: return Tiling::linear;
  }
}

/// A tile of one slice of a Yf or Ys surface.
PageShape standard_tile(const Surface& s) {
  const unsigned element = element_bytes(*s.format);
  if (const TileVolume volume = tile_volume(s.tiling, element); is_volume(s)) return {volume.width, volume.height};
  return has_sampled_tiles(s) ? sampled_tile_shape(element, s.log2_samples) : tile_shape(s.tiling, element);
}

/// Tiled surfaces begin at a tile (Ys) or page and have rows of whole tiles (SKL PRM vol 2d, RENDER_SURFACE_STATE, Surface Base Address and Surface
/// Pitch). Users of the fast paths rely on it to stay within a page, so what state says is rounded here, once; low bits of the address have no meaning.
void round_to_tiles(Surface& s) {
  if (s.tiling == Tiling::linear) return;
  const unsigned element = element_bytes(*s.format);
  const uint64_t base = align_down(s.base, tile_bytes(s.tiling, element));
  const uint32_t tile = is_standard(s.tiling) ? standard_tile(s).width : tile_pitch(s.tiling, element);
  const uint32_t pitch = legal_pitch(tile, s.pitch);
  if (base != s.base || pitch != s.pitch)
    guest_error("tiled surface whose base or pitch is no whole number of tiles", "{}, base {:#x}, pitch {}", tiling_name(s.tiling), s.base,
                s.pitch);
  s.base = base, s.pitch = pitch;
}

void decode_buffer(const auto& s, Surface& out) {
  // Entries minus one: Width has bits 6:0, Height 20:7, Depth from 21 on.
  out.entries = (uint64_t{s.depth} << 21 | uint64_t{s.height & 0x3fff} << 7 | (s.width & 0x7f)) + 1;
  out.pitch = s.surface_pitch + 1;
}

/// The Yf and Ys image alignments (SKL PRM vol 5, "2D/CUBE Alignment Requirements" and "3D Alignment Requirements"), a tile of elements, and the mip tail.
/// Samples are side by side or slices; type and samples of `out` are known.
void place_standard(Surface& out, uint32_t mip_tail) {
  const unsigned element = element_bytes(*out.format);
  if (!std::has_single_bit(element) || element > 16) return;
  if (out.samples == 1 && out.type != SurfaceType::one_d) out.mip_tail = static_cast<uint8_t>(mip_tail);
  const PageShape tile = standard_tile(out);
  out.halign = static_cast<uint16_t>(tile.width / element);
  out.valign = static_cast<uint16_t>(tile.height);
}

template <class State>
void decode_image(const State& s, Surface& out) {
  out.tiling = decode_tiling(s);
  out.array = s.surface_array;
  out.width = s.width + 1, out.height = s.height + 1, out.depth = s.depth + 1;
  out.pitch = s.surface_pitch + 1;
  out.qpitch = s.surface_qpitch * 4;
  // isl_genX_helpers.h, isl_get_qpitch: hardware steps 3D stencil surfaces by twice the QPitch.
  if (out.type == SurfaceType::three_d && out.tiling == Tiling::w) out.qpitch *= 2;
  out.halign = alignment(static_cast<uint32_t>(s.surface_horizontal_alignment));
  out.valign = alignment(static_cast<uint32_t>(s.surface_vertical_alignment));
  if (out.type == SurfaceType::one_d) out.height = 1;
  out.samples = static_cast<uint8_t>(1u << static_cast<unsigned>(s.number_of_multisamples));
  out.log2_samples = static_cast<uint8_t>(s.number_of_multisamples);
  out.interleaved =
      out.samples > 1 && s.multisampled_surface_storage_format == State::MultisampledSurfaceStorageFormat::MSFMT_DEPTH_STENCIL;
  round_to_tiles(out);
  if (is_standard(out.tiling)) place_standard(out, s.mip_tail_start_lod);
  out.min_array_element = s.minimum_array_element;
  out.view_extent = s.render_target_view_extent + 1;
  out.mip_count = static_cast<uint8_t>(s.mip_count_lod), out.min_lod = static_cast<uint8_t>(s.surface_min_lod);
  out.resource_min_lod = s.resource_min_lod, out.base_mip_level = s.base_mip_level;
  out.x_offset = s.x_offset * 4, out.y_offset = s.y_offset * 4;
}

void decode_chroma(const auto& s, Surface& out) {
  out.chroma = {{s.x_offset_for_u_or_uv_plane, s.y_offset_for_u_or_uv_plane},
                {s.x_offset_for_v_plane, s.y_offset_for_v_plane},
                s.separate_uv_plane_enable};
}

/// The CCS is found by the aux map, not by the state.
template <class State>
constexpr bool ccs_by_aux_map = requires { State::AuxiliarySurfaceMode::AUX_MCS_LCE; };

/// Of R24_UNORM_X8_TYPELESS Gen12.0's sampler takes the raw clear colour (Wa_2201730850; Mesa isl.c, isl_get_sampler_clear_field_offset).
template <class State>
constexpr bool raw_depth_clears = ccs_by_aux_map<State>;

/// Codes that the generation does not have say "none".
template <class State>
AuxMode decode_aux_mode(const State& s) {
  using Mode = typename State::AuxiliarySurfaceMode;
  if constexpr (requires { Mode::AUX_HIZ; })
    if (s.auxiliary_surface_mode == Mode::AUX_HIZ) return AuxMode::hiz;
  if constexpr (requires { Mode::AUX_MCS_LCE; })
    if (s.auxiliary_surface_mode == Mode::AUX_MCS_LCE) return AuxMode::mcs_lce;
  switch (s.auxiliary_surface_mode) {
    case Mode::AUX_CCS_D: return AuxMode::ccs_d;
    case Mode::AUX_APPEND: return AuxMode::append;
    case Mode::AUX_CCS_E: return AuxMode::ccs_e;
    default: return AuxMode::none;
  }
}

// Of whole Y tiles by its fields: the address has bits 63:12, the pitch counts tiles.
template <class State>
void decode_aux(const State& s, Surface& out) {
  out.aux = decode_aux_mode(s);
  // Stencil has no fast clear and is not compressed here: its CCS is ignored, since recycled memory may hold any code (isl.h,
  // ISL_AUX_USAGE_STC_CCS).
  if constexpr (requires { s.depth_stencil_resource; })
    if (s.depth_stencil_resource && out.format->code == SurfaceFormat::R8_UINT) out.aux = AuxMode::none;
  out.aux_mapped = ccs_by_aux_map<State> && out.aux != AuxMode::none;
  out.aux_base = s.auxiliary_surface_base_address;
  out.aux_pitch = (s.auxiliary_surface_pitch + 1) * 128;
  out.aux_qpitch = s.auxiliary_surface_qpitch * 4;
  if constexpr (requires { s.red_clear_color; })
    out.clear_color = {static_cast<uint32_t>(s.red_clear_color), static_cast<uint32_t>(s.green_clear_color),
                       static_cast<uint32_t>(s.blue_clear_color), static_cast<uint32_t>(s.alpha_clear_color)};
  if constexpr (requires { s.clear_value_address_enable; })
    if (s.clear_value_address_enable) {
      out.clear_address = strip_canonical(s.clear_value_address);
      // Without the field a fast clear always does (Mesa isl.h and blorp_genX_exec.h on Gen12).
      if constexpr (requires { s.clear_color_conversion_enable; }) out.converts_clear_color = s.clear_color_conversion_enable;
      else out.converts_clear_color = true;
      out.clear_texel_is_raw = raw_depth_clears<State> && out.format->code == SurfaceFormat::R24_UNORM_X8_TYPELESS;
      out.clear_color = {};
    }
}

}  // namespace

namespace {

template <class G>
const FormatSet& formats_of = gen9_formats;
template <>
const FormatSet& formats_of<defs::Gen11> = gen11_formats;
template <>
const FormatSet& formats_of<defs::Gen12> = gen12_formats;

}  // namespace

template <class G>
Surface decode_surface(std::span<const uint32_t> dwords) {
  const auto s = G::RENDER_SURFACE_STATE::unpack(dwords);
  Surface out;
  out.format = find_format(s.surface_format, formats_of<G>);
  out.base = strip_canonical(s.surface_base_address);
  out.mocs = static_cast<uint8_t>(s.mocs);
  const uint32_t type = static_cast<uint32_t>(s.surface_type);
  if (type == static_cast<uint32_t>(SurfaceType::null)) {
    // Null surfaces have a size, for what the sampler says of it.
    out.width = s.width + 1, out.height = s.height + 1, out.depth = s.depth + 1;
    return out;
  }
  if (type == 6 || !out.format || static_cast<uint32_t>(s.number_of_multisamples) > 4) {
    guest_error("surface state with a reserved type, format or sample count", "type {}, format {:#x}", type,
                static_cast<uint32_t>(s.surface_format));
    return out;
  }
  out.type = static_cast<SurfaceType>(type);
  if (out.is_buffer()) decode_buffer(s, out);
  else decode_image(s, out);
  if (is_planar(*out.format)) decode_chroma(s, out);
  else decode_aux(s, out);
  out.cube_faces =
      static_cast<uint8_t>(s.cube_face_enable_positive_z | s.cube_face_enable_negative_z << 1 | s.cube_face_enable_positive_y << 2 |
                           s.cube_face_enable_negative_y << 3 | s.cube_face_enable_positive_x << 4 | s.cube_face_enable_negative_x << 5);
  out.select = {s.shader_channel_select_red, s.shader_channel_select_green, s.shader_channel_select_blue, s.shader_channel_select_alpha};
  return out;
}

namespace {

// What both buffers have in common. Depth and stencil buffers are tiled always, samples interleaved.
Surface from_depth_state(const auto& s, uint32_t level, unsigned samples, SurfaceFormat format, Tiling tiling) {
  Surface out;
  out.width = s.width + 1, out.height = s.height + 1, out.depth = s.depth + 1;
  const uint32_t type = static_cast<uint32_t>(s.surface_type);
  if (type > static_cast<uint32_t>(SurfaceType::cube)) return out;
  out.type = static_cast<SurfaceType>(type);
  out.format = find_format(format);
  out.tiling = tiling;
  out.array = out.type != SurfaceType::three_d;
  out.samples = static_cast<uint8_t>(samples);
  out.log2_samples = static_cast<uint8_t>(std::countr_zero(samples));
  out.interleaved = samples > 1;
  out.min_array_element = s.minimum_array_element;
  out.view_extent = s.render_target_view_extent + 1;
  out.mip_count = static_cast<uint8_t>(level);
  return out;
}

/// Of a depth buffer whose tiles are not standard ones. SKL PRM vol 5, alignment parameters: D16 8 x 4, the others 4 x 4.
template <class G>
void align_depth(Surface& out) {
  out.halign = out.format->block_bits == 16 ? 8 : 4;
}
/// Mesa isl_gfx12.c, isl_gfx12_choose_image_alignment_el.
template <>
void align_depth<defs::Gen12>(Surface& out) {
  const bool d16 = out.format->block_bits == 16, wide = d16 && (out.samples == 2 || out.samples == 8);
  out.halign = wide ? 16 : 8, out.valign = d16 && !wide ? 8 : 4;
}

/// Of 3DSTATE_DEPTH_BUFFER's and 3DSTATE_STENCIL_BUFFER's tiled mode; `plain`: of a surface whose tiles are not standard ones.
template <class Mode>
constexpr Tiling tiling_of(Mode mode, Tiling plain) {
  return mode == Mode::TILEYF ? Tiling::yf : mode == Mode::TILEYS ? Tiling::ys : plain;
}

/// How stencil buffers are tiled, and the alignment of their levels (SKL PRM vol 5; Mesa isl_gfx12.c).
struct StencilLayout {
  Tiling tiling;
  uint16_t halign, valign;
};
template <class G>
constexpr StencilLayout stencil_layout{Tiling::w, 8, 8};
template <>
constexpr StencilLayout stencil_layout<defs::Gen12>{Tiling::y, 16, 8};

}  // namespace

template <class G>
Surface decode_depth_buffer(std::span<const uint32_t> depth, unsigned samples) {
  using DepthState = typename G::_3DSTATE_DEPTH_BUFFER;
  const DepthState s = DepthState::unpack(depth);
  // Of a client with a stencil buffer alone: the packet then has its size, and D32_FLOAT without memory (Mesa, isl_emit_depth_stencil.c).
  if (s.surface_pitch == 0 && s.surface_base_address == 0) return {};
  SurfaceFormat format = SurfaceFormat::R32_FLOAT;
  switch (s.surface_format) {
    case DepthState::SurfaceFormat::D32_FLOAT: break;
    case DepthState::SurfaceFormat::D24_UNORM_X8_UINT: format = SurfaceFormat::R24_UNORM_X8_TYPELESS; break;
    case DepthState::SurfaceFormat::D16_UNORM: format = SurfaceFormat::R16_UNORM; break;
    default: return {};
  }
  Surface out = from_depth_state(s, s.lod, samples, format, tiling_of(s.tiled_resource_mode, Tiling::y));
  if (out.is_null()) return out;
  out.base = strip_canonical(s.surface_base_address);
  out.pitch = s.surface_pitch + 1, out.qpitch = s.surface_qpitch * 4;
  round_to_tiles(out);
  if (is_standard(out.tiling)) {
    place_standard(out, s.mip_tail_start_lod);
    return out;
  }
  align_depth<G>(out);
  if constexpr (requires { s.control_surface_enable; })
    if (s.control_surface_enable && s.depth_buffer_compression_enable) out.aux = AuxMode::ccs_e, out.aux_mapped = true;
  return out;
}

template <class G>
Surface decode_stencil_buffer(std::span<const uint32_t> depth, std::span<const uint32_t> stencil, unsigned samples) {
  const auto s = G::_3DSTATE_STENCIL_BUFFER::unpack(stencil);
  constexpr StencilLayout layout = stencil_layout<G>;
  Surface out;
  if constexpr (requires { s.stencil_buffer_enable; }) {
    if (!s.stencil_buffer_enable) return {};
    const auto size = G::_3DSTATE_DEPTH_BUFFER::unpack(depth);
    out = from_depth_state(size, size.lod, samples, SurfaceFormat::R8_UINT, layout.tiling);
  } else {
    // No memory: a context that has never set it.
    if (s.surface_pitch == 0 && s.surface_base_address == 0) return {};
    out = from_depth_state(s, s.surf_lod, samples, SurfaceFormat::R8_UINT, tiling_of(s.tiled_mode, layout.tiling));
  }
  out.base = strip_canonical(s.surface_base_address);
  out.pitch = s.surface_pitch + 1, out.qpitch = s.surface_qpitch * 4;
  if (!out.is_null()) round_to_tiles(out);
  out.halign = layout.halign, out.valign = layout.valign;
  if constexpr (requires { s.mip_tail_start_lod; })
    if (is_standard(out.tiling) && !out.is_null()) place_standard(out, s.mip_tail_start_lod);
  return out;
}

#define GENERATION(G)                                                                         \
  template Surface decode_surface<G>(std::span<const uint32_t> dwords);                       \
  template Surface decode_depth_buffer<G>(std::span<const uint32_t> depth, unsigned samples); \
  template Surface decode_stencil_buffer<G>(std::span<const uint32_t> depth, std::span<const uint32_t> stencil, unsigned samples)
GENERATION(defs::Gen9);
GENERATION(defs::Gen11);
GENERATION(defs::Gen12);
#undef GENERATION

}  // namespace softgen::surface
