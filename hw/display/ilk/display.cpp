// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/display/ilk/display.h"

#include "hw/defs/registers/registers.h"
#include "hw/display/engine.h"
#include "hw/display/ilk/link.h"
#include "hw/display/ilk/pipes.h"

namespace softgen::display {

namespace field = reg::field;

namespace {

// GPIO_CTL 3, 4, 5 are the pins of GMBUS pairs 4 (HDMI C), 5 (B), 6 (D): i915 gmbus_pins.
const ChipModel model{
    .pipes = ilk_pipes,
    .ports = {.gpio = {{{reg::GPIO_CTL(3), 4}, {reg::GPIO_CTL(4), 5}, {reg::GPIO_CTL(5), 6}}},
              .hot_plugs =
                  {{{reg::PCH_PORT_HOTPLUG, field::PCH_PORT_HOTPLUG_PORT_B_HOTPLUG_ENABLE, field::PCH_PORT_HOTPLUG_PORT_B_HOTPLUG_STATUS},
                    {reg::PCH_PORT_HOTPLUG, field::PCH_PORT_HOTPLUG_PORT_C_HOTPLUG_ENABLE, field::PCH_PORT_HOTPLUG_PORT_C_HOTPLUG_STATUS},
                    {reg::PCH_PORT_HOTPLUG, field::PCH_PORT_HOTPLUG_PORT_D_HOTPLUG_ENABLE, field::PCH_PORT_HOTPLUG_PORT_D_HOTPLUG_STATUS}}},
              .gmbus_pin = reg::gen9::field::GMBUS0_PIN_PAIR_SELECT,
              .aux_channels = 0},
    .compressor = {.control = reg::ILK_DPFC_CONTROL,
                   .enable = field::ILK_DPFC_CONTROL_ENABLE,
                   .status = reg::ILK_DPFC_STATUS,
                   .segments = field::ILK_DPFC_STATUS_COMPRESSED_SEGMENT_COUNT},
    .clock_counter = {},
    .clocks = ilk_link};

}  // namespace

std::unique_ptr<Display> ilk(const DisplayLinks& links, const DisplayConfig& config) {
  return std::make_unique<DisplayEngine>(links, config, model);
}

}  // namespace softgen::display
