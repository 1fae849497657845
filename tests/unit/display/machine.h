// SPDX-License-Identifier: GPL-2.0-or-later
// A display with registers, interrupts and memory, and a driver that sets a mode on it the way i915 does.
#pragma once

#include "hw/display/skl/display.h"
#include "hw/memory/sparse_memory.h"
#include "hw/mmio/interrupts/gen8.h"
#include "tests/catch.h"
#include "tests/unit/display/fake_host.h"

namespace softgen::test {

// The register writes of i915, for any class with read() and write().

void power_up(auto& m) {
  m.write(reg::PWR_WELL_CTL(1), 0xaaaaaaaa);
  m.write(reg::DPLL_CTRL1, 1 | 2 << 1);
  m.write(reg::LCPLL1_CTL, 1u << 31);
  m.write(reg::DBUF_CTL, 1u << 31);
  m.write(reg::VGA_CONTROL, 1u << 31);
}
// 1920 x 1080 at 60 Hz on DDI B + pipe with DPLL 1, HDMI.
void set_mode(auto& m, unsigned pipe = 0) {
  const unsigned port = pipe + 1;
  m.write(reg::DPLL_CTRL1, m.read(reg::DPLL_CTRL1) | 0x21u << 6);
  m.write(reg::gen9::DPLL_CFGCR1(0), 1u << 31 | 8192u << 9 | 371);
  m.write(reg::DPLL_CFGCR2(0), 3u << 8 | 1u << 7 | 1u << 5 | 1u << 2);
  m.write(reg::LCPLL2_CTL, 1u << 31);
  m.write(reg::DPLL_CTRL2, (m.read(reg::DPLL_CTRL2) & ~(1u << (15 + port))) | 3u << port * 3);
  m.write(reg::TRANS_HTOTAL(pipe), 1919 | 2199 << 16);
  m.write(reg::TRANS_VTOTAL(pipe), 1079 | 1124 << 16);
  m.write(reg::TRANS_VBLANK(pipe), 1079 | 1124 << 16);
  m.write(reg::PIPE_SRCSZ(pipe), 1919 << 16 | 1079);
  m.write(reg::TRANS_DDI_FUNC_CTL(pipe), 1u << 31 | port << 28);
  m.write(reg::TRANS_CONF(pipe), 1u << 31);
  m.write(reg::DDI_BUF_CTL(port), 1u << 31);
}
void light(auto& m) {
  power_up(m);
  set_mode(m);
}
void show_plane(auto& m, uint32_t surface, unsigned pipe = 0, unsigned plane = 0) {
  m.write(reg::PLANE_STRIDE(pipe, plane), 1920 * 4 / 64);
  m.write(reg::PLANE_POS(pipe, plane), 0);
  m.write(reg::PLANE_SIZE(pipe, plane), 1919 | 1079 << 16);
  m.write(reg::PLANE_CTL(pipe, plane), 1u << 31 | 4u << 24);
  m.write(reg::PLANE_SURF(pipe, plane), surface);
}

using MakeInterrupts = std::unique_ptr<mmio::Interrupts> (*)(mmio::RegisterFile& registers, Host& host);

/// Of any chip.
struct MachineOf {
  MachineOf(const defs::RegisterSet& set, MakeInterrupts make_tree, display::MakeDisplay make, uint32_t connected, bool threaded,
            unsigned pipes = 3, const defs::PageFormat& pages = defs::gen8_ggtt_pages)
      : registers(set),
        tree(make_tree(registers, host)),
        interrupts(*tree),
        memory(64 << 20),
        ggtt(pages),
        part(make({registers, interrupts, host, memory, ggtt}, {.pipes = pipes, .connected = connected, .threaded = threaded})),
        display(*part) {
    for (uint64_t page = 0; page < 16384; page++) ggtt.set_pte(page, (page << 12) | 1);
  }
  uint32_t read(uint32_t offset) { return registers.read(offset); }
  void write(uint32_t offset, uint32_t value) { registers.write(offset, value); }

  // Lets the clock run to `time`, firing the timers on the way as a host does.
  void run_until(int64_t time) {
    while (true) {
      unsigned next = SG_TIMER_COUNT;
      for (unsigned i = 0; i < SG_TIMER_COUNT; i++) {
        if (host.timers[i] >= 0 && host.timers[i] <= time && (next == SG_TIMER_COUNT || host.timers[i] < host.timers[next])) next = i;
      }
      if (next == SG_TIMER_COUNT) break;
      host.now = std::max(host.now, host.timers[next]);
      host.timers[next] = -1;
      fired++;
      display.timer_expired(next);
    }
    host.now = std::max(host.now, time);
  }
  void run_for(int64_t ns) { run_until(host.now + ns); }
  void archive(Archive& ar) {
    registers.state(ar);
    interrupts.state(ar);
    display.state(ar);
  }
  std::vector<std::byte> saved_state() {
    Archive out;
    archive(out);
    return out.take();
  }
  /// The saved state of another machine, at its time.
  void take_state(MachineOf& other) {
    const auto bytes = other.saved_state();
    host.now = other.host.now;
    Archive in(bytes);
    archive(in);
    REQUIRE_FALSE(in.failed());
  }
  void unmask_pipe(uint32_t bits, unsigned pipe = 0) {
    write(reg::DE_PIPE_IER(pipe), ~0u);
    write(reg::DE_PIPE_IMR(pipe), ~bits);
  }
  // Reads and clears, as an interrupt handler does.
  uint32_t take_iir(unsigned pipe = 0) {
    const uint32_t iir = read(reg::DE_PIPE_IIR(pipe));
    write(reg::DE_PIPE_IIR(pipe), iir);
    return iir;
  }

  mmio::RegisterFile registers;
  FakeHost host;
  std::unique_ptr<mmio::Interrupts> tree;
  mmio::Interrupts& interrupts;
  memory::SparseMemory memory;
  memory::Ggtt ggtt;
  std::unique_ptr<display::Display> part;
  display::Display& display;
  unsigned fired = 0;
};

struct Machine : MachineOf {
  explicit Machine(uint32_t connected = 1, bool threaded = false)
      : MachineOf(softgen::defs::gen9::registers, mmio::gen8_interrupts, display::skl, connected, threaded) {
    write(reg::MASTER_INT_CTL, 1u << 31);
  }
  void power_up() { test::power_up(*this); }
  void set_mode(unsigned pipe = 0) { test::set_mode(*this, pipe); }
  void set_plane(uint32_t surface, unsigned pipe = 0, unsigned plane = 0) { test::show_plane(*this, surface, pipe, plane); }
};

constexpr int64_t frame_ns = 16'666'667;
constexpr int64_t line_ns = 14'815;

}  // namespace softgen::test
