// SPDX-License-Identifier: GPL-2.0-or-later
// SAMPLER_STATE_8X8_AVS, of which Gen11 and Gen12 have Gen9's fields where AVS reads them (iHD mhw_state_heap_hwcmd_g11_X.h, g12_X.h), and MEDIA_SURFACE_STATE.
#include <optional>

#include "hw/base/bits.h"
#include "hw/base/log.h"
#include "hw/defs/gen9/all.h"
#include "hw/sampler/avs.h"
#include "hw/surface/decode/media_surface.h"

namespace softgen::sampler::avs {
namespace {

using Packed = defs::gen9::SAMPLER_STATE_8X8_AVS;
using Coefficients = defs::gen9::SAMPLER_STATE_8X8_AVS_COEFFICIENTS;
using Media = defs::gen9::MEDIA_SURFACE_STATE;
using Format = Media::SurfaceFormat;

enum Color : uint8_t { red, green, blue, alpha };

struct Tables {
  Filter eight{.taps = 8}, four{.taps = 4};

  void set(size_t phase, const Coefficients& c) {
    for (size_t k = 0; k < max_taps; ++k) {
      eight.x[phase][k] = static_cast<int16_t>(c.table_0x_filter_coefficient[k]);
      eight.y[phase][k] = static_cast<int16_t>(c.table_0y_filter_coefficient[k]);
    }
    for (size_t k = 0; k < 2; ++k) {
      four.x[phase][2 + k] = static_cast<int16_t>(c.table_1x_filter_coefficient_2[k]);
      four.x[phase][4 + k] = static_cast<int16_t>(c.table_1x_filter_coefficient_4[k]);
      four.y[phase][2 + k] = static_cast<int16_t>(c.table_1y_filter_coefficient_2[k]);
      four.y[phase][4 + k] = static_cast<int16_t>(c.table_1y_filter_coefficient_4[k]);
    }
  }
};

/// The places of a format's channels in its first plane.
void place_channels(Surface& out, Format format) {
  const auto set = [&](Color color, uint32_t x, uint8_t step, bool half_x = false) {
    out.channels[color] = {.there = true, .half_x = half_x, .step = step, .x = x};
  };
  const auto packed = [&](uint32_t y, uint32_t u, uint32_t v) { set(green, y, 2), set(blue, u, 4, true), set(red, v, 4, true); };
  const auto whole = [&](uint32_t r, uint32_t g, uint32_t b) { set(red, r, 4), set(green, g, 4), set(blue, b, 4), set(alpha, 3, 4); };
  switch (format) {
    case Format::YCRCB_NORMAL: return packed(0, 1, 3);
    case Format::YCRCB_SWAPUV: return packed(0, 3, 1);
    case Format::YCRCB_SWAPY: return packed(1, 0, 2);
    case Format::YCRCB_SWAPUVY: return packed(1, 2, 0);
    case Format::R8G8B8A8_UNORM: return whole(0, 1, 2);
    case Format::B8G8R8A8_UNORM: return whole(2, 1, 0);
    case Format::A8Y8U8V8_UNORM: return whole(0, 2, 1);
    case Format::R8B8_UNORM: return set(red, 0, 2), set(blue, 1, 2);
    case Format::R8_UNORM: return set(red, 0, 1);
    case Format::PLANAR_420_8:
    case Format::PLANAR_422_8:
    case Format::Y8_UNORM: return set(green, 0, 1);
    default: unimplemented("sample_8x8 of a surface format", "{}", static_cast<unsigned>(format));
  }
}

/// Cb and Cr of a planar surface.
void place_chroma(Surface& out, const Media& s, uint32_t pitch) {
  const bool half_y = s.surface_format == Format::PLANAR_420_8;
  constexpr float quarter = 0.25f;
  const float below = static_cast<float>(s.cr_v_cb_u_pixel_offset_v_direction_msb << 2 | s.cr_v_cb_u_pixel_offset_v_direction) * quarter;
  const Channel u{.there = true,
                  .half_x = true,
                  .half_y = half_y,
                  .step = static_cast<uint8_t>(s.interleave_chroma ? 2 : 1),
                  .x = s.x_offset_for_u_cb,
                  .y = s.y_offset_for_u_cb,
                  .pitch = s.half_pitch_for_chroma ? pitch / 2 : pitch,
                  .row_offset = half_y ? below : 0};
  Channel v = u;
  if (s.interleave_chroma) v.x += 1;
  else v.x = s.x_offset_for_v_cr, v.y = s.y_offset_for_v_cr;
  out.channels[blue] = u, out.channels[red] = v;
  if (s.cr_v_cb_u_pixel_offset_u_direction) unimplemented("sample_8x8 with Cr(V)/Cb(U) Pixel Offset U Direction");
}

void set_tiling(Surface& out, const Media& s) {
  const std::optional<surface::Tiling> tiling = surface::media_tiling(s.tile_mode);
  if (!tiling) unimplemented("sample_8x8 with W tiles");
  if (tiling == surface::Tiling::linear) return;
  out.tiling = tiling.value_or(surface::Tiling::linear);
  out.base = align_down(out.base, surface::tile_bytes(out.tiling, 1));
  for (Channel& c : out.channels) c.pitch = surface::legal_pitch(surface::tile_pitch(out.tiling, 1), c.pitch);
}

void count_missing(const Media& s) {
  if (s.rotation) unimplemented("sample_8x8 with rotation");
  if (s.picture_structure != Media::PictureStructure::FRAME_PICTURE) unimplemented("sample_8x8 with picture structure");
  if (s.memory_compression_enable) unimplemented("sample_8x8 with memory compression");
  if (s.tiled_resource_mode) unimplemented("sample_8x8 with tiled resource mode");
}

}  // namespace

State decode_state(const StateDwords& dwords) {
  using Taps8 = Packed::Enable8TapFilter;
  static_assert(Packed::dwords == std::tuple_size_v<StateDwords>);
  const Packed s = Packed::unpack(dwords);
  Tables tables;
  for (size_t i = 0; i < s.filter_coefficient.size(); ++i) tables.set(i, s.filter_coefficient[i]);
  for (size_t i = 0; i < s.extra_filter_coefficient.size(); ++i) tables.set(s.filter_coefficient.size() + i, s.extra_filter_coefficient[i]);
  State out;
  // Green takes all of table 0: where iHD wants four taps, the others are zeros (vphal_render_common.c, VpHal_RenderCommonSetAVSTableParam).
  const bool share = s.enable_8_tap_filter == Taps8::EIGHT_TAPS || s.enable_8_tap_filter == Taps8::EIGHT_TAPS_ADAPTIVE;
  for (const Color color : {red, green, blue, alpha}) out.filters[color] = color == green || share ? tables.eight : tables.four;
  // 255 is all of it.
  out.sharpness = polyphase::sharpness_of(s.default_sharpness_level);
  out.shuffled = s.shuffle_output_writeback;
  const bool may_adapt = s.enable_8_tap_filter == Taps8::EIGHT_TAPS_OF_GREEN || s.enable_8_tap_filter == Taps8::EIGHT_TAPS_ADAPTIVE;
  out.adaptive = may_adapt && !(s.bypass_x_adaptive_filtering && s.bypass_y_adaptive_filtering);
  return out;
}

Surface decode_surface(const SurfaceDwords& dwords) {
  static_assert(Media::dwords == std::tuple_size_v<SurfaceDwords>);
  const Media s = Media::unpack(dwords);
  count_missing(s);
  Surface out;
  const uint32_t pitch = s.surface_pitch + 1;
  place_channels(out, s.surface_format);
  for (Channel& c : out.channels) c.pitch = pitch;
  if (s.surface_format == Format::PLANAR_420_8 || s.surface_format == Format::PLANAR_422_8) place_chroma(out, s, pitch);
  out.width = s.width + 1, out.height = s.height + 1;
  out.mirrored = s.address_control == Media::AddressControl::MIRROR;
  out.base = strip_canonical(s.surface_base_address);
  set_tiling(out, s);
  if (s.vertical_line_stride) out.line_shift = 1, out.line_offset = static_cast<uint8_t>(s.vertical_line_stride_offset);
  return out;
}

}  // namespace softgen::sampler::avs
