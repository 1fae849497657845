// SPDX-License-Identifier: GPL-2.0-or-later
// The same machine with host threads. Nothing here depends on how fast they are.
#include <thread>

#include "tests/unit/cs/machine.h"

using namespace softgen;
using namespace softgen::cs::test;

namespace {

constexpr uint32_t out = 0x0018'0000, flag = 0x0018'1000;

template <typename F>
void wait_until(F&& done) {
  while (!done()) std::this_thread::yield();
}

uint32_t load(Machine& m, uint32_t at) {
  const HostSpan span = m.memory.resolve(at, Access::read);
  return __atomic_load_n(reinterpret_cast<const uint32_t*>(span.data), __ATOMIC_ACQUIRE);
}
void store_release(Machine& m, uint32_t at, uint32_t value) {
  __atomic_store_n(reinterpret_cast<uint32_t*>(m.memory.resolve(at, Access::write).data), value, __ATOMIC_RELEASE);
}

}  // namespace

TEST_CASE("submits one after the other, as a driver's tasklet does") {
  Rig rig(EngineId::bcs, true);
  Context a(rig, rig.id, 0x20);
  uint32_t csb = 5;
  for (uint32_t i = 1; i <= 500; ++i) {
    a.emit(store(out, i));
    rig.submit(a);
    const uint32_t expected = (csb + 2) % 6;
    wait_until([&] { return load(rig, Machine::hwsp(rig.id) + 0x7c) == expected; });
    csb = expected;
    REQUIRE(load(rig, out) == i);
    REQUIRE(rig.events() == std::vector<Event>{{0x1, 0}, {0x18, 0x20}});
  }
}

TEST_CASE("the submitting thread runs the first commands of an idle streamer, but no long packets for the Engine") {
  Rig rig(EngineId::bcs, true);
  Context a(rig, rig.id, 0x20), b(rig, rig.id, 0x40);
  std::thread::id ran;
  rig.engine(rig.id).on_execute = [&](const Packet&, EngineEnv&) {
    ran = std::this_thread::get_id();
    return ExecResult::done;
  };
  wait_until([&] { return !rig.cs->busy(); });
  a.emit(store(out, 1));
  rig.submit(a);
  CHECK(load(rig, out) == 1);
  CHECK(rig.events() == std::vector<Event>{{0x1, 0}, {0x18, 0x20}});
  b.emit(store(out, 2)).emit(color_blt(7)).emit(store(out + 4, 1));
  rig.submit(b);
  CHECK(load(rig, out) == 2);
  wait_until([&] { return load(rig, out + 4) == 1; });
  wait_until([&] { return !rig.cs->busy(); });
  CHECK(ran != std::this_thread::get_id());
  CHECK(rig.engine(rig.id).context.packets == 1);
  CHECK(rig.events() == std::vector<Event>{{0x1, 0}, {0x18, 0x40}});
  // Short ones are executed at once, too.
  rig.engine(rig.id).all_short = true;
  b.emit(color_blt(7)).emit(store(out + 4, 2));
  rig.submit(b);
  CHECK(load(rig, out + 4) == 2);
  CHECK(ran == std::this_thread::get_id());
  CHECK(rig.events() == std::vector<Event>{{0x1, 0}, {0x18, 0x40}});
}

TEST_CASE("a submission while the gate is closed waits for it") {
  Rig rig(EngineId::bcs, true);
  Context a(rig, rig.id, 0x20);
  wait_until([&] { return !rig.cs->busy(); });
  rig.gate.close();
  a.emit(store(out, 1));
  rig.submit(a);
  CHECK(load(rig, out) == 0);
  rig.gate.open();
  wait_until([&] { return load(rig, out) == 1; });
}

TEST_CASE("a CPU write ends a wait") {
  Rig rig(EngineId::rcs, true);
  Context a(rig, rig.id, 0x20);
  a.emit(semaphore(flag, 1)).emit(store(out, 1));
  rig.submit(a);
  wait_until([&] { return (rig.reg(rig.id, softgen::reg::RING_CTL) & 0x400) != 0; });
  store_release(rig, flag, 1);
  wait_until([&] { return load(rig, out) == 1; });
  wait_until([&] { return !rig.cs->busy(); });
}

TEST_CASE("engines that pass a token round by semaphores") {
  Machine machine(true);
  const std::array ids = {EngineId::rcs, EngineId::bcs, EngineId::vcs0, EngineId::vecs};
  std::vector<std::unique_ptr<Context>> contexts;
  constexpr uint32_t rounds = 50;
  for (uint32_t i = 0; i < ids.size(); ++i) {
    machine.enable_execlists(ids[i]);
    contexts.push_back(std::make_unique<Context>(machine, ids[i], 0x20 * (i + 1)));
    for (uint32_t r = 0; r < rounds; ++r) {
      const uint32_t turn = r * 4 + i;
      contexts[i]->emit(semaphore(flag, turn)).emit(store(flag, turn + 1));
    }
  }
  for (uint32_t i = 0; i < ids.size(); ++i) machine.submit(ids[i], *contexts[i]);
  wait_until([&] { return load(machine, flag) == rounds * 4; });
  wait_until([&] { return !machine.cs->busy(); });
  for (uint32_t i = 0; i < ids.size(); ++i) CHECK(machine.events(ids[i]).back() == Event{0x18, 0x20 * (i + 1)});
}

