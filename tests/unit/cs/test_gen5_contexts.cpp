// SPDX-License-Identifier: GPL-2.0-or-later
// Ironlake's logical rendering contexts. Sections are those of the ILK PRM vol 1 part 2.
#include "tests/unit/cs/ring_rig.h"

using namespace softgen;
using namespace softgen::cs;
using namespace softgen::cs::test;
using ring::force_restore;
using ring::restore_inhibit;
using ring::set_context;

namespace {

constexpr EngineId rcs = EngineId::rcs;
constexpr uint32_t first = 0x0060'0000, second = 0x0060'0800, third = 0x0060'1000;
constexpr uint32_t color_header = 0x5430'0004;  // XY_COLOR_BLT

struct Fixture : RingMachine {
  Ring r{*this};
  /// A packet that sets the engine's word.
  static Dwords word(uint32_t value) { return {color_header, 0, 0, 0, 0, value}; }
  uint32_t word() { return engine(rcs).context.word; }
  void run(const Dwords& commands) { r.run(commands); }
  uint32_t ccid() { return r.get(softgen::reg::RING_CCID); }
};

}  // namespace

// 5.8.1.1: "The first time a valid CCID is set from a ring buffer, the normal context save operation will be suppressed".
TEST_CASE("Gen5 contexts: the first MI_SET_CONTEXT saves nothing") {
  Fixture f;
  CHECK((f.ccid() & 1) == 0);
  f.run(Fixture::word(5) + set_context(first, restore_inhibit));
  CHECK(f.ccid() == (first | 0x101));
  CHECK(f.word() == 5);
  CHECK(f.read(first) == 0);
  CHECK(f.engine(rcs).restores == 0);
}

// 5.8.1.3.2 and 5.8.1.4. With Restore Inhibit the state stays as it is.
TEST_CASE("Gen5 contexts: state and registers are saved and restored") {
  Fixture f;
  f.run(set_context(first, restore_inhibit) + Fixture::word(1));
  f.registers.write(0x2120, 0x0001'0001);
  f.registers.write(0x20e4, 0x0010'0010);
  f.registers.poke64(0x2350, 0x1'0000'0011);
  f.run(set_context(second, restore_inhibit));
  CHECK(f.word() == 1);
  CHECK(f.read(first) != 0);
  f.run(Fixture::word(2));
  f.registers.write(0x2120, 0x0001'0000);
  f.registers.write(0x20e4, 0x0010'0000);
  f.registers.poke64(0x2350, 0x22);
  f.run(set_context(first));
  CHECK(f.word() == 1);
  CHECK(f.registers.read(0x2120) == 1);
  CHECK(f.registers.read(0x20e4) == 0x10);
  CHECK(f.registers.peek64(0x2350) == 0x1'0000'0011);
  f.run(set_context(second));
  CHECK(f.word() == 2);
  CHECK(f.registers.read(0x2120) == 0);
  CHECK(f.registers.peek64(0x2350) == 0x22);
  // It saved with a fence in front: 5.3.8.
  CHECK(f.engine(rcs).flushes.size() == 4);
}

// 5.8.1: 2 KiB. i915 copies images (gt/intel_gt.c, __engines_record_defaults).
TEST_CASE("Gen5 contexts: an image is 2 KiB and may be copied") {
  Fixture f;
  f.write(first + 2048, {0x1234'5678});
  f.run(set_context(first, restore_inhibit) + Fixture::word(7) + set_context(second, restore_inhibit) + Fixture::word(8));
  CHECK(f.read(first + 2048) == 0x1234'5678);
  std::vector<std::byte> image(2048);
  f.memory.read(first, image.data(), image.size());
  f.memory.write(third, image.data(), image.size());
  f.run(set_context(third));
  CHECK(f.word() == 7);
  CHECK(f.registers.read(0x21a0) == 0x1f);
}

// 5.8.1.2: a switch where the addresses differ; CCID is loaded "irrespective of the LPCA comparison result".
TEST_CASE("Gen5 contexts: the same context again") {
  Fixture f;
  f.run(set_context(first, restore_inhibit) + Fixture::word(1) + set_context(second, restore_inhibit) + set_context(first));
  const unsigned restores = f.engine(rcs).restores;
  f.run(Fixture::word(3) + set_context(first, 0xc));
  CHECK(f.word() == 3);
  CHECK(f.engine(rcs).restores == restores);
  CHECK(f.ccid() == (first | 0x10d));
  SECTION("with Force Restore it is saved, too (5.8.1.4)") {
    f.run(set_context(first, force_restore));
    CHECK(f.engine(rcs).restores == restores + 1);
    CHECK(f.word() == 3);
  }
}

// 5.8.1.2: "permitted only within a ring buffer".
TEST_CASE("Gen5 contexts: not in a batch") {
  Fixture f;
  f.run(set_context(first, restore_inhibit));
  f.run(ring::start(f.batch(set_context(second, restore_inhibit) + Dwords{batch_end})));
  CHECK(f.ccid() == (first | 0x101));
  CHECK(failure_count(Failure::guest_error, "MI_SET_CONTEXT in a batch") == 1);
}

// 5.8.1.3.1, rule 3: never saved by hardware.
TEST_CASE("Gen5 contexts: an image of the guest's own") {
  Fixture f;
  f.run(set_context(first, restore_inhibit) + Fixture::word(1));
  SECTION("of zeros") {
    f.run(set_context(second));
    CHECK(f.word() == 0);
    CHECK(failure_count(Failure::guest_error, "context image that MI_SET_CONTEXT has not saved") > 0);
  }
  SECTION("that names registers of others") {
    f.run(set_context(second, restore_inhibit) + set_context(first));
    const uint32_t before = f.registers.read(0x2080);
    f.write(second + 4, {0x2080, 0xdead'b000});
    f.run(set_context(second));
    CHECK(f.registers.read(0x2080) == before);
    CHECK(failure_count(Failure::guest_error, "context image that MI_SET_CONTEXT has not saved") == 1);
  }
  SECTION("that ends nowhere") {
    f.run(set_context(second, restore_inhibit) + set_context(first));
    f.write(second, {mi(0x22, 0xff)});
    f.run(set_context(second));
    CHECK(failure_count(Failure::guest_error, "context image that MI_SET_CONTEXT has not saved") == 1);
  }
  CHECK(f.r.get(softgen::reg::RING_ESR) == 0);
}

TEST_CASE("Gen5 contexts: an image in physical memory is counted") {
  Fixture f;
  f.run({mi(0x18), first | restore_inhibit});
  CHECK(failure_count(Failure::unimplemented, "Ironlake: MI_SET_CONTEXT with an image in physical memory") == 1);
  CHECK(f.ccid() == 0);
}

TEST_CASE("Gen5 contexts: after a reset no context is current") {
  Fixture f;
  f.run(set_context(first, restore_inhibit) + Fixture::word(1));
  f.reset_engine(rcs);
  CHECK(f.ccid() == 0);
  CHECK(f.word() == 0);
  Ring again(f);
  again.run(set_context(second, restore_inhibit));
  CHECK(f.read(first) == 0);
}

TEST_CASE("Gen5 contexts: a saved state keeps the engine's state") {
  Fixture f;
  f.run(set_context(first, restore_inhibit) + Fixture::word(9));
  RingMachine other;
  REQUIRE(other.load_state(f.save_state()));
  CHECK(other.engine(rcs).context.word == 9);
  CHECK(other.reg(rcs, softgen::reg::RING_CCID) == (first | 0x101));
}
