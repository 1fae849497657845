// SPDX-License-Identifier: GPL-2.0-or-later
// Frequencies that Ice Lake's PLLs make, decoded from their registers. i915 display/intel_dpll_mgr.c, icl_ddi_combo_pll_get_freq and
// icl_ddi_mg_pll_get_freq.
#pragma once

#include <cstdint>

namespace softgen::display::icl_clocks {

/// What DSSM names, the reference of all PLLs.
constexpr uint64_t reference_hz = 24'000'000;

/// Port clock of a combo PHY's DPLL, of DPLL_CFGCR0 and 1. 0: not programmed to run.
uint64_t combo_pll_hz(uint32_t cfgcr0, uint32_t cfgcr1);

/// Port clock of a Type-C port's PLL, of MG_PLL_DIV0 and 1 and MG_CLKTOP2_HSCLKCTL. 0: not programmed to run.
uint64_t mg_pll_hz(uint32_t div0, uint32_t div1, uint32_t hsclkctl);

}  // namespace softgen::display::icl_clocks
