// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "hw/defs/platform.h"
#include "hw/eu/isa/isa.h"

namespace softgen::gt {

/// What the platform's EUs run. Throws std::invalid_argument for a row whose instruction set this build lacks, or cannot run (see fits()); no
/// row of platforms() is such a one.
const eu::Isa& isa_of(const defs::Platform& platform);

/// Whether a thread's registers, lanes and masks, whose sizes are fixed when this is compiled, are large enough.
bool fits(const eu::IsaLimits& limits);

}  // namespace softgen::gt
