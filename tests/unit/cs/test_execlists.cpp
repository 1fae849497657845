// SPDX-License-Identifier: GPL-2.0-or-later
// The events that i915's process_csb() expects (gt/intel_execlists_submission.c): one promotion per submit, one completion per drained
// element.
#include "tests/unit/cs/machine.h"

using namespace softgen;
using namespace softgen::cs::test;

namespace {
constexpr uint32_t out = 0x0018'0000;
constexpr uint32_t irq_ctx = 1u << 8;
}  // namespace

TEST_CASE("one context runs from idle to idle") {
  const EngineId id = GENERATE(EngineId::rcs, EngineId::bcs, EngineId::vcs0, EngineId::vecs);
  Rig rig(id);
  Context a(rig, id, 0x20);
  a.emit(store(out, 0x1234)).emit({user_interrupt, noop});
  rig.submit(a);
  CHECK(rig.read(out) == 0x1234);
  CHECK(rig.events() == std::vector<Event>{{0x1, 0}, {0x18, 0x20}});
  CHECK(rig.take_interrupts(id) == (irq_ctx | 1));
  CHECK(a.image(5) == a.tail);  // HEAD as saved
  CHECK(a.image(7) == a.tail);
  CHECK((rig.reg(id, softgen::reg::RING_MI_MODE) & 0x200) != 0);
  CHECK(rig.reg(id, softgen::reg::RING_HEAD) == rig.reg(id, softgen::reg::RING_TAIL));
  CHECK(rig.reg(id, softgen::reg::RING_EXECLIST_STATUS_HI) == 0);
}

TEST_CASE("two elements: switch, then idle") {
  Rig rig;
  Context a(rig, rig.id, 0x20), b(rig, rig.id, 0x40);
  a.emit(store(out, 1));
  b.emit(store(out + 4, 2));
  rig.submit(a, &b);
  CHECK(rig.read(out) == 1);
  CHECK(rig.read(out + 4) == 2);
  CHECK(rig.events() == std::vector<Event>{{0x1, 0}, {0x14, 0x20}, {0x18, 0x40}});
}

TEST_CASE("CSB wraps after six entries and the MMIO copy follows") {
  Rig rig;
  Context a(rig, rig.id, 0x20);
  for (uint32_t i = 0; i < 20; ++i) {
    a.emit(store(out, i));
    rig.submit(a);
    REQUIRE(rig.events() == std::vector<Event>{{0x1, 0}, {0x18, 0x20}});
    REQUIRE(rig.read(out) == i);
    const uint32_t written = rig.reg(rig.id, softgen::reg::RING_CONTEXT_STATUS_PTR) & 7;
    REQUIRE(written == (2 * i + 1) % 6);
    REQUIRE(rig.reg(rig.id, softgen::reg::RING_CONTEXT_STATUS_BUF(0) + 8 * written) == 0x18);
    REQUIRE(rig.reg(rig.id, softgen::reg::RING_CONTEXT_STATUS_BUF(0) + 8 * written + 4) == 0x20);
  }
}

TEST_CASE("lite restore reloads TAIL only") {
  Rig rig;
  Context a(rig, rig.id, 0x20);
  a.emit(semaphore(out, 1)).emit(store(out + 4, 7));
  rig.submit(a);
  CHECK(rig.events() == std::vector<Event>{{0x1, 0}});
  CHECK(rig.reg(rig.id, softgen::reg::RING_EXECLIST_STATUS_HI) == 0x20);
  a.emit(store(out + 8, 8));
  rig.submit(a);
  CHECK(rig.events() == std::vector<Event>{{0x8002, 0x20}});
  CHECK(rig.engine(rig.id).resets == 1);  // restored once
  rig.write(out, 1);
  rig.cs->poll();
  CHECK(rig.read(out + 4) == 7);
  CHECK(rig.read(out + 8) == 8);
  CHECK(rig.events() == std::vector<Event>{{0x18, 0x20}});
}

