// SPDX-License-Identifier: GPL-2.0-or-later
// Ice Lake's pipes.
#pragma once

#include "hw/display/pipe_model.h"

namespace softgen::display {

/// Its PipeModel.
extern const PipeModel icl_pipes;

}  // namespace softgen::display
