// SPDX-License-Identifier: GPL-2.0-or-later
// Power wells, display buffer slices, PLLs, PHYs and DDI buffers from Ice Lake on: status bits that follow what software asks for, at once. i915
// display/intel_display_power_well.c, intel_dpll_mgr.c, intel_combo_phy.c, intel_ddi.c.
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "hw/display/clocks.h"
#include "hw/mmio/register_file.h"

namespace softgen::display {

/// A well of PWR_WELL_CTL, and what FUSE_STATUS says of it.
struct FuseRow {
  reg::Bits well_state, distributed;
};
/// A PLL as those of combo PHYs.
struct PllRow {
  uint32_t enable, cfgcr0, cfgcr1;
};
/// What DPLL_CFGCR0 (the first two) and DPLL_CFGCR1 say of a combo PHY's PLL.
struct ComboFields {
  reg::Bits integer, fraction;
  reg::Bits pdiv, kdiv, qdiv_mode, qdiv_ratio;
};
/// A DDI on a combo PHY; the bits are DPCLKA_CFGCR0's.
struct ComboPortRow {
  unsigned port;
  reg::Bits clock_off, clock_select;
};
/// A DDI on a Type-C PHY, which has a PLL of its own.
struct TypeCPortRow {
  unsigned port;
  uint32_t pll_enable;
  reg::Bits clock_off;
};
/// A combo PHY. A write to the group's registers reaches all lanes.
struct ComboPhyRow {
  uint32_t group, lanes;
};

/// The Type-C PHYs' PLLs, by number of the port.
class TypeCPlls {
 public:
  virtual ~TypeCPlls() = default;
  /// As Clocks::port_clock, when it runs.
  virtual uint64_t hz(unsigned type_c_port) const = 0;
  virtual void reset() {}
  virtual void state(Archive& ar) {}
};

struct PowerModel {
  std::span<const FuseRow> fuses;  ///< well 1 and up
  uint64_t reference_hz;
  std::span<const PllRow> combo_plls;
  ComboFields combo_fields;
  std::span<const ComboPortRow> combo_ports;
  std::span<const TypeCPortRow> type_c_ports;
  std::span<const PllRow> other_plls;  ///< that only lock
  std::span<const ComboPhyRow> phys;
  unsigned ports;  ///< DDIs, also those without a connector
  /// `changed` runs after a write that may change a clock.
  std::unique_ptr<TypeCPlls> (*type_c_plls)(mmio::RegisterFile& registers, const std::function<void()>& changed);
};

class Power final : public Clocks {
 public:
  /// `clocks_changed` runs after a write that may change a port's clock. `model` outlives it.
  Power(mmio::RegisterFile& registers, std::function<void()> clocks_changed, const PowerModel& model);

  /// Combo PHYs through DPCLKA_CFGCR0, Type-C also through PORT_CLK_SEL.
  uint64_t port_clock(unsigned port) const override;
  void reset() override { type_c_plls_->reset(); }
  void state(Archive& ar) override { type_c_plls_->state(ar); }

 private:
  void attach_wells();
  void attach_plls();
  void attach_phys();
  void attach_buffers();
  void attach_clocks();
  uint64_t combo_clock(const ComboPortRow& row) const;
  uint64_t type_c_clock(unsigned type_c_port) const;

  mmio::RegisterFile& registers_;
  std::function<void()> clocks_changed_;
  const PowerModel& model_;
  std::unique_ptr<TypeCPlls> type_c_plls_;
};

}  // namespace softgen::display
