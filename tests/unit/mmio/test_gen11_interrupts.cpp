// SPDX-License-Identifier: GPL-2.0-or-later
#include <array>
#include <atomic>
#include <chrono>
#include <thread>
#include <utility>

#include "tests/unit/mmio/interrupt_rig.h"

using namespace softgen;
using namespace softgen::mmio;
using namespace softgen::mmio::engine_event;
using pipe_event::vertical_blank;

TEST_CASE("gen11: after reset everything is masked and nothing pends") {
  InterruptRig f;
  CHECK(f.read(reg::RCS0_RSVD_INTR_MASK) == ~0u);
  CHECK(f.read(reg::RENDER_COPY_INTR_ENABLE) == 0);
  CHECK(f.read(reg::DE_HPD_IMR) == ~0u);
  f.tree.raise(EngineId::rcs, user);
  raise_blank(f.tree, 0);
  CHECK(f.read(reg::GT_INTR_DW(0)) == 0);
  CHECK(f.read(reg::GFX_MSTR_IRQ) == 0);
  CHECK(f.host.levels.empty());
}

TEST_CASE("gen12: the tree has Tiger Lake's pipe D and AUX channels") {  // i915 i915_reg.h, TGL_DE_PORT_AUX_*, GEN8_DE_PIPE_IRQ
  quiet_log();
  LineHost host;
  RegisterFile regs{softgen::defs::gen12::registers};
  const auto tree = gen12_interrupts(regs, host);
  regs.write(reg::GFX_MSTR_IRQ, enable);
  regs.write(reg::DISPLAY_INT_CTL, enable);
  regs.write(0x44434, ~1u);
  regs.write(0x4443c, 1);
  tree->post(3, vertical_blank);
  tree->deliver();
  CHECK(regs.read(reg::DISPLAY_INT_CTL) == (enable | 1u << 19));
  CHECK(regs.read(0x44438) == 1);
  regs.write(0x44438, 1);
  CHECK(host.levels == std::vector<bool>{true, false});
  regs.write(reg::DE_PORT_IMR, 0);
  const uint32_t bits[] = {0, 1, 2, 8, 9, 10, 11, 12, 13};
  for (unsigned port = 0; port < std::size(bits); ++port) {
    tree->raise_aux_done(port);
    CHECK(regs.read(reg::DE_PORT_IIR) == 1u << bits[port]);
    regs.write(reg::DE_PORT_IIR, ~0u);
  }
}

// i915 i915_reg.h, GEN11_DISPLAY_INT_CTL, GEN8_PIPE_*, GEN11_PIPE_PLANE*_FLIP_DONE, ICL_AUX_CHANNEL_*, SDE_*_ICP.
TEST_CASE("gen11: display events have the bits of the driver's headers") {
  InterruptRig f;
  f.driver.install();
  const auto taken = [&](uint32_t iir) {
    const uint32_t bits = f.read(iir);
    f.write(iir, bits);
    return bits;
  };
  const std::pair<PipeEvents, uint32_t> pipe_rows[] = {
      {vertical_blank, 0},           {pipe_event::vertical_sync, 1}, {pipe_event::crc_done, 28},    {pipe_event::flip_done(0), 3},
      {pipe_event::flip_done(3), 6}, {pipe_event::flip_done(4), 16}, {pipe_event::flip_done(6), 18}};
  for (const auto& [event, bit] : pipe_rows) {
    f.write(reg::DE_PIPE_IMR(2), ~(1u << bit));
    f.write(reg::DE_PIPE_IER(2), ~0u);
    CHECK(f.tree.unmasked(2) == event);
    f.tree.post(2, event);
    CHECK(f.read(reg::DISPLAY_INT_CTL) == (enable | 1u << 18));
    CHECK(f.read(reg::GFX_MSTR_IRQ) == (enable | 1u << 16));
    CHECK(taken(reg::DE_PIPE_IIR(2)) == 1u << bit);
    CHECK(f.read(reg::GFX_MSTR_IRQ) == enable);
  }
  f.write(reg::DE_PORT_IMR, 0);
  f.write(reg::DE_PORT_IER, ~0u);
  const uint32_t aux_bits[] = {1u << 0, 1u << 25, 1u << 26, 1u << 27, 1u << 29, 1u << 28, 0};
  for (unsigned port = 0; port < std::size(aux_bits); ++port) {
    f.tree.raise_aux_done(port);
    CHECK(f.read(reg::DISPLAY_INT_CTL) == (enable | (aux_bits[port] ? 1u << 20 : 0)));
    CHECK(taken(reg::DE_PORT_IIR) == aux_bits[port]);
  }
  f.write(reg::SDEIMR, 0);
  f.write(reg::SDEIER, ~0u);
  f.tree.raise_gmbus();
  CHECK(f.read(reg::DISPLAY_INT_CTL) == (enable | 1u << 23));
  CHECK(taken(reg::SDEIIR) == 1u << 23);
  const uint32_t connector_bits[] = {1u << 17, 1u << 24, 1u << 25};
  for (unsigned connector = 0; connector < 3; ++connector) {
    f.tree.raise_hot_plug(connector);
    CHECK(taken(reg::SDEIIR) == connector_bits[connector]);
    f.tree.show_connected(connector, true);
    CHECK(f.read(reg::SDEISR) == connector_bits[connector]);
    f.tree.show_connected(connector, false);
    CHECK(f.read(reg::SDEIIR) == 0);
  }
}

