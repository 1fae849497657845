// SPDX-License-Identifier: GPL-2.0-or-later
// OAR: counters that belong to render contexts (TGL PRM vol 13, "Observability"). Hardware keeps them in the context's image, at places that are not
// public. Here they are kept for the contexts that used them last (chosen: 16, as i915 has one stream at a time); one that is not among them begins at 0.
#pragma once

#include <cstdint>
#include <vector>

#include "hw/base/archive.h"
#include "hw/oa/event_counters.h"

namespace softgen::oa {

class ContextCounters {
 public:
  ContextCounters(unsigned eus, uint64_t timestamp_hz) : counters_(eus, timestamp_hz) {}

  const Counters& now() const { return counters_.now(); }
  /// The context with this image runs from `moment` on.
  void enter(uint32_t image, const Moment& moment);
  void advance(const Moment& moment, const Selection& selection, bool counts) { counters_.advance(moment, selection, counts); }
  /// It runs no more.
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
  std::vector<Kept> kept_;  ///< the latest last
};

/// All counters, to or from a saved state.
void counters_state(Archive& archive, Counters& counters);

}  // namespace softgen::oa