TEST_CASE("a waiting context is preempted and comes back") {
  Rig rig;
  Context a(rig, rig.id, 0x20), b(rig, rig.id, 0x40);
  a.emit(store(out + 12, 1)).emit(semaphore(out, 1)).emit(store(out + 4, 7));
  rig.submit(a);
  REQUIRE(rig.events() == std::vector<Event>{{0x1, 0}});
  b.emit(store(out + 8, 8));
  rig.submit(b, &a);
  CHECK(rig.events() == std::vector<Event>{{0x2, 0x20}, {0x14, 0x40}});
  CHECK(rig.read(out + 8) == 8);
  CHECK(rig.read(out + 4) == 0);
  rig.write(out + 12, 0);
  rig.write(out, 1);
  rig.cs->poll();
  CHECK(rig.read(out + 4) == 7);
  CHECK(rig.read(out + 12) == 0);  // not run twice
  CHECK(rig.events() == std::vector<Event>{{0x18, 0x20}});
}

TEST_CASE("saving does not undo the driver's TAIL") {
  Rig rig;
  Context a(rig, rig.id, 0x20), b(rig, rig.id, 0x40);
  a.emit(semaphore(out, 1));
  rig.submit(a);
  b.emit({noop, noop});
  a.emit(store(out + 4, 7));  // the driver moves TAIL in the image of the running context, then preempts it
  rig.submit(b, &a);
  rig.write(out, 1);
  rig.cs->poll();
  CHECK(rig.read(out + 4) == 7);
  CHECK(a.image(7) == a.tail);
}

TEST_CASE("force restore loads HEAD and TAIL again") {
  Rig rig;
  Context a(rig, rig.id, 0x20);
  a.emit(semaphore(out, 1)).emit(store(out + 4, 7));
  const uint32_t rewound = a.tail;
  a.emit(store(out + 8, 8));
  rig.submit(a);
  a.tail = rewound;
  rig.submit(a, nullptr, true);
  CHECK(rig.events() == std::vector<Event>{{0x1, 0}, {0x2, 0x20}});
  rig.write(out, 1);
  rig.cs->poll();
  CHECK(rig.read(out + 4) == 7);
  CHECK(rig.read(out + 8) == 0);
  CHECK(rig.events() == std::vector<Event>{{0x18, 0x20}});
}

TEST_CASE("a list that arrives while a packet runs") {
  Rig rig;
  Context a(rig, rig.id, 0x20), b(rig, rig.id, 0x40);
  b.emit(store(out + 4, 2));
  bool lite = GENERATE(false, true);
  a.emit(arb(true)).emit(color_blt(1)).emit({arb_check, noop}).emit(color_blt(2));
  rig.engine(rig.id).on_execute = [&](const Packet& p, EngineEnv&) {
    if (p.dwords.back() != 1) return ExecResult::done;
    CHECK(rig.read(out + 4) == 0);
    if (lite) a.emit(color_blt(3));
    if (lite) rig.submit(a);
    else rig.submit(b, &a);
    return ExecResult::done;
  };
  rig.submit(a);
  if (lite) CHECK(rig.events() == std::vector<Event>{{0x1, 0}, {0x8002, 0x20}, {0x18, 0x20}});
  else CHECK(rig.events() == std::vector<Event>{{0x1, 0}, {0x2, 0x20}, {0x14, 0x40}, {0x18, 0x20}});
  CHECK(rig.engine(rig.id).context.word == (lite ? 3u : 2u));
  CHECK(rig.engine(rig.id).headers.size() == (lite ? 3u : 2u));
}

TEST_CASE("a list that arrives within a picture waits for its end") {
  Rig rig;
  Context a(rig, rig.id, 0x20), b(rig, rig.id, 0x40);
  b.emit(store(out, 1));
  a.emit(arb(true)).emit(color_blt(1)).emit({arb_check, noop}).emit(color_blt(2)).emit({arb_check, noop}).emit(color_blt(3));
  uint32_t word = 0;
  rig.engine(rig.id).on_execute = [&](const Packet& p, EngineEnv&) {
    word = p.dwords.back();
    CHECK(rig.read(out) == (word == 3 ? 1 : 0));
    rig.engine(rig.id).open_picture = word == 1;
    if (word == 1) rig.submit(b, &a);
    return ExecResult::done;
  };
  rig.submit(a);
  CHECK(word == 3);
  CHECK(rig.events() == std::vector<Event>{{0x1, 0}, {0x2, 0x20}, {0x14, 0x40}, {0x18, 0x20}});
}

TEST_CASE("a pause within a picture waits for its end") {
  Rig rig;
  Context a(rig, rig.id, 0x20);
  a.emit(color_blt(1)).emit(color_blt(2)).emit(color_blt(3));
  FakeEngine& engine = rig.engine(rig.id);
  engine.on_execute = [&](const Packet& p, EngineEnv& env) {
    engine.open_picture = p.dwords.back() == 1;
    if (engine.open_picture) env.stop.request(StopFlag::pause);
    return ExecResult::done;
  };
  rig.submit(a);
  CHECK(engine.context.word == 2);
}

