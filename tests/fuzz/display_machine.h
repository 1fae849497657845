// SPDX-License-Identifier: GPL-2.0-or-later
// A display on isolated memory, with a host whose timers run as QEMU's do, and a small mode on one pipe to begin from.
#pragma once

#include <array>
#include <cstdlib>
#include <vector>

#include "hw/base/log.h"
#include "hw/defs/register.h"
#include "hw/display/icl/display.h"
#include "hw/display/ilk/display.h"
#include "hw/display/skl/display.h"
#include "hw/display/tgl/display.h"
#include "hw/iface/quiet_host.h"
#include "hw/mmio/interrupts/gen11.h"
#include "hw/mmio/interrupts/gen5.h"
#include "hw/mmio/interrupts/gen8.h"
#include "tests/fuzz/guest_map.h"
#include "tests/fuzz/state_source.h"
#include "tests/quiet_log.h"

namespace softgen::fuzz {

struct TimerHost final : QuietHost {
  int64_t now = 0;
  std::array<int64_t, SG_TIMER_COUNT> deadlines;

  int64_t clock_ns() override { return now; }
  void timer_set(unsigned id, int64_t deadline) override { deadlines[id] = deadline; }
  void reset() { now = 1'000'000, deadlines.fill(-1); }
  /// One pass of QEMU's timer list (util/qemu-timer.c, timerlist_run_timers): all that are due at one `now`, also those armed meanwhile.
  template <typename Expired>
  void run_timers(Expired&& expired) {
    for (unsigned fired = 0;; ++fired) {
      const auto next = std::ranges::min_element(deadlines, {}, [](int64_t t) { return static_cast<uint64_t>(t); });
      if (*next < 0 || *next > now) return;
      if (fired > 64) std::abort();  // a timer that arms itself in the past: the main loop would stay in it
      *next = -1;
      expired(static_cast<unsigned>(next - deadlines.begin()));
    }
  }
};

/// Starts a pipe with DDIs and universal planes. `function`: which DDI it drives; `plane`: PLANE_CTL of 8 bits a channel.
void start_ddi(auto& m, unsigned pipe, unsigned port, uint32_t function, uint32_t plane, uint32_t surface) {
  const uint32_t size = m.registers.peek(reg::PIPE_SRCSZ(pipe));
  m.write(reg::TRANS_DDI_FUNC_CTL(pipe), 1u << 31 | function);
  m.write(reg::TRANS_CONF(pipe), 1u << 31);
  m.write(reg::DDI_BUF_CTL(port), 1u << 31);
  m.write(reg::PLANE_STRIDE(pipe, 0), 4), m.write(reg::PLANE_SIZE(pipe, 0), size >> 16 | size << 16);
  m.write(reg::PLANE_CTL(pipe, 0), plane), m.write(reg::PLANE_SURF(pipe, 0), surface);
}

/// light(): power and a clock of 148.5 MHz for DDI or port `port`. start(): lets a pipe whose raster is set drive it, and show a plane.
struct KabyLake {
  static constexpr auto interrupts = mmio::gen8_interrupts;
  static const defs::RegisterSet& registers() { return softgen::defs::gen9::registers; }
  static constexpr const defs::PageFormat& pages = softgen::defs::gen8_ggtt_pages;
  static constexpr display::MakeDisplay make = display::skl;
  static constexpr unsigned pipes = 3;
  static void start(auto& m, unsigned pipe, unsigned port, uint32_t surface) {
    start_ddi(m, pipe, port, port << 28, 1u << 31 | 4u << 24, surface);
  }
  static void light(auto& m, unsigned port) {
    m.write(reg::PWR_WELL_CTL(1), 0xaaaa'aaaa), m.write(reg::DPLL_CTRL1, 1 | 2 << 1 | 0x21u << 6), m.write(reg::LCPLL1_CTL, 1u << 31);
    m.write(reg::DBUF_CTL, 1u << 31), m.write(reg::VGA_CONTROL, 1u << 31), m.write(reg::MASTER_INT_CTL, 1u << 31);
    m.write(reg::gen9::DPLL_CFGCR1(0), 1u << 31 | 8192u << 9 | 371), m.write(reg::DPLL_CFGCR2(0), 3u << 8 | 1u << 7 | 1u << 5 | 1u << 2);
    m.write(reg::LCPLL2_CTL, 1u << 31);
    m.write(reg::DPLL_CTRL2, (m.registers.read(reg::DPLL_CTRL2) & ~(1u << (15 + port))) | 3u << port * 3);
  }
};
struct IceLake {
  static constexpr auto interrupts = mmio::gen11_interrupts;
  static const defs::RegisterSet& registers() { return softgen::defs::gen11::registers; }
  static constexpr const defs::PageFormat& pages = softgen::defs::gen8_ggtt_pages;
  static constexpr display::MakeDisplay make = display::icl;
  static constexpr unsigned pipes = 3;
  static void start(auto& m, unsigned pipe, unsigned port, uint32_t surface) {
    start_ddi(m, pipe, port, port << 28, 1u << 31 | 8u << 23, surface);
  }
  static void light(auto& m, unsigned port) {
    m.write(reg::PWR_WELL_CTL(1), 0xaa), m.write(reg::DBUF_CTL, 1u << 31), m.write(reg::VGA_CONTROL, 1u << 31);
    m.write(reg::GFX_MSTR_IRQ, 1u << 31), m.write(reg::DISPLAY_INT_CTL, 1u << 31);
    m.write(reg::gen11::DPLL_CFGCR0(1), 8192u << 10 | 371), m.write(reg::gen11::DPLL_CFGCR1(1), 3u << 10 | 1u << 9 | 2u << 6 | 1u << 2);
    m.write(reg::DPLL_ENABLE(1), 1u << 31);
    m.write(reg::DPCLKA_CFGCR0, 1u << 2);
    if (port < 2) return;
    m.write(reg::MG_CLKTOP2_HSCLKCTL(port - 2), 2u << 12 | 2u << 8), m.write(reg::MG_PLL_DIV1(port - 2), 2);
    m.write(reg::MG_PLL_DIV0(port - 2), 1u << 30 | 0x2c0000u << 8 | 154), m.write(reg::MG_PLL_ENABLE(port - 2), 1u << 31);
    m.write(reg::PORT_CLK_SEL(port), 8u << 28);
  }
};

struct TigerLake {
  static constexpr auto interrupts = mmio::gen12_interrupts;
  static const defs::RegisterSet& registers() { return softgen::defs::gen12::registers; }
  static constexpr const defs::PageFormat& pages = softgen::defs::gen8_ggtt_pages;
  static constexpr display::MakeDisplay make = display::tgl;
  static constexpr unsigned pipes = 4;
  static void start(auto& m, unsigned pipe, unsigned port, uint32_t surface) {
    start_ddi(m, pipe, port, (port + 1) << 27, 1u << 31 | 8u << 23, surface);
  }
  static void light(auto& m, unsigned port) {
    m.write(reg::PWR_WELL_CTL(1), 0x2aa), m.write(reg::DBUF_CTL, 1u << 31), m.write(reg::VGA_CONTROL, 1u << 31);
    m.write(reg::GFX_MSTR_IRQ, 1u << 31), m.write(reg::DISPLAY_INT_CTL, 1u << 31);
    m.write(reg::gen12::DPLL_CFGCR0(1), 2048u << 10 | 464), m.write(reg::gen12::DPLL_CFGCR1(1), 3u << 10 | 1u << 9 | 2u << 6 | 1u << 2);
    m.write(reg::DPLL_ENABLE(1), 1u << 31);
    m.write(reg::DPCLKA_CFGCR0, 1u << 2 | 1u << 4);
    if (port < 3) return;
    m.write(reg::HIP_INDEX_REG(0), 0x02020202);
    m.write(reg::DKL_CLKTOP2_HSCLKCTL(port - 3), 2u << 12 | 2u << 8), m.write(reg::DKL_PLL_DIV0(port - 3), 2u << 8 | 193);
    m.write(reg::MG_PLL_ENABLE(port - 3), 1u << 31), m.write(reg::PORT_CLK_SEL(port), 8u << 28);
  }
  /// A display state buffer with a list of what there is.
  static void start_list(auto& m, StateSource& in) {
    const unsigned pipe = in.below(pipes), id = in.below(3), length = 8 * (1 + in.below(4));
    const uint32_t page = in.below(m.memory_pages) * uint32_t{page_size};
    for (unsigned i = 0; i < length; i++) {
      const uint32_t offsets[] = {reg::DSB_TAIL(pipe, in.below(3)), reg::DSB_CTRL(pipe, id),
                                  reg::PLANE_SURF(pipe, 0),         reg::TRANS_CONF(pipe),
                                  reg::PAL_PREC_DATA(pipe),         static_cast<uint32_t>(in.number(20))};
      m.memory.template store<uint32_t>(page + i * 8, in.one_in(4) ? page + 64 : static_cast<uint32_t>(in.number(in.one_in(8) ? 32 : 12)));
      m.memory.template store<uint32_t>(page + i * 8 + 4, in.below(12) << 24 | 15u << 20 | (in.one_of(std::span(offsets)) & 0xfffff));
    }
    m.write(reg::DSB_CTRL(pipe, id), 1u << 31 | in.below(2) << 28), m.write(reg::DSB_HEAD(pipe, id), page);
    m.write(reg::DSB_TAIL(pipe, id), page + length * 8);
  }
};

struct Ironlake {
  static constexpr auto interrupts = mmio::gen5_interrupts;
  static const defs::RegisterSet& registers() { return softgen::defs::gen5::registers; }
  static constexpr const defs::PageFormat& pages = softgen::defs::gen5_ggtt_pages;
  static constexpr display::MakeDisplay make = display::ilk;
  static constexpr unsigned pipes = 2;
  static void light(auto& m, unsigned) { m.write(reg::VGA_CONTROL, 1u << 31), m.write(reg::DEIER, 1u << 31); }
  static void start(auto& m, unsigned pipe, unsigned port, uint32_t surface) {
    const uint32_t ports[] = {reg::PCH_HDMIB, reg::PCH_HDMIC, reg::PCH_HDMID};
    m.write(reg::TRANS_LINKM1(pipe), 11), m.write(reg::TRANS_LINKN1(pipe), 20);
    m.write(reg::PIPECONF(pipe), 1u << 31);
    m.write(reg::FDI_TX_CTL(pipe), 1u << 31), m.write(reg::FDI_RX_CTL(pipe), 1u << 31 | 1u << 13);
    m.write(reg::PCH_DPLL(pipe), 1u << 31), m.write(reg::PCH_TRANSCONF(pipe), 1u << 31);
    m.write(ports[port % 3], 1u << 31 | pipe << 30);
    m.write(reg::DSPSTRIDE(pipe), 256), m.write(reg::DSPCNTR(pipe), 1u << 31 | 6u << 26), m.write(reg::DSPSURF(pipe), surface);
  }
};

template <typename Chip>
class DisplayMachineOf {
 public:
  static constexpr uint32_t memory_pages = 64;

