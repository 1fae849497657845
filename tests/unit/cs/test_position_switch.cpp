// SPDX-License-Identifier: GPL-2.0-or-later
// POCS comes and goes with RCS's context: ICL PRM vol 9, "POSH Programming Model", "POSH Preemption", "POCS and RCS Synchronization".
#include "tests/unit/cs/position_rig.h"

using namespace softgen;
using namespace softgen::cs::test;

namespace {

constexpr uint32_t out = 0x0018'0000, flag = 0x0018'1000, back = 0x0018'2000;
constexpr uint32_t bb_addr = 0x0f, bb_state = 0x11, sbb_state = 0x17;  ///< values in an image
const Dwords end{batch_end};
const Event started{0x1, 0}, preempted{0x2, 0x20}, completed{0x18, 0x20}, other_completed{0x18, 0x40};
using Events = std::vector<Event>;

/// A batch for POCS, started in the ring.
Dwords for_pocs(PositionRig& rig, const Dwords& commands) { return batch_start(rig.batch(commands + end), posh_start); }

/// POCS's packets take until `released`, or until it is asked to stop.
struct SlowPackets {
  std::atomic<bool> inside{false}, released{false};
  explicit SlowPackets(FakeEngine& engine) {
    engine.on_execute = [this](const Packet&, EngineEnv& env) {
      inside = true;
      while (!released && !env.stop.reasons()) std::this_thread::yield();
      if (released) return ExecResult::done;
      return env.stop.aborting() ? ExecResult::aborted : ExecResult::preempted;
    };
  }
};

void move(PositionRig& from, PositionRig& to) {
  const auto data = from.save_state();
  to.copy_memory(from);
  to.csb_head_ = from.csb_head_;
  REQUIRE(to.load_state(data));
}

}  // namespace

TEST_CASE("POCS and RCS run at the same time, and wait for each other by semaphores alone") {
  // "Execution of POCS is completely asynchronous to RCS command sequence execution."
  PositionRig rig(GENERATE(false, true));
  PositionContext context(rig, 0x20);
  for (uint32_t turn = 0; turn < 6; turn += 2) {
    context.emit(for_pocs(rig, semaphore(flag, turn) + store(out + 4 * turn, turn + 1) + store(flag, turn + 1)));
    context.emit(semaphore(flag, turn + 1)).emit(store(out + 4 * turn + 4, turn + 2)).emit(store(flag, turn + 2));
  }
  rig.submit(context);
  rig.until_idle();
  for (uint32_t turn = 0; turn < 6; ++turn) CHECK(rig.load(out + 4 * turn) == turn + 1);
  CHECK(rig.events() == Events{started, completed});
}

TEST_CASE("a context is complete when POCS, too, has reached its end") {
  PositionRig rig(GENERATE(false, true));
  PositionContext context(rig, 0x20);
  Dwords commands;
  for (uint32_t n = 1; n <= 100; ++n) commands = commands + store(out, n);
  context.emit(for_pocs(rig, commands));
  rig.submit(context);
  rig.until_idle();
  CHECK(rig.load(out) == 100);
  CHECK(rig.events() == Events{started, completed});
  CHECK(context.image(0x05) == context.tail);
  CHECK(context.position_image(0x05) == context.tail);
  CHECK((context.position_image(bb_addr) & 1) == 0);  // BB_ADDR: in no batch
}

TEST_CASE("POCS goes on where its image says, and shares the ring with RCS from its own HEAD") {
  PositionRig rig(GENERATE(false, true));
  PositionContext context(rig, 0x20);
  context.emit(for_pocs(rig, state_vs(1)));
  rig.submit(context);
  rig.until_idle();
  context.emit(for_pocs(rig, state_vs(2)));
  rig.submit(context);
  rig.until_idle();
  CHECK(rig.pocs().headers.size() == 2);
  CHECK(rig.pocs().context.packets == 2);
  CHECK(rig.pocs().context.word == 2);
}

TEST_CASE("POCS that waits in a semaphore does not switch, and leaves with a context that is complete") {
  // "POCS doesn't switch out on unsuccessful Wait For Event or Semaphore Wait"; both images are saved, and POCS waits again.
  PositionRig rig(GENERATE(false, true));
  PositionContext context(rig, 0x20);
  context.emit(for_pocs(rig, semaphore(flag, 1) + store(out, 1))).emit(store(back, 1));
  rig.submit(context);
  rig.until_idle();
  CHECK(rig.load(back) == 1);
  CHECK(rig.load(out) == 0);
  CHECK(rig.events() == Events{started, completed});
  CHECK((context.position_image(bb_addr) & 1) == 1);
  CHECK((context.position_image(bb_state) & 1u << 21) != 0);  // BB_STATE: an executed batch
  rig.release(flag, 1);
  context.emit(store(back, 2));
  rig.submit(context);
  rig.until_idle();
  CHECK(rig.load(out) == 1);
}

