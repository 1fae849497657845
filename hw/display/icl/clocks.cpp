// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/display/icl/clocks.h"

#include <algorithm>

#include "hw/defs/registers/registers.h"

namespace softgen::display::icl_clocks {

namespace field = reg::field;
namespace gen11 = reg::gen11::field;

namespace {

// DPLL_CFGCR1's dividers: a bit each. 0: reserved.
constexpr uint64_t pdiv(uint32_t code) {
  switch (code) {
    case 1: return 2;
    case 2: return 3;
    case 4: return 5;
    case 8: return 7;
    default: return 0;
  }
}

constexpr uint64_t kdiv(uint32_t code) {
  switch (code) {
    case 1: return 1;
    case 2: return 2;
    case 4: return 3;
    default: return 0;
  }
}

/// From the oscillator to the port: ten bits a symbol, two edges.
constexpr uint64_t port_divider = 5;

}  // namespace

uint64_t combo_pll_hz(uint32_t cfgcr0, uint32_t cfgcr1) {
  constexpr uint64_t fraction = 0x8000;  // units of DCO Fraction per unit of DCO Integer
  const uint64_t dco = field::DPLL_CFGCR0_DCO_INTEGER.of(cfgcr0) * fraction + field::DPLL_CFGCR0_DCO_FRACTION.of(cfgcr0);
  const uint64_t q = gen11::DPLL_CFGCR1_QDIV_MODE.of(cfgcr1) ? gen11::DPLL_CFGCR1_QDIV_RATIO.of(cfgcr1) : 1;
  const uint64_t divider = pdiv(gen11::DPLL_CFGCR1_PDIV.of(cfgcr1)) * q * kdiv(gen11::DPLL_CFGCR1_KDIV.of(cfgcr1)) * port_divider;
  return divider ? dco * reference_hz / (divider * fraction) : 0;
}

uint64_t mg_pll_hz(uint32_t div0, uint32_t div1, uint32_t hsclkctl) {
  constexpr uint64_t fraction = uint64_t{1} << 22;
  constexpr uint64_t hsdiv[4] = {2, 3, 5, 7};
  const uint64_t part = field::MG_PLL_DIV0_FRACTION_ENABLE.of(div0) ? field::MG_PLL_DIV0_FEEDBACK_DIVIDER_FRACTION.of(div0) : 0;
  const uint64_t feedback = field::MG_PLL_DIV0_FEEDBACK_DIVIDER_INTEGER.of(div0) * fraction + part;
  const uint64_t dsdiv = std::max(field::MG_CLKTOP2_HSCLKCTL_DSDIV_RATIO.of(hsclkctl), 1u);
  const uint64_t divider = hsdiv[field::MG_CLKTOP2_HSCLKCTL_HSDIV_RATIO.of(hsclkctl)] * dsdiv * port_divider;
  return field::MG_PLL_DIV1_FEEDBACK_PREDIVIDER.of(div1) * feedback * reference_hz / (divider * fraction);
}

}  // namespace softgen::display::icl_clocks
