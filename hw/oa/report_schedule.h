// SPDX-License-Identifier: GPL-2.0-or-later
// When the unit writes reports by itself: its timer, and the two report triggers (TGL PRM vol 13, "Performance Counter Reporting").
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "hw/defs/oa_report.h"
#include "hw/oa/core_clocks.h"
#include "hw/oa/triggers.h"

namespace softgen::oa {

class ReportSchedule {
 public:
  struct Timer {
    bool on = false;
    unsigned exponent = 0;  ///< reports are due when this bit of the timestamp becomes 1
  };
  struct Due {
    uint64_t tick;
    reg::Bits reason;
  };
  static constexpr unsigned trigger_count = 2;

  Timer timer;
  std::array<ReportTrigger, trigger_count> triggers;

  /// Number of reports due until `tick`, after the last pass(). `clocks`: the core clocks until then.
  uint64_t count(uint64_t tick, const CoreClocks& clocks) const;
  /// The next report that is due until `tick`; it is due no more.
  std::optional<Due> take(uint64_t tick, const CoreClocks& clocks);
  /// The first tick until which `n` > 0 reports are due, if that is not too far away to matter.
  std::optional<uint64_t> tick_of(uint64_t n, const CoreClocks& clocks) const;
  /// What was due until `tick`, and until `clock` of the core clocks, has been written or dropped.
  void pass(uint64_t tick, uint64_t clock);

 private:
  uint64_t next_timer() const;

  uint64_t timer_done_ = 0;  ///< tick until which the timer's reports were written
};

}  // namespace softgen::oa