TEST_CASE("another list preempts RCS, and POCS with it: idle, busy, or waiting") {
  // "Preemption from RCS can happen when POCS is in one of the below states."
  enum class State { idle, busy, waiting };
  const State state = GENERATE(State::idle, State::busy, State::waiting);
  const bool threaded = GENERATE(false, true);
  PositionRig rig(threaded);
  PositionContext context(rig, 0x20), other(rig, 0x40, false);
  const uint32_t loop = rig.allocate(1);
  rig.write(loop, Dwords{mi(0x2f, 1 | global | 5 << 8), out, 0} + batch_start(loop));  // MI_ATOMIC, increment
  if (state == State::busy) context.emit(batch_start(loop, posh_start));
  if (state == State::waiting) context.emit(for_pocs(rig, semaphore(flag, 1) + store(out, 1)));
  context.emit(semaphore(back, 1));
  rig.submit(context);
  const uint32_t waits = softgen::reg::field::RING_CTL_SEMAPHORE_WAIT.mask();
  if (state == State::busy) rig.until([&] { return rig.load(out) > 100; });
  if (state == State::waiting) rig.until([&] { return (rig.reg(EngineId::pocs, softgen::reg::RING_CTL) & waits) != 0; });
  rig.until([&] { return (rig.reg(EngineId::rcs, softgen::reg::RING_CTL) & waits) != 0; });
  other.emit(store(flag + 8, 7));
  rig.submit(other);
  rig.until_idle();
  CHECK(rig.load(flag + 8) == 7);
  CHECK(rig.events() == Events{started, preempted, other_completed});
  CHECK((context.position_image(bb_addr) & 1) == (state == State::idle ? 0 : 1));
  // POCS goes on when the context does.
  const uint32_t so_far = rig.load(out);
  if (state == State::busy) rig.write(loop, Dwords{batch_end});
  rig.release(flag, 1);
  rig.release(back, 1);
  rig.submit(context);
  rig.until_idle();
  CHECK(rig.events() == Events{started, completed});
  CHECK(rig.load(out) == (state == State::waiting ? 1 : so_far));
}

TEST_CASE("a packet of POCS's is preempted where its engine can stop, and goes on later") {
  // "POSH pipe supports 3D object level preemption."
  PositionRig rig(true);
  PositionContext context(rig, 0x20), other(rig, 0x40, false);
  SlowPackets slow(rig.pocs());
  context.emit(for_pocs(rig, state_vs(1) + state_vs(2))).emit(semaphore(back, 1));
  rig.submit(context);
  rig.until([&] { return slow.inside.load(); });
  other.emit(store(out, 1));
  rig.submit(other);
  rig.until([&] { return rig.load(out) == 1; });
  CHECK(rig.pocs().headers.empty());
  slow.released = true;
  rig.release(back, 1);
  rig.submit(context);
  rig.until_idle();
  CHECK(rig.pocs().context.packets == 2);
}

TEST_CASE("a preempted traversal resumes as one") {
  // The states of both levels are in the image.
  PositionRig rig;
  PositionContext context(rig, 0x20), other(rig, 0x40, false);
  const Dwords wait = semaphore(flag, 1);
  const uint32_t executed = rig.batch(wait + state_vs(1) + end);
  const uint32_t traversed = rig.batch(batch_start(executed, second_level | posh_start) + state_vs(2) + end);
  context.emit(batch_start(traversed, posh_enable)).emit(semaphore(back, 1));
  rig.submit(context);
  rig.submit(other);
  rig.until_idle();
  CHECK((context.position_image(bb_state) >> 20 & 3) == 1);  // BB_STATE: traversed; SBB_STATE: executed
  CHECK((context.position_image(sbb_state) >> 20 & 3) == 2);
  rig.write(flag, 1);
  rig.write(back, 1);
  rig.submit(context);
  rig.until_idle();
  CHECK(rig.pocs().context.packets == 1);
  CHECK(rig.pocs().context.word == 1);
}

