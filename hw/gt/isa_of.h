// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "hw/defs/platform.h"
#include "hw/eu/isa/isa.h"

namespace softgen::gt {

/// What the platform's EUs run. Throws std::invalid_argument for a row whose instruction set this build lacks; no row of platforms() is such a one.
const eu::Isa& isa_of(const defs::Platform& platform);

}  // namespace softgen::gt
