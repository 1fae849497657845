// SPDX-License-Identifier: GPL-2.0-or-later
// Each MI command that moves data, from a privileged ring.
#include "hw/base/log.h"
#include "tests/unit/cs/machine.h"

using namespace softgen;
using namespace softgen::cs::test;

namespace {

constexpr uint32_t out = 0x0018'0000, in = 0x0018'1000;

/// Runs `commands` in a fresh context; the machine stays for looking.
struct Run : Rig {
  explicit Run(const Dwords& commands, EngineId e = EngineId::rcs) : Rig(e), context(*this, e, 0x20) { more(commands); }
  void more(const Dwords& commands) {
    context.emit(commands);
    submit(context);
  }
  bool completed() {
    const auto found = events();
    return !found.empty() && found.back() == Event{0x18, 0x20};
  }
  uint32_t base() const { return softgen::test::engine_register(id, 0); }
  uint32_t gpr(uint32_t n) const { return base() + 0x600 + 8 * n; }
  uint64_t gpr_value(uint32_t n) { return registers.peek64(gpr(n)); }
  Context context;
};

}  // namespace

TEST_CASE("MI_NOOP with identification") {
  Run run({mi(0, 1u << 22 | 0x1234), mi(0, 0x77)});
  CHECK(run.reg(run.id, softgen::reg::RING_NOPID) == 0x1234);
  CHECK(run.completed());
}

TEST_CASE("MI_STORE_DATA_IMM: dword, qword, many qwords") {
  Run run(store(out, 1) + Dwords{mi(0x20, 3 | global | 1u << 21), out + 8, 0, 0x11, 0x22} +
          Dwords{mi(0x20, 2 * 3 + 1 | global | 1u << 21), out + 16, 0, 1, 2, 3, 4, 5, 6});
  CHECK(run.read(out) == 1);
  CHECK(run.read(out + 4) == 0);
  CHECK(run.read64(out + 8) == 0x22'0000'0011);
  for (uint32_t i = 0; i < 6; ++i) CHECK(run.read(out + 16 + 4 * i) == i + 1);
  CHECK(run.read(out + 40) == 0);
  CHECK(run.completed());
}

