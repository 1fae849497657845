// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/display/power.h"

#include <utility>

namespace softgen::display {

namespace field = reg::field;

namespace {

// Of every well: each register shows a request bit above each state bit.
constexpr uint32_t request_bits = 0xaaaaaaaa;
static_assert((request_bits & field::PWR_WELL_CTL_POWER_WELL_1_REQUEST.mask()) != 0);
static_assert((request_bits & field::PWR_WELL_CTL_POWER_WELL_2_REQUEST.mask()) != 0);

}  // namespace

Power::Power(mmio::RegisterFile& registers, std::function<void()> clocks_changed)
    : registers_(registers), clocks_changed_(std::move(clocks_changed)) {
  attach_wells();
  attach_plls();
  attach_buffers();
}

// Keeps bit `state` equal to bit `request` of the register (or to its complement).
void Power::follow(uint32_t offset, reg::Bits request, reg::Bits state, bool inverted) {
  registers_.on_write(offset, [this, request, state, inverted](uint32_t at, uint32_t) {
    if ((request.of(registers_.peek(at)) != 0) != inverted) {
      registers_.set_bits(at, state.mask());
    } else {
      registers_.clear_bits(at, state.mask());
    }
  });
}

// A well is on while any of BIOS, driver, KVMR and debug requests it; every register shows that.
void Power::update_wells() {
  uint32_t requests = 0;
  for (unsigned i = 0; i < 4; i++) requests |= registers_.peek(reg::PWR_WELL_CTL(i)) & request_bits;
  for (unsigned i = 0; i < 4; i++) {
    const uint32_t own = registers_.peek(reg::PWR_WELL_CTL(i)) & request_bits;
    registers_.poke(reg::PWR_WELL_CTL(i), own | requests >> 1);
  }
}

void Power::attach_wells() {
  registers_.on_write(reg::PWR_WELL_CTL(0), 16, [this](uint32_t, uint32_t) { update_wells(); });
  registers_.on_read(reg::FUSE_STATUS, [this](uint32_t) {
    const uint32_t wells = registers_.peek(reg::PWR_WELL_CTL(1));
    uint32_t status = field::FUSE_STATUS_FUSE_DOWNLOAD_STATUS.mask() | field::FUSE_STATUS_FUSE_PG0_DISTRIBUTION_STATUS.mask();
    if (field::PWR_WELL_CTL_POWER_WELL_1_STATE.of(wells)) status |= field::FUSE_STATUS_FUSE_PG1_DISTRIBUTION_STATUS.mask();
    if (field::PWR_WELL_CTL_POWER_WELL_2_STATE.of(wells)) status |= field::FUSE_STATUS_FUSE_PG2_DISTRIBUTION_STATUS.mask();
    return status;
  });
}

void Power::attach_plls() {
  follow(reg::LCPLL1_CTL, field::LCPLL1_CTL_PLL_ENABLE, field::LCPLL1_CTL_PLL_LOCK);
  follow(reg::LCPLL2_CTL, field::LCPLL2_CTL_PLL_ENABLE, field::LCPLL2_CTL_PLL_LOCK);
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
  registers_.on_write(reg::DPLL_CFGCR1(0), 24, changed);
  registers_.on_write(reg::DPLL_CTRL1, 8, changed);
}

void Power::attach_buffers() {
  follow(reg::DBUF_CTL, field::DBUF_CTL_DBUF_POWER_REQUEST, field::DBUF_CTL_DBUF_POWER_STATE);
  for (unsigned port = 0; port < 5; port++) {
    follow(reg::DDI_BUF_CTL(port), field::DDI_BUF_CTL_DDI_BUFFER_ENABLE, field::DDI_BUF_CTL_DDI_IDLE_STATUS, true);
    registers_.on_write(reg::DDI_BUF_CTL(port), [this](uint32_t, uint32_t) { clocks_changed_(); });
  }
}

Dpll Power::dpll(unsigned index) const {
  const uint32_t control[4] = {reg::LCPLL1_CTL, reg::LCPLL2_CTL, reg::WRPLL_CTL(0), reg::WRPLL_CTL(1)};
  constexpr reg::Bits enable = field::LCPLL1_CTL_PLL_ENABLE, last = field::DPLL_CTRL1_DPLL0_HDMI_MODE;
  static_assert(enable.mask() == field::LCPLL2_CTL_PLL_ENABLE.mask() && enable.mask() == field::WRPLL_CTL_PLL_ENABLE.mask());
  constexpr unsigned per_pll = field::DPLL_CTRL1_DPLL1_OVERRIDE.low - field::DPLL_CTRL1_DPLL0_OVERRIDE.low;
  Dpll pll;
  pll.enabled = enable.of(registers_.peek(control[index])) != 0;
  pll.control = reg::Bits{last.high, 0}.of(registers_.peek(reg::DPLL_CTRL1) >> index * per_pll);
  if (index) {
    pll.cfgcr1 = registers_.peek(reg::DPLL_CFGCR1(index - 1));
    pll.cfgcr2 = registers_.peek(reg::DPLL_CFGCR2(index - 1));
  }
  return pll;
}

uint64_t Power::port_clock(unsigned port) const {
  const uint32_t select = registers_.peek(reg::DPLL_CTRL2);
  if (port > 4 || field::DPLL_CTRL2_DDI_A_CLOCK_OFF.of(select >> port)) return 0;
  constexpr unsigned per_port = field::DPLL_CTRL2_DDI_B_CLOCK_SELECT.low - field::DPLL_CTRL2_DDI_A_CLOCK_SELECT.low;
  return port_clock_hz(dpll(field::DPLL_CTRL2_DDI_A_CLOCK_SELECT.of(select >> port * per_port)));
}

}  // namespace softgen::display
