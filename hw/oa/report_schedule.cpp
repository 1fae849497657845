// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/oa/report_schedule.h"

#include <algorithm>

namespace softgen::oa {
namespace {

namespace report_id = defs::oa_report_id;
constexpr uint64_t never = CoreClocks::never;
constexpr std::array<reg::Bits, ReportSchedule::trigger_count> trigger_reasons = {report_id::trigger_1, report_id::trigger_2};

}  // namespace

/// The bit becomes 1 at odd multiples of half a period.
uint64_t ReportSchedule::next_timer() const {
  if (!timer.on) return never;
  const uint64_t half = uint64_t{1} << timer.exponent, period = 2 * half, first = timer_done_ / period * period + half;
  return first > timer_done_ ? first : first + period;
}

uint64_t ReportSchedule::count(uint64_t tick, const CoreClocks& clocks) const {
  const uint64_t first = next_timer(), clock = clocks.at(tick);
  uint64_t due = first > tick ? 0 : (tick - first) / (uint64_t{2} << timer.exponent) + 1;
  for (const ReportTrigger& trigger : triggers) due += trigger.due(clock);
  return due;
}

std::optional<ReportSchedule::Due> ReportSchedule::take(uint64_t tick, const CoreClocks& clocks) {
  Due next{next_timer(), report_id::timer};
  uint64_t clock = never;
  unsigned fired = 0;
  for (unsigned i = 0; i < trigger_count; ++i) {
    const uint64_t at = triggers[i].next(), when = clocks.tick_of(at);
    if (when >= next.tick) continue;
    next = {when, trigger_reasons[i]};
    clock = at;
    fired = i;
  }
  if (next.tick > tick) return std::nullopt;
  if (clock == never) timer_done_ = next.tick;
  else triggers[fired].pass(clock);
  return next;
}

std::optional<uint64_t> ReportSchedule::tick_of(uint64_t n, const CoreClocks& clocks) const {
  constexpr uint64_t horizon = uint64_t{1} << 37;  // two of the timer's longest periods
  uint64_t before = clocks.from_tick, until = before + horizon;
  if (count(until, clocks) < n) return std::nullopt;
  if (count(before, clocks) >= n) return before;
  while (until - before > 1) {
    const uint64_t middle = before + (until - before) / 2;
    (count(middle, clocks) < n ? before : until) = middle;
  }
  return until;
}

void ReportSchedule::pass(uint64_t tick, uint64_t clock) {
  timer_done_ = std::max(timer_done_, tick);
  for (ReportTrigger& trigger : triggers) trigger.pass(clock);
}

}  // namespace softgen::oa
