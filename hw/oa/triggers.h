// SPDX-License-Identifier: GPL-2.0-or-later
// Start and report triggers (TGL PRM vol 13, "Details of Start Trigger Behavior", "Configuration of Trigger Logic"). Times are counts of core clocks.
//
// Chosen, as the manual's diagram is not at hand: with Threshold Enable the clocks are counted in which the condition holds, and a trigger fires when
// they have reached the threshold. A start trigger with threshold 0 fires at once: all of Mesa's metric sets program that, and their B and C counters
// count. A report trigger then counts anew; without a threshold it fires whenever the condition begins to hold (Intel's metrics library makes it
// begin and end once per report).
#pragma once

#include <cstdint>

#include "hw/base/archive.h"
#include "hw/oa/trigger_condition.h"

namespace softgen::oa {

/// From when on the B and C counters count.
class StartTrigger {
 public:
  static constexpr uint64_t never = PeriodicClocks::never;

  /// What software has programmed, as of `clock`. A trigger that has fired stays so while it is on.
  void follow(const TriggerRegisters& registers, uint64_t clock);
  uint64_t start() const { return start_; }
  bool fired(uint64_t clock) const { return clock >= start_; }
  /// Saves or loads the start; `registers`: what software had programmed.
  void state(Archive& archive, const TriggerRegisters& registers);

 private:
  uint64_t first(uint64_t clock) const;

  TriggerRegisters registers_;
  uint64_t start_ = never;
};

class ReportTrigger {
 public:
  /// What software has programmed, as of `clock`. True: that has fired the trigger.
  bool follow(const TriggerRegisters& registers, uint64_t clock);
  /// Number of reports that are due until `clock`, after the last pass().
  uint64_t due(uint64_t clock) const;
  /// When the next report is due, or PeriodicClocks::never.
  uint64_t next() const;
  /// The reports that were due until `clock` have been written, or dropped.
  void pass(uint64_t clock);
  /// Saves or loads what has been counted, as of `clock`; `registers`: what software had programmed.
  void state(Archive& archive, const TriggerRegisters& registers, uint64_t clock);

 private:
  uint32_t threshold() const;
  bool fires_always() const;
  bool level(uint64_t clock) const;
  void program(const TriggerRegisters& registers);
  /// How often it has fired until `clock`, since an origin that stays.
  uint64_t fired(uint64_t clock) const;

  TriggerRegisters registers_;
  TriggerCondition condition_;
  uint64_t since_ = 0;  ///< the threshold's count began
  uint64_t done_ = 0;   ///< reports until then were written
};

}  // namespace softgen::oa
