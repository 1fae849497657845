// SPDX-License-Identifier: GPL-2.0-or-later
#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

#include "hw/base/log.h"
#include "hw/mmio/interrupts/gen8.h"
#include "tests/catch.h"
#include "tests/engine_register.h"
#include "tests/quiet_log.h"
#include "tests/unit/mmio/hosts.h"

using namespace softgen;
using namespace softgen::mmio;
using softgen::test::engine_register;
using namespace softgen::mmio::engine_event;
using pipe_event::vertical_blank;

namespace {

struct Fixture {
  LineHost host;
  RegisterFile regs{softgen::defs::gen9::registers};
  Gen8Interrupts tree{regs, host};
  Fixture() { quiet_log(); }

  uint32_t read(uint32_t offset) { return regs.read(offset); }
  void write(uint32_t offset, uint32_t value) { regs.write(offset, value); }
  void open_everything() {
    for (unsigned i = 0; i < 4; ++i) {
      write(reg::GT_IMR(i), 0);
      write(reg::GT_IER(i), ~0u);
    }
    for (unsigned i = 0; i < 5; ++i) regs.write(engine_register(static_cast<EngineId>(i), reg::RING_IMR), 0);
    write(reg::DE_PIPE_IMR(1), 0);
    write(reg::DE_PIPE_IER(1), ~0u);
    write(reg::MASTER_INT_CTL, 0x8000'0000);
  }
};

}  // namespace

TEST_CASE("after reset everything is masked and nothing pends") {
  Fixture f;
  CHECK(f.read(reg::GT_IMR(0)) == ~0u);
  CHECK(f.read(reg::SDEIMR) == ~0u);
  CHECK(f.read(reg::GT_IER(0)) == 0);
  f.tree.raise(EngineId::rcs, user);
  raise_blank(f.tree, 0);
  CHECK(f.read(reg::GT_IIR(0)) == 0);
  CHECK(f.read(reg::MASTER_INT_CTL) == 0);
  CHECK(f.host.levels.empty());
}

TEST_CASE("each source sets the bit of its half, its block and the master register") {
  Fixture f;
  f.open_everything();
  const struct {
    EngineId engine;
    uint32_t iir, bits, master;
  } rows[] = {{EngineId::rcs, reg::GT_IIR(0), 0x0101, 1u << 0},
              {EngineId::bcs, reg::GT_IIR(0), 0x0101'0000, 1u << 1},
              {EngineId::vcs0, reg::GT_IIR(1), 0x0101, 1u << 2},
              {EngineId::vcs1, reg::GT_IIR(1), 0x0101'0000, 1u << 3},
              {EngineId::vecs, reg::GT_IIR(3), 0x0101, 1u << 6}};
  for (const auto& row : rows) {
    f.tree.raise(row.engine, user | context_switch);
    CHECK(f.read(row.iir) == row.bits);
    CHECK(f.read(reg::MASTER_INT_CTL) == (0x8000'0000 | row.master));
    f.write(row.iir, row.bits);
    CHECK(f.read(row.iir) == 0);
    CHECK(f.read(reg::MASTER_INT_CTL) == 0x8000'0000);
  }
  raise_blank(f.tree, 1);
  CHECK(f.read(reg::MASTER_INT_CTL) == (0x8000'0000 | 1u << 17));
}

TEST_CASE("the observation unit has the high half of GT word 3, and its own bit of the master register") {
  Fixture f;
  f.open_everything();
  f.tree.raise_observation();
  CHECK(f.read(reg::GT_IIR(3)) == 1u << 28);
  CHECK(f.read(reg::MASTER_INT_CTL) == (0x8000'0000 | 1u << 7));
  f.tree.raise(EngineId::vecs, user);
  CHECK(f.read(reg::MASTER_INT_CTL) == (0x8000'0000 | 1u << 7 | 1u << 6));
  f.write(reg::GT_IIR(3), ~0u);
  CHECK(f.host.levels == std::vector<bool>{true, false});
  f.write(reg::GT_IER(3), ~(1u << 28));
  f.tree.raise_observation();
  CHECK(f.read(reg::GT_IIR(3)) == 1u << 28);
  CHECK(f.read(reg::MASTER_INT_CTL) == 0x8000'0000);
  f.write(reg::GT_IIR(3), ~0u);
  f.write(reg::GT_IMR(3), 1u << 28);
  f.tree.raise_observation();
  CHECK(f.read(reg::GT_IIR(3)) == 0);
  CHECK(f.host.levels == std::vector<bool>{true, false});
}

// SKL PRM vol 2c, "Interrupt Registers"; i915 i915_reg.h GT_*_INTERRUPT, GEN8_PIPE_*, SDE_*_SPT.
TEST_CASE("each event has the bit of the manual") {
  Fixture f;
  f.open_everything();
  const auto taken = [&](uint32_t iir) {
    const uint32_t bits = f.read(iir);
    f.write(iir, bits);
    return bits;
  };
  const std::pair<EngineEvents, uint32_t> engine_rows[] = {
      {user, 0}, {error, 3}, {flush_notify, 4}, {context_switch, 8}, {wait_semaphore, 11}};
  for (const auto& [event, bit] : engine_rows) {
    f.tree.raise(EngineId::rcs, event);
    CHECK(taken(reg::GT_IIR(0)) == 1u << bit);
    CHECK(f.tree.engine_bits(EngineId::bcs, event) == 1u << (16 + bit));
  }
  const std::pair<PipeEvents, uint32_t> pipe_rows[] = {{vertical_blank, 0},
                                                       {pipe_event::vertical_sync, 1},
                                                       {pipe_event::crc_done, 28},
                                                       {pipe_event::flip_done(0), 3},
                                                       {pipe_event::flip_done(3), 6}};
  for (const auto& [event, bit] : pipe_rows) {
    f.write(reg::DE_PIPE_IMR(1), ~(1u << bit));
    CHECK(f.tree.unmasked(1) == event);
    f.tree.post(1, event);
    CHECK(taken(reg::DE_PIPE_IIR(1)) == 1u << bit);
  }
  f.write(reg::DE_PORT_IMR, 0);
  const uint32_t aux_bits[] = {1u << 0, 1u << 25, 1u << 26, 1u << 27, 0};
  for (unsigned port = 0; port < std::size(aux_bits); ++port) {
    f.tree.raise_aux_done(port);
    CHECK(taken(reg::DE_PORT_IIR) == aux_bits[port]);
  }
  f.write(reg::SDEIMR, 0);
  f.tree.raise_gmbus();
  CHECK(taken(reg::SDEIIR) == 1u << 17);
  for (unsigned connector = 0; connector < 3; ++connector) {
    f.tree.raise_hot_plug(connector);
    CHECK(taken(reg::SDEIIR) == 1u << (21 + connector));
  }
}

TEST_CASE("an engine's RING_IMR keeps events out of the tree") {
  Fixture f;
  f.open_everything();
  f.write(engine_register(EngineId::bcs, reg::RING_IMR), ~(1u << 16 | 1u << 24));
  f.tree.raise(EngineId::bcs, user | flush_notify | wait_semaphore);
  CHECK(f.read(reg::GT_IIR(0)) == 1u << 16);
}

TEST_CASE("the line follows master enable and pending bits") {
  Fixture f;
  f.open_everything();
  CHECK(f.host.levels.empty());
  f.tree.raise(EngineId::rcs, user);
  CHECK(f.host.levels == std::vector<bool>{true});
  f.write(reg::MASTER_INT_CTL, 0);
  CHECK(f.host.levels == std::vector<bool>{true, false});
  CHECK(f.read(reg::MASTER_INT_CTL) == 1);  // pending bits show while disabled

  SECTION("re-enabling with something pending raises it again") {
    f.write(reg::MASTER_INT_CTL, 0x8000'0000);
    CHECK(f.host.levels == std::vector<bool>{true, false, true});
  }
  SECTION("re-enabling with all clear does not") {
    f.write(reg::GT_IIR(0), 1);
    f.write(reg::MASTER_INT_CTL, 0x8000'0000);
    CHECK(f.host.levels == std::vector<bool>{true, false});
  }
  SECTION("an event while disabled is delivered at the enable") {
    f.write(reg::GT_IIR(0), 1);
    f.tree.raise(EngineId::vecs, context_switch);
    CHECK(f.host.levels.size() == 2);
    f.write(reg::MASTER_INT_CTL, 0x8000'0000);
    CHECK(f.host.levels == std::vector<bool>{true, false, true});
  }
}

TEST_CASE("IIR holds a second event back until the first is cleared") {
  Fixture f;
  f.open_everything();
  for (int i = 0; i < 3; ++i) f.tree.raise(EngineId::rcs, user);
  f.host.levels.clear();
  f.write(reg::GT_IIR(0), 1);
  CHECK(f.read(reg::GT_IIR(0)) == 1);
  CHECK(f.host.levels == std::vector<bool>{false, true});
  f.write(reg::GT_IIR(0), 1);
  CHECK(f.read(reg::GT_IIR(0)) == 0);
  CHECK(f.host.levels == std::vector<bool>{false, true, false});
}

TEST_CASE("i915's gen8 reset of a block leaves IIR zero") {
  Fixture f;
  f.open_everything();
  f.tree.raise(EngineId::rcs, user | flush_notify | context_switch);
  f.tree.raise(EngineId::rcs, user | flush_notify | context_switch);
  f.write(reg::GT_IMR(0), ~0u);
  f.write(reg::GT_IER(0), 0);
  f.write(reg::GT_IIR(0), ~0u);
  f.write(reg::GT_IIR(0), ~0u);
  CHECK(f.read(reg::GT_IIR(0)) == 0);
}

TEST_CASE("IER gates the master only; IMR gates IIR only") {
  Fixture f;
  f.open_everything();
  f.write(reg::GT_IER(0), 0);
  f.tree.raise(EngineId::rcs, user);
  CHECK(f.read(reg::GT_IIR(0)) == 1);
  CHECK(f.host.levels.empty());
  f.write(reg::GT_IMR(0), ~0u);
  CHECK(f.read(reg::GT_IIR(0)) == 1);
  f.write(reg::GT_IER(0), 1);
  CHECK(f.host.levels == std::vector<bool>{true});
}

TEST_CASE("live state shows in ISR, is read-only, and raises nothing") {
  Fixture f;
  f.write(reg::SDEIMR, 0);
  f.tree.show_connected(0, true);
  f.write(reg::SDEISR, 0);
  CHECK(f.read(reg::SDEISR) == 1u << 21);
  CHECK(f.read(reg::SDEIIR) == 0);
  f.tree.show_connected(0, false);
  CHECK(f.read(reg::SDEISR) == 0);
}

TEST_CASE("reset lowers the line; the line survives save and load") {
  Fixture f, g;
  f.open_everything();
  f.tree.raise(EngineId::rcs, user);
  f.tree.raise(EngineId::rcs, user);
  Archive out;
  f.tree.state(out);
  Archive in(out.output());
  g.tree.state(in);
  REQUIRE_FALSE(in.failed());
  CHECK(g.host.levels == std::vector<bool>{true});
  CHECK(g.read(reg::GT_IIR(0)) == 1);
  g.write(reg::GT_IIR(0), 1);
  CHECK(g.read(reg::GT_IIR(0)) == 1);
  g.tree.reset();
  CHECK_FALSE(g.tree.level());
  CHECK(g.host.levels.back() == false);
  CHECK(g.read(reg::GT_IMR(0)) == ~0u);
}

namespace {

/// A host that handles the interrupt inside the callback, like an MSI addressed to our own registers.
class Answering final : public QuietHost {
 public:
  int64_t clock_ns() override { return 0; }
  void interrupt(bool level) override {
    levels.push_back(level);
    if (answer) answer(level);
  }
  std::vector<bool> levels;
  std::function<void(bool)> answer;
};

}  // namespace

TEST_CASE("an interrupt handler may access the registers") {
  quiet_log();
  Answering host;
  RegisterFile regs{softgen::defs::gen9::registers};
  Gen8Interrupts tree(regs, host);
  regs.write(reg::DE_PIPE_IMR(0), 0);
  regs.write(reg::DE_PIPE_IER(0), ~0u);
  regs.write(reg::MASTER_INT_CTL, 0x8000'0000);

  SECTION("acknowledging lowers the line, in order") {
    host.answer = [&](bool level) {
      if (level) regs.write(reg::DE_PIPE_IIR(0), ~0u);
    };
    raise_blank(tree, 0);
    CHECK(host.levels == std::vector<bool>{true, false});
    CHECK(regs.read(reg::DE_PIPE_IIR(0)) == 0);
    raise_blank(tree, 0);
    CHECK(host.levels == std::vector<bool>{true, false, true, false});
  }
  SECTION("an event from within the interrupt is a message of its own") {
    unsigned left = 3;
    host.answer = [&](bool level) {
      if (!level || !left) return;
      left--;
      raise_blank(tree, 0);
      regs.write(reg::DE_PIPE_IIR(0), ~0u);
    };
    raise_blank(tree, 0);
    CHECK(host.levels == std::vector<bool>{true, false, true, false, true, false, true});
  }
  SECTION("disabling and enabling again during a report to the host is an edge") {
    bool once = true;
    host.answer = [&](bool level) {
      if (!level || !std::exchange(once, false)) return;
      regs.write(reg::MASTER_INT_CTL, 0);
      regs.write(reg::MASTER_INT_CTL, 0x8000'0000);
    };
    raise_blank(tree, 0);
    CHECK(host.levels == std::vector<bool>{true, false, true});
  }
}

TEST_CASE("a posted change reaches the host on delivery, with the level at that time") {
  Fixture f;
  f.open_everything();
  f.tree.post(1, vertical_blank);
  CHECK(f.host.levels.empty());
  CHECK(f.read(reg::DE_PIPE_IIR(1)) == 1);
  f.tree.deliver();
  CHECK(f.host.levels == std::vector<bool>{true});
  f.tree.deliver();
  CHECK(f.host.levels.size() == 1);
}

TEST_CASE("from several threads no interrupt is lost and none is reported twice") {
  quiet_log();
  CountingHost host;
  RegisterFile regs{softgen::defs::gen9::registers};
  Gen8Interrupts tree(regs, host);
  for (unsigned pipe = 0; pipe < 3; ++pipe) {
    regs.write(reg::DE_PIPE_IMR(pipe), 0);
    regs.write(reg::DE_PIPE_IER(pipe), ~0u);
  }
  regs.write(reg::MASTER_INT_CTL, 0x8000'0000);

  constexpr unsigned events = 20000;
  std::array<std::atomic<unsigned>, 3> taken{};
  const auto source = [&](unsigned pipe) {
    for (unsigned i = 0; i < events; ++i) {
      raise_blank(tree, pipe);
      while (taken[pipe].load() <= i) taken[pipe].wait(i);
    }
  };
  std::jthread a(source, 0), b(source, 1), c(source, 2);
  unsigned total = 0;
  while (total < 3 * events) {
    REQUIRE(host.rises.try_acquire_for(std::chrono::minutes(1)));  // else one was lost
    regs.write(reg::MASTER_INT_CTL, 0);
    for (unsigned pipe = 0; pipe < 3; ++pipe) {
      if (!regs.read(reg::DE_PIPE_IIR(pipe))) continue;
      regs.write(reg::DE_PIPE_IIR(pipe), 1);
      ++total;
      taken[pipe].fetch_add(1);
      taken[pipe].notify_all();
    }
    regs.write(reg::MASTER_INT_CTL, 0x8000'0000);
  }
  CHECK(host.in_order);
}