TEST_CASE("a check preempts contexts after a number of commands, and restores them from their images") {
  Form form = gen9_form();
  form.preempt_commands = GENERATE(0u, 1u, 2u, 5u);
  Machine machine(false, form);
  const EngineId id = GENERATE(EngineId::bcs, EngineId::vcs0);
  machine.enable_execlists(id);
  FakeEngine& engine = machine.engine(id);
  Context a(machine, id, 0x20);
  // MI commands alone are the same on both; a NOOP that is executed twice would not show, a store after a reset would.
  for (uint32_t i = 1; i <= 8; ++i) a.emit(store(out, i)).emit({arb_check, noop});
  machine.submit(id, a);
  const uint64_t preemptions = machine.cs->engine(id)->streamer().preemptions();
  CHECK((preemptions > 0) == (form.preempt_commands > 0));
  CHECK(machine.read(out) == 8);
  CHECK(engine.restores + engine.resets >= preemptions);
  CHECK(machine.events(id) == std::vector<Event>{{0x1, 0}, {0x18, 0x20}});  // no event of a preemption: no list was submitted
}

TEST_CASE("such a check leaves pictures undivided, and keeps an engine's state and progress") {
  Form form = gen9_form();
  form.preempt_commands = 1;
  Machine machine(false, form);
  const EngineId id = EngineId::bcs;
  machine.enable_execlists(id);
  FakeEngine& engine = machine.engine(id);
  Context a(machine, id, 0x20);
  for (uint32_t i = 1; i <= 4; ++i) a.emit(color_blt(i)).emit({arb_check, noop});
  unsigned stops = 0, restores_within = 0;
  engine.on_execute = [&](const Packet& packet, EngineEnv& env) {
    const uint32_t word = packet.dwords.back();
    if (word == 3) CHECK(engine.restores == restores_within);
    engine.open_picture = word == 2;
    restores_within = engine.restores;
    if (word != 4 || !(env.stop.reasons() & StopFlag::preempt)) return ExecResult::done;
    ++stops;
    return ExecResult::preempted;
  };
  machine.submit(id, a);
  CHECK(stops < 2);  // the packet is executed when it comes again
  CHECK(engine.headers.size() == 4);
  CHECK(engine.context.packets == 4);
  CHECK(machine.cs->engine(id)->streamer().preemptions() > 0);
}

TEST_CASE("an empty ring completes at once") {
  Rig rig;
  Context a(rig, rig.id, 0x20);
  rig.submit(a);
  CHECK(rig.events() == std::vector<Event>{{0x1, 0}, {0x18, 0x20}});
}

TEST_CASE("lists without a valid element have no effect") {
  Rig rig;
  for (int i = 0; i < 4; ++i) rig.set_reg(rig.id, softgen::reg::RING_ELSP, 0);
  CHECK(rig.events().empty());
  Context a(rig, rig.id, 0x20);
  a.emit(store(out, 3));
  rig.submit(a);
  CHECK(rig.read(out) == 3);
}

TEST_CASE("ring longer than one lap, with commands across its end") {
  Rig rig;
  Context a(rig, rig.id, 0x20);
  for (uint32_t i = 0; i < 5000; ++i) {
    a.emit(store(out, i));
    if (i % 100) continue;
    rig.submit(a);
    REQUIRE(rig.read(out) == i);
    rig.events();
  }
}

TEST_CASE("automatic report of HEAD, each time that it passes a multiple of 4 KiB") {
  Machine machine;
  const EngineId id = EngineId::bcs;
  const uint32_t ring = machine.allocate(2), reported = Machine::hwsp(id) + 16;
  const uint32_t control = GENERATE(0u, 1u, 2u);  // off, 64 KiB (which this ring never passes), 4 KiB
  machine.set_reg(id, softgen::reg::RING_HWS_PGA, Machine::hwsp(id));
  machine.set_reg(id, softgen::reg::RING_START, ring);
  machine.set_reg(id, softgen::reg::RING_CTL, 0x1000 | control << 1 | 1);
  machine.write(reported, 0x5eed);
  for (uint32_t i = 1; i < 1100; ++i) {
    for (uint32_t dword = 0; const uint32_t value : store(out, i)) machine.write(ring + (16 * (i - 1) + 4 * dword++) % 8192, value);
    machine.set_reg(id, softgen::reg::RING_TAIL, 16 * i % 8192);
    const uint32_t passed = i / 256 * 4096;
    const uint32_t expected = passed == 0 || control != 2 ? 0x5eed : passed / 8192 << 21 | passed % 8192;
    REQUIRE(machine.read(reported) == expected);
  }
}