TEST_CASE("a synchronous switch of RCS takes POCS along") {
  // "RCS on switching out the context either due to synchronous context switch or preemption, it also preempts POCS."
  PositionRig rig(GENERATE(false, true));
  PositionContext context(rig, 0x20);
  context.set_image(0x03, 0x0019'0011);  // without Inhibit Synchronous Context Switch
  context.emit(for_pocs(rig, semaphore(flag, 1) + store(out, 1))).emit(semaphore(back, 1));
  rig.submit(context);
  rig.until_idle();
  CHECK(rig.events() == Events{started, {0x888, 0x20}});
  CHECK((context.position_image(bb_addr) & 1) == 1);
  rig.release(flag, 1);
  rig.release(back, 1);
  rig.submit(context);
  rig.until_idle();
  CHECK(rig.load(out) == 1);
  CHECK(rig.events() == Events{started, completed});
}

TEST_CASE("a lite restore moves POCS's tail") {
  // "POSH pipe (POCS) will sample the tail pointer from RCS."
  PositionRig rig(GENERATE(false, true));
  PositionContext context(rig, 0x20);
  context.emit(semaphore(back, 1));
  rig.submit(context);
  rig.until([&] { return rig.reg(EngineId::pocs, softgen::reg::RING_HEAD) == context.tail; });
  context.emit(for_pocs(rig, store(out, 1)));
  rig.submit(context);
  rig.until([&] { return rig.load(out) == 1; });
  CHECK(rig.reg(EngineId::pocs, softgen::reg::RING_TAIL) == context.tail);
  rig.release(back, 1);
  rig.until_idle();
  CHECK(rig.events() == Events{started, {0x8002, 0x20}, completed});
}

TEST_CASE("a reset of the render domain resets POCS, wherever both are") {
  PositionRig rig(GENERATE(false, true));
  PositionContext context(rig, 0x20), again(rig, 0x40);
  const uint32_t loop = rig.allocate(1);
  rig.write(loop, Dwords{mi(0x2f, 1 | global | 5 << 8), out, 0} + batch_start(loop));
  const bool waits = GENERATE(false, true);  // else RCS is at its end and waits for POCS
  context.emit(batch_start(loop, posh_start));
  if (waits) context.emit(semaphore(back, 1));
  rig.submit(context);
  rig.until([&] { return rig.load(out) > 100; });
  rig.reset_render();
  rig.until_idle();
  CHECK(rig.reg(EngineId::pocs, softgen::reg::RING_HEAD) == 0);
  rig.enable();
  again.emit(for_pocs(rig, store(out + 8, 1)));
  rig.submit(again);
  rig.until_idle();
  CHECK(rig.load(out + 8) == 1);
  CHECK(rig.events() == Events{started, other_completed});
}

TEST_CASE("RCS hangs with POCS, and a reset mends both") {
  PositionRig rig(GENERATE(false, true));
  PositionContext context(rig, 0x20), again(rig, 0x40);
  context.emit(for_pocs(rig, Dwords{0xdead'beef, 0})).emit(semaphore(back, 1));
  rig.submit(context);
  rig.until([&] { return rig.reg(EngineId::rcs, softgen::reg::RING_EIR) == 1; });
  CHECK(rig.reg(EngineId::pocs, softgen::reg::RING_IPEHR) == 0xdead'beef);
  rig.reset_render();
  rig.enable();
  again.emit(for_pocs(rig, store(out, 1)));
  rig.submit(again);
  rig.until([&] { return rig.load(out) == 1; });
  rig.until_idle();
}

TEST_CASE("a saved state goes on with POCS wherever it was") {
  const bool threaded = GENERATE(false, true);
  PositionRig source, target(threaded);
  PositionContext context(source, 0x20), other(source, 0x40, false);
  const uint32_t executed = source.batch(state_vs(5) + semaphore(flag, 1) + store(out, 1) + end);
  const uint32_t traversed = source.batch(batch_start(executed, second_level | posh_start) + state_vs(6) + end);
  context.emit(batch_start(traversed, posh_enable)).emit(semaphore(back, 1)).emit(store(out + 4, 2));
  source.submit(context);
  const bool leaving = GENERATE(false, true);
  if (leaving) {
    // POCS stands: it is asked to leave, and cannot yet.
    source.set_reg(EngineId::pocs, softgen::reg::RING_MI_MODE, 0x0100'0100);
    other.emit(store(out + 8, 3));
    source.submit(other);
    CHECK(source.read(out + 8) == 0);
  }
  move(source, target);
  if (leaving) {
    target.set_reg(EngineId::pocs, softgen::reg::RING_MI_MODE, 0x0100'0000);
    target.until_idle();
    CHECK(target.load(out + 8) == 3);
    target.submit(context);  // the descriptor; its image is the target's own
  }
  target.release(flag, 1);
  target.release(back, 1);
  target.until_idle();
  CHECK(target.load(out) == 1);
  CHECK(target.load(out + 4) == 2);
  CHECK(target.pocs().context.packets == 1);
  CHECK(target.pocs().context.word == 5);
}

TEST_CASE("a pause stops POCS at a command, and abandons a packet that runs on") {
  PositionRig rig(true);
  PositionContext context(rig, 0x20);
  std::atomic<bool> inside{false};
  rig.pocs().on_execute = [&](const Packet&, EngineEnv& env) {
    inside = true;
    while (!env.stop.aborting()) std::this_thread::yield();
    return ExecResult::aborted;
  };
  context.emit(for_pocs(rig, state_vs(1))).emit(semaphore(back, 1));
  rig.submit(context);
  rig.until([&] { return inside.load(); });
  rig.cs->pause();
  CHECK(rig.cs->engine(EngineId::pocs)->streamer().abandoned().stands);
  rig.cs->resume();
  // Software sees RCS's error, and resets both.
  rig.until([&] { return rig.reg(EngineId::rcs, softgen::reg::RING_EIR) == 1; });
  rig.reset_render();
  CHECK_FALSE(rig.cs->engine(EngineId::pocs)->streamer().abandoned().stands);
}
