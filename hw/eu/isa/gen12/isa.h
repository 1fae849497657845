// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "hw/eu/isa/isa.h"

namespace softgen::eu {

/// Tiger Lake, Rocket Lake, Alder Lake (Mesa brw_eu_inst.h, brw_reg_type.c and brw_eu_validate.c for Gfx12.0; IGA's GEN12p1).
const Isa& gen12_isa();

}  // namespace softgen::eu
