// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/display/power.h"

#include <utility>

#include "hw/display/follow.h"
#include "hw/display/pll.h"

namespace softgen::display {

namespace field = reg::field;

namespace {

/// PORT_CLK_SEL of a port that takes the PLL of its own PHY.
constexpr uint32_t select_own_pll = 8;

void follow_pll(mmio::RegisterFile& registers, uint32_t offset) {
  follow(registers, offset, field::DPLL_ENABLE_PLL_ENABLE, field::DPLL_ENABLE_PLL_LOCK);
  follow(registers, offset, field::DPLL_ENABLE_POWER_ENABLE, field::DPLL_ENABLE_POWER_STATE);
}

}  // namespace

Power::Power(mmio::RegisterFile& registers, std::function<void()> clocks_changed, const PowerModel& model)
    : registers_(registers), clocks_changed_(std::move(clocks_changed)), model_(model) {
  attach_wells();
  attach_plls();
  attach_phys();
  attach_buffers();
  attach_clocks();
  type_c_plls_ = model.type_c_plls(registers_, clocks_changed_);
}

void Power::attach_wells() {
  for (const uint32_t first : {reg::PWR_WELL_CTL(0), reg::PWR_WELL_CTL_AUX(0), reg::PWR_WELL_CTL_DDI(0)}) follow_wells(registers_, first);
  registers_.on_read(reg::FUSE_STATUS, [this](uint32_t) {
    const uint32_t wells = registers_.peek(reg::PWR_WELL_CTL(1));
    uint32_t status = field::FUSE_STATUS_FUSE_DOWNLOAD_STATUS.mask() | field::FUSE_STATUS_FUSE_PG0_DISTRIBUTION_STATUS.mask();
    for (const FuseRow& row : model_.fuses)
      if (row.well_state.of(wells)) status |= row.distributed.mask();
    return status;
  });
}

void Power::attach_plls() {
  follow(registers_, reg::CDCLK_PLL_ENABLE, field::CDCLK_PLL_ENABLE_PLL_ENABLE, field::CDCLK_PLL_ENABLE_PLL_LOCK);
  for (const auto& plls : {model_.combo_plls, model_.other_plls}) {
    for (const PllRow& pll : plls) follow_pll(registers_, pll.enable);
  }
  for (const TypeCPortRow& row : model_.type_c_ports) follow_pll(registers_, row.pll_enable);
}

// A PHY's registers are one block for its four lanes; the group's writes all.
void Power::attach_phys() {
  constexpr uint32_t lanes = 4, block_bytes = reg::PORT_PCS_TX_LANE_1(0) - reg::PORT_PCS_TX_LANE_0(0);
  for (const ComboPhyRow& phy : model_.phys) {
    registers_.on_write(phy.group, block_bytes, [this, phy](uint32_t at, uint32_t) {
      const uint32_t value = registers_.peek(at);
      for (uint32_t lane = 0; lane < lanes; lane++) registers_.poke(at - phy.group + phy.lanes + lane * block_bytes, value);
    });
  }
}

void Power::attach_buffers() {
  follow(registers_, reg::DBUF_CTL, field::DBUF_CTL_DBUF_POWER_REQUEST, field::DBUF_CTL_DBUF_POWER_STATE);
  follow(registers_, reg::DBUF_CTL_S2, field::DBUF_CTL_S2_DBUF_POWER_REQUEST, field::DBUF_CTL_S2_DBUF_POWER_STATE);
  for (unsigned port = 0; port < model_.ports; port++)
    follow(registers_, reg::DDI_BUF_CTL(port), field::DDI_BUF_CTL_DDI_BUFFER_ENABLE, field::DDI_BUF_CTL_DDI_IDLE_STATUS, true);
}

// After the registers' own hooks.
void Power::attach_clocks() {
  const auto changed = [this](uint32_t, uint32_t) { clocks_changed_(); };
  for (const auto& plls : {model_.combo_plls, model_.other_plls}) {
    for (const PllRow& pll : plls)
      for (const uint32_t offset : {pll.enable, pll.cfgcr0, pll.cfgcr1}) registers_.on_write(offset, changed);
  }
  for (const TypeCPortRow& row : model_.type_c_ports) registers_.on_write(row.pll_enable, changed);
  registers_.on_write(reg::DPCLKA_CFGCR0, changed);
  for (unsigned port = 0; port < model_.ports; port++) {
    for (const uint32_t offset : {reg::PORT_CLK_SEL(port), reg::DDI_BUF_CTL(port)}) registers_.on_write(offset, changed);
  }
}

uint64_t Power::combo_clock(const ComboPortRow& row) const {
  const uint32_t control = registers_.peek(reg::DPCLKA_CFGCR0), select = row.clock_select.of(control);
  if (row.clock_off.of(control) || select >= model_.combo_plls.size()) return 0;
  const PllRow& pll = model_.combo_plls[select];
  if (!field::DPLL_ENABLE_PLL_ENABLE.of(registers_.peek(pll.enable))) return 0;
  const ComboFields& fields = model_.combo_fields;
  const uint32_t cfgcr0 = registers_.peek(pll.cfgcr0), cfgcr1 = registers_.peek(pll.cfgcr1);
  return combo_pll_hz(model_.reference_hz, {.integer = fields.integer.of(cfgcr0),
                                            .fraction = fields.fraction.of(cfgcr0),
                                            .pdiv = fields.pdiv.of(cfgcr1),
                                            .kdiv = fields.kdiv.of(cfgcr1),
                                            .qdiv = fields.qdiv_mode.of(cfgcr1) ? fields.qdiv_ratio.of(cfgcr1) : 1});
}

uint64_t Power::type_c_clock(unsigned type_c_port) const {
  const TypeCPortRow& row = model_.type_c_ports[type_c_port];
  if (row.clock_off.of(registers_.peek(reg::DPCLKA_CFGCR0))) return 0;
  if (field::PORT_CLK_SEL_PORT_CLOCK_SELECT.of(registers_.peek(reg::PORT_CLK_SEL(row.port))) != select_own_pll) return 0;
  if (!field::DPLL_ENABLE_PLL_ENABLE.of(registers_.peek(row.pll_enable))) return 0;
  return type_c_plls_->hz(type_c_port);
}

uint64_t Power::port_clock(unsigned port) const {
  for (const ComboPortRow& row : model_.combo_ports)
    if (row.port == port) return combo_clock(row);
  for (unsigned i = 0; i < model_.type_c_ports.size(); i++)
    if (model_.type_c_ports[i].port == port) return type_c_clock(i);
  return 0;
}

}  // namespace softgen::display
