// SPDX-License-Identifier: GPL-2.0-or-later
// The south display of Ice Lake's PCH and later ones, where connectors are DDI B and the Type-C ports 1 and 2.
#pragma once

#include "hw/defs/registers/registers.h"
#include "hw/display/ports.h"

namespace softgen::display {

/// Each GPIO_CTL drives the pins of the GMBUS pair of its number: 2 DDI B, 9 and 10 Type-C 1 and 2 (i915 gmbus_pins_icp). `gmbus_pin`: of GMBUS0.
constexpr PortModel icp_ports(reg::Bits gmbus_pin, unsigned aux_channels) {
  namespace field = reg::field;
  return {.gpio = {{{reg::GPIO_CTL(2), 2}, {reg::GPIO_CTL(9), 9}, {reg::GPIO_CTL(10), 10}}},
          .hot_plugs = {{{reg::SHOTPLUG_CTL_DDI, field::SHOTPLUG_CTL_DDI_DDI_B_HPD_ENABLE, field::SHOTPLUG_CTL_DDI_DDI_B_HPD_STATUS},
                         {reg::SHOTPLUG_CTL_TC, field::SHOTPLUG_CTL_TC_TC1_HPD_ENABLE, field::SHOTPLUG_CTL_TC_TC1_HPD_STATUS},
                         {reg::SHOTPLUG_CTL_TC, field::SHOTPLUG_CTL_TC_TC2_HPD_ENABLE, field::SHOTPLUG_CTL_TC_TC2_HPD_STATUS}}},
          .gmbus_pin = gmbus_pin,
          .aux_channels = aux_channels};
}

}  // namespace softgen::display
