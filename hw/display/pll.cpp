// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/display/pll.h"

#include <algorithm>
#include <iterator>

namespace softgen::display {

namespace {

// 0: reserved.
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

uint64_t combo_pll_hz(uint64_t reference_hz, const ComboDividers& dividers) {
  constexpr uint64_t fraction = 0x8000;
  const uint64_t dco = dividers.integer * fraction + dividers.fraction;
  const uint64_t divider = pdiv(dividers.pdiv) * dividers.qdiv * kdiv(dividers.kdiv) * port_divider;
  return divider ? dco * reference_hz / (divider * fraction) : 0;
}

uint64_t type_c_pll_hz(uint64_t reference_hz, const TypeCDividers& dividers) {
  constexpr uint64_t fraction = uint64_t{1} << 22;
  constexpr uint64_t hsdiv[4] = {2, 3, 5, 7};
  const uint64_t feedback = dividers.feedback * fraction + dividers.fraction;
  const uint64_t dsdiv = std::max(dividers.dsdiv, 1u);
  const uint64_t divider = hsdiv[dividers.hsdiv % std::size(hsdiv)] * dsdiv * port_divider;
  return dividers.predivider * feedback * reference_hz / (divider * fraction);
}

}  // namespace softgen::display
