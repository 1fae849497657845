// SPDX-License-Identifier: GPL-2.0-or-later
// Core clocks as a function of time, and the order of the reports that are due.
#include "hw/oa/report_schedule.h"

#include "tests/catch.h"

using namespace softgen;
using namespace softgen::oa;

namespace {

namespace report_id = defs::oa_report_id;
constexpr CoreClocks clocks{
    .from_tick = 1000, .from_clock = 5'000, .fraction = 7'000'000, .core_hz = 999'000'000, .timestamp_hz = 12'000'000};

/// Fires every `threshold` clocks.
TriggerRegisters every(uint32_t threshold) {
  return {.on = true, .threshold = threshold, .condition = 3u << 22, .high_inputs = 0, .low_inputs = 0, .routed = Routed::nothing};
}

}  // namespace

TEST_CASE("the tick of a core clock is the first one with so many clocks") {
  CHECK(clocks.at(1000) == 5000);
  CHECK(clocks.at(900) == 5000);
  for (uint64_t clock = 4990; clock < 6000; ++clock) {
    const uint64_t tick = clocks.tick_of(clock);
    CHECK(clocks.at(tick) >= clock);
    CHECK((tick == 1000 || clocks.at(tick - 1) < clock));
  }
  CoreClocks stand = clocks;
  stand.core_hz = 0;
  CHECK(stand.at(1'000'000) == 5000);
  CHECK(stand.tick_of(5000) == 1000);
  CHECK(stand.tick_of(5001) == CoreClocks::never);
}

TEST_CASE("reports are due in the order of time, and as many as were counted") {
  ReportSchedule schedule;
  schedule.timer = {.on = true, .exponent = 3};
  schedule.pass(1000, 5000);
  CHECK_FALSE(schedule.triggers[0].follow(every(1500), 5000));
  CHECK_FALSE(schedule.triggers[1].follow(every(2100), 5000));
  const uint64_t until = 1200, count = schedule.count(until, clocks);
  CHECK(count == 12 + 11 + 7);  // 200 ticks have 16'650 clocks
  for (uint64_t n = 1; n <= count; ++n) {
    const std::optional<uint64_t> tick = schedule.tick_of(n, clocks);
    REQUIRE(tick);
    CHECK(schedule.count(*tick, clocks) >= n);
    CHECK(schedule.count(*tick - 1, clocks) < n);
  }
  uint64_t before = 0, timers = 0, taken = 0;
  while (const auto due = schedule.take(until, clocks)) {
    CHECK(due->tick >= before);
    CHECK(due->tick <= until);
    timers += due->reason.mask() == report_id::timer.mask();
    before = due->tick;
    ++taken;
    CHECK(schedule.count(until, clocks) == count - taken);
  }
  CHECK(taken == count);
  CHECK(timers == 12);
}

TEST_CASE("without timer and triggers nothing is ever due") {
  ReportSchedule schedule;
  CHECK(schedule.count(1'000'000, clocks) == 0);
  CHECK_FALSE(schedule.take(1'000'000, clocks));
  CHECK_FALSE(schedule.tick_of(1, clocks));
}

TEST_CASE("triggers fire at core clocks: while those stand, only the timer's reports are due") {
  ReportSchedule schedule;
  schedule.timer = {.on = true, .exponent = 3};
  schedule.pass(1000, 5000);
  CHECK_FALSE(schedule.triggers[0].follow(every(10), 5000));
  CoreClocks stand = clocks;
  stand.core_hz = 0;
  CHECK(schedule.count(1200, stand) == 12);
  CHECK(schedule.tick_of(13, stand) == uint64_t{1208});
}
