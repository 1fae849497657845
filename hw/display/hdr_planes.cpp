// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/display/hdr_planes.h"

#include <optional>

#include "hw/base/log.h"
#include "hw/defs/registers/registers.h"

namespace softgen::display {

namespace field = reg::field;

using surface::Tiling;

namespace {

// i915 skl_universal_plane.c, icl_hdr_plane_max_width, icl_sdr_plane_max_width, icl_plane_max_height.
constexpr uint32_t plane_width = 5120, hdr_planar_width = 4096, plane_height = 4320;

/// The first planes convert colours with a matrix, and planar formats without a scaler (i915 icl_hdr_plane_mask, icl_is_nv12_y_plane).
constexpr unsigned hdr_planes = 3, first_y_plane = 5;

// Source Pixel Format. Those of Gen9 have its code in the upper four bits.
std::optional<PlaneFormat> format_of(uint32_t code) {
  constexpr PlaneFormat planar[4] = {PlaneFormat::nv12, PlaneFormat::p010, PlaneFormat::p012, PlaneFormat::p016};
  constexpr PlaneFormat packed[6] = {PlaneFormat::y210, PlaneFormat::y212, PlaneFormat::y216,
                                     PlaneFormat::y410, PlaneFormat::y412, PlaneFormat::y416};
  if (code & 1) return code / 2 < std::size(packed) ? std::optional(packed[code / 2]) : std::nullopt;
  const uint32_t gen9 = code / 2;
  if (gen9 < 8 && (gen9 & 1)) return planar[gen9 / 2];
  const auto format = static_cast<PlaneFormat>(gen9);
  return format_bytes(format) ? std::optional(format) : std::nullopt;
}

/// The plane that fetches the luma of plane `chroma`: named by its up-sampler, or by its scaler.
std::optional<unsigned> y_plane_of(const PipeState& state, unsigned chroma) {
  if (chroma < hdr_planes) {
    const uint32_t cus = state.plane_colors[chroma].cus_ctl;
    if (!field::PLANE_CUS_CTL_CHROMA_UPSAMPLER_ENABLE.of(cus)) return {};
    return first_y_plane + field::PLANE_CUS_CTL_Y_PLANE_7.of(cus);
  }
  for (const ScalerRegs& scaler : state.scalers) {
    if (!field::PS_CTRL_ENABLE_SCALER.of(scaler.ctrl) || field::PS_CTRL_SCALER_BINDING.of(scaler.ctrl) != chroma + 1) continue;
    const uint32_t y = field::PS_CTRL_SCALER_BINDING_Y.of(scaler.ctrl);
    if (field::PS_CTRL_PLANAR_MODE.of(scaler.ctrl) && y > first_y_plane) return y - 1;
  }
  return {};
}

// The plane itself has the chroma; its partner, of the same size, the luma.
bool decode_luma(const PipeState& state, unsigned plane, PlaneView& out) {
  const std::optional<unsigned> partner = y_plane_of(state, plane);
  if (!partner) return false;
  const PlaneRegs& luma = state.planes[*partner];
  if (!field::PLANE_CTL_PLANE_ENABLE.of(luma.ctl) || !field::PLANE_CTL_YUV420_Y_PLANE.of(luma.ctl)) return false;
  PlaneView y;
  if (!decode_tiling(luma, y.main.tiling)) return false;
  y.main.bytes = out.main.bytes;
  decode_place(luma, y);
  y.main.rotated = out.main.rotated;
  out.chroma = out.main;
  out.chroma.bytes = out.main.bytes * 2;
  out.chroma_u = out.u, out.chroma_v = out.v;
  out.main = y.main;
  out.u = y.u, out.v = y.v;
  return true;
}

void decode_color(const PlaneRegs& regs, const PlaneColorRegs& color, bool hdr, PlaneView& out) {
  out.blend = blend_of(field::PLANE_COLOR_CTL_ALPHA_MODE.of(color.color_ctl));
  out.swap_red_blue = field::PLANE_CTL_RGB_COLOR_ORDER.of(regs.ctl);
  out.yuv_order = static_cast<uint8_t>(field::PLANE_CTL_YUV_422_BYTE_ORDER.of(regs.ctl));
  out.full_range = field::PLANE_COLOR_CTL_YUV_RANGE_CORRECTION_DISABLE.of(color.color_ctl);
  if (field::PLANE_COLOR_CTL_PLANE_CSC_ENABLE.of(color.color_ctl)) unimplemented("PLANE_COLOR_CTL plane CSC", "of protected contents");
  if (hdr) {
    out.encoding = YuvEncoding::none;
    if (field::PLANE_COLOR_CTL_PLANE_INPUT_CSC_ENABLE.of(color.color_ctl)) out.input_csc = ColorMatrix(color.input_csc);
    return;
  }
  switch (field::PLANE_COLOR_CTL_PLANE_CSC_MODE.of(color.color_ctl)) {
    case 1: out.encoding = YuvEncoding::bt601; break;
    case 2: out.encoding = YuvEncoding::bt709; break;
    case 3: out.encoding = YuvEncoding::bt2020; break;
    case 0: out.encoding = YuvEncoding::none; break;
    default: unimplemented("PLANE_COLOR_CTL CSC of RGB", "PLANE_COLOR_CTL {:#x}", color.color_ctl); break;
  }
}

bool fits(const PlaneView& plane, bool hdr) {
  return plane.width <= (hdr && plane.planar() ? hdr_planar_width : plane_width) && plane.height <= plane_height;
}

}  // namespace

bool decode_hdr_plane(const PipeState& state, unsigned plane, uint32_t format_code, PlaneView& out) {
  const PlaneRegs& regs = state.planes[plane];
  const bool hdr = plane < hdr_planes;
  if (!field::PLANE_CTL_PLANE_ENABLE.of(regs.ctl) || field::PLANE_CTL_YUV420_Y_PLANE.of(regs.ctl)) return false;
  out = PlaneView{};
  const auto format = format_of(format_code);
  if (!format || !decode_tiling(regs, out.main.tiling)) {
    guest_error("PLANE_CTL reserved format or tiling", "PLANE_CTL {:#x}", regs.ctl);
    return false;
  }
  out.format = *format;
  out.main.bytes = format_bytes(out.format);
  if (!decode_rotation(regs, out)) {
    guest_error("PLANE_CTL rotation by 90 without Y tiling", "PLANE_CTL {:#x}", regs.ctl);
    return false;
  }
  // Before the rotation (DRM's order).
  if (field::PLANE_CTL_FLIP_HORIZONTAL.of(regs.ctl)) (out.main.rotated ? out.flip_y : out.flip_x) ^= true;
  decode_place(regs, out);
  decode_key(regs, out);
  decode_color(regs, state.plane_colors[plane], hdr, out);
  if (!fits(out, hdr)) {
    guest_error("a plane larger than the platform's limit", "PLANE_SIZE {:#x} PLANE_CTL {:#x}", regs.size, regs.ctl);
    return false;
  }
  if (out.planar() && !decode_luma(state, plane, out)) {
    guest_error("planar YUV without a plane for its luma", "PLANE_CTL {:#x}", regs.ctl);
    return false;
  }
  return true;
}

namespace {

ColorStep gamma_step(uint32_t mode) {
  switch (mode) {
    case 0: return ColorStep::legacy;
    case 1: return ColorStep::precise;
    case 2: return ColorStep::interpolated;
    default: return ColorStep::multi_segment;
  }
}

}  // namespace

// The pipe's stages work on what the planes make up, not on single planes.
void decode_hdr_stages(const PipeState& state, Scene& scene) {
  const PipeRegs& regs = state.regs;
  ColorStages stages;
  if (field::GAMMA_MODE_PRE_CSC_GAMMA_ENABLE.of(regs.gamma_mode)) stages.before = ColorStep::linear;
  if (field::GAMMA_MODE_POST_CSC_GAMMA_ENABLE.of(regs.gamma_mode))
    stages.after = gamma_step(field::GAMMA_MODE_GAMMA_MODE.of(regs.gamma_mode));
  const bool csc = field::CSC_MODE_PIPE_CSC_ENABLE.of(regs.csc.mode) != 0;
  if (csc) stages.csc = ColorMatrix(regs.csc);
  // What it makes YCbCr of, the monitor makes RGB of again.
  const bool rgb = !field::PIPE_MISC_PIPE_OUTPUT_COLOR_SPACE_SELECT.of(regs.misc);
  if (field::CSC_MODE_PIPE_OUTPUT_CSC_ENABLE.of(regs.csc.mode) && rgb) stages.output = ColorMatrix(state.output_csc);

  Frame& frame = scene.frame;
  frame.color = {stages, scene.palettes};
  frame.bottom_gamma = stages.before != ColorStep::none || stages.after != ColorStep::none;
  frame.bottom_csc = csc || stages.output;
  for (Layer& layer : frame.layers) layer.plane.pipe_gamma = frame.bottom_gamma, layer.plane.pipe_csc = frame.bottom_csc;
}

namespace {

void read_csc(const mmio::RegisterFile& registers, uint32_t first, CscRegs& out) {
  const auto next = [&] {
    const uint32_t value = registers.peek(first);
    first += sizeof(uint32_t);
    return value;
  };
  for (uint32_t& word : out.coefficients) word = next();
  for (uint32_t& word : out.pre) word = next();
  for (uint32_t& word : out.post) word = next();
}

}  // namespace

static_assert(reg::OUTPUT_CSC_PREOFF(0) == reg::OUTPUT_CSC_COEFF(0, 6) && reg::OUTPUT_CSC_POSTOFF(0) == reg::OUTPUT_CSC_PREOFF(0, 3));

void read_hdr_plane_color(const mmio::RegisterFile& registers, unsigned pipe, unsigned plane, uint32_t input_csc, PlaneColorRegs& out) {
  out.color_ctl = registers.peek(reg::PLANE_COLOR_CTL(pipe, plane));
  out.cus_ctl = registers.peek(reg::PLANE_CUS_CTL(pipe, plane));
  read_csc(registers, input_csc, out.input_csc);
}

void read_hdr_output_csc(const mmio::RegisterFile& registers, unsigned pipe, CscRegs& out) {
  read_csc(registers, reg::OUTPUT_CSC_COEFF(pipe, 0), out);
}

namespace {

constexpr uint32_t three_channels = field::PAL_PREC_DATA_RED.mask() | field::PAL_PREC_DATA_GREEN.mask() | field::PAL_PREC_DATA_BLUE.mask();
}  // namespace

const TableRow hdr_tables[3] = {
    {reg::PAL_PREC_INDEX, reg::PAL_PREC_DATA, field::PAL_PREC_INDEX_INDEX_VALUE, field::PAL_PREC_INDEX_INDEX_AUTO_INCREMENT, three_channels,
     [](Palettes& palettes) { return std::span<uint32_t>(palettes.precise); }},
    {reg::PAL_PREC_MULTI_SEG_INDEX, reg::PAL_PREC_MULTI_SEG_DATA, field::PAL_PREC_MULTI_SEG_INDEX_INDEX_VALUE,
     field::PAL_PREC_MULTI_SEG_INDEX_INDEX_AUTO_INCREMENT, three_channels,
     [](Palettes& palettes) { return std::span<uint32_t>(palettes.super_fine); }},
    {reg::PRE_CSC_GAMC_INDEX, reg::PRE_CSC_GAMC_DATA, field::PRE_CSC_GAMC_INDEX_INDEX_VALUE, field::PRE_CSC_GAMC_INDEX_INDEX_AUTO_INCREMENT,
     field::PRE_CSC_GAMC_DATA_GAMMA_VALUE.mask(), [](Palettes& palettes) { return std::span<uint32_t>(palettes.degamma); }}};
static_assert(std::size(hdr_tables) <= max_tables);

}  // namespace softgen::display
