// SPDX-License-Identifier: GPL-2.0-or-later
// Ironlake's display, and a driver that brings it up the way i915 does (display/intel_display.c, ilk_crtc_enable; intel_fdi.c,
// ilk_fdi_link_train; intel_pch_display.c, ilk_pch_enable).
#pragma once

#include <vector>

#include "hw/display/ilk/display.h"
#include "hw/mmio/interrupts/gen5.h"
#include "tests/unit/display/machine.h"

namespace softgen::test {

struct IlkMachine : MachineOf {
  static constexpr uint32_t on = 1u << 31, master = 1u << 31, surface = 0x100000;
  static constexpr uint32_t width = 1920, height = 1080;

  explicit IlkMachine(uint32_t connected = 2)
      : MachineOf(softgen::defs::gen5::registers, mmio::gen5_interrupts, display::ilk, connected, false, 2, defs::gen5_ggtt_pages),
        canvas(size_t{width} * height) {
    write(reg::DEIER, ~0u);
    write(reg::VGA_CONTROL, on);
  }

  void set(uint32_t offset, uint32_t bits) { write(offset, read(offset) | bits); }
  void clear(uint32_t offset, uint32_t bits) { write(offset, read(offset) & ~bits); }

  /// 1920 x 1080 at 60 Hz, 148.5 of the link's 270 MHz.
  void start_pipe(unsigned pipe) {
    set(reg::FDI_RX_CTL(pipe), 1u << 13);
    set(reg::FDI_RX_CTL(pipe), 1u << 4);
    write(reg::TRANS_LINKM1(pipe), 4'613'734);
    write(reg::TRANS_LINKN1(pipe), 8'388'608);
    write(reg::TRANS_HTOTAL(pipe), 1919 | 2199 << 16);
    write(reg::TRANS_VTOTAL(pipe), 1079 | 1124 << 16);
    write(reg::TRANS_VBLANK(pipe), 1079 | 1124 << 16);
    write(reg::PIPE_SRCSZ(pipe), 1919 << 16 | 1079);
    write(reg::PIPECONF(pipe), on);
  }
  /// The step's lock, as i915 waits for it. `pattern`: 0 or 1.
  bool train(unsigned pipe, uint32_t pattern) {
    const uint32_t lock = pattern ? 1u << 9 : 1u << 8;
    clear(reg::FDI_RX_IMR(pipe), 3u << 8);
    for (const uint32_t offset : {reg::FDI_TX_CTL(pipe), reg::FDI_RX_CTL(pipe)})
      write(offset, (read(offset) & ~(3u << 28)) | pattern << 28 | on);
    const bool locked = read(reg::FDI_RX_IIR(pipe)) & lock;
    write(reg::FDI_RX_IIR(pipe), lock);
    return locked;
  }
  void start_port(unsigned pipe, uint32_t port) {
    write(reg::PCH_DPLL(pipe), on);
    write(reg::PCH_TRANSCONF(pipe), on);
    write(port, on | pipe << 30);
  }
  void set_mode(unsigned pipe = 0, uint32_t port = reg::PCH_HDMIC) {
    start_pipe(pipe);
    train(pipe, 0);
    train(pipe, 1);
    start_port(pipe, port);
  }
  /// `format`: DSPCNTR's. The stride is in bytes.
  void set_plane(uint32_t format = 6, uint32_t more = 0, uint32_t stride = width * 4, unsigned pipe = 0) {
    write(reg::DSPSTRIDE(pipe), stride);
    write(reg::DSPCNTR(pipe), on | format << 26 | more);
    write(reg::DSPSURF(pipe), surface);
  }
  void show() {
    run_for(frame_ns);
    sg_dirty_rect dirty;
    display.draw(0, canvas.data(), {width, height}, size_t{width} * 4, true, &dirty);
  }
  uint32_t at(uint32_t x, uint32_t y) const { return canvas[size_t{y} * width + x] & 0xffffff; }
  void put(uint32_t address, uint32_t value) { memory.write(address, &value, sizeof(value)); }

  std::vector<uint32_t> canvas;
};

struct IlkLit : IlkMachine {
  IlkLit() { set_mode(); }
};

}  // namespace softgen::test
