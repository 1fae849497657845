// SPDX-License-Identifier: GPL-2.0-or-later
// The render engine's watchdog timer (ICL PRM vol 9, "Watchdog Timer Registers").
#include "tests/unit/cs/machine.h"

using namespace softgen;
using namespace softgen::cs::test;

namespace {

constexpr uint32_t flag = 0x0018'0000, expired = 1u << 6;
constexpr int64_t millisecond = 1'000'000;
constexpr uint64_t ticks_of_ms = 12'000;

struct Watched : Rig {
  explicit Watched(EngineId e = EngineId::rcs) : Rig(e), context(*this, e, 0x20) {}
  /// A context that sets the watchdog and then waits until `flag` is 1.
  void wait_with(uint32_t threshold) {
    write(flag, 0);
    const uint32_t base = softgen::test::engine_register(id, 0);
    context.emit(lri(base + 0x17c, threshold) + lri(base + 0x178, 1) + semaphore(flag, 1));
    submit(context);
    take_interrupts(id);
  }
  void finish() {
    write(flag, 1);
    cs->poll();
  }
  /// Whether it has expired when so much time has passed.
  bool after(int64_t ns) {
    host.now += ns;
    cs->look();
    return take_interrupts(id) & expired;
  }
  Context context;
};

}  // namespace

TEST_CASE("watchdog: an interrupt at each multiple of the threshold, however late it is looked at") {
  Watched rig;
  rig.wait_with(ticks_of_ms);
  REQUIRE(rig.watchdog_wakes.back() == ticks_of_ms);
  CHECK_FALSE(rig.after(millisecond / 2));
  CHECK(rig.watchdog_wakes.back() == ticks_of_ms / 2);
  CHECK(rig.after(millisecond / 2));
  CHECK_FALSE(rig.after(0));
  CHECK(rig.watchdog_wakes.back() == ticks_of_ms);
  CHECK(rig.after(7 * millisecond / 2));
  CHECK(rig.watchdog_wakes.back() == ticks_of_ms / 2);
  CHECK(rig.after(millisecond / 2));
}

TEST_CASE("watchdog: zero stops the counter, and it begins at 0 again") {
  Watched rig;
  rig.wait_with(ticks_of_ms);
  CHECK_FALSE(rig.after(millisecond / 2));
  rig.set_reg(rig.id, softgen::reg::RING_PR_CTR_CTL, 0);
  CHECK_FALSE(rig.after(10 * millisecond));
  rig.set_reg(rig.id, softgen::reg::RING_PR_CTR_CTL, ~0u);
  CHECK(rig.watchdog_wakes.back() == ticks_of_ms);
  CHECK_FALSE(rig.after(millisecond / 2));
  CHECK(rig.after(millisecond / 2));
}

TEST_CASE("watchdog: it counts while its context is on the engine, whose image has the registers") {
  Watched rig;
  rig.wait_with(ticks_of_ms);
  rig.finish();
  CHECK_FALSE(rig.after(10 * millisecond));
  const size_t wakes = rig.watchdog_wakes.size();
  rig.write(flag, 0);
  rig.context.emit(semaphore(flag, 1));
  rig.submit(rig.context);
  REQUIRE(rig.watchdog_wakes.size() > wakes);
  CHECK(rig.watchdog_wakes.back() == ticks_of_ms);
  CHECK(rig.after(millisecond));
  rig.reset_engine(rig.id);
  CHECK_FALSE(rig.after(10 * millisecond));
}

TEST_CASE("watchdog: a threshold of zero does not ask for endless interrupts") {
  Watched rig;
  rig.wait_with(0);
  CHECK(rig.watchdog_wakes.back() == cs::Watchdog::min_period);
  CHECK(rig.after(millisecond));
  CHECK_FALSE(rig.after(0));
}

TEST_CASE("watchdog: the other engines have none") {
  Watched rig(EngineId::bcs);
  rig.wait_with(ticks_of_ms);
  CHECK(rig.watchdog_wakes.empty());
  CHECK_FALSE(rig.after(10 * millisecond));
}
