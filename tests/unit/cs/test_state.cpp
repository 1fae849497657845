// SPDX-License-Identifier: GPL-2.0-or-later
// A busy streamer is saved in one machine and continues in another.
#include "tests/unit/cs/machine.h"

using namespace softgen;
using namespace softgen::cs::test;

namespace {

constexpr uint32_t out = 0x0018'0000, flag = 0x0018'1000;

}  // namespace

TEST_CASE("saved in a nested batch with a list pending, resumed elsewhere") {
  const bool threaded = GENERATE(false, true);
  Rig source, target(EngineId::bcs, threaded);
  Context a(source, source.id, 0x20), b(source, source.id, 0x40);
  const uint32_t second = source.batch(color_blt(5) + semaphore(flag, 1) + store(out, 1) + Dwords{batch_end});
  const uint32_t first = source.batch(start_batch(second, false, true) + store(out + 4, 2) + Dwords{batch_end});
  a.emit(arb(false)).emit(start_batch(first)).emit(arb(true)).emit(store(out + 8, 3));
  b.emit(store(out + 12, 4)).emit(color_blt(9));
  source.submit(a);
  source.submit(b, &a);  // pending: arbitration is off
  CHECK(source.events() == std::vector<Event>{{0x1, 0}});
  const auto data = source.save_state();
  target.copy_memory(source);
  target.adopt_driver(source);

  REQUIRE(target.load_state(data));
  target.write(flag, 1);
  target.cs->poll();
  while (threaded && target.cs->busy()) std::this_thread::yield();
  for (uint32_t i = 0; i < 4; ++i) CHECK(target.read(out + 4 * i) == i + 1);
  CHECK(target.events() == std::vector<Event>{{0x2, 0x20}, {0x14, 0x40}, {0x18, 0x20}});
  CHECK(target.engine(target.id).context.packets == 1);  // a's
  CHECK(target.engine(target.id).context.word == 5);

  // The source continues as well.
  source.write(flag, 1);
  source.cs->poll();
  CHECK(source.events() == std::vector<Event>{{0x2, 0x20}, {0x14, 0x40}, {0x18, 0x20}});
}

TEST_CASE("an idle streamer, and one in error") {
  Rig source, target;
  Context a(source, source.id, 0x20);
  const bool error = GENERATE(false, true);
  a.emit(error ? Dwords{0xdead'beef, 0} : store(out, 1));
  source.submit(a);
  REQUIRE(target.load_state(source.save_state()));
  CHECK(target.reg(target.id, softgen::reg::RING_ESR) == (error ? 1u : 0u));
  if (error) {
    target.reset_engine(target.id);
    target.enable_execlists(target.id);
  }
  Context b(target, target.id, 0x40);
  b.emit(store(out + 4, 2));
  target.submit(b);
  CHECK(target.read(out + 4) == 2);
}

TEST_CASE("half a submit survives") {
  Rig source, target;
  source.set_reg(source.id, softgen::reg::RING_ELSP, 0);
  source.set_reg(source.id, softgen::reg::RING_ELSP, 0);
  REQUIRE(target.load_state(source.save_state()));
  Context a(target, target.id, 0x20);
  a.emit(store(out, 1));
  a.set_image(7, a.tail);
  target.set_reg(target.id, softgen::reg::RING_ELSP, 0x20);
  target.set_reg(target.id, softgen::reg::RING_ELSP, uint32_t(a.descriptor()));
  CHECK(target.read(out) == 1);
}

TEST_CASE("a truncated or changed state fails or is harmless") {
  Rig source;
  Context a(source, source.id, 0x20);
  a.emit(semaphore(flag, 1));
  source.submit(a);
  const auto good = source.save_state();
  uint32_t seed = 99;
  for (int round = 0; round < 200; ++round) {
    auto data = good;
    seed = seed * 1664525 + 1013904223;
    // The end of the stream: the streamers' part.
    const size_t at = data.size() - 1 - (seed >> 8) % std::min<size_t>(data.size(), 2000);
    Rig target;
    if (round % 4 == 0) data.resize(at);
    else data[at] ^= std::byte(seed >> 24);
    target.load_state(data);
    target.cs->poll();
    target.reset_engine(target.id);
  }
}
