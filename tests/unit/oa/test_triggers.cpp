// SPDX-License-Identifier: GPL-2.0-or-later
// Conditions of triggers, and when triggers fire (TGL PRM vol 13, "Details of Start Trigger Behavior", "Configuration of Trigger Logic").
#include "hw/oa/triggers.h"

#include "tests/catch.h"
#include "tests/quiet_log.h"

using namespace softgen;
using namespace softgen::oa;

namespace {

constexpr uint32_t threshold_enable = 1u << 23, invert_d = 1u << 22, invert_c0 = 1u << 20, invert_c1 = 1u << 21, event_select = 1u << 28;
constexpr uint64_t never = PeriodicClocks::never;

/// All inputs have one signal.
TriggerRegisters with(uint32_t condition, Routed routed, uint32_t signal = 0, uint32_t threshold = 0) {
  const uint32_t inputs = signal * 0x1111'1111;
  return {.on = true, .threshold = threshold, .condition = condition, .high_inputs = inputs, .low_inputs = inputs, .routed = routed};
}
TriggerCondition condition(uint32_t bits, Routed routed, uint32_t signal = 0, uint32_t edges = 0) {
  return TriggerCondition(with(bits, routed, signal), edges);
}
/// Bit i: it holds in clock i of a period.
unsigned clocks_of(const PeriodicClocks& clocks) {
  unsigned bits = 0;
  for (unsigned clock = 0; clock < signal_period; ++clock) bits |= unsigned{clocks.has(clock)} << clock;
  return bits;
}

/// How often a trigger fires until `clock`, by the rules, clock by clock.
uint64_t fired(const PeriodicClocks& holds, uint32_t threshold, uint64_t since, uint64_t clock) {
  uint64_t times = 0, counted = 0;
  for (uint64_t at = since; at < clock; ++at) {
    if (threshold) times += holds.has(at) && ++counted % threshold == 0;
    else times += holds.has(at) && !holds.has(at + signal_period - 1);
  }
  return times;
}

}  // namespace

TEST_CASE("the least number of clocks with n of a periodic set is the inverse of how many are among them") {
  for (unsigned bits = 0; bits < 1 << signal_period; ++bits) {
    PeriodicClocks clocks;
    for (unsigned i = 0; i < signal_period; ++i)
      if (bits >> i & 1) clocks.add(i);
    CHECK(clocks.until(0) == 0);
    for (uint64_t n = 1; n < 20; ++n) {
      const uint64_t until = clocks.until(n);
      CHECK((until == never) == (bits == 0));
      if (!bits) continue;
      CHECK(clocks.among(until) == n);
      CHECK(clocks.among(until - 1) == n - 1);
    }
  }
}

// Intel's metrics library (OaReportTrigger): C1 inverted makes a rising edge, D as well a falling edge, whatever the one signal of all inputs is.
TEST_CASE("what the metrics library programs holds, or does not, whatever the signals are") {
  for (const Routed routed : {Routed::nothing, Routed::test_pattern, Routed::unknown}) {
    const TriggerCondition rising = condition(invert_c1, routed, 5), falling = condition(invert_c1 | invert_d, routed, 5);
    CHECK(rising.known());
    CHECK(clocks_of(rising.holds()) == 0x3f);
    CHECK(falling.known());
    CHECK(clocks_of(falling.holds()) == 0);
  }
}

TEST_CASE("a condition that depends on unknown signals, or on gates that are not public, is not known") {
  CHECK_FALSE(condition(0, Routed::unknown, 3).known());
  CHECK_FALSE(condition(invert_c0 | invert_c1, Routed::unknown, 3).known());
  CHECK_FALSE(condition(1, Routed::nothing).known());        // input 0 is 1, 1 to 3 are 0
  CHECK_FALSE(condition(1 << 16, Routed::nothing).known());  // B0 is 1, B1 is 0
  CHECK(condition(0xffff, Routed::nothing).known());
  TriggerRegisters halves = with(invert_c1, Routed::unknown, 2);
  halves.high_inputs = 0x3333'3333;
  CHECK_FALSE(TriggerCondition(halves, 0).known());
  CHECK_FALSE(TriggerCondition(with(invert_c1, Routed::unknown, 2), 0xff00).known());  // a signal and its edges
}

