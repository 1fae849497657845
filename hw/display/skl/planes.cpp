// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/display/skl/planes.h"

#include "hw/base/log.h"
#include "hw/defs/registers/registers.h"
#include "hw/display/skl/limits.h"
#include "hw/display/universal_layout.h"

namespace softgen::display {

namespace field = reg::field;

namespace {

constexpr unsigned planes = 4;
constexpr UniversalLayout layout({reg::gen9::field::TRANS_DDI_FUNC_CTL_DDI_SELECT, 0}, planes);

void decode_chroma(const PlaneRegs& regs, PlaneView& out) {
  const bool linear = out.main.tiling == surface::Tiling::linear;
  out.chroma = out.main;
  out.chroma.bytes = 2;
  out.chroma.base = out.main.base + field::PLANE_AUX_DIST_AUXILIARY_SURFACE_DISTANCE.in_place(regs.aux_dist);
  out.chroma.stride = field::PLANE_AUX_DIST_AUXILIARY_SURFACE_STRIDE.of(regs.aux_dist) * (linear ? 64 : 1);
  out.chroma_u = field::PLANE_AUX_OFFSET_AUXILIARY_START_X_POSITION.of(regs.aux_offset);
  out.chroma_v = field::PLANE_AUX_OFFSET_AUXILIARY_START_Y_POSITION.of(regs.aux_offset);
}

void decode_color(const PlaneRegs& regs, PlaneView& out) {
  out.blend = blend_of(field::PLANE_CTL_ALPHA_MODE.of(regs.ctl));
  out.swap_red_blue = field::PLANE_CTL_RGB_COLOR_ORDER.of(regs.ctl);
  out.yuv_order = static_cast<uint8_t>(field::PLANE_CTL_YUV_422_BYTE_ORDER.of(regs.ctl));
  out.encoding = field::PLANE_CTL_PLANE_YUV_TO_RGB_CSC_FORMAT.of(regs.ctl) ? YuvEncoding::bt709 : YuvEncoding::bt601;
  out.full_range = field::PLANE_CTL_YUV_RANGE_CORRECTION_DISABLE.of(regs.ctl);
  out.pipe_gamma = field::PLANE_CTL_PIPE_GAMMA_ENABLE.of(regs.ctl);
  out.pipe_csc = field::PLANE_CTL_PIPE_CSC_ENABLE.of(regs.ctl);
}

void decode_stages(const PipeState& state, Scene& scene) {
  Frame& frame = scene.frame;
  frame.bottom_gamma = field::PIPE_BOTTOM_COLOR_PIPE_GAMMA_ENABLE.of(state.regs.bottom);
  frame.bottom_csc = field::PIPE_BOTTOM_COLOR_PIPE_CSC_ENABLE.of(state.regs.bottom);
  frame.color = skl_color(state.regs.gamma_mode, state.regs.csc, scene.palettes);
}

constexpr TableRow tables[] = {{reg::PAL_PREC_INDEX, reg::PAL_PREC_DATA, field::PAL_PREC_INDEX_INDEX_VALUE,
                                field::PAL_PREC_INDEX_INDEX_AUTO_INCREMENT,
                                field::PAL_PREC_DATA_RED.mask() | field::PAL_PREC_DATA_GREEN.mask() | field::PAL_PREC_DATA_BLUE.mask(),
                                [](Palettes& palettes) { return std::span<uint32_t>(palettes.precise); }}};

}  // namespace

bool skl_decode_plane(const PlaneRegs& regs, PlaneView& out) {
  if (!field::PLANE_CTL_PLANE_ENABLE.of(regs.ctl)) return false;
  out = PlaneView{};
  out.format = static_cast<PlaneFormat>(reg::gen9::field::PLANE_CTL_SOURCE_PIXEL_FORMAT.of(regs.ctl));
  out.main.bytes = format_bytes(out.format);
  if (out.main.bytes == 0 || !decode_tiling(regs, out.main.tiling)) {
    guest_error("PLANE_CTL reserved format or tiling", "PLANE_CTL {:#x}", regs.ctl);
    return false;
  }
  if (!decode_rotation(regs, out)) {
    guest_error("PLANE_CTL rotation by 90 without Y tiling", "PLANE_CTL {:#x}", regs.ctl);
    return false;
  }
  if (field::PLANE_CTL_RENDER_DECOMPRESSION.of(regs.ctl))
    note("PLANE_CTL render decompression", "shown as stored: our GPU stores nothing compressed");
  decode_place(regs, out);
  decode_key(regs, out);
  decode_chroma(regs, out);
  decode_color(regs, out);
  if (out.width > skl_limits::plane_width(out.main.tiling, out.main.bytes) || out.height > skl_limits::plane_height) {
    guest_error("a plane larger than the platform's limit", "PLANE_SIZE {:#x} PLANE_CTL {:#x}", regs.size, regs.ctl);
    return false;
  }
  return true;
}

ColorPipe skl_color(uint32_t gamma_mode, const CscRegs& csc, const Palettes& palettes) {
  ColorStages stages;
  ColorStep step = ColorStep::none;
  const uint32_t mode = field::GAMMA_MODE_GAMMA_MODE.of(gamma_mode);
  switch (mode) {
    case 0: step = ColorStep::legacy; break;
    case 1: step = ColorStep::precise; break;
    case 2: step = ColorStep::interpolated; break;
    case 3: break;
  }
  (field::CSC_MODE_CSC_POSITION.of(csc.mode) ? stages.after : stages.before) = step;
  if (mode == 3) stages.before = ColorStep::split_degamma, stages.after = ColorStep::split_gamma;
  stages.csc = ColorMatrix(csc);
  return {stages, palettes};
}

// Pipe CRC Source names the plane, or 4 for the pipe's output (i915 PIPE_CRC_SOURCE_*_SKL).
const PipeModel skl_pipes{
    .pipes = 3,
    .planes = planes,
    .scalers = skl_limits::scalers,
    .limits = skl_limits::all,
    .layout = layout,
    .connectors = {1, 2, 3},
    .crc_taps = {show_plane(0), 0, show_plane(1), 0, show_all, 0, show_plane(2), show_plane(3)},
    .tables = tables,
    .decode_plane = [](const PipeState& state, unsigned plane, PlaneView& out) { return skl_decode_plane(state.planes[plane], out); },
    .decode_color = decode_stages,
    .read_plane_color = nullptr,
    .read_output_csc = nullptr};

}  // namespace softgen::display
