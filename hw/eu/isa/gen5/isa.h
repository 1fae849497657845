// SPDX-License-Identifier: GPL-2.0-or-later
// The instruction set of Ironlake.
#pragma once

#include "hw/eu/isa/isa.h"

namespace softgen::eu {

const Isa& gen5_isa();

}  // namespace softgen::eu
