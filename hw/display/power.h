// SPDX-License-Identifier: GPL-2.0-or-later
// Power wells, display buffer, PLLs and DDI buffers: status bits that follow what software asks for, at once. All state is in the
// register file. SKL PRM vol 12; i915 display/intel_display_power_well.c, intel_dpll_mgr.c, intel_ddi.c.
#pragma once

#include <cstdint>
#include <functional>

#include "hw/display/clocks.h"
#include "hw/mmio/register_file.h"

namespace softgen::display {

class Power {
 public:
  /// `clocks_changed` runs after a write that may change a port's clock.
  Power(mmio::RegisterFile& registers, std::function<void()> clocks_changed);

  /// PLL 0..3.
  Dpll dpll(unsigned index) const;
  /// Clock that port 0..4 (DDI A..E) gets through DPLL_CTRL2, Hz; 0: none.
  uint64_t port_clock(unsigned port) const;

 private:
  void attach_wells();
  void attach_plls();
  void attach_buffers();
  void follow(uint32_t offset, reg::Bits request, reg::Bits state, bool inverted = false);
  void update_wells();

  mmio::RegisterFile& registers_;
  std::function<void()> clocks_changed_;
};

}  // namespace softgen::display
