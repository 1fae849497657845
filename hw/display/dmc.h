// SPDX-License-Identifier: GPL-2.0-or-later
// The display microcontroller's counts of sleep states. Its firmware is accepted and not run: display power states change nothing here, and drivers and
// tests see them by these counts alone (i915 display/intel_dmc.c, intel_dmc_debugfs_status_show()).
#pragma once

#include <cstdint>
#include <functional>

#include "hw/mmio/register_file.h"

namespace softgen::display {

/// Where the firmware counts.
struct SleepCounts {
  uint32_t dc5, dc6;
};

/// From here on a write to DC_STATE_EN that permits DC5 or DC6 is counted as entering it, when firmware is loaded and the display is off. A chip leaves and
/// enters these states more often: at each access to a register without power.
void count_sleep_states(mmio::RegisterFile& registers, const SleepCounts& counts, std::function<bool()> display_off);

}  // namespace softgen::display
