// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/display/ilk/pipes.h"

#include "hw/base/log.h"
#include "hw/defs/bit6_swizzle.h"
#include "hw/display/ilk/layout.h"

namespace softgen::display {

namespace field = reg::field;

namespace {

constexpr IlkLayout layout;

/// intel_display.c, intel_mode_valid; intel_fb.c, intel_plane_fb_max_stride; intel_sprite.c, g4x_sprite_check: a sprite shrinks to a sixteenth.
constexpr Limits limits{
    .pipe_width = 4096, .pipe_height = 4096, .scaler_width = 4096, .scaler_height = 4096, .shrink = 3, .planar_shrink = 3};
constexpr uint32_t sprite_shrink = 16, sprite_width = 2048, sprite_height = 2048;

struct Format {
  PlaneFormat format;
  bool swapped = false;  ///< red in the lowest bits
};

/// DSPCNTR: Format (i915_reg.h, DISP_FORMAT_*). Alpha is ignored.
std::optional<Format> primary_format(uint32_t code) {
  switch (code) {
    case 2: return Format{PlaneFormat::indexed};
    case 5: return Format{PlaneFormat::rgb_565};
    case 6:
    case 7: return Format{PlaneFormat::rgb_8888};
    case 8:
    case 9: return Format{PlaneFormat::rgb_2101010, true};
    case 10:
    case 11: return Format{PlaneFormat::rgb_2101010};
    case 12: return Format{PlaneFormat::rgb_16161616f, true};
    case 14:
    case 15: return Format{PlaneFormat::rgb_8888, true};
    default: return {};
  }
}

/// DVSCNTR: Format (i915_reg.h, DVS_FORMAT_*), and the order of its channels.
Format sprite_format(uint32_t control) {
  constexpr PlaneFormat formats[] = {PlaneFormat::yuv422, PlaneFormat::rgb_2101010, PlaneFormat::rgb_8888, PlaneFormat::rgb_16161616f};
  return {formats[field::DVSCNTR_FORMAT.of(control)], field::DVSCNTR_RGB_ORDER_XBGR.of(control) != 0};
}

/// Of both planes. Turned by 180 degrees, software points to the last pixel (i9xx_check_plane_surface), and the hardware walks back from there.
void decode_surface(const PlaneRegs& regs, bool tiled, bool turned, PlaneView& out) {
  out.main.bytes = format_bytes(out.format);
  out.flip_x = out.flip_y = turned;
  const uint32_t right = turned ? out.width - 1 : 0, below = turned ? out.height - 1 : 0;
  const uint32_t base = field::DSPSURF_SURFACE_BASE_ADDRESS.in_place(regs.surf);
  if (!tiled) {
    out.main.stride = regs.stride;
    out.main.base = base + regs.aux_dist - below * regs.stride - right * out.main.bytes;
    return;
  }
  out.main.tiling = surface::Tiling::x;
  out.main.base = base;
  out.main.stride = regs.stride / surface::page_shape(surface::Tiling::x, out.main.bytes).width;
  out.main.swizzle = defs::gen5_swizzle;
  out.u = field::DSPTILEOFF_X_OFFSET.of(regs.offset) - right;
  out.v = field::DSPTILEOFF_Y_OFFSET.of(regs.offset) - below;
}

bool decode_primary(const PipeState& state, PlaneView& out) {
  const PlaneRegs& regs = state.planes[ilk_primary];
  const auto format = primary_format(field::DSPCNTR_FORMAT.of(regs.ctl));
  if (!format) {
    guest_error("DSPCNTR reserved format", "DSPCNTR {:#x}", regs.ctl);
    return false;
  }
  out.format = format->format;
  out.swap_red_blue = format->swapped;
  out.width = std::min(field::PIPE_SRCSZ_HORIZONTAL_SOURCE_SIZE.of(state.regs.source_size) + 1, limits.pipe_width);
  out.height = std::min(field::PIPE_SRCSZ_VERTICAL_SOURCE_SIZE.of(state.regs.source_size) + 1, limits.pipe_height);
  decode_surface(regs, field::DSPCNTR_TILED.of(regs.ctl), field::DSPCNTR_ROTATE_180.of(regs.ctl), out);
  out.pipe_gamma = field::DSPCNTR_PIPE_GAMMA_ENABLE.of(regs.ctl);
  out.pipe_csc = field::DSPCNTR_PIPE_CSC_ENABLE.of(regs.ctl);
  return true;
}

/// What the sprite fetches, and its size on the pipe. False: it would shrink by more than it can.
bool decode_scale(const PlaneRegs& regs, PlaneView& out) {
  out.width = field::DVSSIZE_WIDTH.of(regs.size) + 1;
  out.height = field::DVSSIZE_HEIGHT.of(regs.size) + 1;
  if (field::DVSSCALE_ENABLE.of(regs.aux_offset)) {
    out.shown_width = out.width, out.shown_height = out.height;
    out.width = field::DVSSCALE_SOURCE_WIDTH.of(regs.aux_offset) + 1;
    out.height = field::DVSSCALE_SOURCE_HEIGHT.of(regs.aux_offset) + 1;
    if (out.width > sprite_shrink * out.shown_width || out.height > sprite_shrink * out.shown_height) return false;
  }
  return out.width <= sprite_width && out.height <= sprite_height && out.shown_width <= limits.pipe_width &&
         out.shown_height <= limits.pipe_height;
}

bool decode_sprite(const PipeState& state, PlaneView& out) {
  const PlaneRegs& regs = state.planes[ilk_sprite];
  const Format format = sprite_format(regs.ctl);
  out.format = format.format;
  out.swap_red_blue = format.swapped;
  if (!decode_scale(regs, out)) {
    guest_error("a sprite larger than the platform's limit", "DVSSIZE {:#x} DVSSCALE {:#x}", regs.size, regs.aux_offset);
    return false;
  }
  out.x = static_cast<int16_t>(field::DVSPOS_X.of(regs.pos));
  out.y = static_cast<int16_t>(field::DVSPOS_Y.of(regs.pos));
  decode_surface(regs, field::DVSCNTR_TILED.of(regs.ctl), field::DVSCNTR_ROTATE_180.of(regs.ctl), out);
  out.yuv_order = static_cast<uint8_t>(field::DVSCNTR_YUV_BYTE_ORDER.of(regs.ctl));
  out.encoding = field::DVSCNTR_YUV_FORMAT_BT709.of(regs.ctl) ? YuvEncoding::bt709 : YuvEncoding::bt601;
  out.full_range = field::DVSCNTR_YUV_RANGE_CORRECTION_DISABLE.of(regs.ctl);
  if (field::DVSCNTR_SOURCE_KEY.of(regs.ctl)) out.key = Key::source;
  if (field::DVSCNTR_DESTINATION_KEY.of(regs.ctl)) out.key = Key::destination;
  out.key_min = regs.keyval, out.key_max = regs.keymax, out.key_mask = regs.keymsk;
  out.pipe_gamma = field::DVSCNTR_GAMMA_ENABLE.of(regs.ctl);
  out.pipe_csc = field::DVSCNTR_PIPE_CSC_ENABLE.of(regs.ctl);
  return true;
}

bool decode_plane(const PipeState& state, unsigned plane, PlaneView& out) {
  if (!layout.plane_on(state.planes[plane])) return false;
  out = PlaneView{};
  return plane == ilk_primary ? decode_primary(state, out) : decode_sprite(state, out);
}

// intel_color.c, ilk_load_luts: 8 or 10 bits. The manual at hand says nothing of what the table holds in the other modes.
void decode_color(const PipeState& state, Scene& scene) {
  constexpr uint32_t mode_8_bit = 0, mode_10_bit = 1;
  ColorStep step = ColorStep::none;
  const uint32_t mode = field::PIPECONF_GAMMA_MODE.of(state.regs.gamma_mode);
  if (mode == mode_8_bit) step = ColorStep::legacy;
  else if (mode == mode_10_bit) step = ColorStep::precise;
  else unimplemented("PIPECONF gamma mode", "PIPECONF {:#x}", state.regs.gamma_mode);
  ColorStages stages;
  (field::CSC_MODE_ILK_POSITION_BEFORE_GAMMA.of(state.regs.csc.mode) ? stages.after : stages.before) = step;
  stages.csc = ColorMatrix(state.regs.csc);
  scene.frame.color = {stages, scene.palettes};
}

}  // namespace

// PIPE_CRC_CTL: Source (i915 PIPE_CRC_SOURCE_*_ILK): 0 primary plane, 1 sprite, 2 pipe, 5 what the link carries.
const PipeModel ilk_pipes{.pipes = 2,
                          .planes = ilk_planes,
                          .scalers = [](unsigned) { return 1u; },
                          .limits = limits,
                          .layout = layout,
                          .connectors = {1, 2, 3},
                          .crc_taps = {show_plane(ilk_primary), show_plane(ilk_sprite), show_all, 0, 0, show_all, 0, 0},
                          .tables = {},
                          .decode_plane = decode_plane,
                          .decode_color = decode_color,
                          .read_plane_color = nullptr,
                          .read_output_csc = nullptr};

}  // namespace softgen::display
