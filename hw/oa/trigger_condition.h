// SPDX-License-Identifier: GPL-2.0-or-later
// The Boolean condition of a start or report trigger (i915 i915_reg.h of Linux 5.x, OASTARTTRIG*, OAREPORTTRIG*): 16 inputs, each a routed signal or its
// edges, go through four stages, with an inversion for each of their signals: A (the 16 inputs), B (4), C (2) and D (1).
//
// Each stage has gates over the signals of the one before it. Which gates is in no public text, except that Intel's metrics library (MIT,
// github.com/intel/metrics-library, OaReportTrigger) makes a rising edge by inverting one of the two C signals and a falling edge by inverting D as well,
// while all inputs are one signal: so D's gate is an OR. The gates of B and C are known only where all their inputs are equal.
#pragma once

#include <cstdint>

#include "hw/oa/signals.h"

namespace softgen::oa {

/// What software has programmed for a trigger.
struct TriggerRegisters {
  bool on = false;  ///< the trigger is enabled
  uint32_t threshold = 0, condition = 0;
  uint32_t high_inputs = 0, low_inputs = 0;  ///< signals of inputs 8 to 15, and 0 to 7
  Routed routed = Routed::nothing;
  bool operator==(const TriggerRegisters&) const = default;
};

class TriggerCondition {
 public:
  TriggerCondition() = default;
  /// `edges`: of these inputs rising edges count, not levels.
  TriggerCondition(const TriggerRegisters& registers, uint32_t edges);

  /// False: the condition depends on what is not public. Then it holds in no clock.
  bool known() const { return known_; }
  /// The clocks in which it holds, and those in which it begins to.
  const PeriodicClocks& holds() const { return holds_; }
  const PeriodicClocks& rises() const { return rises_; }

 private:
  bool known_ = true;
  PeriodicClocks holds_, rises_;
};

}  // namespace softgen::oa