TEST_CASE("a looping batch is paused, resumed and reset") {
  Rig rig(EngineId::bcs, true);
  Context a(rig, rig.id, 0x20);
  const uint32_t at = rig.allocate(1);
  rig.write(at, Dwords{mi(0x2f, 1 | global | 5 << 8), out, 0} + start_batch(at));
  a.emit(start_batch(at));
  rig.submit(a);
  wait_until([&] { return load(rig, out) > 100; });
  rig.cs->pause();
  rig.cs->pause();
  const uint32_t count = load(rig, out);
  rig.gate.close();
  rig.gate.open();
  rig.cs->resume();
  CHECK(load(rig, out) == count);
  rig.cs->resume();
  wait_until([&] { return load(rig, out) > count + 100; });
  rig.set_reg(rig.id, softgen::reg::RING_MI_MODE, 0x0100'0100);
  wait_until([&] { return (rig.reg(rig.id, softgen::reg::RING_MI_MODE) & 0x200) != 0; });
  rig.reset_engine(rig.id);
  rig.enable_execlists(rig.id);
  Context b(rig, rig.id, 0x40);
  b.emit(store(out + 4, 1));
  rig.submit(b);
  wait_until([&] { return load(rig, out + 4) == 1; });
}

TEST_CASE("a reset takes effect while a packet runs, and while paused") {
  Rig rig(EngineId::bcs, true);
  Context a(rig, rig.id, 0x20);
  std::atomic<bool> inside{false};
  rig.engine(rig.id).on_execute = [&](const Packet&, EngineEnv& env) {
    inside = true;
    while (!env.stop.reasons()) std::this_thread::yield();
    return env.stop.aborting() ? ExecResult::aborted : ExecResult::preempted;
  };
  a.emit(color_blt(1));
  rig.submit(a);
  wait_until([&] { return inside.load(); });
  const bool paused = GENERATE(false, true);
  if (paused) rig.cs->pause();
  rig.reset_engine(rig.id);
  if (paused) rig.cs->resume();
  rig.engine(rig.id).on_execute = {};
  rig.enable_execlists(rig.id);
  Context b(rig, rig.id, 0x40);
  b.emit(store(out, 1));
  rig.submit(b);
  wait_until([&] { return load(rig, out) == 1; });
  CHECK(rig.engine(rig.id).headers.empty());
}

TEST_CASE("a preemptible packet is preempted in the middle and resumed") {
  Rig rig(EngineId::bcs, true);
  Context a(rig, rig.id, 0x20), b(rig, rig.id, 0x40);
  std::atomic<int> entered{0};
  rig.engine(rig.id).on_execute = [&](const Packet&, EngineEnv& env) {
    if (++entered > 1) return ExecResult::done;
    while (!env.stop.reasons()) std::this_thread::yield();
    return ExecResult::preempted;
  };
  a.emit(arb(true)).emit(color_blt(1)).emit(store(out, 1));
  rig.submit(a);
  wait_until([&] { return entered == 1; });
  b.emit(store(out + 4, 1));
  rig.submit(b, &a);
  wait_until([&] { return load(rig, Machine::hwsp(rig.id) + 0x7c) == 3; });
  CHECK(rig.events() == std::vector<Event>{{0x1, 0}, {0x2, 0x20}, {0x14, 0x40}, {0x18, 0x20}});
  CHECK(entered == 2);
  CHECK(rig.engine(rig.id).context.packets == 1);
}

TEST_CASE("a ring may reset its own engine") {
  Rig rig(EngineId::bcs, true);
  rig.registers.on_write(0x941c, [&](uint32_t, uint32_t value) {
    const uint32_t engines = value & 8 ? 2 : 0;
    rig.cs->stop_engines(engines);
    rig.cs->restart_engines(engines);
  });
  Context a(rig, rig.id, 0x20);
  a.emit(lri(0x941c, 8)).emit(store(out, 1));
  rig.submit(a);
  wait_until([&] { return rig.reg(rig.id, softgen::reg::RING_MODE) == 0; });
  CHECK(load(rig, out) == 0);
  wait_until([&] { return !rig.cs->busy(); });
  rig.enable_execlists(rig.id);
  Context b(rig, rig.id, 0x40);
  b.emit(store(out, 2));
  rig.submit(b);
  wait_until([&] { return load(rig, out) == 2; });
}
