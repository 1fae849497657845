// SPDX-License-Identifier: GPL-2.0-or-later
// Errors, hangs, Stop Rings and resets, with the accesses of i915's error paths.
#include "hw/base/log.h"
#include "tests/unit/cs/machine.h"

using namespace softgen;
using namespace softgen::cs::test;

namespace {

constexpr uint32_t out = 0x0018'0000;

void check_alive(Rig& rig, uint32_t id) {
  Context c(rig, rig.id, id);
  rig.write(out + 0x100, 0);
  c.emit(store(out + 0x100, id)).emit({user_interrupt, noop});
  rig.submit(c);
  CHECK(rig.read(out + 0x100) == id);
  CHECK(rig.events() == std::vector<Event>{{0x1, 0}, {0x18, id}});
}

}  // namespace

TEST_CASE("an unknown command stops the engine and is reported") {
  Rig rig;
  Context a(rig, rig.id, 0x20);
  const uint32_t bad = GENERATE(0xdead'beefu, mi(0x3f), 0xffff'ffffu, 0x7a00'0004u /* PIPE_CONTROL on BCS */);
  const bool in_batch = GENERATE(false, true);
  const uint32_t batch = rig.batch(Dwords{noop, noop, bad} + store(out, 1) + Dwords{batch_end});
  if (in_batch) a.emit(start_batch(batch));
  else a.emit({bad, noop}).emit(store(out, 1));
  rig.submit(a);
  CHECK(rig.read(out) == 0);
  CHECK(rig.events() == std::vector<Event>{{0x1, 0}});
  CHECK((rig.take_interrupts(rig.id) & 8) == 8);
  CHECK(rig.reg(rig.id, softgen::reg::RING_EIR) == 1);
  CHECK(rig.reg(rig.id, softgen::reg::RING_ESR) == 1);
  CHECK(rig.reg(rig.id, softgen::reg::RING_IPEHR) == bad);
  CHECK(rig.reg(rig.id, softgen::reg::RING_ACTHD) == (in_batch ? batch + 8 : a.ring));
  if (in_batch) CHECK((rig.reg(rig.id, softgen::reg::RING_BBADDR) & ~3u) == batch + 8);
  CHECK(rig.reg(rig.id, softgen::reg::RING_EXECLIST_STATUS_HI) == 0x20);
  CHECK((rig.reg(rig.id, softgen::reg::RING_MI_MODE) & 0x200) == 0);

  // execlists_irq_handler(), then the engine reset.
  rig.set_reg(rig.id, softgen::reg::RING_EMR, ~0u);
  rig.set_reg(rig.id, softgen::reg::RING_EIR, 1);
  CHECK(rig.reg(rig.id, softgen::reg::RING_EIR) == 0);
  rig.set_reg(rig.id, softgen::reg::RING_MI_MODE, 0x0100'0100);
  CHECK((rig.reg(rig.id, softgen::reg::RING_MI_MODE) & 0x200) == 0x200);
  rig.set_reg(rig.id, softgen::reg::RING_RESET_CTL, 0x0001'0001);
  CHECK((rig.reg(rig.id, softgen::reg::RING_RESET_CTL) & 3) == 3);
  rig.reset_engine(rig.id);
  rig.set_reg(rig.id, softgen::reg::RING_RESET_CTL, 0x0001'0000);
  CHECK((rig.reg(rig.id, softgen::reg::RING_RESET_CTL) & 3) == 0);
  CHECK(rig.reg(rig.id, softgen::reg::RING_CONTEXT_STATUS_PTR) == 0x0505);
  CHECK(rig.reg(rig.id, softgen::reg::RING_HEAD) == 0);
  rig.enable_execlists(rig.id);
  check_alive(rig, 0x40);
}

TEST_CASE("packets shorter than their definition are errors") {
  Rig rig(EngineId::rcs);
  Context a(rig, rig.id, 0x20);
  const uint32_t header = GENERATE(mi(0x1c, 0), mi(0x20, 0), mi(0x31, 0), mi(0x24, 0), mi(0x2e, 0), mi(0x36, 0), 0x7a00'0000u, mi(0x29, 1));
  a.emit({header, 0, 0, 0, 0, 0});
  rig.submit(a);
  CHECK(rig.reg(rig.id, softgen::reg::RING_ESR) == 1);
  CHECK(rig.reg(rig.id, softgen::reg::RING_IPEHR) == header);
}

TEST_CASE("PIPE_CONTROL of five dwords writes a dword, to an address without bit 2") {
  Rig rig(EngineId::rcs);
  Context a(rig, rig.id, 0x20);
  rig.write(out, Dwords{1, 2});
  // At the privilege of the ring: a write through the GGTT.
  a.emit({0x7a00'0003, 1u << 24 | 1u << 14, static_cast<uint32_t>(out) | 4, 0, 0x5eed}).emit({user_interrupt, noop});
  rig.submit(a);
  CHECK(rig.reg(rig.id, softgen::reg::RING_ESR) == 0);
  CHECK(rig.read(out) == 0x5eed);
  CHECK(rig.read(out + 4) == 2);
}

TEST_CASE("video packets may be as short as the shortest that drivers send") {
  struct Row {
    EngineId engine;
    const char* name;
    unsigned dwords;
  };
  // Seen from i965-va-driver 2.4.1 and iHD 23.1.1 and 25.2.3.
  const Row row = GENERATE(Row{EngineId::vcs0, "MFX_PIPE_BUF_ADDR_STATE", 61}, Row{EngineId::vcs0, "HCP_PIPE_BUF_ADDR_STATE", 95},
                           Row{EngineId::vcs0, "MFX_AVC_IMG_STATE", 17}, Row{EngineId::vcs0, "MFD_AVC_BSD_OBJECT", 6},
                           Row{EngineId::vcs0, "HCP_PIC_STATE", 19}, Row{EngineId::vcs0, "HCP_SLICE_STATE", 9},
                           Row{EngineId::vcs0, "HCP_VP9_PIC_STATE", 12}, Row{EngineId::vcs0, "HCP_PIPE_MODE_SELECT", 4},
                           Row{EngineId::vecs, "VEB_DI_IECP", 20});
  INFO(row.name);
  const defs::Command* command = defs::gen9::commands.find(row.name);
  REQUIRE(command);
  const bool too_short = GENERATE(false, true);
  const unsigned dwords = row.dwords - too_short;
  Rig rig(row.engine);
  Context a(rig, rig.id, 0x20);
  uint64_t beyond = 0, within = 0;
  rig.engine(rig.id).on_execute = [&](const Packet& packet, EngineEnv&) {
    for (const defs::Field& field : packet.command->fields)
      if (field.type != defs::FieldType::structure)
        (field.start >= 32 * row.dwords ? beyond : within) |= defs::field_value(field, packet.dwords);
    return ExecResult::done;
  };
  Dwords packet(dwords, ~0u);
  packet[0] = command->match | (dwords - 2);
  // What follows a short packet must not be taken for its end.
  a.emit(packet).emit(store(out, 0x5eed)).emit({user_interrupt, noop});
  rig.submit(a);
  CHECK(rig.reg(rig.id, softgen::reg::RING_ESR) == too_short);
  CHECK(rig.read(out) == (too_short ? 0 : 0x5eed));
  CHECK((within != 0) == !too_short);
  CHECK(beyond == 0);
}

TEST_CASE("STATE_BASE_ADDRESS may have Gen8's length") {
  Rig rig(EngineId::rcs);
  Context a(rig, rig.id, 0x20);
  const uint32_t dwords = GENERATE(16u, 18u);
  std::vector<uint32_t> packet(dwords);
  packet[0] = 0x6101'0000 | (dwords - 2);
  a.emit(packet);
  rig.submit(a);
  CHECK(rig.reg(rig.id, softgen::reg::RING_ESR) == 0);
}

TEST_CASE("a fault of the engine") {
  Rig rig;
  Context a(rig, rig.id, 0x20);
  rig.engine(rig.id).on_execute = [](const Packet&, EngineEnv&) { return ExecResult::fault; };
  a.emit(color_blt(1));
  rig.submit(a);
  CHECK(rig.reg(rig.id, softgen::reg::RING_ESR) == 1);
  CHECK(rig.events() == std::vector<Event>{{0x1, 0}});
  rig.engine(rig.id).on_execute = {};
  rig.reset_engine(rig.id);
  rig.enable_execlists(rig.id);
  check_alive(rig, 0x40);
}

TEST_CASE("a batch at an unmapped address") {
  Rig rig;
  Context a(rig, rig.id, 0x20);
  a.emit(GENERATE(start_batch(0x1234'5678'9000, true), start_batch(0xf000'0000)));
  rig.submit(a);
  CHECK(rig.reg(rig.id, softgen::reg::RING_ESR) == 0x10);
  CHECK((rig.faults.read(0x4094) & 1) == 1);
}

TEST_CASE("a looping batch yields its thread, and can be reset") {
  Rig rig;
  Context a(rig, rig.id, 0x20);
  const uint32_t at = rig.allocate(1);
  rig.write(at, Dwords{mi(0x2f, 1 | global | 5 << 8), out, 0} + start_batch(at));
  a.emit(start_batch(at));
  rig.submit(a);
  const uint32_t count = rig.read(out);
  CHECK(count > 1000);
  rig.cs->poll();
  CHECK(rig.read(out) > count);
  // Not an arbitration point: a hang stays a hang.
  Context b(rig, rig.id, 0x40);
  rig.submit(b);
  CHECK(rig.events() == std::vector<Event>{{0x1, 0}});
  rig.set_reg(rig.id, softgen::reg::RING_MI_MODE, 0x0100'0100);
  CHECK((rig.reg(rig.id, softgen::reg::RING_MI_MODE) & 0x200) == 0x200);
  rig.reset_engine(rig.id);
  rig.enable_execlists(rig.id);
  check_alive(rig, 0x60);
}

TEST_CASE("a loop of jumps only is distinguished from one that does work") {
  Rig rig;
  rig.cs->engine(rig.id)->streamer().execution().jumps_to_loop = 16;  // as with threads, which sleep then
  Context a(rig, rig.id, 0x20);
  const bool works = GENERATE(false, true);
  const uint32_t at = rig.allocate(1);
  rig.write(at, Dwords{mi(0x2f, 1 | global | 5 << 8), out, 0} + (works ? color_blt(1) : Dwords{}) + start_batch(at));
  a.emit(start_batch(at));
  rig.submit(a);
  if (works) CHECK(rig.read(out) > 1000);
  else CHECK(rig.read(out) == 16);
}

TEST_CASE("a loop with MI_ARB_CHECK is preempted") {
  Rig rig;
  Context a(rig, rig.id, 0x20), b(rig, rig.id, 0x40);
  const uint32_t at = rig.allocate(1);
  rig.write(at, Dwords{arb_check} + start_batch(at));
  a.emit(arb(true)).emit(start_batch(at)).emit(store(out + 4, 1));
  rig.submit(a);
  b.emit(store(out, 1));
  rig.submit(b, &a);
  CHECK(rig.read(out) == 1);
  CHECK(rig.events() == std::vector<Event>{{0x1, 0}, {0x2, 0x20}, {0x14, 0x40}});
  rig.write(at, batch_end);  // igt_spin_end()
  rig.cs->poll();
  CHECK(rig.read(out + 4) == 1);
  CHECK(rig.events() == std::vector<Event>{{0x18, 0x20}});
}

TEST_CASE("Stop Rings halts the ring, clearing it continues") {
  Rig rig;
  Context a(rig, rig.id, 0x20);
  rig.set_reg(rig.id, softgen::reg::RING_MI_MODE, 0x0100'0100);
  a.set_image(0x55, 0);
  a.emit(store(out, 1));
  rig.submit(a);
  CHECK(rig.read(out) == 0);
  rig.set_reg(rig.id, softgen::reg::RING_MI_MODE, 0x0100'0000);
  CHECK(rig.read(out) == 1);
}

TEST_CASE("a command that ends beyond TAIL waits for the rest") {
  Rig rig;
  Context a(rig, rig.id, 0x20);
  const Dwords whole = store(out, 1);
  a.emit({whole[0], whole[1]});
  rig.submit(a);
  CHECK(rig.events() == std::vector<Event>{{0x1, 0}});
  a.emit({whole[2], whole[3]});
  rig.submit(a);
  CHECK(rig.read(out) == 1);
  CHECK(rig.events() == std::vector<Event>{{0x8002, 0x20}, {0x18, 0x20}});
}

TEST_CASE("HEAD and TAIL beyond the ring") {
  Rig rig;
  Context a(rig, rig.id, 0x20);
  a.emit(store(out, 1));
  a.set_image(5, 0x1f'fffc);
  a.set_image(0x0b, 1);
  a.tail = 0x1f'fff8;
  rig.submit(a);
  rig.reset_engine(rig.id);
  rig.enable_execlists(rig.id);
  check_alive(rig, 0x40);
}

TEST_CASE("nothing of a reset engine's list runs later") {
  Rig rig;
  Context a(rig, rig.id, 0x20), b(rig, rig.id, 0x40);
  a.emit(semaphore(out + 8, 1)).emit(store(out, 1));
  b.emit(store(out + 4, 1));
  rig.submit(a, &b);
  rig.reset_engine(rig.id);
  rig.write(out + 8, 1);
  rig.cs->poll();
  CHECK(rig.read(out) == 0);
  CHECK(rig.read(out + 4) == 0);
  rig.enable_execlists(rig.id);
  check_alive(rig, 0x60);
}

TEST_CASE("random dwords as batches end in error registers or in nothing") {
  const EngineId id = GENERATE(EngineId::rcs, EngineId::bcs, EngineId::vcs0, EngineId::vecs);
  Rig rig(id);
  uint32_t seed = 12345;
  UNSCOPED_INFO("seed 12345");
  const auto next = [&] { return seed = seed * 1664525 + 1013904223; };
  for (int round = 0; round < 200; ++round) {
    Dwords dwords(64);
    for (uint32_t& dword : dwords) dword = next() >> (next() >> 29);
    for (int i = 0; i < 8; ++i) dwords[next() >> 26] = mi(next() >> 26, next() & 0x3ff);
    Context a(rig, id, 0x20);
    if (round & 1) a.emit(start_batch(rig.user_batch(dwords), true));
    else a.emit(start_batch(rig.batch(dwords)));
    rig.submit(a);
    rig.reset_engine(id);
    rig.enable_execlists(id);
    if (round % 100 == 99) rig.next_reset();
  }
  check_alive(rig, 0x40);
}

TEST_CASE("HWSTAM: events that it does not mask write the status page's first dword") {
  const EngineId id = GENERATE(EngineId::rcs, EngineId::bcs);
  const unsigned shift = id == EngineId::bcs ? 16 : 0;
  constexpr uint32_t user = 1, error = 1u << 3, before = 0x5eed;
  Rig rig(id);
  const uint32_t page = Machine::hwsp(id);
  const auto run = [&](const Dwords& commands) {
    rig.write(page, before);
    Context context(rig, id, 0x20);
    rig.submit(context.emit(commands));
    return rig.read(page);
  };
  CHECK(run({user_interrupt, noop}) == before);
  rig.set_reg(id, softgen::reg::RING_HWSTAM, ~(error << shift));
  CHECK(run({user_interrupt, noop}) == before);
  rig.set_reg(id, softgen::reg::RING_HWSTAM, ~(user << shift));
  CHECK(run({user_interrupt, noop}) == 0);  // over at once
  rig.set_reg(id, softgen::reg::RING_HWSTAM, ~(error << shift));
  CHECK(run({0xffff'ffff}) == error << shift);
  rig.set_reg(id, softgen::reg::RING_EMR, ~0u);
  rig.set_reg(id, softgen::reg::RING_EIR, ~0u);
  CHECK(rig.read(page) == 0);
}
