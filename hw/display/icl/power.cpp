// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/display/icl/power.h"

#include <utility>

#include "hw/display/follow.h"
#include "hw/display/icl/clocks.h"

namespace softgen::display {

namespace field = reg::field;
namespace gen11 = reg::gen11;

namespace {

constexpr unsigned combo_ports = 2, ports = 6, combo_plls = 2, type_c_ports = ports - combo_ports;
/// PORT_CLK_SEL of a port that takes the PLL of its own PHY.
constexpr uint32_t select_mg_pll = 8;

void follow_pll(mmio::RegisterFile& registers, uint32_t offset) {
  follow(registers, offset, field::DPLL_ENABLE_PLL_ENABLE, field::DPLL_ENABLE_PLL_LOCK);
  follow(registers, offset, field::DPLL_ENABLE_POWER_ENABLE, field::DPLL_ENABLE_POWER_STATE);
}

}  // namespace

IclPower::IclPower(mmio::RegisterFile& registers, std::function<void()> clocks_changed)
    : registers_(registers), clocks_changed_(std::move(clocks_changed)) {
  attach_wells();
  attach_plls();
  attach_phys();
  attach_buffers();
  attach_clocks();
}

void IclPower::attach_wells() {
  for (const uint32_t first : {reg::PWR_WELL_CTL(0), reg::PWR_WELL_CTL_AUX(0), reg::PWR_WELL_CTL_DDI(0)}) follow_wells(registers_, first);
  registers_.on_read(reg::FUSE_STATUS, [this](uint32_t) {
    const uint32_t wells = registers_.peek(reg::PWR_WELL_CTL(1));
    uint32_t status = field::FUSE_STATUS_FUSE_DOWNLOAD_STATUS.mask() | field::FUSE_STATUS_FUSE_PG0_DISTRIBUTION_STATUS.mask();
    if (gen11::field::PWR_WELL_CTL_POWER_WELL_1_STATE.of(wells)) status |= field::FUSE_STATUS_FUSE_PG1_DISTRIBUTION_STATUS.mask();
    if (gen11::field::PWR_WELL_CTL_POWER_WELL_2_STATE.of(wells)) status |= field::FUSE_STATUS_FUSE_PG2_DISTRIBUTION_STATUS.mask();
    if (field::PWR_WELL_CTL_POWER_WELL_3_STATE.of(wells)) status |= field::FUSE_STATUS_FUSE_PG3_DISTRIBUTION_STATUS.mask();
    if (field::PWR_WELL_CTL_POWER_WELL_4_STATE.of(wells)) status |= field::FUSE_STATUS_FUSE_PG4_DISTRIBUTION_STATUS.mask();
    return status;
  });
}

void IclPower::attach_plls() {
  follow(registers_, reg::CDCLK_PLL_ENABLE, field::CDCLK_PLL_ENABLE_PLL_ENABLE, field::CDCLK_PLL_ENABLE_PLL_LOCK);
  follow_pll(registers_, reg::TBT_PLL_ENABLE);
  for (unsigned i = 0; i < combo_plls; i++) follow_pll(registers_, reg::DPLL_ENABLE(i));
  for (unsigned i = 0; i < type_c_ports; i++) follow_pll(registers_, reg::MG_PLL_ENABLE(i));
}

// A PHY's registers are one block for its four lanes; the group's writes all.
void IclPower::attach_phys() {
  constexpr uint32_t block_bytes = reg::PORT_PCS_TX_LANE_1(0) - reg::PORT_PCS_TX_LANE_0(0);
  for (unsigned phy = 0; phy < combo_ports; phy++) {
    const uint32_t group = reg::PORT_PCS_TX_GROUP(phy);
    registers_.on_write(group, block_bytes, [this, phy, group](uint32_t at, uint32_t) {
      const uint32_t i = (at - group) / sizeof(uint32_t), value = registers_.peek(at);
      for (const auto lane : {reg::PORT_PCS_TX_LANE_0, reg::PORT_PCS_TX_LANE_1, reg::PORT_PCS_TX_LANE_2, reg::PORT_PCS_TX_LANE_3})
        registers_.poke(lane(phy, i), value);
    });
  }
}

void IclPower::attach_buffers() {
  follow(registers_, reg::DBUF_CTL, field::DBUF_CTL_DBUF_POWER_REQUEST, field::DBUF_CTL_DBUF_POWER_STATE);
  follow(registers_, reg::DBUF_CTL_S2, field::DBUF_CTL_S2_DBUF_POWER_REQUEST, field::DBUF_CTL_S2_DBUF_POWER_STATE);
  for (unsigned port = 0; port < ports; port++)
    follow(registers_, reg::DDI_BUF_CTL(port), field::DDI_BUF_CTL_DDI_BUFFER_ENABLE, field::DDI_BUF_CTL_DDI_IDLE_STATUS, true);
}

// After the registers' own hooks.
void IclPower::attach_clocks() {
  const auto changed = [this](uint32_t, uint32_t) { clocks_changed_(); };
  for (unsigned i = 0; i < combo_plls; i++) registers_.on_write(reg::DPLL_ENABLE(i), changed);
  for (unsigned i = 0; i <= combo_plls; i++) {
    for (const uint32_t offset : {reg::DPLL_CFGCR0(i), gen11::DPLL_CFGCR1(i)}) registers_.on_write(offset, changed);
  }
  for (unsigned i = 0; i < type_c_ports; i++) {
    for (const uint32_t offset : {reg::MG_PLL_ENABLE(i), reg::MG_PLL_DIV0(i), reg::MG_PLL_DIV1(i), reg::MG_CLKTOP2_HSCLKCTL(i)})
      registers_.on_write(offset, changed);
  }
  registers_.on_write(reg::DPCLKA_CFGCR0, changed);
  for (unsigned port = 0; port < ports; port++) {
    for (const uint32_t offset : {reg::PORT_CLK_SEL(port), reg::DDI_BUF_CTL(port)}) registers_.on_write(offset, changed);
  }
}

uint64_t IclPower::combo_clock(unsigned phy) const {
  constexpr reg::Bits off[combo_ports] = {field::DPCLKA_CFGCR0_DDI_A_CLOCK_OFF, field::DPCLKA_CFGCR0_DDI_B_CLOCK_OFF};
  constexpr reg::Bits select[combo_ports] = {field::DPCLKA_CFGCR0_DDI_A_CLOCK_SELECT, field::DPCLKA_CFGCR0_DDI_B_CLOCK_SELECT};
  const uint32_t control = registers_.peek(reg::DPCLKA_CFGCR0), pll = select[phy].of(control);
  if (off[phy].of(control) || pll >= combo_plls || !field::DPLL_ENABLE_PLL_ENABLE.of(registers_.peek(reg::DPLL_ENABLE(pll)))) return 0;
  return icl_clocks::combo_pll_hz(registers_.peek(reg::DPLL_CFGCR0(pll)), registers_.peek(gen11::DPLL_CFGCR1(pll)));
}

uint64_t IclPower::type_c_clock(unsigned port) const {
  constexpr reg::Bits off[type_c_ports] = {field::DPCLKA_CFGCR0_TC1_CLOCK_OFF, field::DPCLKA_CFGCR0_TC2_CLOCK_OFF,
                                           field::DPCLKA_CFGCR0_TC3_CLOCK_OFF, field::DPCLKA_CFGCR0_TC4_CLOCK_OFF};
  const unsigned pll = port - combo_ports;
  if (off[pll].of(registers_.peek(reg::DPCLKA_CFGCR0))) return 0;
  if (field::PORT_CLK_SEL_PORT_CLOCK_SELECT.of(registers_.peek(reg::PORT_CLK_SEL(port))) != select_mg_pll) return 0;
  if (!field::DPLL_ENABLE_PLL_ENABLE.of(registers_.peek(reg::MG_PLL_ENABLE(pll)))) return 0;
  return icl_clocks::mg_pll_hz(registers_.peek(reg::MG_PLL_DIV0(pll)), registers_.peek(reg::MG_PLL_DIV1(pll)),
                               registers_.peek(reg::MG_CLKTOP2_HSCLKCTL(pll)));
}

uint64_t IclPower::port_clock(unsigned port) const {
  if (port >= ports) return 0;
  return port < combo_ports ? combo_clock(port) : type_c_clock(port);
}

std::unique_ptr<Clocks> icl_power(mmio::RegisterFile& registers, std::function<void()> clocks_changed) {
  return std::make_unique<IclPower>(registers, std::move(clocks_changed));
}

}  // namespace softgen::display
