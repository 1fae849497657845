// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/display/skl/clocks.h"

#include <array>

#include "hw/defs/registers/registers.h"

namespace softgen::display {

namespace field = reg::field;
namespace gen9 = reg::gen9::field;

namespace {

// DPLL_CTRL1 link rate: half the symbol clock of a port, in Hz (SKL PRM vol 2c, DPLL_CTRL1). 0: reserved.
constexpr std::array<uint64_t, 8> link_rate_half_hz = {270'000'000, 135'000'000, 81'000'000, 162'000'000, 108'000'000, 216'000'000, 0, 0};
// DPLL_CFGCR2 dividers. PDIV 5 is written by some firmware and acts as 4 (i915 skl_ddi_wrpll_get_freq). 0: reserved.
constexpr std::array<uint32_t, 8> pdiv = {1, 2, 3, 0, 7, 7, 0, 0};
constexpr std::array<uint32_t, 4> kdiv = {5, 2, 3, 1};

constexpr uint64_t dco_fraction = 0x8000;  ///< units of DCO Fraction per unit of DCO Integer

uint64_t wrpll_hz(const Dpll& pll) {
  const uint64_t dco_scaled =
      uint64_t{gen9::DPLL_CFGCR1_DCO_INTEGER.of(pll.cfgcr1)} * dco_fraction + gen9::DPLL_CFGCR1_DCO_FRACTION.of(pll.cfgcr1);
  const uint64_t q = field::DPLL_CFGCR2_QDIV_MODE.of(pll.cfgcr2) ? field::DPLL_CFGCR2_QDIV_RATIO.of(pll.cfgcr2) : 1;
  const uint64_t divider = uint64_t{pdiv[field::DPLL_CFGCR2_PDIV.of(pll.cfgcr2)]} * q * kdiv[field::DPLL_CFGCR2_KDIV.of(pll.cfgcr2)] * 5;
  if (divider == 0) return 0;
  return dco_scaled * reference_hz / (divider * dco_fraction);
}

}  // namespace

uint64_t port_clock_hz(const Dpll& pll) {
  if (!pll.enabled) return 0;
  if (field::DPLL_CTRL1_DPLL0_HDMI_MODE.of(pll.control)) return gen9::DPLL_CFGCR1_FREQUENCY_ENABLE.of(pll.cfgcr1) ? wrpll_hz(pll) : 0;
  return link_rate_half_hz[field::DPLL_CTRL1_DPLL0_LINK_RATE.of(pll.control)] * 2;
}

uint64_t cdclk_hz(uint32_t cdclk_ctl, const Dpll& dpll0) {
  if (!dpll0.enabled) return reference_hz;
  // Link rates 1080 and 2160 run the VCO at 8640 MHz, the others at 8100 MHz.
  const uint32_t rate = field::DPLL_CTRL1_DPLL0_LINK_RATE.of(dpll0.control);
  const bool vco_8640 = rate == 4 || rate == 5;
  switch (field::CDCLK_CTL_CD_FREQUENCY_SELECT.of(cdclk_ctl)) {
    case 0: return vco_8640 ? 432'000'000 : 450'000'000;
    case 1: return 540'000'000;
    case 2: return vco_8640 ? 308'571'000 : 337'500'000;
    default: return vco_8640 ? 617'143'000 : 675'000'000;
  }
}

}  // namespace softgen::display
