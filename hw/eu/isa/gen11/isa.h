// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "hw/eu/isa/isa.h"

namespace softgen::eu {

/// Ice Lake, Elkhart Lake (Mesa brw_inst.h, brw_reg_type.c and brw_eu_validate.c for Gfx11; IGC's ModelGen11).
const Isa& gen11_isa();

}  // namespace softgen::eu
