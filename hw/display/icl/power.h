// SPDX-License-Identifier: GPL-2.0-or-later
// Ice Lake's power wells, display buffer slices, PLLs, PHYs and DDI buffers: status bits that follow what software asks for, at once. All state is
// in the register file. i915 display/intel_display_power_well.c, intel_dpll_mgr.c, intel_combo_phy.c, intel_ddi.c.
#pragma once

#include <functional>
#include <memory>

#include "hw/display/clocks.h"
#include "hw/mmio/register_file.h"

namespace softgen::display {

class IclPower final : public Clocks {
 public:
  /// `clocks_changed` runs after a write that may change a port's clock.
  IclPower(mmio::RegisterFile& registers, std::function<void()> clocks_changed);

  /// DDI A and B through DPCLKA_CFGCR0, C to F (Type-C) also through PORT_CLK_SEL.
  uint64_t port_clock(unsigned port) const override;

 private:
  void attach_wells();
  void attach_plls();
  void attach_phys();
  void attach_buffers();
  void attach_clocks();
  uint64_t combo_clock(unsigned phy) const;
  uint64_t type_c_clock(unsigned port) const;

  mmio::RegisterFile& registers_;
  std::function<void()> clocks_changed_;
};

std::unique_ptr<Clocks> icl_power(mmio::RegisterFile& registers, std::function<void()> clocks_changed);

}  // namespace softgen::display
