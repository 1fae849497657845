// SPDX-License-Identifier: GPL-2.0-or-later
// Ironlake.
#include "hw/cs/submission/ring.h"
#include "hw/defs/gen5/all.h"
#include "hw/display/ilk/display.h"
#include "hw/eu/isa/gen5/isa.h"
#include "hw/gt/engines/gen5.h"
#include "hw/gt/platforms/all.h"
#include "hw/mmio/interrupts/gen5.h"
#include "hw/mmio/page_faults.h"

namespace softgen::gt::platforms {

const Parts ilk{.name = "ilk",
                .isa = eu::gen5_isa,
                .interrupts = mmio::gen5_interrupts,
                .submission = cs::ring,
                .display = display::ilk,
                .page_faults = mmio::gen5_page_faults,
                .engines = gen5_engines,
                .surface_state = surface::decode_surface<defs::Gen5>,
                .sampler_state = sampler::decode_state<defs::Gen5>};

}  // namespace softgen::gt::platforms