TEST_CASE("gen11: the display's enable is between its blocks and the master register") {
  InterruptRig f;
  f.driver.install();
  raise_blank(f.tree, 0);
  CHECK(f.host.levels == std::vector<bool>{true});
  f.write(reg::DISPLAY_INT_CTL, 0);
  CHECK(f.read(reg::DISPLAY_INT_CTL) == 1u << 16);  // pending bits show while disabled
  CHECK(f.read(reg::GFX_MSTR_IRQ) == enable);
  f.write(reg::DISPLAY_INT_CTL, enable);
  CHECK(f.host.levels == std::vector<bool>{true, false, true});

  // A second vertical blank is held back until the first is cleared.
  raise_blank(f.tree, 0);
  f.host.levels.clear();
  f.write(reg::DE_PIPE_IIR(0), 1);
  CHECK(f.read(reg::DE_PIPE_IIR(0)) == 1);
  CHECK(f.host.levels == std::vector<bool>{false, true});
  f.write(reg::DE_PIPE_IIR(0), 1);
  CHECK(f.host.levels == std::vector<bool>{false, true, false});
}

TEST_CASE("gen11: i915's reset of the tree leaves it empty, and its blocks' IIR zero") {
  InterruptRig f;
  f.driver.install();
  raise_blank(f.tree, 1);
  raise_blank(f.tree, 1);
  f.write(reg::GFX_MSTR_IRQ, 0);
  f.write(reg::DISPLAY_INT_CTL, 0);
  for (const uint32_t isr : {reg::DE_PIPE_ISR(1), reg::DE_HPD_ISR, reg::GU_MISC_ISR, reg::PCU_ISR, reg::DE_MISC_ISR}) {
    f.write(isr + 4, ~0u);
    f.write(isr + 12, 0);
    f.write(isr + 8, ~0u);
    f.write(isr + 8, ~0u);
    CHECK(f.read(isr + 8) == 0);
  }
  CHECK(f.read(reg::GFX_MSTR_IRQ) == 0);
}

TEST_CASE("gen11: reset lowers the line; the tree survives save and load") {
  InterruptRig f, g;
  for (InterruptRig* each : {&f, &g}) each->driver.install();  // registers have a state of their own
  f.tree.raise(EngineId::vcs1, user);
  raise_blank(f.tree, 1);
  f.write(reg::IIR_REG_SELECTOR(1), 1u << 2);
  f.tree.raise(EngineId::vcs1, context_switch);
  Archive out;
  f.tree.state(out);
  Archive in(out.output());
  g.tree.state(in);
  REQUIRE_FALSE(in.failed());
  CHECK(g.host.levels == std::vector<bool>{true});
  CHECK(g.read(reg::GFX_MSTR_IRQ) == (enable | 1u << 16 | 1u << 1));
  CHECK(g.read(reg::DE_PIPE_IIR(1)) == 1);
  CHECK(g.read(reg::INTR_IDENTITY_REG(1)) == (valid | 2u << 20 | 1u << 16 | 1));
  g.write(reg::INTR_IDENTITY_REG(1), valid);
  CHECK((g.driver.identity(1, 2) & 0xffff) == 0x100);
  g.tree.reset();
  CHECK_FALSE(g.tree.level());
  CHECK(g.host.levels.back() == false);
  CHECK(g.read(reg::GT_INTR_DW(1)) == 0);
  CHECK(g.read(reg::DE_PIPE_IMR(1)) == ~0u);
}

TEST_CASE("gen11: a saved state with sources and events that nothing has is refused") {
  InterruptRig f;
  Archive out;
  f.tree.state(out);
  // From the end: the display's enable, the master's, two identities, two banks: served, snapshot, secondary, pending, 32 collapsing registers.
  constexpr size_t bank = 1 + 4 + 4 + 4 + 64;
  const struct {
    size_t from_end;
    uint8_t byte;
  } damage[] = {{1, 2},
                {2, 0xff},
                {3, 0x7f},
                {11, 2},
                {15, 0x40},
                {19, 0x40},
                {23, 0x40},
                {25, 0x80},
                {10 + bank, 0x80},
                {10 + bank + 14, 0x80},
                {10 + 2 * bank, 2}};
  for (const auto& [from_end, byte] : damage) {
    CAPTURE(from_end);
    std::vector<std::byte> bytes = out.output();
    bytes[bytes.size() - from_end] = std::byte{byte};
    Archive in(bytes);
    f.tree.state(in);
    CHECK(in.failed());
    f.tree.reset();
  }
  CHECK(f.host.levels.empty());
}

