// SPDX-License-Identifier: GPL-2.0-or-later
// Ice Lake's display, and a driver that brings it up the way i915 does (display/intel_display_power.c, icl_display_core_init; intel_ddi.c).
#pragma once

#include "hw/display/icl/display.h"
#include "tests/unit/display/hdr_machine.h"

namespace softgen::test {

struct IclMachine : HdrMachine {
  explicit IclMachine(uint32_t connected = 1)
      : HdrMachine(softgen::defs::gen11::registers, mmio::gen11_interrupts, display::icl, connected, 3) {}

  void power_up() {
    set(reg::PWR_WELL_CTL(1), 0xaa);
    write(reg::CDCLK_PLL_ENABLE, 26);
    set(reg::CDCLK_PLL_ENABLE, 1u << 31);
    write(reg::CDCLK_CTL, 7u << 19 | 622);
    set(reg::DBUF_CTL, 1u << 31);
    set(reg::DBUF_CTL_S2, 1u << 31);
    write(reg::VGA_CONTROL, 1u << 31);
  }
  /// 148.5 MHz. DDI B by DPLL 1: DCO 8910 MHz = 371.25 * 24 MHz, / (5 * 2 * 6). Type-C ports by their own: 24 MHz * 2 * 154.6875 = 7425 MHz, / (5
  /// * 5 * 2).
  void set_clock(unsigned port) {
    if (port == 1) {
      set(reg::DPLL_ENABLE(1), 1u << 27);
      write(reg::gen11::DPLL_CFGCR0(1), 8192u << 10 | 371);
      write(reg::gen11::DPLL_CFGCR1(1), 3u << 10 | 1u << 9 | 2u << 6 | 1u << 2 | 3);
      set(reg::DPLL_ENABLE(1), 1u << 31);
      write(reg::DPCLKA_CFGCR0, (read(reg::DPCLKA_CFGCR0) & ~(3u << 2)) | 1u << 2);
      clear(reg::DPCLKA_CFGCR0, 1u << 11);
      return;
    }
    const unsigned tc = port - 2;
    set(reg::MG_PLL_ENABLE(tc), 1u << 27);
    write(reg::MG_CLKTOP2_HSCLKCTL(tc), 2u << 12 | 2u << 8);
    write(reg::MG_PLL_DIV0(tc), 1u << 30 | 0x2c0000u << 8 | 154);
    write(reg::MG_PLL_DIV1(tc), 2);
    set(reg::MG_PLL_ENABLE(tc), 1u << 31);
    write(reg::PORT_CLK_SEL(port), 8u << 28);
    clear(reg::DPCLKA_CFGCR0, 1u << (12 + tc));
  }
  /// 1920 x 1080 at 60 Hz, HDMI.
  void set_mode(unsigned pipe = 0, unsigned port = 1) {
    set_clock(port);
    set(reg::PWR_WELL_CTL_DDI(1), 2u << 2 * port);
    write(reg::TRANS_CLK_SEL(pipe), (port + 1) << 29);
    set_timing(pipe);
    write(reg::TRANS_DDI_FUNC_CTL2(pipe), 0);
    write(reg::TRANS_DDI_FUNC_CTL(pipe), 1u << 31 | port << 28);
    write(reg::TRANS_CONF(pipe), 1u << 31);
    set(reg::DDI_BUF_CTL(port), 1u << 31);
  }
};

}  // namespace softgen::test
