// SPDX-License-Identifier: GPL-2.0-or-later
#include <memory>

#include "hw/defs/registers/registers.h"
#include "hw/faults/interrupts.h"
#include "hw/faults/plan.h"
#include "hw/mmio/interrupts/gen8.h"
#include "tests/catch.h"
#include "tests/unit/mmio/hosts.h"

using namespace softgen;

namespace {

namespace engine_event = mmio::engine_event;

struct Rig {
  Rig() {
    registers.poke(EngineId::rcs, reg::RING_IMR, 0);
    registers.write(reg::GT_IMR(0), 0);
    registers.write(reg::GT_IER(0), ~0u);
    registers.write(reg::DE_PIPE_IMR(0), 0);
    registers.write(reg::DE_PIPE_IER(0), ~0u);
    registers.write(reg::MASTER_INT_CTL, 1u << 31);
  }
  uint32_t take(uint32_t iir) {
    const uint32_t pending = registers.read(iir);
    for (int i = 0; i < 2; ++i) registers.write(iir, ~0u);
    return pending;
  }
  uint32_t take_engine() { return take(reg::GT_IIR(0)); }

  mmio::RegisterFile registers{defs::gen9::registers};
  mmio::LineHost host;
  faults::Interrupts tree{mmio::gen8_interrupts(registers, host), registers, host};
  faults::Plan plan{
      {.platform = *defs::find_platform("kbl"),
       .clock_ns = [this] { return host.now; },
       .wake_at = [](int64_t) {},
       .pulse = [this](const faults::Rule& rule, const FaultAnswer& answer) { tree.pulse(answer, rule.unit.value, rule.what.value); },
       .active = [this](bool on) { registers.set_faults(on ? &plan : nullptr); }}};
};

}  // namespace

TEST_CASE("an engine's interrupt is lost, doubled, late") {
  Rig rig;
  rig.plan.add("on irq source=rcs.user nth=1 do drop");
  rig.tree.raise(EngineId::rcs, engine_event::user | engine_event::context_switch);
  CHECK(rig.take_engine() == 1u << 8);  // the other event is not touched
  rig.tree.raise(EngineId::rcs, engine_event::user);
  CHECK(rig.take_engine() == 1);

  rig.plan.load("on irq source=*.user do dup");
  rig.tree.raise(EngineId::rcs, engine_event::user);
  rig.registers.write(reg::GT_IIR(0), 1);
  CHECK(rig.take_engine() == 1);  // the second of two

  rig.plan.load("on irq source=rcs.user do delay 5ms");
  rig.tree.raise(EngineId::rcs, engine_event::user);
  CHECK(rig.take_engine() == 0);
  rig.host.now += 5'000'000;
  rig.plan.look();
  CHECK(rig.take_engine() == 1);
}

TEST_CASE("interrupts that nothing has raised") {
  Rig rig;
  rig.plan.add("on irq source=rcs.user every=1ms do raise");
  rig.plan.look();
  CHECK(rig.take_engine() == 1);
  rig.plan.load("on irq every=1ms do spurious");
  const size_t before = rig.host.levels.size();
  rig.plan.look();
  CHECK(rig.registers.read(reg::MASTER_INT_CTL) == 1u << 31);
  REQUIRE(rig.host.levels.size() == before + 2);
  CHECK((rig.host.levels[before] && !rig.host.levels[before + 1]));
}

TEST_CASE("a pipe's interrupts") {
  Rig rig;
  rig.plan.add("on irq source=pipe-a.blank do drop");
  rig.tree.post(0, mmio::pipe_event::vertical_blank | mmio::pipe_event::vertical_sync);
  CHECK(rig.take(reg::DE_PIPE_IIR(0)) == reg::field::DE_PIPE_ISR_VERTICAL_SYNC.mask());
  rig.tree.post(0, mmio::pipe_event::underrun);
  CHECK(rig.take(reg::DE_PIPE_IIR(0)) == 1u << 31);
}

TEST_CASE("GMBUS, GuC and hot plug") {
  Rig rig;
  rig.registers.write(reg::SDEIMR, 0);
  rig.registers.write(reg::SDEIER, ~0u);
  rig.plan.add("on irq source=gmbus do drop");
  rig.plan.add("on irq source=hotplug do drop");
  rig.tree.raise_gmbus();
  rig.tree.raise_hot_plug(0);
  CHECK(rig.take(reg::SDEIIR) == 0);
  rig.plan.clear();
  rig.tree.raise_gmbus();
  rig.tree.raise_hot_plug(0);
  CHECK(rig.take(reg::SDEIIR) == (1u << 17 | 1u << 21));
}
