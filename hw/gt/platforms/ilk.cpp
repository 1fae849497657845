// SPDX-License-Identifier: GPL-2.0-or-later
// Ironlake.
#include "hw/cs/submission/ring.h"
#include "hw/display/ilk/display.h"
#include "hw/eu/isa/gen9/isa.h"
#include "hw/gt/engines/gen5.h"
#include "hw/gt/platforms/all.h"
#include "hw/mmio/interrupts/gen5.h"

namespace softgen::gt::platforms {

const Parts ilk{.name = "ilk",
                .isa = eu::gen9_isa,
                .interrupts = mmio::gen5_interrupts,
                .submission = cs::ring,
                .display = display::ilk,
                .engines = gen5_engines};

}  // namespace softgen::gt::platforms
