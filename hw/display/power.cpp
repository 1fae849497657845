// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/display/power.h"

#include <utility>

#include "hw/base/bits.h"

namespace softgen::display {

namespace {

// Power well numbers in PWR_WELL_CTL (i915 SKL_PW_CTL_IDX_*).
constexpr unsigned well_pw1 = 14, well_pw2 = 15;
constexpr uint32_t request_bits = 0xaaaaaaaa;

}  // namespace

Power::Power(mmio::RegisterFile& registers, std::function<void()> clocks_changed)
    : registers_(registers), clocks_changed_(std::move(clocks_changed)) {
  attach_wells();
  attach_plls();
  attach_buffers();
}

// Keeps bit `state` equal to bit `request` of the register (or to its complement).
void Power::follow(uint32_t offset, unsigned request, unsigned state, bool inverted) {
  registers_.on_write(offset, [this, request, state, inverted](uint32_t at, uint32_t) {
    if (bit(registers_.peek(at), request) != inverted) {
      registers_.set_bits(at, 1u << state);
    } else {
      registers_.clear_bits(at, 1u << state);
    }
  });
}

// A well is on while anybody of BIOS, driver, KVMR and debug asks for it; every register shows that.
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
    uint32_t status = 1u << 31 | 1u << 27;  // fuses downloaded and distributed to PG0
    if (bit(wells, well_pw1 * 2)) status |= 1u << 26;
    if (bit(wells, well_pw2 * 2)) status |= 1u << 25;
    return status;
  });
}

void Power::attach_plls() {
  follow(reg::LCPLL1_CTL, 31, 30);
  follow(reg::LCPLL2_CTL, 31, 30);
  registers_.on_read(reg::DPLL_STATUS, [this](uint32_t) {
    uint32_t status = 0;
    for (unsigned i = 0; i < 4; i++) status |= dpll(i).enabled ? 1u << (8 * i) : 0;
    return status;
  });
  const auto changed = [this](uint32_t, uint32_t) { clocks_changed_(); };
  registers_.on_write(reg::LCPLL1_CTL, 8, changed);
  for (unsigned i = 0; i < 2; i++) registers_.on_write(reg::WRPLL_CTL(i), changed);
  registers_.on_write(reg::DPLL_CFGCR1(0), 24, changed);
  registers_.on_write(reg::DPLL_CTRL1, 8, changed);
}

void Power::attach_buffers() {
  follow(reg::DBUF_CTL, 31, 30);
  for (unsigned port = 0; port < 5; port++) {
    follow(reg::DDI_BUF_CTL(port), 31, 7, true);
    registers_.on_write(reg::DDI_BUF_CTL(port), [this](uint32_t, uint32_t) { clocks_changed_(); });
  }
}

Dpll Power::dpll(unsigned index) const {
  const uint32_t control[4] = {reg::LCPLL1_CTL, reg::LCPLL2_CTL, reg::WRPLL_CTL(0), reg::WRPLL_CTL(1)};
  Dpll pll;
  pll.enabled = bit(registers_.peek(control[index]), 31);
  pll.control = bits(registers_.peek(reg::DPLL_CTRL1), index * 6 + 5, index * 6);
  if (index) {
    pll.cfgcr1 = registers_.peek(reg::DPLL_CFGCR1(index - 1));
    pll.cfgcr2 = registers_.peek(reg::DPLL_CFGCR2(index - 1));
  }
  return pll;
}

uint64_t Power::port_clock(unsigned port) const {
  const uint32_t select = registers_.peek(reg::DPLL_CTRL2);
  if (port > 4 || bit(select, 15 + port)) return 0;
  return port_clock_hz(dpll(bits(select, port * 3 + 2, port * 3 + 1)));
}

}  // namespace softgen::display
