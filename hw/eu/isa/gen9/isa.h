// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "hw/eu/isa/isa.h"

namespace softgen::eu {

/// Skylake to Coffee Lake, Broxton, Gemini Lake (SKL PRM vol 7).
const Isa& gen9_isa();

}  // namespace softgen::eu
