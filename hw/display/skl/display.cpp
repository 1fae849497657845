// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/display/skl/display.h"

#include "hw/defs/registers/registers.h"
#include "hw/display/engine.h"
#include "hw/display/skl/planes.h"
#include "hw/display/skl/power.h"

namespace softgen::display {

namespace field = reg::field;

namespace {

// GPIO_CTL 3, 4, 5 are the pins of GMBUS pairs 4 (DDI C), 5 (DDI B), 6 (DDI D): i915 gmbus_pins_skl.
const ChipModel model{
    .pipes = skl_pipes,
    .ports = {.gpio = {{{reg::GPIO_CTL(3), 4}, {reg::GPIO_CTL(4), 5}, {reg::GPIO_CTL(5), 6}}},
              .hot_plugs = {{{reg::SHOTPLUG_CTL, field::SHOTPLUG_CTL_DDI_B_HPD_INPUT_ENABLE, field::SHOTPLUG_CTL_DDI_B_HPD_STATUS},
                             {reg::SHOTPLUG_CTL, field::SHOTPLUG_CTL_DDI_C_HPD_INPUT_ENABLE, field::SHOTPLUG_CTL_DDI_C_HPD_STATUS},
                             {reg::SHOTPLUG_CTL, field::SHOTPLUG_CTL_DDI_D_HPD_INPUT_ENABLE, field::SHOTPLUG_CTL_DDI_D_HPD_STATUS}}},
              .gmbus_pin = reg::gen9::field::GMBUS0_PIN_PAIR_SELECT,
              .aux_channels = 5},
    .compressor = fbc,
    .clock_counter = reg::TIMESTAMP_CTR,
    .sleep_counts = SleepCounts{.dc5 = reg::DMC_DC5_COUNT, .dc6 = reg::DMC_DC6_COUNT},
    .clocks = skl_power};

}  // namespace

std::unique_ptr<Display> skl(const DisplayLinks& links, const DisplayConfig& config) {
  return std::make_unique<DisplayEngine>(links, config, model);
}

}  // namespace softgen::display
