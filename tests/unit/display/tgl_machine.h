// SPDX-License-Identifier: GPL-2.0-or-later
// Tiger Lake's display, and a driver that brings it up the way i915 does.
#pragma once

#include "hw/display/tgl/display.h"
#include "tests/unit/display/hdr_machine.h"

namespace softgen::test {

struct TglMachine : HdrMachine {
  explicit TglMachine(uint32_t connected = 1)
      : HdrMachine(softgen::defs::gen12::registers, mmio::gen12_interrupts, display::tgl, connected, 4) {}

  /// What it has, for tests of all such displays: wells and ports up to Thunderbolt 6 and Type-C 6.
  static constexpr unsigned wells = 5, last_aux_well = 14, ports = 9;
  static constexpr uint32_t plls[] = {reg::DPLL_ENABLE(0), reg::DPLL_ENABLE(1),   reg::DPLL4_ENABLE,
                                      reg::TBT_PLL_ENABLE, reg::MG_PLL_ENABLE(0), reg::MG_PLL_ENABLE(5)};
  static constexpr uint32_t combo_phys[] = {0x162000, 0x6c000, 0x160000};
  static constexpr Route routes[] = {{0, 1, 0}, {3, 3, 1}, {2, 4, 2}};

  void power_up() { start_display(0x2aa, 34, 651); }
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
    start_port(pipe, port, (port + 1) << 28, (port + 1) << 27);
  }
};

}  // namespace softgen::test
