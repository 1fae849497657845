// SPDX-License-Identifier: GPL-2.0-or-later
// Ironlake's pipes: one primary plane, one sprite that scales, a cursor, a panel fitter. i915 display/i9xx_plane.c, intel_sprite.c (g4x_sprite_*),
// intel_cursor.c (i9xx_cursor_*), intel_color.c (ilk_*).
#pragma once

#include "hw/display/pipe_model.h"

namespace softgen::display {

extern const PipeModel ilk_pipes;

}  // namespace softgen::display