  DisplayMachineOf()
      : tree(Chip::interrupts(registers, host)),
        interrupts(*tree),
        memory(memory_pages),
        part(Chip::make({registers, interrupts, host, memory, ggtt}, {.pipes = Chip::pipes, .connected = 7})),
        display(*part) {
    quiet_log();
    uint32_t word = 1;
    for (uint64_t at = 0; at < memory.size(); at += 4) memory.store<uint32_t>(at, word = word * 1664525 + 1013904223);
    memory.keep();
    // A few holes; nothing is mapped there.
    for (uint32_t page = 0; page < memory_pages; ++page)
      if (page % 13 != 12) ggtt.set_pte(page, page * page_size | 1);
    ggtt.set_pte(ggtt.entries() - 1, 5 * page_size | 1);
    for (const defs::Register& row : Chip::registers().rows)
      if (row.hook && std::string_view(row.hook) == "display" && !row.engine) rows_.push_back(&row);
  }

  void reset() {
    registers.reset();
    interrupts.reset();
    host.reset();
    display.reset();
  }
  void write(uint32_t offset, uint32_t value) { registers.write(offset, value); }
  /// Up to 64 x 64 pixels on a raster slow enough to be valid.
  void set_mode(StateSource& in, unsigned pipe) {
    const unsigned port = pipe + 1;
    const uint32_t width = 1 + in.below(64), height = 1 + in.below(64), lines = height + 20 + in.below(200);
    Chip::light(*this, port);
    write(reg::TRANS_HTOTAL(pipe), (width - 1) | 8191u << 16);
    write(reg::TRANS_VTOTAL(pipe), (height - 1) | (lines - 1) << 16), write(reg::TRANS_VBLANK(pipe), (height - 1) | (lines - 1) << 16);
    write(reg::PIPE_SRCSZ(pipe), (width - 1) << 16 | (height - 1));
    Chip::start(*this, pipe, port, in.below(memory_pages) * page_size);
  }
  /// A register of the display, most often with one field of it changed.
  void change_register(StateSource& in) {
    const defs::Register& row = *in.one_of(rows_);
    const uint32_t offset = row.offset + in.below(row.count[0]) * row.stride[0] + in.below(row.count[1]) * row.stride[1] +
                            (row.block ? in.below(row.block / 4) * 4 : 0);
    const uint8_t kind = in.take<uint8_t>();
    if (kind >= 250) {
      registers.write(offset, in.take<uint64_t>(), 1u << (kind & 3));
    } else if (!row.fields.empty() && kind & 1) {
      const defs::RegisterField& field = in.one_of(row.fields);
      uint32_t value = registers.peek(offset);
      StateSource::put({&value, 1}, field.low, field.high - field.low + 1u,
                       field.type == defs::RegisterFieldType::address ? in.below(memory_pages) * page_size >> field.low
                                                                      : in.number(field.high - field.low + 1u));
      write(offset, value);
    } else if (kind & 2) {
      write(offset, static_cast<uint32_t>(in.number(32)));
    } else {
      registers.read(offset);
    }
  }
  void run_timers() {
    host.run_timers([&](unsigned id) { display.timer_expired(id); });
  }

  mmio::RegisterFile registers{Chip::registers()};
  TimerHost host;
  std::unique_ptr<mmio::Interrupts> tree;
  mmio::Interrupts& interrupts;
  IsolatedMemory memory;
  memory::Ggtt ggtt{Chip::pages};
  std::unique_ptr<display::Display> part;
  display::Display& display;

 private:
  std::vector<const defs::Register*> rows_;
};

using DisplayMachine = DisplayMachineOf<KabyLake>;

}  // namespace softgen::fuzz
