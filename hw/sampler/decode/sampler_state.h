// SPDX-License-Identifier: GPL-2.0-or-later
// SAMPLER_STATE as the sampler sees it: that of Gen9. Gen11 changes fields of it (hw/defs/gen11/state.def); the sampler then needs a struct of its own,
// filled here.
#pragma once

#include "hw/defs/gen9/all.h"

namespace softgen::sampler {

using State = defs::gen9::SAMPLER_STATE;
using AddressMode = defs::gen9::TextureCoordinateMode;

}  // namespace softgen::sampler
