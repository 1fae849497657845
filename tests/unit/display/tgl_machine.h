// SPDX-License-Identifier: GPL-2.0-or-later
// Tiger Lake's display, and a driver that brings it up the way i915 does (display/intel_display_power.c, icl_display_core_init; intel_ddi.c).
#pragma once

#include "hw/display/tgl/display.h"
#include "tests/unit/display/hdr_machine.h"

namespace softgen::test {

struct TglMachine : HdrMachine {
  explicit TglMachine(uint32_t connected = 1)
      : HdrMachine(softgen::defs::gen12::registers, mmio::gen12_interrupts, display::tgl, connected, 4) {}

  void power_up() {
    set(reg::PWR_WELL_CTL(1), 0x2aa);
    write(reg::CDCLK_PLL_ENABLE, 34);
    set(reg::CDCLK_PLL_ENABLE, 1u << 31);
    write(reg::CDCLK_CTL, 7u << 19 | 651);
    set(reg::DBUF_CTL, 1u << 31);
    set(reg::DBUF_CTL_S2, 1u << 31);
    write(reg::VGA_CONTROL, 1u << 31);
  }
  /// A register of a Dekel PHY's bank.
  void write_dekel(unsigned tc, uint32_t offset, unsigned bank, uint32_t value) {
    write(reg::HIP_INDEX_REG(tc / 4), bank << 8 * (tc % 4));
    write(offset, value);
  }
  /// 148.5 MHz. DDI B by DPLL 1: DCO 8910 MHz = 464.0625 * 19.2 MHz, / (5 * 2 * 6). Type-C ports by their own: 19.2 MHz * 2 * 193.359375 = 7425
  /// MHz, / (5 * 5 * 2).
  void set_clock(unsigned port) {
    if (port < 3) {
      set(reg::DPLL_ENABLE(1), 1u << 27);
      write(reg::gen12::DPLL_CFGCR0(1), 2048u << 10 | 464);
      write(reg::gen12::DPLL_CFGCR1(1), 3u << 10 | 1u << 9 | 2u << 6 | 1u << 2 | 3);
      set(reg::DPLL_ENABLE(1), 1u << 31);
      write(reg::DPCLKA_CFGCR0, (read(reg::DPCLKA_CFGCR0) & ~(3u << 2 * port)) | 1u << 2 * port);
      clear(reg::DPCLKA_CFGCR0, 1u << (port == 2 ? 24 : 10 + port));
      return;
    }
    const unsigned tc = port - 3;
    set(reg::MG_PLL_ENABLE(tc), 1u << 27);
    write_dekel(tc, reg::DKL_CLKTOP2_HSCLKCTL(tc), 2, 2u << 12 | 2u << 8);
    write_dekel(tc, reg::DKL_PLL_DIV0(tc), 2, 8u << 16 | 4u << 12 | 2u << 8 | 193);
    write_dekel(tc, reg::DKL_PLL_BIAS(tc), 2, 1u << 30 | 0x170000u << 8);
    set(reg::MG_PLL_ENABLE(tc), 1u << 31);
    write(reg::PORT_CLK_SEL(port), 8u << 28);
    clear(reg::DPCLKA_CFGCR0, 1u << (tc < 3 ? 12 + tc : 18 + tc));
  }
  /// 1920 x 1080 at 60 Hz, HDMI.
  void set_mode(unsigned pipe = 0, unsigned port = 1) {
    set_clock(port);
    set(reg::PWR_WELL_CTL_DDI(1), 2u << 2 * port);
    write(reg::TRANS_CLK_SEL(pipe), (port + 1) << 28);
    set_timing(pipe);
    write(reg::TRANS_DDI_FUNC_CTL2(pipe), 0);
    write(reg::TRANS_DDI_FUNC_CTL(pipe), 1u << 31 | (port + 1) << 27);
    write(reg::TRANS_CONF(pipe), 1u << 31);
    set(reg::DDI_BUF_CTL(port), 1u << 31);
  }
};

}  // namespace softgen::test
