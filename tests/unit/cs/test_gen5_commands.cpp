// SPDX-License-Identifier: GPL-2.0-or-later
// Ironlake's MI commands and PIPE_CONTROL. Sections are those of the ILK PRM vol 1: "2:" of part 2, "4:" of part 4.
#include <random>
#include <set>

#include "hw/cs/printer.h"
#include "hw/defs/gen5/set.h"
#include "tests/unit/cs/ring_rig.h"

using namespace softgen;
using namespace softgen::cs;
using namespace softgen::cs::test;
using ring::index;
using ring::nonsecure;
using ring::start;
using ring::store_dword;

namespace {

constexpr EngineId rcs = EngineId::rcs, vcs = EngineId::vcs0;
constexpr uint32_t free_at = RingMachine::free_at + 0x10'0000;

/// The render engine's ring, which runs what it is given.
struct Fixture : RingMachine {
  Ring r{*this};
  void run(const Dwords& commands) { r.run(commands); }
  void run_batch(const Dwords& commands, uint32_t flags = 0) { r.run(start(batch(commands + Dwords{batch_end}), flags)); }
  uint32_t get(uint32_t relative) { return r.get(relative); }
};

}  // namespace

// 4: 1.2.5; NOPID: 1.1.3.3. At 4094h is GFX_PAGE_FAULT (2: 5.7.1.1).
TEST_CASE("Gen5 commands: MI_NOOP with a number") {
  Fixture f;
  f.run({mi(0, 1u << 22 | 0x2a'bcde), mi(0, 0x1111)});
  CHECK(f.get(softgen::reg::RING_NOPID) == 0x2a'bcde);
  Ring video(f, vcs);
  f.registers.poke(0x4094, 0x5678'9001);
  video.run({mi(0, 1u << 22 | 0x3f'ffff), noop});
  CHECK(f.registers.read(0x12094) == 0x3f'ffff);
  CHECK(f.registers.read(0x4094) == 0x5678'9001);
}

// 4: 1.2.7.
TEST_CASE("Gen5 commands: MI_STORE_DATA_IMM to graphics memory") {
  Fixture f;
  f.run(store_dword(free_at, 1) + Dwords{mi(0x20, 1u << 22 | 3), 0, free_at + 8, 2, 3, noop});
  CHECK(f.read(free_at) == 1);
  CHECK(f.read(free_at + 8) == 2);
  CHECK(f.read(free_at + 12) == 3);
  f.run_batch(store_dword(free_at + 16, 4), nonsecure);
  CHECK(f.read(free_at + 16) == 4);
}

// 2: 5.3.7.6. Bits 35:32 of the address in dword 1.
TEST_CASE("Gen5 commands: MI_STORE_DATA_IMM to a physical address") {
  Fixture f;
  f.ggtt.set_pte(free_at / 4096, 0);  // no translation is needed
  f.run({mi(0x20, 2), 0, free_at, 0x77});
  CHECK(f.read(free_at) == 0x77);
  f.run_batch({mi(0x20, 2), 0, free_at + 4, 0x78});
  CHECK(f.read(free_at + 4) == 0x78);
  f.run({mi(0x20, 2), 0xf, 0x1000, 0x79});
  CHECK(f.read(0xf'0000'1000) == 0x79);
  CHECK(f.get(softgen::reg::RING_ESR) == 0);
}

// 2: 5.3.7.6: "Placing an MI_STORE_DATA in a non-secure batch buffer will instead cause a Command Error [...] the CP can be reactivated only by a full reset."
TEST_CASE("Gen5 commands: a physical address in a non-secure batch is a command error until a reset") {
  Fixture f;
  const uint32_t at = f.batch({noop, mi(0x20, 2), 0, free_at, 1, batch_end});
  f.run(start(at, nonsecure) + store_dword(free_at + 4, 2));
  CHECK(f.read(free_at) == 0);
  CHECK(f.get(softgen::reg::RING_ESR) == 1);
  CHECK(f.get(softgen::reg::RING_EIR) == 1);
  CHECK(f.get(softgen::reg::RING_IPEHR) == mi(0x20, 2));
  CHECK(f.get(softgen::reg::RING_IPEIR) == 8);
  CHECK(f.get(softgen::reg::RING_ACTHD) == at + 4);
  CHECK(f.take_interrupts() == 1u << 3);
  f.run(store_dword(free_at + 8, 3));
  CHECK(f.read(free_at + 4) == 0);
  CHECK(f.read(free_at + 8) == 0);
  f.reset_engine(rcs);
  CHECK(f.get(softgen::reg::RING_IPEIR) == 0);
  Ring again(f);
  again.run(store_dword(free_at + 8, 3));
  CHECK(f.read(free_at + 8) == 3);
}

// 4: 1.2.8.
TEST_CASE("Gen5 commands: MI_STORE_DATA_INDEX") {
  Fixture f;
  const uint32_t page = RingMachine::status_page(rcs);
  f.run(index(16, 1) + Dwords{mi(0x21, 2), 0x48, 2, 3});
  CHECK(f.read(page + 0x40) == 1);
  CHECK(f.read(page + 0x48) == 2);
  CHECK(f.read(page + 0x4c) == 3);
  // There is no per-process page while per-process tables are off, and a non-secure batch may use the command.
  f.run_batch({mi(0x21, 1u << 21 | 1), 0xffc, 4}, nonsecure);
  CHECK(f.read(page + 0xffc) == 4);
}

// 4: 1.2.4, 1.1.5 (Disable Register Accesses).
TEST_CASE("Gen5 commands: MI_LOAD_REGISTER_IMM") {
  Fixture f;
  f.run({mi(0x22, 1), 0x2310, 0x1122'3344});
  CHECK(f.registers.read(0x2310) == 0x1122'3344);
  f.run({mi(0x22, 5u << 8 | 1), 0x2310, 0xffff'ffff});
  CHECK(f.registers.read(0x2310) == 0xff22'ff44);
  f.run_batch({mi(0x22, 1), 0x2310, 1});
  CHECK(f.registers.read(0x2310) == 1);
  f.run_batch({mi(0x22, 1), 0x2310, 2}, nonsecure);
  CHECK(f.registers.read(0x2310) == 1);
  f.r.set(softgen::reg::RING_CTL, (f.r.bytes - 4096) | 1u << 8 | 1);
  f.run({mi(0x22, 1), 0x2310, 3});
  f.run(ring::srm(0x2310, free_at));
  CHECK(f.registers.read(0x2310) == 1);
  CHECK(f.read(free_at) == 1);  // reads are allowed
}

// 2: chapter 2: "A command stream load register immediate will drop the data and store register immediate will return all Zeros."
TEST_CASE("Gen5 commands: the window to the memory controller is the CPU's alone") {
  Fixture f;
  f.registers.poke(0x14'0c10, 5);
  f.write(free_at, {7});
  f.run(Dwords{mi(0x22, 1), 0x14'0c10, 9, noop} + ring::srm(0x14'0c10, free_at));
  CHECK(f.registers.peek(0x14'0c10) == 5);
  CHECK(f.read(free_at) == 0);
}

// 2: 3.6.1; an entry has four bytes, bits 35:32 of the address in 7:4.
TEST_CASE("Gen5 commands: MI_UPDATE_GTT") {
  Fixture f;
  f.write(0x0200'0000, {0x11});
  f.write(0x0200'1000, {0x22});
  f.run({mi(0x23, 1u << 22 | 2), 0x3000'0000, 0x0200'1001, 0x0200'0001, noop, noop});
  CHECK(f.ggtt.pte(0x3'0000) == 0x0200'1001);
  CHECK(f.gtt_writes == 1);
  f.run(store_dword(0x3000'0004, 0x33) + store_dword(0x3000'1004, 0x44));
  CHECK(f.read(0x0200'1004) == 0x33);
  CHECK(f.read(0x0200'0004) == 0x44);
  f.run({mi(0x23, 1u << 22 | 1), 0xffff'f000, 1});  // behind the table's end
  CHECK(f.get(softgen::reg::RING_ESR) == 0);
  f.run_batch({mi(0x23, 1u << 22 | 1), 0x3000'0000, 0}, nonsecure);
  CHECK(f.ggtt.pte(0x3'0000) == 0x0200'1001);
}

// 4: 1.2.3, Buffer Security Indicator: it "cannot execute privileged commands".
TEST_CASE("Gen5 commands: privileged commands are no-ops in a non-secure batch") {
  Fixture f;
  const Dwords commands[] = {{mi(0x22, 1), 0x2310, 2}, {mi(0x07)},    ring::srm(0x2310, free_at),
                             {mi(0x18), 0x0050'0100},  {mi(0x08, 0)}, {mi(0x14, 1), 0, 0}};
  f.registers.write(0x2310, 1);
  for (const Dwords& command : commands) {
    INFO(std::hex << command[0]);
    f.write(free_at, {0, 0});
    const uint64_t before = failure_count(Failure::guest_error, "privileged command in a non-secure batch");
    f.run_batch(command + store_dword(free_at + 4, 1), nonsecure);
    CHECK(failure_count(Failure::guest_error, "privileged command in a non-secure batch") == before + 1);
    CHECK(f.read(free_at) == 0);
    CHECK(f.read(free_at + 4) == 1);
    CHECK(f.get(softgen::reg::RING_ESR) == 0);
  }
  CHECK(f.registers.read(0x2310) == 1);
  CHECK(f.read(RingMachine::status_page(rcs) + 16) == 0);
  CHECK(f.get(softgen::reg::RING_CCID) == 0);
}

// 2: 5.3.7.2, 5.3.7.3.5; 4: 1.1.3.4, 1.1.5 (RBWait), 1.2.11.
TEST_CASE("Gen5 commands: MI_WAIT_FOR_EVENT waits while a condition code is set") {
  Fixture f;
  const bool in_batch = GENERATE(false, true);
  const unsigned code = GENERATE(1u, 5u);
  const uint32_t bit = 1u << (code - 1);
  f.r.set(softgen::reg::RING_EXCC, bit << 16 | bit);
  const Dwords commands = ring::wait_code(code) + store_dword(free_at, 1);
  if (in_batch) f.run_batch(commands);
  else f.run(commands);
  CHECK(f.read(free_at) == 0);
  CHECK(f.get(softgen::reg::RING_CTL) & 1u << 11);
  f.r.set(softgen::reg::RING_CTL, f.get(softgen::reg::RING_CTL) & ~(1u << 11));  // a 0 has no effect
  CHECK(f.get(softgen::reg::RING_CTL) & 1u << 11);
  CHECK(f.read(free_at) == 0);
  SECTION("until the code is clear") { f.r.set(softgen::reg::RING_EXCC, bit << 16); }
  SECTION("until software cancels the wait") { f.r.set(softgen::reg::RING_CTL, f.get(softgen::reg::RING_CTL)); }
  CHECK(f.read(free_at) == 1);
  CHECK((f.get(softgen::reg::RING_CTL) & 1u << 11) == 0);
  // With the code clear the command is no operation.
  f.r.set(softgen::reg::RING_EXCC, bit << 16);
  f.run(ring::wait_code(code) + store_dword(free_at + 4, 2));
  CHECK(f.read(free_at + 4) == 2);
}

TEST_CASE("Gen5 commands: one wait after the other can be cancelled") {
  Fixture f;
  f.r.set(softgen::reg::RING_EXCC, 0x0003'0003);
  f.run(ring::wait_code(1) + store_dword(free_at, 1) + ring::wait_code(2) + store_dword(free_at + 4, 2));
  f.r.set(softgen::reg::RING_CTL, f.get(softgen::reg::RING_CTL));
  CHECK(f.read(free_at) == 1);
  CHECK(f.read(free_at + 4) == 0);
  CHECK(f.get(softgen::reg::RING_CTL) & 1u << 11);
  f.r.set(softgen::reg::RING_CTL, f.get(softgen::reg::RING_CTL));
  CHECK(f.read(free_at + 4) == 2);
}

// 2: 5.3.7.2, 5.3.7.3.
TEST_CASE("Gen5 commands: MI_WAIT_FOR_EVENT waits for events of display pipes") {
  using Kind = PipeWait::Kind;
  struct Row {
    unsigned bit;
    Kind kind;
    unsigned pipe, plane;
  };
  const Row row = GENERATE(Row{3, Kind::vertical_blank, 0, 0}, Row{11, Kind::vertical_blank, 1, 0}, Row{5, Kind::horizontal_blank, 0, 0},
                           Row{13, Kind::horizontal_blank, 1, 0}, Row{0, Kind::scan_line, 0, 0}, Row{8, Kind::scan_line, 1, 0},
                           Row{1, Kind::flip, 0, 0}, Row{9, Kind::flip, 1, 0}, Row{2, Kind::flip, 0, 1}, Row{10, Kind::flip, 1, 1});
  CAPTURE(row.bit);
  const bool in_batch = GENERATE(false, true);
  Fixture f;
  const int64_t until = f.host.now + 5000;
  f.display.answer = until;
  const Dwords commands = Dwords{mi(0x03, 1u << row.bit), noop} + store_dword(free_at, 1);
  if (in_batch) f.run_batch(commands);
  else f.run(commands);
  REQUIRE(f.display.asked.size() == 1);
  CHECK(f.display.asked[0].kind == row.kind);
  CHECK(f.display.asked[0].pipe == row.pipe);
  CHECK(f.display.asked[0].plane == row.plane);
  CHECK(f.read(free_at) == 0);
  CHECK(f.get(softgen::reg::RING_CTL) & 1u << 11);
  CHECK(f.wakes.back() == until);
  f.host.now = until - 1;
  f.cs->look();
  f.cs->poll();
  CHECK(f.read(free_at) == 0);
  SECTION("until then") {
    f.host.now = until;
    f.cs->look();
    f.cs->poll();
  }
  SECTION("or software cancels the wait") { f.r.set(softgen::reg::RING_CTL, f.get(softgen::reg::RING_CTL)); }
  CHECK(f.read(free_at) == 1);
  CHECK((f.get(softgen::reg::RING_CTL) & 1u << 11) == 0);
  CHECK(f.display.asked.size() == 1);
  // Of a pipe that is off, and a condition that does not hold.
  f.display.answer = std::nullopt;
  f.run(Dwords{mi(0x03, 1u << row.bit), noop} + store_dword(free_at + 4, 2));
  CHECK(f.read(free_at + 4) == 2);
}

TEST_CASE("Gen5 commands: MI_LOAD_SCAN_LINES loads what a wait compares with") {
  Fixture f;
  f.run({mi(0x12, 0), 100u << 16 | 200, mi(0x13, 1u << 20), 7u << 16 | 9, mi(0x03, 1), mi(0x03, 1u << 8)});
  REQUIRE(f.display.asked.size() == 2);
  CHECK((f.display.asked[0].lines.first == 100 && f.display.asked[0].lines.last == 200 && !f.display.asked[0].lines.outside));
  CHECK((f.display.asked[1].lines.first == 7 && f.display.asked[1].lines.last == 9 && f.display.asked[1].lines.outside));
}

TEST_CASE("Gen5 commands: MI_DISPLAY_FLIP writes the plane's registers") {
  Fixture f;
  const unsigned plane = GENERATE(0u, 1u, 2u, 3u);
  const bool with_address = GENERATE(false, true);
  const uint32_t base = (plane < 2 ? 0x70000 : 0x72000) + plane % 2 * 0x1000;
  f.registers.poke(base + 0x180, 0x8000'0000);
  f.run({mi(0x14, plane << 20 | 1), 2048u | (with_address ? 0 : 1), 0x123'4000u | (with_address ? 1 : 0), noop});
  CHECK(f.registers.peek(base + 0x180) == (0x8000'0000 | 1u << 10));
  CHECK(f.registers.peek(base + 0x188) == 2048);
  CHECK(f.registers.peek(base + 0x19c) == 0x123'4000);
  f.run({mi(0x14, plane << 20 | 1), 1024, 0x567'8000, noop});
  CHECK(f.registers.peek(base + 0x180) == 0x8000'0000);
  CHECK(f.registers.peek(base + 0x19c) == 0x567'8000);
}

// 4: 1.1.5, Semaphore Wait; 1.1.3.5, 1.1.3.6: VBSYNC, VRSYNC.
TEST_CASE("Gen5 commands: MI_SEMAPHORE_MBOX") {
  Fixture f;
  Ring video(f, vcs);
  constexpr uint32_t by_register = 1u << 18, compare = 1u << 20, update = 1u << 21, gtt = 1u << 22;
  SECTION("waits for a register, which the render engine writes") {
    video.run(Dwords{mi(0x16, by_register | compare | 2u << 16 | 1), 4, 0, noop} + store_dword(free_at, 1));
    CHECK(f.read(free_at) == 0);
    CHECK(video.get(softgen::reg::RING_CTL) & 1u << 10);
    f.run({mi(0x16, by_register | update | 1), 4, 0x12044, noop});
    CHECK(f.read(free_at) == 0);  // greater, not equal
    f.run({mi(0x16, by_register | update | 1), 5, 0x12044, noop});
    CHECK(f.read(free_at) == 1);
    CHECK((video.get(softgen::reg::RING_CTL) & 1u << 10) == 0);
  }
  SECTION("waits for memory") {
    video.run(Dwords{mi(0x16, gtt | compare | 1), 4, free_at + 64, noop} + store_dword(free_at, 1));
    CHECK(f.read(free_at) == 0);
    f.run({mi(0x16, gtt | update | 1), 6, free_at + 64, noop});
    CHECK(f.read(free_at + 64) == 6);
    CHECK(f.read(free_at) == 1);
  }
  SECTION("software cancels the wait") {
    video.run(Dwords{mi(0x16, by_register | compare | 1), 4, 0, noop} + store_dword(free_at, 1));
    CHECK(f.read(free_at) == 0);
    video.set(softgen::reg::RING_CTL, (video.bytes - 4096) | 1u << 10 | 1);
    CHECK(f.read(free_at) == 1);
  }
}

// 2: 5.3.11.1.
TEST_CASE("Gen5 commands: MI_FLUSH") {
  Fixture f;
  f.registers.poke64(0x2350, 99);
  f.run({mi(0x04), mi(0x04, 2)});
  REQUIRE(f.engine(rcs).flushes.size() == 2);
  CHECK_FALSE(f.engine(rcs).flushes[0].state);
  CHECK(f.engine(rcs).flushes[1].state);
  CHECK(f.engine(rcs).flushes[1].texture);
  CHECK(f.registers.peek64(0x2350) == 99);
  f.run({mi(0x04, 8), noop});
  CHECK(f.registers.peek64(0x2350) == 0);
}

// 4: 1.2.9, 1.1.3.1 bit 15.
TEST_CASE("Gen5 commands: MI_SUSPEND_FLUSH") {
  Fixture f;
  f.run({mi(0x0b, 1), noop});
  CHECK(f.get(softgen::reg::RING_MI_MODE) & 0x8000);
  f.run({mi(0x0b, 0), noop});
  CHECK((f.get(softgen::reg::RING_MI_MODE) & 0x8000) == 0);
}

// 2: 5.4.8. As i915 writes it: gt/gen2_engine_cs.c, gen4_emit_flush_rcs; and crocus, in a non-secure batch.
TEST_CASE("Gen5 commands: PIPE_CONTROL") {
  Fixture f;
  f.run({0x7a00'4002, free_at | 4, 0x1111'2222, 0x3333'4444});
  CHECK(f.read(free_at) == 0x1111'2222);
  CHECK(f.read(free_at + 4) == 0x3333'4444);
  f.registers.poke64(0x2350, 0x5'0000'0006);
  f.run_batch({0x7a00'8102, free_at + 8, 0, 0}, nonsecure);
  CHECK(f.read(free_at + 8) == 6);
  CHECK(f.read(free_at + 12) == 5);
  CHECK(f.take_interrupts() == 1u << 4);
  f.host.now = 80 * 1234;
  f.run({0x7a00'c002, (free_at + 16) | 4, 0, 0});
  CHECK(f.read(free_at + 16) == 1234);  // 80 ns: 2: chapter 4
  f.run({0x7a00'0c02, (free_at + 24) | 4, 5, 5});
  CHECK(f.read(free_at + 24) == 0);
  CHECK(f.engine(rcs).flushes.back().texture);
  CHECK(f.engine(rcs).flushes.back().state);
}

// 4: table 1-5; 2: 5.7.
TEST_CASE("Gen5 commands: errors") {
  Fixture f;
  SECTION("an unknown command") {
    f.run(Dwords{0x8000'0000, noop} + store_dword(free_at, 1));
    CHECK(f.get(softgen::reg::RING_ESR) == 1);
    CHECK(f.get(softgen::reg::RING_IPEHR) == 0x8000'0000);
    CHECK(f.read(free_at) == 0);
    // 2: 5.7.2: a bit that is cleared in EIR is cleared in ESR.
    f.r.set(softgen::reg::RING_EIR, 1);
    CHECK(f.get(softgen::reg::RING_EIR) == 0);
    CHECK(f.get(softgen::reg::RING_ESR) == 0);
  }
  SECTION("a batch where no memory is") {
    f.run(start(0x7000'0000));
    CHECK(f.get(softgen::reg::RING_ESR) == 0x10);
    CHECK(f.registers.read(0x2024) == 0x10);
    f.r.set(softgen::reg::RING_EIR, 0x10);  // page table errors last until a reset
    CHECK(f.get(softgen::reg::RING_ESR) == 0x10);
    CHECK(f.get(softgen::reg::RING_EIR) == 0x10);
  }
  CHECK(f.take_interrupts() == 1u << 3);
}

// 4: 1.1.7, HWSTAM: an unmasked change writes the status to dword 0 of the page, where the user interrupt reads 0.
TEST_CASE("Gen5 commands: hardware status writes") {
  Fixture f;
  const uint32_t page = RingMachine::status_page(rcs);
  f.write(page, {0x55});
  f.run({user_interrupt, noop});
  CHECK(f.read(page) == 0x55);
  f.r.set(softgen::reg::RING_HWSTAM, ~1u);
  f.run({user_interrupt, noop});
  CHECK(f.read(page) == 0);
  f.r.set(softgen::reg::RING_HWSTAM, ~8u);
  f.run({0x8000'0000, noop});
  CHECK(f.read(page) == 8);
}

TEST_CASE("Gen5 commands: what is not built is counted by its name") {
  Fixture f;
  struct Row {
    uint32_t offset, value;
    const char* what;
  };
  const Row rows[] = {{0x20c0, 0x0002'0002, "Ironlake: command classes disabled by INSTPM"}};
  for (const Row& row : rows) {
    INFO(std::hex << row.offset);
    const uint64_t before = failure_count(Failure::unimplemented, row.what);
    f.registers.write(row.offset, row.value);
    CHECK(failure_count(Failure::unimplemented, row.what) == before + 1);
  }
  f.run({mi(0x14, 1u << 22 | 1), 0, 0, mi(0x04, 0x10), mi(0x04, 0x40), noop});
  CHECK(failure_count(Failure::unimplemented, "Ironlake: asynchronous MI_DISPLAY_FLIP") == 1);
  f.run(start(f.batch({batch_end}), 1u << 12));
  CHECK(failure_count(Failure::unimplemented, "Ironlake: MI_FLUSH with Generic Media State Clear") == 1);
  CHECK(failure_count(Failure::unimplemented, "Ironlake: MI_FLUSH with Protected Memory Enable") == 1);
  CHECK(failure_count(Failure::unimplemented, "Ironlake: batch in encrypted memory") == 1);
}

// At some offsets of registers that Gen9's streamers have, Ironlake has those of other units: GFX_PAGE_FAULT and its like.
TEST_CASE("Gen5 commands: the streamers write to no register that the platform does not declare") {
  RingMachine m;
  std::set<uint32_t> before, after;
  const auto written = [&](std::set<uint32_t>& found) {
    for (uint32_t offset = 0x2000; offset < 0x5000; offset += 4)
      if (m.registers.peek(offset) && !m.registers.set().find(offset)) found.insert(offset);
  };
  written(before);
  for (const EngineId id : {rcs, vcs}) {
    Ring r(m, id);
    const uint32_t last = m.batch(store_dword(free_at, 1) + Dwords{batch_end});
    r.run(start(m.batch(Dwords{mi(0, 1u << 22 | 5)} + start(last)), nonsecure) + Dwords{user_interrupt, mi(0x07)});
    m.reset_engine(id);
  }
  written(after);
  CHECK(before == after);
  for (const uint32_t offset : {0x4094u, 0x4194u, 0x4294u}) CHECK(m.registers.peek(offset) == 0);
}

// The guest is hostile: any dwords come to an end, as an error, a wait or an endless batch, and a reset gives the streamer back.
TEST_CASE("Gen5 commands: random dwords") {
  RingMachine m;
  std::mt19937 random(5);  // NOLINT: the same each time
  for (unsigned round = 0; round < 200; ++round) {
    const EngineId id = round % 2 ? vcs : rcs;
    Ring r(m, id);
    r.set(softgen::reg::RING_EXCC, 0x001f'0000 | (random() & 3));
    Dwords dwords;
    for (unsigned i = 0; i < 64; ++i) {
      const uint32_t any = random();
      // Of MI commands mostly, with addresses in the first 16 MiB.
      dwords.push_back(any % 4 == 0 ? any : any % 4 == 1 ? mi(random() % 0x38, any >> 8 & 0x7f'ffff) : any & 0x00ff'fffc);
    }
    m.write(free_at, dwords + Dwords{batch_end});
    r.run(start(free_at, round % 3 ? nonsecure : 0) + dwords);
    m.reset_engine(id);
    for (uint32_t page = 0; page < 0x2000; ++page) m.ggtt.set_pte(page, uint64_t{page} << 12 | 1);  // MI_UPDATE_GTT
  }
  Ring r(m);
  r.run(index(0x40, 1));
  CHECK(m.read(RingMachine::status_page(rcs) + 0x100) == 1);
}

// hw/cs/engine_core.cpp leaves out registers that the platform lacks: Gen9 and later lack none.
TEST_CASE("Streamers with execlists have all registers that a reset clears") {
  namespace all = softgen::reg;
  for (const defs::RegisterSet* set : {&defs::gen9::registers, &defs::gen11::registers, &defs::gen12::registers})
    for (const uint32_t relative : {all::RING_ACTHD_UDW, all::RING_IPEIR, all::RING_BBADDR, all::RING_BBADDR_UDW, all::RING_BBSTATE,
                                    all::RING_SBBADDR, all::RING_SBBADDR_UDW, all::RING_SBBSTATE, all::RING_MODE, all::RING_CONTEXT_CONTROL,
                                    all::RING_RESET_CTL, all::RING_CTX_TIMESTAMP}) {
      const defs::Register* const row = set->find(set->engine(rcs)->mmio_base + relative);
      CHECK((row && row->engine));
    }
}

// The walk that does not execute: a batch ends at its own end, and chains.
TEST_CASE("Gen5 commands: printed batches") {
  RingMachine m;
  const defs::Command* const command = defs::gen5::commands.find(defs::EngineClass::render, mi(0x31));
  REQUIRE(command);
  const Dwords dwords = start(free_at, nonsecure);
  const Packet packet{0, command, dwords};
  Cursor cursor;
  const Flow flow = static_flow(packet, cursor);
  CHECK(flow.kind == Flow::Kind::call);
  CHECK(flow.address == free_at);
  CHECK(flow.ppgtt);
  follow(cursor, flow);
  CHECK(static_flow(packet, cursor).kind == Flow::Kind::jump);
}
