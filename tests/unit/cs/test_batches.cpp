// SPDX-License-Identifier: GPL-2.0-or-later
// Batches: nesting, chaining, ends, conditions, and restrictions of users' batches.
#include "hw/base/log.h"
#include "tests/unit/cs/machine.h"

using namespace softgen;
using namespace softgen::cs::test;

namespace {
constexpr uint32_t out = 0x0018'0000;
const uint64_t user_out = Machine::ppgtt_base + 0x10'0000;
}  // namespace

TEST_CASE("batch, second level, chain and return") {
  Rig rig;
  Context a(rig, rig.id, 0x20);
  const uint32_t tail_batch = rig.batch(store(out + 12, 4) + Dwords{batch_end});
  // Chained with and without the second-level bit: both stay on the second level.
  const bool bit22 = GENERATE(false, true);
  const uint32_t second = rig.batch(store(out + 8, 3) + start_batch(tail_batch, false, bit22) + store(out + 8, 99));
  const uint32_t chained = rig.batch(store(out + 4, 2) + start_batch(second, false, true) + store(out + 16, 5) + Dwords{batch_end});
  const uint32_t first = rig.batch(store(out, 1) + start_batch(chained) + store(out, 99));
  a.emit(start_batch(first)).emit(store(out + 20, 6));
  rig.submit(a);
  for (uint32_t i = 0; i < 6; ++i) CHECK(rig.read(out + 4 * i) == i + 1);
  CHECK(rig.events().back() == Event{0x18, 0x20});
}

TEST_CASE("MI_BATCH_BUFFER_START with Predication Enable depends on MI_PREDICATE_RESULT_1") {
  Rig rig;
  Context a(rig, rig.id, 0x20);
  Dwords start = start_batch(rig.batch(store(out, 1) + Dwords{batch_end}));
  start[0] |= 1u << 15;
  a.emit(start);
  rig.submit(a);
  CHECK(rig.read(out) == 0);
  a.emit(lri(0x2241c, 1)).emit(start);
  rig.submit(a);
  CHECK(rig.read(out) == 1);
}

TEST_CASE("MI_CONDITIONAL_BATCH_BUFFER_END") {
  Rig rig;
  const auto goes_on = [&](uint32_t memory, uint32_t mask, uint32_t data, uint32_t flags) {
    Context a(rig, rig.id, 0x20);
    rig.write(out, 0);
    rig.write(out + 8, {memory, mask});
    a.emit(start_batch(rig.batch(Dwords{mi(0x36, 2 | global | flags), data, out + 8, 0} + store(out, 1) + Dwords{batch_end})));
    rig.submit(a);
    CHECK(rig.events().back() == Event{0x18, 0x20});
    return rig.read(out) == 1;
  };
  constexpr uint32_t compare = 1u << 21, masked = 1u << 19;
  CHECK(goes_on(5, 0, 4, compare));
  CHECK_FALSE(goes_on(4, 0, 4, compare));
  CHECK(goes_on(0, 0, 4, 0));
  CHECK(goes_on(0x41, 0x40, 0, compare | masked));
  CHECK_FALSE(goes_on(0x41, 0x02, 0, compare | masked));
}

TEST_CASE("a batch may modify commands that it runs next") {
  Rig rig;
  Context a(rig, rig.id, 0x20);
  const uint32_t at = rig.allocate(1);
  // The dword stored by the second command is patched by the first.
  rig.write(at, store(at + 16 + 12, 0x5a) + store(out, 0) + Dwords{batch_end});
  a.emit(start_batch(at));
  rig.submit(a);
  CHECK(rig.read(out) == 0x5a);
}

