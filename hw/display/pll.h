// SPDX-License-Identifier: GPL-2.0-or-later
// Frequencies that PLLs make from Ice Lake on, decoded from their registers. i915 display/intel_dpll_mgr.c, icl_ddi_combo_pll_get_freq and
// icl_ddi_mg_pll_get_freq.
#pragma once

#include <cstdint>

namespace softgen::display {

/// What the DPLL of combo PHYs multiplies and divides by, as in DPLL_CFGCR0 and 1.
struct ComboDividers {
  uint32_t integer = 0, fraction = 0;  ///< of the oscillator; the fraction in units of 1 / 2^15
  uint32_t pdiv = 0, kdiv = 0;         ///< a bit each
  uint32_t qdiv = 1;
};

/// Port clock. 0: not programmed to run.
uint64_t combo_pll_hz(uint64_t reference_hz, const ComboDividers& dividers);

/// What a Type-C port's PLL multiplies and divides by.
struct TypeCDividers {
  uint32_t predivider = 0;
  uint32_t feedback = 0, fraction = 0;  ///< the fraction in units of 1 / 2^22
  uint32_t hsdiv = 0, dsdiv = 0;        ///< as in CLKTOP2_HSCLKCTL
};

/// Port clock. 0: not programmed to run.
uint64_t type_c_pll_hz(uint64_t reference_hz, const TypeCDividers& dividers);

}  // namespace softgen::display
