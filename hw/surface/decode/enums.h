// SPDX-License-Identifier: GPL-2.0-or-later
// Enumerations of RENDER_SURFACE_STATE that surfaces keep as they are: their codes are the same on all generations, which add some.
#pragma once

#include "hw/defs/gen9/enums.h"

namespace softgen::surface {

using defs::gen9::ShaderChannelSelect;
using defs::gen9::SurfaceFormat;

}  // namespace softgen::surface
