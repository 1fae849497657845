// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/display/skl/power.h"

#include <utility>

#include "hw/display/follow.h"

namespace softgen::display {

namespace field = reg::field;
namespace gen9 = reg::gen9;

SklPower::SklPower(mmio::RegisterFile& registers, std::function<void()> clocks_changed)
    : registers_(registers), clocks_changed_(std::move(clocks_changed)) {
  attach_wells();
  attach_plls();
  attach_buffers();
}

void SklPower::attach_wells() {
  follow_wells(registers_, reg::PWR_WELL_CTL(0));
  registers_.on_read(reg::FUSE_STATUS, [this](uint32_t) {
    const uint32_t wells = registers_.peek(reg::PWR_WELL_CTL(1));
    uint32_t status = field::FUSE_STATUS_FUSE_DOWNLOAD_STATUS.mask() | field::FUSE_STATUS_FUSE_PG0_DISTRIBUTION_STATUS.mask();
    if (gen9::field::PWR_WELL_CTL_POWER_WELL_1_STATE.of(wells)) status |= field::FUSE_STATUS_FUSE_PG1_DISTRIBUTION_STATUS.mask();
    if (gen9::field::PWR_WELL_CTL_POWER_WELL_2_STATE.of(wells)) status |= field::FUSE_STATUS_FUSE_PG2_DISTRIBUTION_STATUS.mask();
    return status;
  });
}

void SklPower::attach_plls() {
  follow(registers_, reg::LCPLL1_CTL, field::LCPLL1_CTL_PLL_ENABLE, field::LCPLL1_CTL_PLL_LOCK);
  follow(registers_, reg::LCPLL2_CTL, field::LCPLL2_CTL_PLL_ENABLE, field::LCPLL2_CTL_PLL_LOCK);
  registers_.on_read(reg::DPLL_STATUS, [this](uint32_t) {
    constexpr reg::Bits locks[4] = {field::DPLL_STATUS_DPLL0_LOCK, field::DPLL_STATUS_DPLL1_LOCK, field::DPLL_STATUS_DPLL2_LOCK,
                                    field::DPLL_STATUS_DPLL3_LOCK};
    uint32_t status = 0;
    for (unsigned i = 0; i < 4; i++) status |= dpll(i).enabled ? locks[i].mask() : 0;
    return status;
  });
  const auto changed = [this](uint32_t, uint32_t) { clocks_changed_(); };
  registers_.on_write(reg::LCPLL1_CTL, 8, changed);
  for (unsigned i = 0; i < 2; i++) registers_.on_write(reg::WRPLL_CTL(i), changed);
  registers_.on_write(gen9::DPLL_CFGCR1(0), 24, changed);
  registers_.on_write(reg::DPLL_CTRL1, 8, changed);
}

void SklPower::attach_buffers() {
  follow(registers_, reg::DBUF_CTL, field::DBUF_CTL_DBUF_POWER_REQUEST, field::DBUF_CTL_DBUF_POWER_STATE);
  for (unsigned port = 0; port < 5; port++) {
    follow(registers_, reg::DDI_BUF_CTL(port), field::DDI_BUF_CTL_DDI_BUFFER_ENABLE, field::DDI_BUF_CTL_DDI_IDLE_STATUS, true);
    registers_.on_write(reg::DDI_BUF_CTL(port), [this](uint32_t, uint32_t) { clocks_changed_(); });
  }
}

Dpll SklPower::dpll(unsigned index) const {
  const uint32_t control[4] = {reg::LCPLL1_CTL, reg::LCPLL2_CTL, reg::WRPLL_CTL(0), reg::WRPLL_CTL(1)};
  constexpr reg::Bits enable = field::LCPLL1_CTL_PLL_ENABLE, last = field::DPLL_CTRL1_DPLL0_HDMI_MODE;
  static_assert(enable.mask() == field::LCPLL2_CTL_PLL_ENABLE.mask() && enable.mask() == field::WRPLL_CTL_PLL_ENABLE.mask());
  constexpr unsigned per_pll = field::DPLL_CTRL1_DPLL1_OVERRIDE.low - field::DPLL_CTRL1_DPLL0_OVERRIDE.low;
  Dpll pll;
  pll.enabled = enable.of(registers_.peek(control[index])) != 0;
  pll.control = reg::Bits{last.high, 0}.of(registers_.peek(reg::DPLL_CTRL1) >> index * per_pll);
  if (index) {
    pll.cfgcr1 = registers_.peek(gen9::DPLL_CFGCR1(index - 1));
    pll.cfgcr2 = registers_.peek(reg::DPLL_CFGCR2(index - 1));
  }
  return pll;
}

uint64_t SklPower::port_clock(unsigned port) const {
  const uint32_t select = registers_.peek(reg::DPLL_CTRL2);
  if (port > 4 || field::DPLL_CTRL2_DDI_A_CLOCK_OFF.of(select >> port)) return 0;
  constexpr unsigned per_port = field::DPLL_CTRL2_DDI_B_CLOCK_SELECT.low - field::DPLL_CTRL2_DDI_A_CLOCK_SELECT.low;
  return port_clock_hz(dpll(field::DPLL_CTRL2_DDI_A_CLOCK_SELECT.of(select >> port * per_port)));
}

std::unique_ptr<Clocks> skl_power(mmio::RegisterFile& registers, std::function<void()> clocks_changed) {
  return std::make_unique<SklPower>(registers, std::move(clocks_changed));
}

}  // namespace softgen::display
