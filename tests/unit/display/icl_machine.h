// SPDX-License-Identifier: GPL-2.0-or-later
// Ice Lake's display, and a driver that brings it up the way i915 does (display/intel_display_power.c, icl_display_core_init; intel_ddi.c).
#pragma once

#include <vector>

#include "hw/display/icl/display.h"
#include "hw/mmio/interrupts/gen11.h"
#include "tests/unit/display/machine.h"

namespace softgen::test {

struct IclMachine : MachineOf<mmio::Gen11Interrupts> {
  explicit IclMachine(uint32_t connected = 1) : MachineOf(softgen::defs::gen11::registers, display::icl, connected, false) {
    write(reg::GFX_MSTR_IRQ, 1u << 31);
    write(reg::DISPLAY_INT_CTL, 1u << 31);
  }
  void set(uint32_t offset, uint32_t bits) { write(offset, read(offset) | bits); }
  void clear(uint32_t offset, uint32_t bits) { write(offset, read(offset) & ~bits); }

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
      write(reg::DPLL_CFGCR0(1), 8192u << 10 | 371);
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
    write(reg::TRANS_HTOTAL(pipe), 1919 | 2199 << 16);
    write(reg::TRANS_VTOTAL(pipe), 1079 | 1124 << 16);
    write(reg::TRANS_VBLANK(pipe), 1079 | 1124 << 16);
    write(reg::PIPE_SRCSZ(pipe), 1919 << 16 | 1079);
    write(reg::TRANS_DDI_FUNC_CTL2(pipe), 0);
    write(reg::TRANS_DDI_FUNC_CTL(pipe), 1u << 31 | port << 28);
    write(reg::TRANS_CONF(pipe), 1u << 31);
    set(reg::DDI_BUF_CTL(port), 1u << 31);
  }
  struct Plane {
    uint32_t format = 8, width = 1920, height = 1080, x = 0, y = 0, stride = 1920 * 4 / 64, control = 0, color = 1 << 13;
  };
  void set_plane(uint32_t surface, const Plane& p, unsigned pipe = 0, unsigned plane = 0) {
    write(reg::PLANE_STRIDE(pipe, plane), p.stride);
    write(reg::PLANE_POS(pipe, plane), p.x | p.y << 16);
    write(reg::PLANE_SIZE(pipe, plane), (p.width - 1) | (p.height - 1) << 16);
    write(reg::PLANE_COLOR_CTL(pipe, plane), p.color);
    write(reg::PLANE_CTL(pipe, plane), 1u << 31 | p.format << 23 | p.control);
    write(reg::PLANE_SURF(pipe, plane), surface);
  }
  /// The picture after the next blank.
  const std::vector<uint32_t>& picture(unsigned pipe = 0) {
    run_for(frame_ns);
    sg_dirty_rect dirty;
    canvas.resize(1920 * 1080);
    display.draw(pipe, canvas.data(), {1920, 1080}, 1920 * 4, true, &dirty);
    return canvas;
  }
  void fill(uint32_t address, uint32_t pixels, uint32_t value) {
    const std::vector<uint32_t> data(pixels, value);
    memory.write(address, data.data(), data.size() * 4);
  }
  std::vector<uint32_t> canvas;
};

}  // namespace softgen::test
