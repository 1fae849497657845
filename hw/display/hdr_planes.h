// SPDX-License-Identifier: GPL-2.0-or-later
// Universal planes and colour stages from Ice Lake on: seven planes per pipe, the first three of high dynamic range. i915
// display/skl_universal_plane.c (icl_*), skl_scaler.c, intel_color.c (icl_*).
#pragma once

#include "hw/display/pipe_model.h"

namespace softgen::display {

constexpr unsigned hdr_pipe_planes = 7;

/// PipeModel::decode_plane, with the Source Pixel Format.
bool decode_hdr_plane(const PipeState& state, unsigned plane, uint32_t format_code, PlaneView& out);
/// PipeModel::decode_color.
void decode_hdr_stages(const PipeState& state, Scene& scene);
/// PipeModel::read_plane_color, with the offset of the first of the plane's PLANE_INPUT_CSC.
void read_hdr_plane_color(const mmio::RegisterFile& registers, unsigned pipe, unsigned plane, uint32_t input_csc, PlaneColorRegs& out);
/// PipeModel::read_output_csc.
void read_hdr_output_csc(const mmio::RegisterFile& registers, unsigned pipe, CscRegs& out);

extern const TableRow hdr_tables[3];

/// skl_scaler.c, ICL_MAX_SRC_W to ICL_MAX_DST_H; skl_plane_max_scale.
constexpr Limits hdr_limits{
    .pipe_width = 5120, .pipe_height = 4320, .scaler_width = 5120, .scaler_height = 4096, .shrink = 3, .planar_shrink = 3};
/// Pipe CRC Source (i915 PIPE_CRC_SOURCE_*_SKL of planes 5 to 7): 4 is the pipe's output.
constexpr std::array<uint32_t, 8> hdr_crc_taps = {show_plane(0), show_plane(6), show_plane(1), show_plane(5),
                                                  show_all,      show_plane(4), show_plane(2), show_plane(3)};
/// Two per pipe.
constexpr unsigned hdr_scalers(unsigned) { return 2; }

}  // namespace softgen::display
