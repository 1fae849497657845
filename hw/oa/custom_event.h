// SPDX-License-Identifier: GPL-2.0-or-later
// Custom events: a B counter counts the core clocks in which a comparison of the routed signals holds (TGL PRM vol 13, "Custom Event Counters").
#pragma once

#include <cstdint>

#include "hw/oa/signals.h"

namespace softgen::oa {

/// The clocks in which an event holds. The routed signals are all 0, or those of the metric set TestOa.
class EventClocks : public PeriodicClocks {
 public:
  EventClocks() = default;
  /// `event`, `mask`: OACEC_EVENT and OACEC_MASK.
  EventClocks(uint32_t event, uint32_t mask, bool test_pattern);
};

}  // namespace softgen::oa
