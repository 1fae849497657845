// SPDX-License-Identifier: GPL-2.0-or-later
// OAR: counters that belong to render contexts (TGL PRM vol 13, "Observability"). Hardware saves them to the context's image, where their
// position is not public. Here they are kept for the contexts that used them last (chosen: 16, as i915 has one stream at a time); others begin at 0.
#pragma once

#include <cstdint>
#include <vector>

#include "hw/base/archive.h"
#include "hw/oa/event_counters.h"

namespace softgen::oa {

class ContextCounters {
 public:
  ContextCounters(Eus eus, uint64_t timestamp_hz) : counters_(eus, timestamp_hz) {}

  const Counters& now() const { return counters_.now(); }
  /// The context with this image starts to run at `moment`.
  void enter(uint32_t image, const Moment& moment);
  void advance(const Moment& moment, const Selection& selection, bool counts) { counters_.advance(moment, selection, counts); }
  /// The context with this image stops running.
  void leave(uint32_t image);
  void reset() { kept_.clear(); }
  void state(Archive& archive);

 private:
  static constexpr size_t max_kept = 16;
  struct Kept {
    uint32_t image = 0;
    Counters counters;
  };
  EventCounters counters_;
  std::vector<Kept> kept_;  ///< ordered by last use
};

/// Saves or loads all counters.
void counters_state(Archive& archive, Counters& counters);

}  // namespace softgen::oa
