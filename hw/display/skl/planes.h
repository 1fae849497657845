// SPDX-License-Identifier: GPL-2.0-or-later
// Gen9's universal planes and colour stages. SKL PRM vol 2c, PLANE_CTL .. PLANE_AUX_OFFSET, GAMMA_MODE, CSC_MODE; i915
// display/skl_universal_plane.c, intel_color.c.
#pragma once

#include "hw/display/pipe_model.h"

namespace softgen::display {

/// False: disabled, or a format, tiling or size that does not exist (reported as a guest error); it is not shown.
bool skl_decode_plane(const PlaneRegs& regs, PlaneView& out);
/// gamma_mode: GAMMA_MODE[1:0], 0 8-bit, 1 10-bit, 2 12-bit interpolated, 3 split. The palettes are kept by reference.
ColorPipe skl_color(uint32_t gamma_mode, const CscRegs& csc, const Palettes& palettes);

/// Its PipeModel.
extern const PipeModel skl_pipes;

}  // namespace softgen::display
