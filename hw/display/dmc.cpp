// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/display/dmc.h"

#include <utility>

#include "hw/defs/registers/registers.h"

namespace softgen::display {

namespace {

/// Values of Dynamic DC State Enable (SKL PRM vol 2c, DC_STATE_EN).
constexpr uint32_t up_to_dc5 = 1, up_to_dc6 = 2;

}  // namespace

void count_sleep_states(mmio::RegisterFile& registers, const SleepCounts& counts, std::function<bool()> display_off) {
  registers.on_write(reg::DC_STATE_EN, [&registers, counts, display_off = std::move(display_off)](uint32_t, uint32_t value) {
    const uint32_t deepest = reg::field::DC_STATE_EN_DYNAMIC_DC_STATE_ENABLE.of(value);
    const bool loaded = registers.peek(reg::DMC_RAM) != 0;
    if ((deepest != up_to_dc5 && deepest != up_to_dc6) || !loaded || !display_off()) return;
    registers.poke(counts.dc5, registers.peek(counts.dc5) + 1);
    if (deepest == up_to_dc6) registers.poke(counts.dc6, registers.peek(counts.dc6) + 1);
  });
}

}  // namespace softgen::display