// Version 2: nine blocks, a shared IIR an engine, two words, two identities, two enables.
TEST_CASE("gen11: states from before the banks load") {
  InterruptRig f, g;
  f.driver.install();
  f.write(reg::DE_PIPE_IMR(1), 0x55);
  Archive registers;
  f.regs.state(registers);
  Archive in_registers(registers.output());
  g.regs.state(in_registers);
  Archive out;
  out.section("gen11 interrupts", 2);
  for (unsigned i = 0; i < 9; ++i) {
    InterruptBlock block;
    if (i == 1) block.imr = 0x55;
    out.value(block);
  }
  std::array<uint16_t, engine_count> shared{};
  shared[static_cast<size_t>(EngineId::vcs1)] = 0x101;
  for (uint16_t& events : shared) out.value(events);
  std::array<uint32_t, 2> pending{0, 1u << 2}, identities{};
  bool on = true;
  out.value(pending);
  out.value(identities);
  out.value(on);
  out.value(on);
  Archive in(out.output());
  g.tree.state(in);
  REQUIRE_FALSE(in.failed());
  CHECK(g.read(reg::DE_PIPE_IMR(1)) == 0x55);
  CHECK(g.tree.level());
  CHECK(g.driver.serve(1) == std::vector<uint32_t>{valid | 2u << 20 | 1u << 16 | 0x101});
}

// Version 3: of each bank 32 collapsing registers, the word, secondary storage, whether there is a snapshot, whether a source is in service.
TEST_CASE("gen11: states from before snapshots of single bits load in the middle of a service") {
  InterruptRig f;
  f.driver.install();
  Archive out;
  out.section("gen11 interrupts", 3);
  for (unsigned i = 0; i < 10; ++i) {
    InterruptBlock block;
    out.value(block);
  }
  std::array<uint16_t, 32> collapsing{};
  uint32_t pending = 1, secondary = 0;
  bool snapshot = true, served = false, on = true;
  collapsing[0] = 0x101;
  for (unsigned word = 0; word < 2; ++word) {
    out.value(collapsing);
    out.value(pending);
    out.value(secondary);
    out.value(snapshot);
    out.value(served);
  }
  std::array<uint32_t, 2> identities{};
  out.value(identities);
  out.value(on);
  out.value(on);
  Archive in(out.output());
  f.tree.state(in);
  REQUIRE_FALSE(in.failed());
  f.tree.raise(EngineId::bcs, user);  // waits for the end of the service
  CHECK(f.driver.identity(0, 15) == 0);
  CHECK(f.driver.identity(0, 0) == (valid | 0x101));
  f.write(reg::GT_INTR_DW(0), 1);
  CHECK(f.read(reg::GT_INTR_DW(0)) == 1u << 15);
}

TEST_CASE("gen11: from several threads no event is lost") {
  quiet_log();
  CountingHost host;
  RegisterFile regs{softgen::defs::gen11::registers};
  const auto owned = gen11_interrupts(regs, host);
  Interrupts& tree = *owned;
  InterruptDriver driver{regs};
  driver.install();

  constexpr unsigned events = 10000;
  constexpr std::array<EngineId, 3> engines = {EngineId::rcs, EngineId::bcs, EngineId::vcs0};
  std::array<std::atomic<unsigned>, 3> taken{};
  const auto source = [&](unsigned which) {
    for (unsigned i = 0; i < events; ++i) {
      tree.raise(engines[which], user);
      while (taken[which].load() <= i) taken[which].wait(i);
    }
  };
  std::jthread a(source, 0), b(source, 1), c(source, 2);
  unsigned total = 0;
  while (total < 3 * events) {
    REQUIRE(host.rises.try_acquire_for(std::chrono::minutes(1)));  // else one was lost
    regs.write(reg::GFX_MSTR_IRQ, 0);
    const uint32_t master = regs.read(reg::GFX_MSTR_IRQ);
    for (unsigned word = 0; word < 2; ++word) {
      if (!(master >> word & 1)) continue;
      for (const uint32_t identity : driver.serve(word)) {
        if (!(identity & 1)) continue;
        const unsigned which = word ? 2 : identity >> 16 & 7 ? 1 : 0;
        ++total;
        taken[which].fetch_add(1);
        taken[which].notify_all();
      }
    }
    regs.write(reg::GFX_MSTR_IRQ, enable);
  }
  CHECK(host.in_order);
}