TEST_CASE("MI_STORE_DATA_IMM through the PPGTT") {
  Run run(store(Machine::ppgtt_base + 0x10'0000, 0xabcd, 0));
  CHECK(run.read(Machine::user_gpa(Machine::ppgtt_base + 0x10'0000)) == 0xabcd);
}

TEST_CASE("MI_STORE_DATA_INDEX to both status pages") {
  Run run({mi(0x21, 1), 0x100, 0x55, mi(0x21, 2 | 1u << 21), 0x200, 0x66, 0x77});
  CHECK(run.read(Machine::hwsp(run.id) + 0x100) == 0x55);
  CHECK(run.read(run.context.lrca + 0x200) == 0x66);
  CHECK(run.read(run.context.lrca + 0x204) == 0x77);
}

TEST_CASE("register loads and stores") {
  Run run({});
  run.write(in, 0xfeed);
  run.more(Dwords{mi(0x22, 3), run.gpr(0), 0x11, run.gpr(1), 0x22} + Dwords{mi(0x29, 2 | global), run.gpr(2), in, 0} +
           Dwords{mi(0x2a, 1), run.gpr(2), run.gpr(3)} + srm(run.gpr(3), out) + Dwords{mi(0x22, 1 | 0b0011 << 8), run.gpr(1), 0xaabb'ccdd});
  CHECK(run.gpr_value(0) == 0x11);
  CHECK(run.gpr_value(1) == 0xaabb'0022);
  CHECK(run.gpr_value(3) == 0xfeed);
  CHECK(run.read(out) == 0xfeed);
  CHECK(run.completed());
}

TEST_CASE("MI_STORE_REGISTER_MEM with Predicate Enable") {
  Run run({});
  for (const uint32_t on : {0u, 1u}) {
    run.write(out, 0);
    run.more(lri(run.gpr(0), 5) + lri(run.base() + 0x418, on) + srm(run.gpr(0), out, global | 1u << 21));
    CHECK(run.read(out) == (on ? 5u : 0u));
  }
}

TEST_CASE("MI_MATH works on the context's registers") {
  Run run({});
  // GPR2 = GPR0 + GPR1
  run.more(
      lri(run.gpr(0), 40) + lri(run.gpr(1), 2) +
      Dwords{mi(0x1a, 3), 0x080u << 20 | 0x20u << 10 | 0, 0x080u << 20 | 0x21u << 10 | 1, 0x100u << 20, 0x180u << 20 | 2u << 10 | 0x31});
  CHECK(run.gpr_value(2) == 42);
  CHECK(run.completed());
}

TEST_CASE("MI_COPY_MEM_MEM in all directions") {
  Run run({});
  const uint64_t user = Machine::ppgtt_base + 0x8000;
  run.write(in, 0x31);
  run.more({mi(0x2e, 3 | 1u << 22), uint32_t(user), uint32_t(user >> 32), in, 0});
  CHECK(run.read(Machine::user_gpa(user)) == 0x31);
  run.more({mi(0x2e, 3 | 1u << 21), out, 0, uint32_t(user), uint32_t(user >> 32)});
  CHECK(run.read(out) == 0x31);
}

TEST_CASE("MI_UPDATE_GTT") {
  Run run({});
  const uint32_t page = 0x0700'0000;  // its entry and the next now lead elsewhere
  run.write(in, 0x1111), run.write(in + 4096, 0x2222);
  const Dwords update = {mi(0x23, 4), page, in | 1, 0, (in + 4096) | 1, 0};
  const Dwords copy = {mi(0x2e, 3 | 1u << 22 | 1u << 21), out, 0, page + 4096, 0};
  run.more({mi(0x2e, 3 | 1u << 22 | 1u << 21), out, 0, page + 4096, 0});  // its translation is cached
  CHECK(run.completed());
  run.more(update + copy);
  CHECK(run.completed());
  CHECK(run.read(out) == 0x2222);
  CHECK(run.ggtt.pte(page >> 12) == (in | 1));
  // The table ends; a user's batch may not.
  run.more({mi(0x23, 4), 0xffff'f000, 5, 0, 7, 0});
  CHECK(run.completed());
  CHECK(run.ggtt.pte(0xf'ffff) == 5);
  CHECK(run.ggtt.pte(0) == 1);
  run.more(start_batch(run.user_batch(Dwords{mi(0x23, 2), page, 0, 0} + Dwords{batch_end}), true));
  CHECK(run.ggtt.pte(page >> 12) == (in | 1));
}

TEST_CASE("MI_ATOMIC") {
  Run run({});
  const auto op = [&](uint32_t code, uint32_t size, Dwords data, uint32_t flags = 0) {
    Dwords dw{mi(0x2f, global | code << 8 | size << 19 | flags | (data.empty() ? 1u : 9u | 1u << 18)), out, 0};
    if (!data.empty()) data.resize(8);
    run.more(dw + data);
    REQUIRE(run.completed());
  };
  run.write(out, Dwords{10, 0});
  op(5, 0, {});
  CHECK(run.read(out) == 11);
  op(7, 0, {5});
  CHECK(run.read(out) == 16);
  op(9, 0, {20});  // RSUB
  CHECK(run.read(out) == 4);
  op(0xa, 0, {uint32_t(-1)});  // IMAX
  CHECK(run.read(out) == 4);
  op(0xc, 0, {uint32_t(-1)});  // UMAX
  CHECK(run.read(out) == ~0u);
  op(0xe, 0, {~0u, 77}, 1u << 16);  // CMPWR, returns what was there
  CHECK(run.read(out) == 77);
  CHECK(run.gpr_value(4) == 0xffff'ffff);
  op(0x27, 1, {1, 0, 1, 0});  // ADD8B of 1'0000'0001
  CHECK(run.read64(out) == 0x1'0000'004e);
  run.more(lri(run.gpr(0), 3));
  op(7, 0, {});  // operand in GPR0
  CHECK(run.read(out) == 0x51);
}

TEST_CASE("MI_ATOMIC with an invalid code is an error") {
  for (const uint32_t header : {0u << 8, 0x10u << 8, 0x27u << 8, 0x05u << 8 | 1u << 19, 0x05u << 8 | 3u << 19}) {
    Run run({mi(0x2f, 1 | global | header), out, 0});
    CHECK_FALSE(run.completed());
    CHECK((run.reg(run.id, softgen::reg::RING_EIR) & 1) == 1);
  }
}

TEST_CASE("MI_PREDICATE") {
  Run run({});
  const uint32_t base = run.base();
  const auto result = [&](uint64_t src0, uint64_t src1, uint64_t data, uint32_t flags) {
    run.more(lri(base + 0x400, uint32_t(src0)) + lri(base + 0x404, uint32_t(src0 >> 32)) + lri(base + 0x408, uint32_t(src1)) +
             lri(base + 0x40c, uint32_t(src1 >> 32)) + lri(base + 0x410, uint32_t(data)) + lri(base + 0x414, uint32_t(data >> 32)) +
             Dwords{mi(0x0c, flags)});
    return run.reg(run.id, 0x418) & 1;
  };
  constexpr uint32_t load = 2u << 6, loadinv = 3u << 6, keep = 0, equal = 2, deltas = 3, and_ = 1u << 3, or_ = 2u << 3, xor_ = 3u << 3;
  CHECK(result(5, 5, 0, load | equal) == 1);
  CHECK(result(1ull << 32, 0, 0, load | equal) == 0);
  CHECK(result(5, 5, 0, loadinv | equal) == 0);
  CHECK(result(9, 4, 5, load | deltas) == 1);
  CHECK(result(1, 2, 0, keep | equal) == 1);
  CHECK(result(1, 2, 0, load | and_ | equal) == 0);
  CHECK(result(2, 2, 0, load | or_ | equal) == 1);
  CHECK(result(2, 2, 0, load | xor_ | equal) == 0);
  CHECK(result(0, 0, 0, load | 0) == 1);
  CHECK(result(0, 0, 0, load | 1) == 0);
}

TEST_CASE("MI_SET_PREDICATE turns commands into no-ops") {
  Run run({});
  const auto stored = [&](uint32_t mode, uint32_t result, uint32_t result_2) {
    run.write(out, 0);
    run.more(lri(run.base() + 0x418, result) + lri(run.base() + 0x3bc, result_2) + Dwords{mi(0x01, mode)} + store(out, 1) +
             Dwords{mi(0x01, 0)} + store(out + 4, mode));
    CHECK(run.read(out + 4) == mode);
    return run.read(out) == 1;
  };
  CHECK(stored(0, 0, 0));
  CHECK_FALSE(stored(1, 0, 0));
  CHECK(stored(1, 0, 1));
  CHECK(stored(2, 0, 0));
  CHECK_FALSE(stored(2, 0, 1));
  CHECK_FALSE(stored(3, 0, 0));
  CHECK(stored(3, 1, 0));
  CHECK(stored(4, 0, 0));
  CHECK_FALSE(stored(4, 1, 0));
  CHECK(stored(5, 0, 0));
  CHECK_FALSE(stored(6, 0, 0));
  CHECK_FALSE(stored(15, 1, 1));
}

// With an observation unit: tests/unit/oa.
TEST_CASE("MI_REPORT_PERF_COUNT without an observation unit is counted as unimplemented, and writes nothing") {
  Run run({});
  run.more({mi(0x28, 2), out | 1, 0, 0xbeef});
  CHECK(run.read(out) == 0);
  CHECK(failure_count(Failure::unimplemented, "MI_REPORT_PERF_COUNT of a platform without observation unit") == 1);
}

TEST_CASE("user interrupts, and commands without effect") {
  Run run({user_interrupt, mi(0x0b, 1), mi(0x0d, 4), mi(0x12, 0), 0, mi(0x1d, 0), 0, mi(0x03, 2), mi(0x14, 1), 0, 0});
  CHECK(run.completed());
  CHECK((run.take_interrupts(run.id) & 1) == 1);
  CHECK(failure_count(Failure::unimplemented, "MI_WAIT_FOR_EVENT") > 0);
}

// IGT gen9_exec_parse@allowed-all.
TEST_CASE("the copy engine executes what i915's command parser lets through to it") {
  Run run({mi(0x00), user_interrupt, mi(0x03), mi(0x26, 3), 0, 0, 0, 0, mi(0x05), mi(0x07), mi(0x04), mi(0x08), mi(0x0b), mi(0x12), 0,
           mi(0x13), 0},
          EngineId::bcs);
  CHECK(run.completed());
}

TEST_CASE("timestamps count at 12 MHz, the context's only while it runs") {
  Run run({});
  run.host.now = 2'000'000'000;
  run.more(srm(run.base() + 0x358, out) + srm(run.base() + 0x3a8, out + 4));
  CHECK(run.read(out) == 24'000'000);
  const uint32_t ran = run.read(out + 4);
  run.host.now += 1'000'000'000;  // not running
  run.more(srm(run.base() + 0x3a8, out + 4));
  CHECK(run.read(out + 4) == ran);
  CHECK(run.context.image(0x23) == ran);
}

TEST_CASE("CTX_TIMESTAMP runs while the context does") {
  Run run({});
  run.engine(run.id).on_execute = [&](const Packet&, EngineEnv&) {
    run.host.now += 1'000'000;
    return ExecResult::done;
  };
  const uint32_t before = run.context.image(0x23);
  run.more(Dwords{0x6904'0000} + srm(run.base() + 0x3a8, out));
  CHECK(run.completed());
  CHECK(run.read(out) - before == 12'000);
  CHECK(run.context.image(0x23) - before == 12'000);
}

TEST_CASE("deferred work is finished before a command that accesses memory or registers, and when the streamer stops") {
  Run run({});
  auto& engine = run.engine(run.id);
  std::vector<unsigned> seen;
  engine.on_execute = [&](const Packet&, EngineEnv&) {
    seen.push_back(engine.deferred_packets);
    return ExecResult::done;
  };
  const Dwords packet{0x6904'0000}, nothing{0}, arbitration_check{0x0280'0000};
  run.more(packet + nothing + arbitration_check + packet + srm(run.base() + 0x358, out) + packet + packet);
  CHECK(run.completed());
  CHECK(seen == std::vector<unsigned>{0, 1, 0, 1});
  CHECK(engine.deferred_packets == 0);
}

TEST_CASE("PIPE_CONTROL post-sync operations") {
  Run run({});
  const uint64_t user = Machine::ppgtt_base + 0x40;
  const auto pipe = [](uint32_t flags, uint64_t address, uint64_t value = 0) {
    return Dwords{0x7a00'0004, flags, uint32_t(address), uint32_t(address >> 32), uint32_t(value), uint32_t(value >> 32)};
  };
  constexpr uint32_t stall = 1u << 20, ggtt = 1u << 24, index = 1u << 21;
  run.host.now = 3'000'000;
  run.more(lri(0x2350, 7) + lri(0x2354, 1) + pipe(stall | ggtt | 1u << 14, out, 0x1111'2222'3333'4444) +
           pipe(stall | ggtt | 2u << 14, out + 8) + pipe(stall | ggtt | 3u << 14, out + 16) + pipe(stall | 1u << 14, user, 9) +
           pipe(stall | index | 1u << 14, 0xd0, 0x77) + pipe(stall | index | ggtt | 1u << 14, 0xd8, 0x78) + pipe(1u << 8 | 1u << 12, 0) +
           pipe(stall | 1u << 23, run.gpr(7), 0x99));
  CHECK(run.read64(out) == 0x1111'2222'3333'4444);
  CHECK(run.read64(out + 8) == 0x1'0000'0007);
  CHECK(run.read64(out + 16) == 36'000);
  CHECK(run.read64(Machine::user_gpa(user)) == 9);
  CHECK(run.read64(run.context.lrca + 0xd0) == 0x77);
  CHECK(run.read64(Machine::hwsp(run.id) + 0xd8) == 0x78);
  CHECK(run.gpr_value(7) == 0x99);
  CHECK((run.take_interrupts(run.id) & 0x10) == 0x10);
  const auto& flushes = run.engine(run.id).flushes;
  REQUIRE(flushes.size() == 8);
  CHECK(run.completed());
}

TEST_CASE("PIPE_CONTROL passes on which caches are invalidated") {
  Run run({});
  const Dwords texture{0x7a00'0004, 1u << 10, 0, 0, 0, 0}, state{0x7a00'0004, 1u << 2, 0, 0, 0, 0};
  run.more(texture + state);
  CHECK(run.completed());
  const auto& flushes = run.engine(run.id).flushes;
  REQUIRE(flushes.size() >= 2);
  const auto at = flushes.end() - 2;
  CHECK((at[0].texture && !at[0].state));
  CHECK((!at[1].texture && at[1].state));
}

TEST_CASE("PIPE_CONTROL and MI_FLUSH_DW invalidate TLBs") {
  Run run({}, EngineId::bcs);
  const uint64_t before = run.tlb.value();
  run.more({mi(0x26, 1), 0, 0});
  CHECK(run.tlb.value() == before);
  run.more({mi(0x26, 2 | 1u << 18), 0, 0, 0});
  CHECK(run.tlb.value() == before + 1);
}

TEST_CASE("MI_FLUSH_DW post-sync operations") {
  Run run({}, EngineId::bcs);
  run.host.now = 1'000'000;
  run.write(out, Dwords{~0u, ~0u});
  run.more(Dwords{mi(0x26, 2 | 1u << 14), out | 4, 0, 0x55} + Dwords{mi(0x26, 3 | 1u << 14), out + 8 | 4, 0, 0x66, 0x77} +
           Dwords{mi(0x26, 3 | 3u << 14 | 1u << 8), out + 16 | 4, 0, 0, 0} + Dwords{mi(0x26, 2 | 1u << 14 | 1u << 21), 0xd0, 0, 0x88});
  CHECK(run.read64(out) == 0xffff'ffff'0000'0055);
  CHECK(run.read64(out + 8) == 0x77'0000'0066);
  CHECK(run.read64(out + 16) == 12'000);
  CHECK(run.read(run.context.lrca + 0xd0) == 0x88);
  CHECK((run.take_interrupts(run.id) & 0x10) == 0x10);
  CHECK(run.completed());
}
