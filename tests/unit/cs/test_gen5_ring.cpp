// SPDX-License-Identifier: GPL-2.0-or-later
// Ironlake's rings: the registers, and where commands come from. Sections are those of the ILK PRM vol 1: "2:" of part 2, "4:" of part 4.
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
constexpr uint32_t color = 0x5430'0004;  // XY_COLOR_BLT

}  // namespace

TEST_CASE("Gen5 ring: a request of i915 runs when TAIL is written") {
  RingMachine m;
  Ring r(m);
  const uint32_t at = m.batch({color, 0, 0, 0, 0, 7, batch_end});
  // gt/gen2_engine_cs.c: gen4_emit_bb_start, gen5_emit_breadcrumb.
  r.emit(start(at, nonsecure) + Dwords{mi(0x04), noop});
  r.emit(index(0x80, 1) + index(0x40, 0x1234) + Dwords{user_interrupt});
  CHECK(m.read(RingMachine::status_page(rcs) + 0x100) == 0);
  r.submit();
  CHECK(m.read(RingMachine::status_page(rcs) + 0x100) == 0x1234);
  CHECK(m.engine(rcs).headers == std::vector{color});
  CHECK(m.take_interrupts() == 1);
  CHECK(r.head() == r.tail);
  CHECK(r.get(softgen::reg::RING_MI_MODE) & 0x200);
  CHECK(failure_count(Failure::unimplemented, "Ironlake: sync flush") == 0);
}

