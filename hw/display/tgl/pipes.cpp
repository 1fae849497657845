// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/display/tgl/pipes.h"

#include "hw/base/log.h"
#include "hw/display/hdr_planes.h"
#include "hw/display/universal_layout.h"

namespace softgen::display {

namespace field = reg::field;
namespace gen12 = reg::gen12;

namespace {

constexpr UniversalLayout layout({gen12::field::TRANS_DDI_FUNC_CTL_DDI_SELECT, 1}, hdr_pipe_planes, field::PIPE_MISC_YUV420_ENABLE);

bool decode_plane(const PipeState& state, unsigned plane, PlaneView& out) {
  const uint32_t control = state.planes[plane].ctl;
  if (!decode_hdr_plane(state, plane, gen12::field::PLANE_CTL_SOURCE_PIXEL_FORMAT.of(control), out)) return false;
  // Nothing is stored compressed; but pairs of a fast clear are in no memory (docs/surface.md).
  if (field::PLANE_CTL_RENDER_DECOMPRESSION.of(control) && !field::PLANE_CTL_CLEAR_COLOR_DISABLE.of(control) && !out.main.rotated &&
      out.main.tiling == surface::Tiling::y) {
    out.main.control = out.main.base + field::PLANE_AUX_DIST_AUXILIARY_SURFACE_DISTANCE.in_place(state.planes[plane].aux_dist);
    out.main.clear_color = state.clear_colors[plane];
  }
  if (field::PLANE_CTL_MEDIA_DECOMPRESSION.of(control))
    note("PLANE_CTL media decompression", "shown as stored: our engines store nothing compressed");
  return true;
}

void read_plane_color(const mmio::RegisterFile& registers, unsigned pipe, unsigned plane, PlaneColorRegs& out) {
  constexpr uint32_t (*input_csc[])(uint32_t, uint32_t) = {reg::PLANE_INPUT_CSC_A, reg::PLANE_INPUT_CSC_B, reg::PLANE_INPUT_CSC_C,
                                                           reg::PLANE_INPUT_CSC_D};
  read_hdr_plane_color(registers, pipe, plane, input_csc[pipe](plane, 0), out);
}

PlaneClearColor read_clear_color(const mmio::RegisterFile& registers, unsigned pipe, unsigned plane) {
  return {registers.peek(reg::PLANE_CC_VAL(pipe, plane)), registers.peek(reg::PLANE_CC_VAL_HIGH(pipe, plane))};
}

}  // namespace

// DDI B, and the Type-C ports 1 and 2.
const PipeModel tgl_pipes{.pipes = 4,
                          .planes = hdr_pipe_planes,
                          .scalers = hdr_scalers,
                          .limits = hdr_limits,
                          .layout = layout,
                          .connectors = {1, 3, 4},
                          .crc_taps = hdr_crc_taps,
                          .tables = hdr_tables,
                          .decode_plane = decode_plane,
                          .decode_color = decode_hdr_stages,
                          .read_plane_color = read_plane_color,
                          .read_output_csc = read_hdr_output_csc,
                          .read_clear_color = read_clear_color};

}  // namespace softgen::display
