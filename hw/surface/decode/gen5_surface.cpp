// SPDX-License-Identifier: GPL-2.0-or-later
// Ironlake's RENDER_SURFACE_STATE and 3DSTATE_DEPTH_BUFFER as a Surface. Neither alignment nor QPitch is in the state: Mesa isl_gfx4.c,
// isl_gfx4_choose_image_alignment_el; isl.c, isl_calc_array_pitch_el_rows_gfx4_2d. All tiled surfaces are swizzled (hw/defs/bit6_swizzle.h).
#include <algorithm>

#include "hw/base/bits.h"
#include "hw/base/log.h"
#include "hw/defs/gen5/all.h"
#include "hw/surface/surface.h"

namespace softgen::surface {
namespace {

using State = defs::gen5::RENDER_SURFACE_STATE;
using DepthState = defs::gen5::_3DSTATE_DEPTH_BUFFER;

/// Alignments, and rows from slice to slice, in elements; format, type and size are known.
void lay_out(Surface& s, bool below) {
  const bool compressed = s.format->kind == FormatKind::compressed;
  s.halign = compressed ? 1 : 4, s.valign = compressed ? 1 : 2;
  const auto rows = [&](uint32_t height) {
    return align_up((height + s.format->block_height - 1) / s.format->block_height, uint32_t{s.valign});
  };
  s.packed = s.type == SurfaceType::three_d;
  s.tree_1d = s.type == SurfaceType::one_d;  // isl.c, isl_surf_choose_dim_layout
  s.qpitch = rows(s.height) + rows(std::max(s.height / 2, 1u)) + 11u * s.valign;
  if (!below) unimplemented("Ironlake: mip levels to the right of the first (MIPLAYOUT_RIGHT)");
}

/// Rows of whole tiles, from a page on: as the other generations' round_to_tiles().
void round_to_tiles(Surface& s) {
  if (s.tiling == Tiling::linear) return;
  const uint64_t base = align_down(s.base, uint64_t{4096});
  const uint32_t pitch = legal_pitch(tile_pitch(s.tiling, 1), s.pitch);
  if (base != s.base || pitch != s.pitch)
    guest_error("tiled surface whose base or pitch is no whole number of tiles", "{}, base {:#x}, pitch {}", tiling_name(s.tiling), s.base,
                s.pitch);
  s.base = base, s.pitch = pitch;
}

/// Every second row of a frame: a field of it.
void take_field(const State& s, Surface& out) {
  if (!s.vertical_line_stride) return;
  if (out.tiling != Tiling::linear) return unimplemented("Ironlake: Vertical Line Stride of a tiled surface");
  out.base += uint64_t{s.vertical_line_stride_offset} * out.pitch;
  out.pitch *= 2;
  out.field = s.vertical_line_stride_offset ? Field::bottom : Field::top;
}

void decode_image(const State& s, Surface& out) {
  if (s.tiled_surface) out.tiling = s.tile_walk == State::TileWalk::TILEWALK_YMAJOR ? Tiling::swizzled_y : Tiling::swizzled_x;
  out.width = s.width + 1, out.height = out.type == SurfaceType::one_d ? 1 : s.height + 1, out.depth = s.depth + 1;
  out.array = out.type != SurfaceType::three_d;
  out.pitch = s.surface_pitch + 1;
  round_to_tiles(out);
  lay_out(out, s.mip_map_layout_mode == State::MIPMapLayoutMode::MIPLAYOUT_BELOW);
  take_field(s, out);
  out.min_array_element = s.minimum_array_element;
  out.view_extent = s.render_target_view_extent + 1;
  out.mip_count = static_cast<uint8_t>(s.mip_count_lod), out.min_lod = static_cast<uint8_t>(s.surface_min_lod);
  out.x_offset = s.x_offset * 4, out.y_offset = s.y_offset * 2;  // genxml counts in these units
  out.cube_faces =
      static_cast<uint8_t>(s.cube_face_enable_positive_z | s.cube_face_enable_negative_z << 1 | s.cube_face_enable_positive_y << 2 |
                           s.cube_face_enable_negative_y << 3 | s.cube_face_enable_positive_x << 4 | s.cube_face_enable_negative_x << 5);
}

SurfaceFormat depth_format(DepthState::SurfaceFormat format) {
  using Format = DepthState::SurfaceFormat;
  switch (format) {
    case Format::D32_FLOAT_S8X24_UINT: return SurfaceFormat::R32_FLOAT_X8X24_TYPELESS;
    case Format::D24_UNORM_S8_UINT:
    case Format::D24_UNORM_X8_UINT: return SurfaceFormat::R24_UNORM_X8_TYPELESS;
    case Format::D16_UNORM: return SurfaceFormat::R16_UNORM;
    default: return SurfaceFormat::R32_FLOAT;
  }
}

}  // namespace

template <>
Surface decode_surface<defs::Gen5>(std::span<const uint32_t> dwords) {
  const State s = State::unpack(dwords);
  Surface out;
  out.format = find_format(s.surface_format);
  out.base = s.surface_base_address;
  const auto type = static_cast<uint32_t>(s.surface_type);
  if (type == static_cast<uint32_t>(SurfaceType::null)) {
    out.width = s.width + 1, out.height = s.height + 1, out.depth = s.depth + 1;
    return out;
  }
  if (type > static_cast<uint32_t>(SurfaceType::buffer) || !out.format) {
    guest_error("surface state with a reserved type or format", "type {}, format {:#x}", type, static_cast<uint32_t>(s.surface_format));
    return out;
  }
  out.type = static_cast<SurfaceType>(type);
  if (!out.is_buffer()) {
    decode_image(s, out);
    return out;
  }
  // Entries minus one: Width has bits 6:0, Height 19:7, Depth from 20 on (Mesa crocus_state.c, fill_buffer_surface_state; isl_surface_state.c).
  out.entries = (uint64_t{s.depth & 0x7f} << 20 | uint64_t{s.height} << 7 | (s.width & 0x7f)) + 1;
  out.pitch = s.surface_pitch + 1;
  // Where the pitch is smaller than the format, the number counts whole elements: the bound is their number by their size, while addresses advance by the
  // pitch. i965-va-driver's buffer of owords for the scoreboard's kernel has a pitch of one byte (i965_avc_hw_scoreboard.c). crocus' constants have, too, and
  // their number counts bytes: their bound is 16 times too wide (chosen).
  if (out.pitch < out.format->block_bytes()) out.entries = out.entries * out.format->block_bytes() / out.pitch;
  return out;
}

/// The stencil of a packed buffer is in the same elements: hw/render/ilk has the formats.
template <>
Surface decode_depth_buffer<defs::Gen5>(std::span<const uint32_t> depth, unsigned /*samples*/) {
  const DepthState s = DepthState::unpack(depth);
  const auto type = static_cast<uint32_t>(s.surface_type);
  Surface out;
  if (type > static_cast<uint32_t>(SurfaceType::cube) || (s.surface_pitch == 0 && s.surface_base_address == 0)) return out;
  out.type = static_cast<SurfaceType>(type);
  out.format = find_format(depth_format(s.surface_format));
  if (s.tiled_surface) out.tiling = s.tile_walk == DepthState::TileWalk::TILEWALK_YMAJOR ? Tiling::swizzled_y : Tiling::swizzled_x;
  out.width = s.width + 1, out.height = s.height + 1, out.depth = s.depth + 1;
  out.array = out.type != SurfaceType::three_d;
  out.base = s.surface_base_address, out.pitch = s.surface_pitch + 1;
  round_to_tiles(out);
  lay_out(out, s.mip_map_layout_mode == DepthState::MIPMapLayoutMode::MIPLAYOUT_BELOW);
  out.min_array_element = s.minimum_array_element;
  out.view_extent = s.render_target_view_extent + 1;
  out.mip_count = static_cast<uint8_t>(s.lod);
  return out;
}

}  // namespace softgen::surface
