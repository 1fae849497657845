// SPDX-License-Identifier: GPL-2.0-or-later
// Ice Lake's universal planes and colour stages. i915 display/skl_universal_plane.c (icl_*), skl_scaler.c, intel_color.c (icl_*).
#pragma once

#include "hw/display/pipe_model.h"

namespace softgen::display {

/// Its PipeModel.
extern const PipeModel icl_pipes;

}  // namespace softgen::display
