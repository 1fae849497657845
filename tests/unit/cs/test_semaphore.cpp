// SPDX-License-Identifier: GPL-2.0-or-later
// MI_SEMAPHORE_WAIT: comparisons, waiting, ways to end a wait.
#include "tests/unit/cs/machine.h"

using namespace softgen;
using namespace softgen::cs::test;

namespace {
constexpr uint32_t flag = 0x0018'0000, out = 0x0018'1000;
constexpr uint32_t irq_semaphore = 1u << 11;
}  // namespace

TEST_CASE("semaphore comparisons: memory against the command's dword") {
  struct Row {
    uint32_t operation, memory, data;
    bool passes;
  };
  const Row row = GENERATE(values<Row>({{0, 5, 4, true},
                                        {0, 4, 4, false},
                                        {1, 4, 4, true},
                                        {1, 3, 4, false},
                                        {2, 3, 4, true},
                                        {2, 4, 4, false},
                                        {3, 4, 4, true},
                                        {3, 5, 4, false},
                                        {4, 4, 4, true},
                                        {4, 5, 4, false},
                                        {5, 5, 4, true},
                                        {5, 4, 4, false},
                                        {1, 0x8000'0000, 1, true}}));
  CAPTURE(row.operation, row.memory, row.data);
  Rig rig;
  Context a(rig, rig.id, 0x20);
  rig.write(flag, row.memory);
  a.emit(semaphore(flag, row.data, row.operation)).emit(store(out, 1));
  rig.submit(a);
  CHECK(rig.read(out) == row.passes);
  CHECK(((rig.take_interrupts(rig.id) & irq_semaphore) != 0) == !row.passes);
  CHECK(((rig.reg(rig.id, softgen::reg::RING_CTL) & 0x400) != 0) == !row.passes);
}

TEST_CASE("a wait raises one interrupt, and another one when it is entered again") {
  Rig rig;
  Context a(rig, rig.id, 0x20), b(rig, rig.id, 0x40);
  a.emit(semaphore(flag, 1)).emit(semaphore(flag, 2));
  rig.submit(a);
  CHECK((rig.take_interrupts(rig.id) & irq_semaphore) != 0);
  for (int i = 0; i < 3; ++i) rig.cs->poll();
  CHECK((rig.take_interrupts(rig.id) & irq_semaphore) == 0);
  CHECK(rig.reg(rig.id, softgen::reg::RING_EXECLIST_STATUS_HI) == 0x20);
  rig.write(flag, 1);
  rig.cs->poll();
  CHECK((rig.take_interrupts(rig.id) & irq_semaphore) != 0);
  rig.submit(b, &a);
  CHECK((rig.take_interrupts(rig.id) & irq_semaphore) != 0);
}

TEST_CASE("one engine releases another") {
  const uint32_t mode = GENERATE(0u, 1u << 15);  // signal, poll
  Machine machine;
  for (const EngineId e : {EngineId::rcs, EngineId::bcs}) machine.enable_execlists(e);
  Context waits(machine, EngineId::rcs, 0x20), writes(machine, EngineId::bcs, 0x40);
  waits.emit(semaphore(flag, 3, 1, global | mode)).emit(store(out, 1));
  machine.submit(EngineId::rcs, waits);
  CHECK(machine.read(out) == 0);
  const Dwords release = GENERATE(store(flag, 3), Dwords{mi(0x26, 2 | 1u << 14), flag | 4, 0, 5},
                                  Dwords{mi(0x2f, 9 | global | 1u << 18 | 7u << 8), flag, 0, 4, 0, 0, 0, 0, 0, 0, 0});
  writes.emit(release).emit({mi(0x1b, 0), 0x20});
  machine.submit(EngineId::bcs, writes);
  CHECK(machine.read(out) == 1);
  CHECK(machine.events(EngineId::rcs) == std::vector<Event>{{0x1, 0}, {0x18, 0x20}});
  CHECK(machine.events(EngineId::bcs) == std::vector<Event>{{0x1, 0}, {0x18, 0x40}});
}

TEST_CASE("i915's pause: the ring polls the status page until the driver clears it") {
  Rig rig;
  const uint32_t word = Machine::hwsp(rig.id) + 0xc8;
  Context a(rig, rig.id, 0x20), b(rig, rig.id, 0x40);
  a.emit({arb_check, noop}).emit(semaphore(word, 0, 4)).emit(store(out, 1));
  rig.write(word, 1);
  rig.submit(a);
  CHECK(rig.read(out) == 0);
  rig.submit(b, &a);  // preempts in the wait
  CHECK(rig.events() == std::vector<Event>{{0x1, 0}, {0x2, 0x20}, {0x14, 0x40}});
  rig.write(word, 0);
  rig.cs->poll();
  CHECK(rig.read(out) == 1);
  CHECK(rig.events() == std::vector<Event>{{0x18, 0x20}});
}

TEST_CASE("with arbitration off a wait is not preempted, but accepts a lite restore") {
  Rig rig;
  Context a(rig, rig.id, 0x20), b(rig, rig.id, 0x40);
  a.emit(arb(false)).emit(semaphore(flag, 1)).emit(store(out, 1)).emit(arb(true)).emit(store(out + 4, 1));
  rig.submit(a);
  rig.submit(a);
  CHECK(rig.events() == std::vector<Event>{{0x1, 0}, {0x8002, 0x20}});
  rig.submit(b, &a);
  rig.cs->poll();
  CHECK(rig.events().empty());
  rig.write(flag, 1);
  rig.cs->poll();
  CHECK(rig.read(out) == 1);
  CHECK(rig.read(out + 4) == 1);
  CHECK(rig.events() == std::vector<Event>{{0x2, 0x20}, {0x14, 0x40}, {0x18, 0x20}});
}

TEST_CASE("a context whose wait fails is switched out, unless its image inhibits that") {
  constexpr uint32_t failed = 1u << 7, polls = 1u << 11;
  const bool polling = GENERATE(false, true), second = GENERATE(false, true);
  Rig rig;
  Context a(rig, rig.id, 0x20), b(rig, rig.id, 0x40);
  a.set_image(0x03, 0x0009'0001);
  a.emit(semaphore(flag, 1, 4, global | (polling ? 1u << 15 : 0u))).emit(store(out, 1));
  b.emit(store(out + 4, 1));
  rig.submit(a, second ? &b : nullptr);
  const uint32_t why = failed | (polling ? polls : 0);
  if (second) CHECK(rig.events() == std::vector<Event>{{0x1, 0}, {0x4 | why, 0x20}, {0x18, 0x40}});
  else CHECK(rig.events() == std::vector<Event>{{0x1, 0}, {0x8 | why, 0x20}});
  CHECK(rig.read(out + 4) == second);
  CHECK((rig.take_interrupts(rig.id) & irq_semaphore) == 0);
  CHECK((rig.reg(rig.id, softgen::reg::RING_CTL) & 0x400) == 0);
  // Submitted again it looks again.
  rig.submit(a);
  CHECK(rig.events() == std::vector<Event>{{0x1, 0}, {0x8 | why, 0x20}});
  CHECK(rig.read(out) == 0);
  rig.write(flag, 1);
  rig.submit(a);
  CHECK(rig.events() == std::vector<Event>{{0x1, 0}, {0x18, 0x20}});
  CHECK(rig.read(out) == 1);
}
