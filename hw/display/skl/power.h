// SPDX-License-Identifier: GPL-2.0-or-later
// Power wells, display buffer, PLLs and DDI buffers: status bits that follow what software asks for, at once. All state is in the
// register file. SKL PRM vol 12; i915 display/intel_display_power_well.c, intel_dpll_mgr.c, intel_ddi.c.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "hw/display/clocks.h"
#include "hw/display/skl/clocks.h"
#include "hw/mmio/register_file.h"

namespace softgen::display {

class SklPower final : public Clocks {
 public:
  /// `clocks_changed` runs after a write that may change a port's clock.
  SklPower(mmio::RegisterFile& registers, std::function<void()> clocks_changed);

  /// PLL 0..3.
  Dpll dpll(unsigned index) const;
  /// Through DPLL_CTRL2; DDI A to E.
  uint64_t port_clock(unsigned port) const override;

 private:
  void attach_wells();
  void attach_plls();
  void attach_buffers();

  mmio::RegisterFile& registers_;
  std::function<void()> clocks_changed_;
};

std::unique_ptr<Clocks> skl_power(mmio::RegisterFile& registers, std::function<void()> clocks_changed);

}  // namespace softgen::display
