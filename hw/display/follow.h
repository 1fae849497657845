// SPDX-License-Identifier: GPL-2.0-or-later
// Status bits that follow what software asks for, at once.
#pragma once

#include <cstdint>

#include "hw/mmio/register_file.h"

namespace softgen::display {

/// Keeps bit `state` of the register equal to its bit `request`, or to the complement.
inline void follow(mmio::RegisterFile& registers, uint32_t offset, reg::Bits request, reg::Bits state, bool inverted = false) {
  registers.on_write(offset, [&registers, request, state, inverted](uint32_t at, uint32_t) {
    if ((request.of(registers.peek(at)) != 0) != inverted) {
      registers.set_bits(at, state.mask());
    } else {
      registers.clear_bits(at, state.mask());
    }
  });
}

/// Power wells that are requested in four registers from `first` on: by BIOS, driver, KVMR and debug. Bit 2n + 1 requests well n, which is on
/// while any of them does; bit 2n of all shows that. SKL PRM vol 2c, PWR_WELL_CTL; i915 display/intel_display_power_well.c.
inline void follow_wells(mmio::RegisterFile& registers, uint32_t first) {
  constexpr uint32_t count = 4, request_bits = 0xaaaaaaaa;
  registers.on_write(first, count * sizeof(uint32_t), [&registers, first](uint32_t at, uint32_t) {
    const auto own = [&](uint32_t i) { return registers.peek(first + i * 4) & request_bits; };
    uint32_t requests = 0;
    for (uint32_t i = 0; i < count; i++) requests |= own(i);
    if (ask(registers.faults(), {.point = FaultPoint::well, .what = at})) return;  // the states stay as they are
    for (uint32_t i = 0; i < count; i++) registers.poke(first + i * 4, own(i) | requests >> 1);
  });
}

}  // namespace softgen::display