TEST_CASE("conditions of nothing and of the test pattern") {
  CHECK(clocks_of(condition(0, Routed::nothing).holds()) == 0);
  CHECK(clocks_of(condition(0xffff, Routed::nothing).holds()) == 0x3f);
  CHECK(clocks_of(condition(invert_d, Routed::nothing).holds()) == 0x3f);
  CHECK(clocks_of(condition(0, Routed::test_pattern, 3).holds()) == 0b101010);
  CHECK(clocks_of(condition(invert_d, Routed::test_pattern, 3).holds()) == 0b010101);
  CHECK(clocks_of(condition(0, Routed::test_pattern, 5).holds()) == 0b100100);
  CHECK(clocks_of(condition(0, Routed::test_pattern, 5, 0xffff).holds()) == 0b100100);
  CHECK(clocks_of(condition(invert_d, Routed::test_pattern, 5).rises()) == 0b001001);
  TriggerRegisters either = with(0, Routed::test_pattern, 5);
  either.high_inputs = 0x3333'3333;
  CHECK(clocks_of(TriggerCondition(either, 0).holds()) == 0b101110);
  CHECK(clocks_of(TriggerCondition(either, 0).rises()) == 0b100010);
}

TEST_CASE("a start trigger fires at once with threshold 0, else after so many clocks of its condition, and stays fired") {
  StartTrigger trigger;
  CHECK_FALSE(trigger.fired(1000));
  trigger.follow(with(threshold_enable | event_select, Routed::unknown, 3), 70);
  CHECK(trigger.start() == 70);
  trigger.follow(with(0, Routed::nothing), 90);
  CHECK(trigger.fired(90));
  trigger.follow({}, 100);
  CHECK(trigger.start() == never);
  trigger.follow(with(threshold_enable | invert_d, Routed::nothing, 0, 50), 100);
  CHECK(trigger.start() == 150);
  trigger.follow(with(threshold_enable, Routed::test_pattern, 3, 50), 120);
  CHECK(trigger.start() == 220);
  trigger.follow(with(0, Routed::nothing), 130);
  CHECK(trigger.start() == never);
  trigger.follow(with(0, Routed::test_pattern, 5), 132);
  CHECK(trigger.start() == 135);
}

TEST_CASE("a start trigger of an unknown condition counts as fired, and as unimplemented") {
  quiet_log();
  constexpr const char* what = "start trigger whose condition is not known: B and C counters count from now on";
  const uint64_t before = failure_count(Failure::unimplemented, what);
  StartTrigger trigger;
  trigger.follow(with(0, Routed::unknown, 3), 10);
  CHECK(trigger.start() == 10);
  trigger.follow({}, 20);
  trigger.follow(with(threshold_enable | event_select | invert_d, Routed::nothing, 0, 5), 30);
  CHECK(trigger.start() == 30);
  CHECK(failure_count(Failure::unimplemented, what) == before + 2);
}

TEST_CASE("a report trigger fires when its condition begins to hold, or with each threshold of clocks in which it holds") {
  for (const uint32_t threshold : {0u, 1u, 5u, 64u})
    for (const uint32_t signal : {0u, 3u, 4u, 5u})
      for (const uint32_t invert : {0u, invert_d}) {
        CAPTURE(threshold, signal, invert);
        const TriggerRegisters registers = with(invert | (threshold ? threshold_enable : 0), Routed::test_pattern, signal, threshold);
        const PeriodicClocks holds = TriggerCondition(registers, 0).holds();
        constexpr uint64_t since = 1001;
        ReportTrigger trigger;
        const bool at_once = trigger.follow(registers, since);
        CHECK(at_once == (signal == 0 && invert && !threshold));  // it always holds
        for (uint64_t clock = since; clock < since + 400; clock += 7) CHECK(trigger.due(clock) == fired(holds, threshold, since, clock));
        for (uint64_t n = 1; n < 4; ++n) {
          const uint64_t next = trigger.next();
          if (next == never) break;
          CHECK(trigger.due(next) == 1);
          CHECK(trigger.due(next - 1) == 0);
          trigger.pass(next);
          CHECK(fired(holds, threshold, since, next) == n);
        }
      }
}

TEST_CASE("a report trigger's threshold 0 is always reached: it fires once, when it is enabled") {
  ReportTrigger trigger;
  TriggerRegisters registers = with(threshold_enable, Routed::unknown, 3);
  registers.on = false;
  CHECK_FALSE(trigger.follow(registers, 5));
  registers.on = true;
  CHECK(trigger.follow(registers, 10));
  CHECK_FALSE(trigger.follow(registers, 20));
  CHECK(trigger.due(1000) == 0);
  CHECK(trigger.next() == never);
}

TEST_CASE("a report trigger of an unknown condition never fires, and is counted as unimplemented") {
  quiet_log();
  constexpr const char* what = "report trigger whose condition is not known: it never fires";
  const uint64_t before = failure_count(Failure::unimplemented, what);
  ReportTrigger trigger;
  TriggerRegisters registers = with(invert_d, Routed::unknown, 3);
  CHECK_FALSE(trigger.follow(registers, 5));
  CHECK(trigger.due(1'000'000) == 0);
  CHECK(failure_count(Failure::unimplemented, what) == before + 1);
  registers.on = false;
  CHECK_FALSE(trigger.follow(registers, 6));
  CHECK(failure_count(Failure::unimplemented, what) == before + 1);
}
