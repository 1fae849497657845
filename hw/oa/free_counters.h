// SPDX-License-Identifier: GPL-2.0-or-later
// Counters that "count irrespective of OA enable/disable or freeze" (TGL PRM vol 13, "Aggregating Counters"): A4, A6, A19 and A20 a second time.
#pragma once

#include "hw/base/archive.h"
#include "hw/oa/event_counters.h"

namespace softgen::oa {

/// It does nothing but when software reads them, or selects other events.
class FreeCounters {
 public:
  FreeCounters(Eus eus, uint64_t timestamp_hz) : counters_(eus, timestamp_hz) {}

  /// What software has selected: that of EU_PERF_CNTL6, and the frequency.
  bool counts(uint32_t events, uint64_t core_hz) const { return selection_.flexible.back() == events && selection_.core_hz == core_hz; }
  void select(const Moment& moment, uint32_t events, uint64_t core_hz);
  /// Counter 0 to 3.
  uint64_t read(const Moment& moment, unsigned i);
  void reset(const Moment& moment);
  void state(Archive& archive, const Moment& moment);

 private:
  EventCounters counters_;
  Selection selection_;
};

}  // namespace softgen::oa