TEST_CASE("Gen5 ring: the video streamer's interrupt is bit 5 of GTIIR, and its commands are its own") {
  RingMachine m;
  Ring r(m, vcs);
  r.run(index(0x40, 5) + Dwords{user_interrupt});
  CHECK(m.take_interrupts() == 1u << 5);
  CHECK(m.read(RingMachine::status_page(vcs) + 0x100) == 5);
  // PIPE_CONTROL is the render engine's.
  r.run({0x7a00'0002, 0, 0, 0});
  CHECK(r.get(softgen::reg::RING_ESR) == 1);
}

// 2: 5.3.4.2, Head Wrap Count; commands may go over the end.
TEST_CASE("Gen5 ring: HEAD wraps and counts") {
  RingMachine m;
  Ring r(m, rcs, 4096);
  r.run(Dwords(1022, noop));
  CHECK(r.head() == 4088);
  r.run(store_dword(free_at, 0xabcd));  // 4 dwords, two of them behind the end
  CHECK(m.read(free_at) == 0xabcd);
  CHECK(r.head() == (1u << 21 | 8));
  for (unsigned i = 0; i < 2 * 2046; ++i) r.run(Dwords(512, noop));
  CHECK(r.head() == (2047u << 21 | 8));
  for (unsigned i = 0; i < 2; ++i) r.run(Dwords(512, noop));
  CHECK(r.head() == 8);
}

// 4: 1.1.5, Starting Address: "Writing this register also causes the Head Offset to be reset to zero, and the Wrap Count".
TEST_CASE("Gen5 ring: START resets HEAD") {
  RingMachine m;
  for (const EngineId id : {rcs, vcs}) {
    Ring r(m, id);
    r.run(Dwords(8, noop));
    CHECK(r.head() == 32);
    r.set(softgen::reg::RING_CTL, 0);
    r.set(softgen::reg::RING_START, r.start);
    CHECK(r.head() == 0);
  }
}

// 2: 5.3.4.2, Ring Buffer Valid: "enabling or disabling a Ring Buffer does not of itself change any other Ring Buffer register fields".
TEST_CASE("Gen5 ring: nothing runs while it is disabled, and enabled it begins with HEAD and TAIL as they are") {
  RingMachine m;
  Ring r(m);
  r.set(softgen::reg::RING_CTL, 0);
  r.run(store_dword(free_at, 1));
  CHECK(m.read(free_at) == 0);
  CHECK(r.head() == 0);
  CHECK(r.get(softgen::reg::RING_TAIL) == 16);
  r.set(softgen::reg::RING_CTL, r.bytes - 4096 | 1);
  CHECK(m.read(free_at) == 1);
  CHECK(r.head() == 16);
  // It may begin elsewhere than at 0.
  r.set(softgen::reg::RING_CTL, 0);
  r.emit(store_dword(free_at, 2) + store_dword(free_at + 4, 3));
  r.set(softgen::reg::RING_HEAD, 32);
  r.set(softgen::reg::RING_TAIL, r.tail);
  r.set(softgen::reg::RING_CTL, r.bytes - 4096 | 1);
  CHECK(m.read(free_at) == 1);
  CHECK(m.read(free_at + 4) == 3);
}

TEST_CASE("Gen5 ring: Stop Rings") {
  RingMachine m;
  Ring r(m);
  r.set(softgen::reg::RING_MI_MODE, 0x0100'0100);
  r.run(store_dword(free_at, 1));
  CHECK(m.read(free_at) == 0);
  CHECK(r.get(softgen::reg::RING_MI_MODE) == 0x300);
  r.set(softgen::reg::RING_MI_MODE, 0x0100'0000);
  CHECK(m.read(free_at) == 1);
}

// 2: 5.3.4.6. The bits of INSTPM and TAIL are chosen.
TEST_CASE("Gen5 ring: TAIL's In Use is a semaphore for who reads it") {
  RingMachine m;
  const EngineId id = GENERATE(rcs, vcs);
  Ring r(m, id);
  constexpr uint32_t in_use = 1, mutex_enable = 1 << 10;
  const auto tail = [&] { return r.get(softgen::reg::RING_TAIL); };
  CHECK((tail() & in_use) == 0);
  CHECK((tail() & in_use) == 0);
  r.set(softgen::reg::RING_INSTPM, mutex_enable << 16 | mutex_enable);
  CHECK((tail() & in_use) == 0);
  CHECK((tail() & in_use) == in_use);
  CHECK((tail() & in_use) == in_use);
  r.run(store_dword(free_at, 5));  // writes TAIL, which gives the ring back
  CHECK(m.read(free_at) == 5);
  CHECK(tail() == r.tail);
  CHECK(tail() == (r.tail | in_use));
  // Taken, the ring runs as before.
  r.set(softgen::reg::RING_INSTPM, mutex_enable << 16);
  CHECK(tail() == r.tail);
  CHECK(failure_count(Failure::unimplemented, "Ironlake: command classes disabled by INSTPM") == 0);
}

// 4: 1.1.5, Automatic Report Head Pointer; 1.1.2.3: dword 4 of the status page.
TEST_CASE("Gen5 ring: automatic reports of HEAD") {
  RingMachine m;
  struct Row {
    uint32_t code, distance;
  };
  const auto [code, distance] = GENERATE(Row{0, 0}, Row{1, 64 << 10}, Row{2, 4 << 10}, Row{3, 128 << 10});
  Ring r(m, rcs, 256 << 10, code << 1);
  const uint64_t report = RingMachine::status_page(rcs) + 16;
  for (uint32_t at = 1024; at <= 256 << 10; at += 1024) {
    r.run(Dwords(256, noop));
    const uint32_t expected = distance ? at / distance * distance : 0;
    CHECK((m.read(report) & 0x1f'fffc) == (expected == 256 << 10 ? 0 : expected));
  }
  CHECK(m.read(report) == (distance ? 1u << 21 : 0u));
}

// 4: 1.2.6.
TEST_CASE("Gen5 ring: MI_REPORT_HEAD") {
  RingMachine m;
  Ring r(m);
  const uint64_t report = RingMachine::status_page(rcs) + 16;
  r.run({noop, noop, mi(0x07), noop});
  CHECK(m.read(report) == 12);
  const uint32_t at = m.batch({mi(0x07), batch_end});
  r.run(start(at));
  CHECK(m.read(report) == 12);
  CHECK(failure_count(Failure::guest_error, "MI_REPORT_HEAD in a batch") == 1);
}

// 2: 5.3.5.1, 5.3.5.2: control returns to the ring, also from the end of a chain; 4: 1.1.8.1, BB_ADDR.
TEST_CASE("Gen5 ring: batches chain, and the end of a chain returns to the ring") {
  RingMachine m;
  Ring r(m);
  const uint32_t last = m.batch(ring::srm(0x2140, free_at) + store_dword(free_at + 8, 3) + Dwords{batch_end});
  const uint32_t first = m.batch(store_dword(free_at + 4, 2) + start(last) + store_dword(free_at + 12, 9) + Dwords{batch_end});
  r.run(start(first) + store_dword(free_at + 16, 4));
  CHECK(m.read(free_at) == (last | 1));
  CHECK(m.read(free_at + 4) == 2);
  CHECK(m.read(free_at + 8) == 3);
  CHECK(m.read(free_at + 12) == 0);
  CHECK(m.read(free_at + 16) == 4);
  CHECK((r.get(softgen::reg::RING_BBADDR) & 1) == 0);
}

// 4: 1.2.3: a batch in a batch inherits; 1.1.8.2: BB_STATE.
TEST_CASE("Gen5 ring: a chained batch inherits the security of the first") {
  RingMachine m;
  Ring r(m);
  const auto chained = [&](uint32_t first_flags, uint32_t second_flags) {
    m.write(free_at, {0, 0});
    const uint32_t last = m.batch(ring::srm(0x2110, free_at) + store_dword(free_at + 4, 1) + Dwords{batch_end});
    r.run(start(m.batch(start(last, second_flags)), first_flags));
    CHECK(m.read(free_at + 4) == 1);
    return r.get(softgen::reg::RING_BB_STATE);
  };
  CHECK(chained(0, nonsecure) == 0);
  CHECK(m.read(free_at) == 0);
  CHECK(chained(nonsecure, 0) == 0x20);
  CHECK(m.read(free_at) == 0);  // the store is a no-op there
  CHECK(chained(nonsecure, nonsecure) == 0x20);
}

// 2: 5.3.7.4, 5.3.7.5; 4: 1.1.5.1.
TEST_CASE("Gen5 ring: UHPTR becomes HEAD at MI_ARB_CHECK and when the ring is empty") {
  RingMachine m;
  Ring r(m);
  SECTION("MI_ARB_CHECK") {
    // Dwords 0 to 2 make it valid; dword 3 looks; the store of dword 4 is left out.
    r.run(lri(0x2134, 32 | 1) + Dwords{arb_check} + store_dword(free_at, 1) + store_dword(free_at + 4, 2));
    CHECK(r.head() == r.tail);
  }
  SECTION("an empty ring") {
    r.run({noop, noop, noop, noop});
    r.emit(store_dword(free_at, 1) + store_dword(free_at + 4, 2));
    r.set(softgen::reg::RING_UHPTR, 32 | 1);  // from there around to TAIL
    CHECK(r.head() == (1u << 21 | 16));
  }
  SECTION("a wait, which is as an empty ring (2: 5.3.7.2)") {
    r.set(softgen::reg::RING_EXCC, 0x0001'0001);
    r.run(ring::wait_code(1) + Dwords{noop, noop} + store_dword(free_at, 1) + store_dword(free_at + 4, 2));
    r.set(softgen::reg::RING_UHPTR, 32 | 1);
    CHECK(r.head() == r.tail);
    CHECK((r.get(softgen::reg::RING_CTL) & 1u << 11) == 0);
  }
  CHECK(m.read(free_at) == 0);
  CHECK(m.read(free_at + 4) == 2);
  CHECK(r.get(softgen::reg::RING_UHPTR) == 32);
}

// 2: 5.3.7.1: no arbitration in a critical section.
TEST_CASE("Gen5 ring: MI_ARB_ON_OFF keeps UHPTR waiting") {
  RingMachine m;
  Ring r(m);
  r.set(softgen::reg::RING_EXCC, 0x0001'0001);
  r.emit(arb(false) + Dwords{noop} + ring::wait_code(1) + Dwords{arb_check, noop} + store_dword(free_at, 1) + arb(true) +
         Dwords{arb_check} + store_dword(free_at + 4, 2) + store_dword(free_at + 8, 3))
      .submit();
  r.set(softgen::reg::RING_UHPTR, (r.tail - 16) | 1);
  r.set(softgen::reg::RING_EXCC, 0x0001'0000);
  CHECK(m.read(free_at) == 1);
  CHECK(m.read(free_at + 4) == 0);
  CHECK(m.read(free_at + 8) == 3);
}

// 4: 1.1.3.1, bit 11.
TEST_CASE("Gen5 ring: Invalidate UHPTR forgets a pending head that HEAD has reached") {
  RingMachine m;
  Ring r(m);
  // Without it MI_ARB_CHECK goes back to the flush.
  const bool invalidates = GENERATE(false, true);
  r.set(softgen::reg::RING_MI_MODE, invalidates ? 0x0800'0800 : 0x0800'0000);
  r.run(lri(0x2134, 16 | 1) + Dwords{noop, mi(0x04), noop, arb_check, noop});
  CHECK(m.engine(rcs).flushes.size() == (invalidates ? 1 : 2));
  CHECK(r.get(softgen::reg::RING_UHPTR) == 16);
  CHECK(r.head() == r.tail);
}

// 4: 1.1: the manual's addresses of the video streamer's registers, and i915's.
TEST_CASE("Gen5 ring: the video streamer answers at 12000h, too") {
  RingMachine m;
  Ring r(m, vcs);
  CHECK(m.registers.read(0x12038) == r.start);
  CHECK(m.registers.read(0x14080) == RingMachine::status_page(vcs));
  m.registers.write(0x14080, 0x0009'0000);
  CHECK(r.get(softgen::reg::RING_HWS_PGA) == 0x0009'0000);
  m.registers.write(0x1209c, 0x0100'0100);
  r.emit(store_dword(free_at, 1) + index(0x20, 7));
  m.registers.write(0x12030, r.tail);
  CHECK(m.read(free_at) == 0);
  m.registers.write(0x1209c, 0x0100'0000);
  CHECK(m.read(free_at) == 1);
  CHECK(m.read(0x0009'0080) == 7);
  CHECK(m.registers.read(0x12034) == r.tail);
  // Registers in that range that are no streamer's.
  m.registers.write(0x12c10, 0x55);
  CHECK(m.registers.read(0x12c10) == 0x55);
  CHECK(m.registers.read(0x4c10) == 0);
}

TEST_CASE("Gen5 ring: threads") {
  RingMachine m(true);
  Ring r(m);
  r.set(softgen::reg::RING_EXCC, 0x0001'0001);
  r.run(ring::wait_code(1) + store_dword(free_at, 1));
  r.set(softgen::reg::RING_EXCC, 0x0001'0000);
  while (m.cs->busy()) std::this_thread::yield();
  CHECK(m.read(free_at) == 1);
}

TEST_CASE("Gen5 ring: a reset ends a wait and a batch, and the ring is to be started anew") {
  RingMachine m;
  Ring r(m);
  r.set(softgen::reg::RING_EXCC, 0x0001'0001);
  r.run(start(m.batch(ring::wait_code(1) + store_dword(free_at, 1) + Dwords{batch_end})));
  CHECK(r.get(softgen::reg::RING_CTL) & 1u << 11);
  m.reset_engine(rcs);
  CHECK(r.get(softgen::reg::RING_CTL) == 0);
  CHECK(r.get(softgen::reg::RING_INSTDONE) == ~0u);  // 2: 5.9
  CHECK(m.read(free_at) == 0);
  Ring again(m);
  again.run(store_dword(free_at, 2));
  CHECK(m.read(free_at) == 2);
}

TEST_CASE("Gen5 ring: a saved state goes on in the batch where it waited") {
  RingMachine m, other;
  Ring r(m);
  r.set(softgen::reg::RING_EXCC, 0x0001'0001);
  const Dwords batch = ring::wait_code(1) + store_dword(free_at, 1) + Dwords{batch_end};
  r.run(start(m.batch(batch), nonsecure) + store_dword(free_at + 4, 2));
  other.batch(batch);
  for (uint32_t i = 0; i < r.tail; i += 4) other.write(r.start + i, {m.read(r.start + i)});
  REQUIRE(other.load_state(m.save_state()));
  CHECK(other.read(free_at) == 0);
  CHECK(other.reg(rcs, softgen::reg::RING_BB_STATE) == 0x20);
  other.set_reg(rcs, softgen::reg::RING_EXCC, 0x0001'0000);
  CHECK(other.read(free_at) == 1);
  CHECK(other.read(free_at + 4) == 2);
}
