// SPDX-License-Identifier: GPL-2.0-or-later
// Ironlake's page faults, sync flush and watchdog. Sections are those of the ILK PRM vol 1: "2:" of part 2, "4:" of part 4.
#include "tests/unit/cs/ring_rig.h"

using namespace softgen;
using namespace softgen::cs;
using namespace softgen::cs::test;
using ring::index;
using ring::start;
using ring::store_dword;

namespace {

constexpr EngineId rcs = EngineId::rcs, vcs = EngineId::vcs0;
constexpr uint32_t free_at = RingMachine::free_at + 0x10'0000;
constexpr uint32_t page_table_error = 1u << 4, of_global_table = 1u << 11, valid = 1;
constexpr uint32_t sync_flush = 1u << 5, sync_status = 1u << 2;

struct Fixture : RingMachine {
  void unmap(uint32_t address) { ggtt.set_pte(address >> 12, 0); }
};

}  // namespace

// 2: 5.7.1, 5.7.1.1.
TEST_CASE("Gen5 errors: the first page fault of each engine is recorded, and commands go on") {
  const EngineId id = GENERATE(rcs, vcs);
  const uint32_t mine = id == rcs ? 0x4094 : 0x4194, others = id == rcs ? 0x4194 : 0x4094;
  Fixture f;
  Ring r(f, id);
  f.unmap(free_at);
  f.unmap(free_at + 0x1000);
  r.run(store_dword(free_at + 8, 1) + store_dword(free_at + 0x1008, 2) + store_dword(free_at + 0x2000, 3));
  CHECK(f.read(free_at + 0x2000) == 3);
  CHECK(f.registers.read(mine) == (free_at | of_global_table | valid));
  CHECK(f.registers.read(others) == 0);
  CHECK(f.registers.read(0x2024) == 0x10);
  CHECK(r.get(softgen::reg::RING_ESR) == page_table_error);
  CHECK(r.get(softgen::reg::RING_EIR) == page_table_error);
  CHECK(f.take_interrupts() == 1u << 3);
  // "It can only be cleared by SW, which will also clear the other fields."
  f.registers.write(mine, 0);
  CHECK(f.registers.read(mine) == 0);
  r.run(store_dword(free_at + 0x1008, 2));
  CHECK(f.registers.read(mine) == ((free_at + 0x1000) | of_global_table | valid));
  // 2: 5.7.2: page table errors cannot be cleared.
  r.set(softgen::reg::RING_EIR, page_table_error);
  CHECK(r.get(softgen::reg::RING_ESR) == page_table_error);
}

// 2: 5.3.11.2.
TEST_CASE("Gen5 errors: a sync flush clears its bit, and turns the status over") {
  const EngineId id = GENERATE(rcs, vcs);
  Fixture f;
  Ring r(f, id);
  const uint32_t page = RingMachine::status_page(id);
  r.set(softgen::reg::RING_HWSTAM, ~sync_status);
  const size_t flushes = f.engine(id).flushes.size();
  SECTION("of an idle engine, at once") {
    for (const uint32_t status : {sync_status, 0u, sync_status}) {
      r.set(softgen::reg::RING_INSTPM, sync_flush << 16 | sync_flush);
      CHECK((r.get(softgen::reg::RING_INSTPM) & sync_flush) == 0);
      CHECK((f.registers.read(0x44010) & sync_status) == status);
      CHECK(f.read(page) == status);
    }
    CHECK(f.engine(id).flushes.size() == flushes + 3);
  }
  SECTION("before the next command, of a batch, too") {
    const Dwords commands = {mi(0x22, 1), softgen::test::engine_register(id, softgen::reg::RING_INSTPM), sync_flush << 16 | sync_flush};
    r.run(commands + store_dword(free_at, 1) + Dwords{noop});
    CHECK(f.read(free_at) == 1);
    CHECK(f.read(page) == sync_status);
  }
  SECTION("not while MI_SUSPEND_FLUSH holds it back (4: 1.2.9)") {
    r.run({mi(0x0b, 1), noop});
    r.set(softgen::reg::RING_INSTPM, sync_flush << 16 | sync_flush);
    r.run(store_dword(free_at, 1));
    CHECK((r.get(softgen::reg::RING_INSTPM) & sync_flush) != 0);
    CHECK(f.read(page) == 0);
    r.run({mi(0x0b, 0), noop});
    CHECK((r.get(softgen::reg::RING_INSTPM) & sync_flush) == 0);
    CHECK(f.read(page) == sync_status);
  }
  SECTION("it is part of a saved state, and not of a reset engine") {
    r.set(softgen::reg::RING_INSTPM, sync_flush << 16 | sync_flush);
    Fixture other;
    REQUIRE(other.load_state(f.save_state()));
    Ring again(other, id);
    again.set(softgen::reg::RING_HWSTAM, ~sync_status);
    again.set(softgen::reg::RING_INSTPM, sync_flush << 16 | sync_flush);
    CHECK((other.registers.read(0x44010) & sync_status) == 0);
    f.reset_engine(id);
    f.interrupts.reset_engines(1u << static_cast<unsigned>(id));
    CHECK((f.registers.read(0x44010) & sync_status) == 0);
  }
}

// 2: 5.5: all of the status is written, whichever bit has changed.
TEST_CASE("Gen5 errors: a user interrupt's status write shows the sync status") {
  Fixture f;
  Ring r(f);
  r.set(softgen::reg::RING_INSTPM, sync_flush << 16 | sync_flush);
  r.set(softgen::reg::RING_HWSTAM, ~1u);
  r.run({user_interrupt, noop});
  CHECK(f.read(RingMachine::status_page(rcs)) == sync_status);
}

// 4: 1.1.6; the interrupt: table 1-4, bit 6.
TEST_CASE("Gen5 errors: the video streamer's watchdog") {
  Fixture f;
  Ring r(f, vcs);
  constexpr uint32_t ticks = 12'500, expired = 1u << 6;  // a millisecond
  const auto after = [&](int64_t ns) {
    f.host.now += ns;
    f.cs->look();
    return f.take_interrupts() & expired;
  };
  CHECK(r.get(softgen::reg::RING_CNTR) == ~0u);
  CHECK(r.get(softgen::reg::RING_THRSH) == 0x14500);
  f.registers.write(0x1217c, ticks);
  CHECK_FALSE(after(5'000'000));
  f.registers.write(0x12178, 0);
  CHECK_FALSE(after(999'000));
  CHECK(after(1'000));
  CHECK(after(1'000'000));  // "the counter is reset"
  f.registers.write(0x12178, ~0u);
  CHECK_FALSE(after(5'000'000));
}
