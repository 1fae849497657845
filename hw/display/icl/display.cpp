// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/display/icl/display.h"

#include "hw/defs/registers/registers.h"
#include "hw/display/engine.h"
#include "hw/display/icl/pipes.h"
#include "hw/display/icl/power.h"

namespace softgen::display {

namespace field = reg::field;

namespace {

// Each GPIO_CTL drives the pins of the GMBUS pair of its number: 2 DDI B, 9 and 10 Type-C 1 and 2 (i915 gmbus_pins_icp).
const ChipModel model{
    .pipes = icl_pipes,
    .ports = {.gpio = {{{reg::GPIO_CTL(2), 2}, {reg::GPIO_CTL(9), 9}, {reg::GPIO_CTL(10), 10}}},
              .hot_plugs = {{{reg::SHOTPLUG_CTL_DDI, field::SHOTPLUG_CTL_DDI_DDI_B_HPD_ENABLE, field::SHOTPLUG_CTL_DDI_DDI_B_HPD_STATUS},
                             {reg::SHOTPLUG_CTL_TC, field::SHOTPLUG_CTL_TC_TC1_HPD_ENABLE, field::SHOTPLUG_CTL_TC_TC1_HPD_STATUS},
                             {reg::SHOTPLUG_CTL_TC, field::SHOTPLUG_CTL_TC_TC2_HPD_ENABLE, field::SHOTPLUG_CTL_TC_TC2_HPD_STATUS}}},
              .gmbus_pin = reg::gen11::field::GMBUS0_PIN_PAIR_SELECT,
              .aux_channels = 6},
    .clocks = icl_power};

}  // namespace

std::unique_ptr<Display> icl(const DisplayLinks& links, const DisplayConfig& config) {
  return std::make_unique<DisplayEngine>(links, config, model);
}

}  // namespace softgen::display