TEST_CASE("users' batches run in the PPGTT and continue after a privilege violation") {
  Rig rig(EngineId::rcs);
  Context a(rig, rig.id, 0x20);
  const uint32_t victim = 0x2098;  // HWSTAM: only the driver may write it
  rig.registers.poke(victim, 0x1234);
  rig.write(out, 0xaaaa);
  const Dwords attempts =
      GENERATE(store(out, 1), srm(0x2600, out), lri(victim, 1), Dwords{mi(0x29, 2), victim, 0, 0}, Dwords{mi(0x2a, 1), 0x2600, victim},
               Dwords{mi(0x29, 2 | global), 0x2600, out, 0}, Dwords{mi(0x2e, 3 | 1u << 21), out, 0, 0, 0},
               Dwords{mi(0x2f, 1 | global | 5 << 8), out, 0}, Dwords{mi(0x21, 1), 0x100, 1}, semaphore(out, 1), Dwords{mi(0x08, 0)},
               Dwords{0x7a00'0004, 1u << 24 | 1u << 14, out, 0, 1, 0}, Dwords{0x7a00'0004, 1u << 21 | 1u << 14, 0x100, 0, 1, 0},
               Dwords{0x7a00'0004, 1u << 23, victim, 0, 1, 0}, Dwords{mi(0x28, 2), out | 1, 0, 1});
  a.emit(start_batch(rig.user_batch(attempts + store(user_out, 7, 0) + Dwords{batch_end}), true));
  rig.submit(a);
  CHECK(rig.events() == std::vector<Event>{{0x1, 0}, {0x18, 0x20}});
  CHECK(rig.read(out) == 0xaaaa);
  CHECK(rig.registers.peek(victim) == 0x1234);
  CHECK(rig.read(a.lrca + 0x100) == 0);
  CHECK(rig.read(Machine::hwsp(rig.id) + 0x100) == 0);
  CHECK(rig.read(Machine::user_gpa(user_out)) == 7);
  CHECK(rig.reg(rig.id, softgen::reg::RING_ESR) == 0);
}

TEST_CASE("a user's batch cannot start a privileged one") {
  Rig rig;
  Context a(rig, rig.id, 0x20);
  const bool second = GENERATE(false, true);
  // The GGTT address `sneaky` is not mapped in the PPGTT.
  const uint32_t sneaky = rig.batch(store(out, 1) + Dwords{batch_end});
  a.emit(start_batch(rig.user_batch(start_batch(sneaky, false, second) + Dwords{batch_end}), true));
  rig.submit(a);
  CHECK(rig.read(out) == 0);
  CHECK((rig.reg(rig.id, softgen::reg::RING_ESR) & 0x10) == 0x10);
}

TEST_CASE("registers a user's batch may write, fixed and by FORCE_TO_NONPRIV") {
  Rig rig(EngineId::rcs);
  Context a(rig, rig.id, 0x20);
  const uint32_t extra = 0xb008;
  const Dwords batch = lri(0x2600, 0x66) + lri(extra, 0x5) + srm(0x2600, user_out, 0) + srm(extra, user_out + 4, 0) + Dwords{batch_end};
  a.emit(start_batch(rig.user_batch(batch), true));
  rig.submit(a);
  CHECK(rig.read(Machine::user_gpa(user_out)) == 0x66);
  CHECK(rig.read(Machine::user_gpa(user_out + 4)) == 0);
  rig.set_reg(rig.id, softgen::reg::RING_FORCE_TO_NONPRIV(3), extra);
  a.emit(start_batch(rig.user_batch(batch), true));
  rig.submit(a);
  CHECK(rig.read(Machine::user_gpa(user_out + 4)) == 5);
}

TEST_CASE("a user's batch on VCS: image status, arithmetic and atomics of an encoder's epilogue") {
  Rig rig(EngineId::vcs0);
  Context a(rig, rig.id, 0x20);
  const uint32_t gpr0 = 0x12600, gpr1 = 0x12608, gpr4 = 0x12620, control = 0x128b8, vp9_control = 0x1e9f4;
  const auto slot = [](unsigned n) { return user_out + 8 * n; };
  const auto lrm = [](uint32_t reg, uint64_t from) { return Dwords{mi(0x29, 2), reg, uint32_t(from), uint32_t(from >> 32)}; };
  const auto atomic = [](uint32_t code, uint32_t size, uint64_t at) {
    return Dwords{mi(0x2f, 1 | code << 8 | size << 19 | 1u << 16), uint32_t(at), uint32_t(at >> 32)};
  };
  // i965 clears the image status (gen9_vdenc.c, gen9_vp9_encoder.c). iHD: masked status, then ADD and CMPWR with operands in registers
  // (codechal_encoder_base.cpp, UpdateEncodeStatus).
  const Dwords math{mi(0x1a, 7),
                    0x080u << 20 | 32 << 10 | 0,
                    0x080u << 20 | 33 << 10 | 1,
                    0x102u << 20,
                    0x180u << 20 | 0 << 10 | 49,
                    0x080u << 20 | 32 << 10 | 0,
                    0x080u << 20 | 33 << 10 | 1,
                    0x101u << 20,
                    0x180u << 20 | 2 << 10 | 50};
  const Dwords batch = lri(control, 0x12) + lri(vp9_control, 0x34) + srm(control, slot(0), 0) + srm(vp9_control, slot(0) + 4, 0) +
                       store(slot(1), 1, 0) + store(slot(2), 40, 0) + store(slot(3), 5, 0) +  //
                       lrm(gpr0, slot(1)) + atomic(0x07, 0, slot(2)) +                        // 40 + 1
                       lri(gpr0, 5) + lri(gpr1, 0) + atomic(0x0e, 0, slot(3)) + srm(gpr4, slot(4), 0) + lri(gpr0, 6) + lri(gpr0 + 4, 0) +
                       lri(gpr1, 3) + lri(gpr1 + 4, 0) + math + srm(gpr0, slot(5), 0) + srm(0x12610, slot(6), 0) +
                       // Ends the batch: 41 is not greater than 50.
                       Dwords{mi(0x36, 1u << 21 | 2), 50, uint32_t(slot(2)), uint32_t(slot(2) >> 32)} + store(slot(7), 1, 0) +
                       Dwords{batch_end};
  a.emit(start_batch(rig.user_batch(batch), true));
  rig.submit(a);
  CHECK(rig.reg(rig.id, softgen::reg::RING_ESR) == 0);
  const auto read = [&](unsigned n) { return rig.read(Machine::user_gpa(slot(n))); };
  CHECK(read(0) == 0x12);
  CHECK(rig.read(Machine::user_gpa(slot(0) + 4)) == 0x34);
  CHECK(read(2) == 41);
  CHECK(read(3) == 0);  // CMPWR found 5 and wrote 0
  CHECK(read(4) == 5);
  CHECK(read(5) == (6 & 3));
  CHECK(read(6) == 0);  // 2 - 3 is not zero
  CHECK(read(7) == 0);
}

TEST_CASE("privilege violations interrupt only when unmasked") {
  Rig rig;
  Context a(rig, rig.id, 0x20);
  const uint64_t batch = rig.user_batch(store(out, 1) + Dwords{batch_end});
  a.emit(start_batch(batch, true));
  rig.submit(a);
  CHECK((rig.take_interrupts(rig.id) & 8) == 0);
  rig.set_reg(rig.id, softgen::reg::RING_EMR, ~5u);
  a.emit(start_batch(batch, true));
  rig.submit(a);
  CHECK((rig.take_interrupts(rig.id) & 8) == 8);
  CHECK(rig.reg(rig.id, softgen::reg::RING_EIR) == 4);
  rig.set_reg(rig.id, softgen::reg::RING_EIR, 4);
  CHECK(rig.reg(rig.id, softgen::reg::RING_EIR) == 0);
}
