// SPDX-License-Identifier: GPL-2.0-or-later
// Ironlake's interrupt tree, with a driver that serves it as i915 does (i915_irq.c, ilk_irq_handler).
#include <vector>

#include "hw/mmio/interrupts/gen5.h"
#include "tests/catch.h"
#include "tests/quiet_log.h"
#include "tests/unit/mmio/hosts.h"

using namespace softgen;
using namespace softgen::mmio;
using namespace softgen::mmio::engine_event;
using pipe_event::flip_done;
using pipe_event::vertical_blank;

namespace {

constexpr uint32_t master = 1u << 31, pch = 1u << 21, port_c = 1u << 9;

struct Served {
  uint32_t display, gt, pch;
};

struct Fixture {
  LineHost host;
  RegisterFile regs{softgen::defs::gen5::registers};
  Gen5Interrupts tree{regs, host};
  Fixture() { quiet_log(); }

  uint32_t read(uint32_t offset) { return regs.read(offset); }
  void write(uint32_t offset, uint32_t value) { regs.write(offset, value); }
  /// i915_irq.c, ilk_irq_postinstall.
  void install() {
    write(reg::GTIMR, ~0x21u);
    write(reg::GTIER, 0x21);
    write(reg::SDEIMR, ~(port_c | 1u << 24));
    write(reg::SDEIER, ~0u);
    write(reg::DEIMR, ~(pch | 1u << 7 | 1u << 26));
    write(reg::DEIER, master | pch | 1u << 7 | 1u << 26);
  }
  Served serve() {
    Served seen{};
    const uint32_t display_enable = read(reg::DEIER), pch_enable = read(reg::SDEIER);
    write(reg::DEIER, display_enable & ~master);
    write(reg::SDEIER, 0);
    seen.gt = read(reg::GTIIR);
    write(reg::GTIIR, seen.gt);
    seen.display = read(reg::DEIIR);
    write(reg::DEIIR, seen.display);
    if (seen.display & pch) {
      seen.pch = read(reg::SDEIIR);
      write(reg::SDEIIR, seen.pch);
    }
    write(reg::DEIER, display_enable);
    write(reg::SDEIER, pch_enable);
    return seen;
  }
};

}  // namespace

TEST_CASE("Gen5: after reset everything is masked and nothing pends") {
  Fixture f;
  f.tree.raise(EngineId::rcs, user);
  f.tree.post(0, vertical_blank);
  f.tree.raise_hot_plug(1);
  for (const uint32_t iir : {reg::DEIIR, reg::GTIIR, reg::SDEIIR}) CHECK(f.read(iir) == 0);
  CHECK(f.read(reg::DEIMR) == ~0u);
  CHECK(f.host.levels.empty());
}

TEST_CASE("Gen5: user interrupts of both engines, behind the display's master bit") {
  Fixture f;
  f.install();
  f.write(reg::DEIER, f.read(reg::DEIER) & ~master);
  f.tree.raise(EngineId::rcs, user);
  f.tree.raise(EngineId::vcs0, user);
  f.tree.raise(EngineId::vcs0, flush_notify);
  CHECK(f.read(reg::GTIIR) == 0x21);
  CHECK_FALSE(f.tree.level());
  f.write(reg::DEIER, f.read(reg::DEIER) | master);
  CHECK(f.tree.level());
  CHECK(f.serve().gt == 0x21);
  CHECK_FALSE(f.tree.level());
  CHECK(f.host.levels == std::vector<bool>{true, false});
}

TEST_CASE("Gen5: an event during the service raises the line again") {
  Fixture f;
  f.install();
  f.tree.raise(EngineId::rcs, user);
  f.write(reg::DEIER, f.read(reg::DEIER) & ~master);
  f.write(reg::GTIIR, 1);
  f.tree.raise(EngineId::rcs, user);
  CHECK_FALSE(f.tree.level());
  f.write(reg::DEIER, f.read(reg::DEIER) | master);
  CHECK(f.tree.level());
  CHECK(f.serve().gt == 1);
}

TEST_CASE("Gen5: pipes and planes") {
  Fixture f;
  f.install();
  CHECK(f.tree.unmasked(0) == (vertical_blank | flip_done(0)));
  CHECK(f.tree.unmasked(1) == 0);
  f.tree.post(0, vertical_blank | flip_done(0) | flip_done(1));
  f.tree.post(1, vertical_blank);
  f.tree.deliver();
  CHECK(f.serve().display == (1u << 7 | 1u << 26));
  f.write(reg::DEIMR, 0);
  f.tree.post(1, vertical_blank | flip_done(0) | flip_done(1) | pipe_event::crc_done);
  CHECK(f.read(reg::DEIIR) == (1u << 15 | 1u << 27 | 1u << 29 | 1u << 10));
}

TEST_CASE("Gen5: the PCH's events come through its bit of the display's block, which follows their level") {
  Fixture f;
  f.install();
  f.tree.show_connected(1, true);
  CHECK(f.read(reg::SDEISR) == port_c);
  f.tree.raise_hot_plug(1);
  CHECK(f.tree.level());
  CHECK((f.read(reg::DEISR) & pch) != 0);
  // A second event of the PCH while the first is served: its enable is off, and comes back with something pending.
  const uint32_t enable = f.read(reg::SDEIER);
  f.write(reg::SDEIER, 0);
  f.write(reg::SDEIIR, port_c);
  f.tree.raise_gmbus();
  f.write(reg::DEIIR, pch);
  CHECK_FALSE(f.tree.level());
  f.write(reg::SDEIER, enable);
  CHECK(f.tree.level());
  const Served second = f.serve();
  CHECK(second.pch == 1u << 24);
  CHECK_FALSE(f.tree.level());
  CHECK((f.read(reg::DEISR) & pch) == 0);
}

TEST_CASE("Gen5: the tree's state survives saving, a reset clears it") {
  Fixture f, loaded;
  f.install();
  f.tree.raise(EngineId::vcs0, user);
  f.tree.raise_hot_plug(2);
  Archive writer;
  f.tree.state(writer);
  Archive reader(writer.output());
  loaded.tree.state(reader);
  CHECK_FALSE(reader.failed());
  CHECK(loaded.tree.level());
  CHECK(loaded.serve().gt == 0x20);
  f.tree.reset();
  CHECK_FALSE(f.tree.level());
  CHECK(f.read(reg::DEIER) == 0);
}
