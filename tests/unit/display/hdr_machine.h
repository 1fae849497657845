// SPDX-License-Identifier: GPL-2.0-or-later
// A display from Ice Lake on: what a driver does the same way on all of them (i915 display/intel_display_power.c, icl_display_core_init; intel_ddi.c).
#pragma once

#include <vector>

#include "hw/mmio/interrupts/gen11.h"
#include "tests/unit/display/machine.h"

namespace softgen::test {

struct HdrMachine : MachineOf {
  HdrMachine(const defs::RegisterSet& set, MakeInterrupts make_tree, display::MakeDisplay make, uint32_t connected, unsigned pipes)
      : MachineOf(set, make_tree, make, connected, false, pipes) {
    write(reg::GFX_MSTR_IRQ, 1u << 31);
    write(reg::DISPLAY_INT_CTL, 1u << 31);
  }
  void set(uint32_t offset, uint32_t bits) { write(offset, read(offset) | bits); }
  void clear(uint32_t offset, uint32_t bits) { write(offset, read(offset) & ~bits); }
  /// `wells`: requests of PWR_WELL_CTL; of CDCLK: the ratio of its PLL and its frequency as CDCLK_CTL has it.
  void start_display(uint32_t wells, uint32_t cdclk_ratio, uint32_t cdclk_decimal) {
    set(reg::PWR_WELL_CTL(1), wells);
    write(reg::CDCLK_PLL_ENABLE, cdclk_ratio);
    set(reg::CDCLK_PLL_ENABLE, 1u << 31);
    write(reg::CDCLK_CTL, 7u << 19 | cdclk_decimal);
    set(reg::DBUF_CTL, 1u << 31);
    set(reg::DBUF_CTL_S2, 1u << 31);
    write(reg::VGA_CONTROL, 1u << 31);
  }
  /// 1920 x 1080 at 60 Hz, HDMI, on a port that has its clock: as TRANS_CLK_SEL and TRANS_DDI_FUNC_CTL name it.
  void start_port(unsigned pipe, unsigned port, uint32_t clock_select, uint32_t function) {
    set(reg::PWR_WELL_CTL_DDI(1), 2u << 2 * port);
    write(reg::TRANS_CLK_SEL(pipe), clock_select);
    set_timing(pipe);
    write(reg::TRANS_DDI_FUNC_CTL2(pipe), 0);
    write(reg::TRANS_DDI_FUNC_CTL(pipe), 1u << 31 | function);
    write(reg::TRANS_CONF(pipe), 1u << 31);
    set(reg::DDI_BUF_CTL(port), 1u << 31);
  }
  /// The sizes of 1920 x 1080 at 60 Hz of 148.5 MHz.
  void set_timing(unsigned pipe) {
    write(reg::TRANS_HTOTAL(pipe), 1919 | 2199 << 16);
    write(reg::TRANS_VTOTAL(pipe), 1079 | 1124 << 16);
    write(reg::TRANS_VBLANK(pipe), 1079 | 1124 << 16);
    write(reg::PIPE_SRCSZ(pipe), 1919 << 16 | 1079);
  }
  /// A way that a picture takes to a monitor.
  struct Route {
    unsigned pipe, port;
    int connector;
  };
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
  uint32_t at(uint32_t x, uint32_t y = 0) { return picture()[y * 1920 + x] & 0xffffff; }
  void fill(uint32_t address, uint32_t pixels, uint32_t value) {
    const std::vector<uint32_t> data(pixels, value);
    memory.write(address, data.data(), data.size() * 4);
  }
  std::vector<uint32_t> canvas;
};

/// With a mode on pipe A.
template <typename Machine>
struct LitOf : Machine {
  LitOf() {
    this->power_up();
    this->set_mode();
  }
};

}  // namespace softgen::test
