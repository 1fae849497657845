// SPDX-License-Identifier: GPL-2.0-or-later
// Frequencies the display PLLs make, decoded from their registers. SKL PRM vol 12, "Clocks"; i915 display/intel_dpll_mgr.c.
#pragma once

#include <cstdint>

namespace softgen::display {

/// The crystal, and the reference of all DPLLs.
constexpr uint64_t reference_hz = 24'000'000;

/// One DPLL as its registers say.
struct Dpll {
  bool enabled = false;
  uint32_t control = 0;  ///< its bits of DPLL_CTRL1, in the place of DPLL0's
  uint32_t cfgcr1 = 0;   ///< DPLL_CFGCR1: frequencies in units of the reference
  uint32_t cfgcr2 = 0;   ///< DPLL_CFGCR2
};

/// Port (symbol) clock: TMDS character rate in HDMI mode, link symbol rate else. 0: off or not programmed to run.
uint64_t port_clock_hz(const Dpll& pll);

/// CDCLK as CDCLK_CTL and DPLL0 say; the bypass frequency (24 MHz) while DPLL0 is off.
uint64_t cdclk_hz(uint32_t cdclk_ctl, const Dpll& dpll0);

}  // namespace softgen::display