TEST_CASE("a valid UHPTR becomes HEAD at arbitration points of the ring, and when it is empty") {
  Machine machine;
  const EngineId id = EngineId::bcs;
  const uint32_t ring = machine.allocate(1), other = 0x800, valid = 1;
  const auto stop_rings = [&](bool on) { machine.set_reg(id, softgen::reg::RING_MI_MODE, 0x0100'0000 | (on ? 0x100 : 0)); };
  const auto put = [&](uint32_t at, const Dwords& commands) {
    machine.write(ring + at, commands);
    return at + static_cast<uint32_t>(commands.size()) * 4;
  };
  const uint32_t begin = put(0, Dwords{noop, noop}), first_end = put(begin, arb(false) + Dwords{arb_check} + store(out, 1) + arb(true) +
                                                                                Dwords{arb_check} + store(out, 2) + Dwords{noop, noop});
  const uint32_t other_end = put(other, store(out + 4, 1));  // from here to the ring's end there are no-ops
  machine.set_reg(id, softgen::reg::RING_START, ring);
  machine.set_reg(id, softgen::reg::RING_CTL, 1);
  machine.set_reg(id, softgen::reg::RING_TAIL, begin);
  REQUIRE(machine.reg(id, softgen::reg::RING_HEAD) == begin);
  stop_rings(true);
  SECTION("not valid") {
    machine.set_reg(id, softgen::reg::RING_UHPTR, other);
    machine.set_reg(id, softgen::reg::RING_TAIL, first_end);
    stop_rings(false);
    CHECK(machine.read(out) == 2);
    CHECK(machine.read(out + 4) == 0);
    CHECK(machine.reg(id, softgen::reg::RING_HEAD) == first_end);
  }
  SECTION("at MI_ARB_CHECK, with arbitration on") {
    machine.set_reg(id, softgen::reg::RING_TAIL, other_end);
    machine.set_reg(id, softgen::reg::RING_UHPTR, other | valid);
    stop_rings(false);
    CHECK(machine.read(out) == 1);
    CHECK(machine.read(out + 4) == 1);
    CHECK(machine.reg(id, softgen::reg::RING_UHPTR) == other);
    CHECK(machine.reg(id, softgen::reg::RING_HEAD) == other_end);
  }
  SECTION("of an empty ring") {
    machine.set_reg(id, softgen::reg::RING_TAIL, other_end);
    machine.set_reg(id, softgen::reg::RING_HEAD, other_end);
    stop_rings(false);
    REQUIRE(machine.read(out + 4) == 0);
    machine.set_reg(id, softgen::reg::RING_UHPTR, other | valid);
    CHECK(machine.read(out + 4) == 1);
    CHECK(machine.reg(id, softgen::reg::RING_UHPTR) == other);
    CHECK(machine.reg(id, softgen::reg::RING_HEAD) == other_end);
  }
}

TEST_CASE("ring buffer mode follows TAIL") {
  Machine machine;
  const EngineId id = GENERATE(EngineId::rcs, EngineId::bcs);
  const uint32_t ring = machine.allocate(2);
  machine.set_reg(id, softgen::reg::RING_HWS_PGA, Machine::hwsp(id));
  machine.set_reg(id, softgen::reg::RING_START, ring);
  machine.set_reg(id, softgen::reg::RING_CTL, 0x1000 | 1);
  uint32_t tail = 0;
  for (uint32_t i = 1; i < 2000; ++i) {
    for (const uint32_t dword : store(out, i)) machine.write(ring + tail, dword), tail = (tail + 4) % 8192;
    machine.set_reg(id, softgen::reg::RING_TAIL, tail);
    REQUIRE(machine.read(out) == i);
    REQUIRE((machine.reg(id, softgen::reg::RING_HEAD) & 0x1f'fffc) == tail);
  }
  CHECK((machine.reg(id, softgen::reg::RING_HEAD) >> 21) == 2000 * 16 / 8192);
  CHECK((machine.reg(id, softgen::reg::RING_MI_MODE) & 0x200) != 0);
}
