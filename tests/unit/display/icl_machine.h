// SPDX-License-Identifier: GPL-2.0-or-later
// Ice Lake's display, and a driver that brings it up the way i915 does.
#pragma once

#include "hw/display/icl/display.h"
#include "tests/unit/display/hdr_machine.h"

namespace softgen::test {

struct IclMachine : HdrMachine {
  explicit IclMachine(uint32_t connected = 1)
      : HdrMachine(softgen::defs::gen11::registers, mmio::gen11_interrupts, display::icl, connected, 3) {}

  /// What it has, for tests of all such displays.
  static constexpr unsigned wells = 4, last_aux_well = 11, ports = 6;
  static constexpr uint32_t plls[] = {reg::DPLL_ENABLE(0), reg::DPLL_ENABLE(1), reg::TBT_PLL_ENABLE, reg::MG_PLL_ENABLE(0),
                                      reg::MG_PLL_ENABLE(3)};
  static constexpr uint32_t combo_phys[] = {0x162000, 0x6c000};
  static constexpr Route routes[] = {{0, 1, 0}, {1, 2, 1}, {2, 3, 2}};

  void power_up() { start_display(0xaa, 26, 622); }
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
    start_port(pipe, port, (port + 1) << 29, port << 28);
  }
};

}  // namespace softgen::test
