// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/display/icl/pipes.h"

#include "hw/base/log.h"
#include "hw/display/hdr_planes.h"
#include "hw/display/universal_layout.h"

namespace softgen::display {

namespace field = reg::field;
namespace gen11 = reg::gen11;

namespace {

constexpr UniversalLayout layout({gen11::field::TRANS_DDI_FUNC_CTL_DDI_SELECT, 0}, hdr_pipe_planes, field::PIPE_MISC_YUV420_ENABLE);

bool decode_plane(const PipeState& state, unsigned plane, PlaneView& out) {
  const uint32_t control = state.planes[plane].ctl;
  if (field::PLANE_CTL_RENDER_DECOMPRESSION.of(control))
    note("PLANE_CTL render decompression", "shown as stored: our GPU stores nothing compressed");
  return decode_hdr_plane(state, plane, gen11::field::PLANE_CTL_SOURCE_PIXEL_FORMAT.of(control), out);
}

void read_plane_color(const mmio::RegisterFile& registers, unsigned pipe, unsigned plane, PlaneColorRegs& out) {
  constexpr uint32_t (*input_csc[])(uint32_t, uint32_t) = {reg::PLANE_INPUT_CSC_A, reg::PLANE_INPUT_CSC_B, reg::PLANE_INPUT_CSC_C};
  read_hdr_plane_color(registers, pipe, plane, input_csc[pipe](plane, 0), out);
}

}  // namespace

const PipeModel icl_pipes{.pipes = 3,
                          .planes = hdr_pipe_planes,
                          .scalers = hdr_scalers,
                          .limits = hdr_limits,
                          .layout = layout,
                          .connectors = {1, 2, 3},
                          .crc_taps = hdr_crc_taps,
                          .tables = hdr_tables,
                          .decode_plane = decode_plane,
                          .decode_color = decode_hdr_stages,
                          .read_plane_color = read_plane_color,
                          .read_output_csc = read_hdr_output_csc};

}  // namespace softgen::display
