// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/oa/triggers.h"

#include <algorithm>

#include "hw/base/log.h"
#include "hw/defs/registers/registers.h"

namespace softgen::oa {
namespace {

namespace field = reg::field;

static_assert(field::OASTARTTRIG_CONDITION_THRESHOLD_ENABLE.mask() == field::OAREPORTTRIG_CONDITION_THRESHOLD_ENABLE.mask() &&
              field::OASTARTTRIG_CONDITION_THRESHOLD_ENABLE.mask() == field::OAG_STARTTRIG_CONDITION_THRESHOLD_ENABLE.mask() &&
              field::OAREPORTTRIG_CONDITION_THRESHOLD_ENABLE.mask() == field::OAG_REPORTTRIG_CONDITION_THRESHOLD_ENABLE.mask() &&
              field::OASTARTTRIG_CONDITION_EVENT_SELECT.mask() == field::OAG_STARTTRIG_CONDITION_EVENT_SELECT.mask());
static_assert(field::OASTARTTRIG_THRESHOLD_THRESHOLD.mask() == field::OAREPORTTRIG_THRESHOLD_THRESHOLD.mask() &&
              field::OASTARTTRIG_THRESHOLD_THRESHOLD.mask() == field::OAG_STARTTRIG_THRESHOLD_THRESHOLD.mask() &&
              field::OAREPORTTRIG_THRESHOLD_THRESHOLD.mask() == field::OAG_REPORTTRIG_THRESHOLD_THRESHOLD.mask() &&
              field::OAREPORTTRIG_THRESHOLD_EDGES.mask() == field::OAG_REPORTTRIG_THRESHOLD_EDGES.mask());

bool uses_threshold(const TriggerRegisters& registers) { return field::OASTARTTRIG_CONDITION_THRESHOLD_ENABLE.of(registers.condition); }
uint32_t threshold_of(const TriggerRegisters& registers) { return field::OASTARTTRIG_THRESHOLD_THRESHOLD.of(registers.threshold); }

}  // namespace

void StartTrigger::follow(const TriggerRegisters& registers, uint64_t clock) {
  if (registers == registers_) return;
  const bool stays = registers_.on && registers.on && fired(clock);
  registers_ = registers;
  if (!stays) start_ = registers.on ? first(clock) : never;
}

/// When it fires, if it has not until `clock`.
uint64_t StartTrigger::first(uint64_t clock) const {
  if (uses_threshold(registers_) && threshold_of(registers_) == 0) return clock;
  const TriggerCondition condition(registers_, 0);
  if (!condition.known() || field::OASTARTTRIG_CONDITION_EVENT_SELECT.of(registers_.condition)) {
    unimplemented("start trigger whose condition is not known: B and C counters count from now on", "condition {:#010x}",
                  registers_.condition);
    return clock;
  }
  const uint32_t clocks = uses_threshold(registers_) ? threshold_of(registers_) : 1;
  return condition.holds().until(condition.holds().among(clock) + clocks);
}

void StartTrigger::state(Archive& archive, const TriggerRegisters& registers) {
  archive.value(start_);
  if (archive.reading()) registers_ = registers;
}

uint32_t ReportTrigger::threshold() const { return uses_threshold(registers_) ? threshold_of(registers_) : 0; }

/// Threshold 0 is always reached.
bool ReportTrigger::fires_always() const { return uses_threshold(registers_) && threshold() == 0; }

bool ReportTrigger::level(uint64_t clock) const {
  if (!registers_.on || threshold()) return false;
  return fires_always() || condition_.holds().has(clock);
}

void ReportTrigger::program(const TriggerRegisters& registers) {
  registers_ = registers;
  condition_ = registers.on ? TriggerCondition(registers, field::OAREPORTTRIG_THRESHOLD_EDGES.of(registers.threshold)) : TriggerCondition();
}

bool ReportTrigger::follow(const TriggerRegisters& registers, uint64_t clock) {
  if (registers == registers_) return false;
  const bool before = level(clock);
  program(registers);
  since_ = done_ = clock;
  if (registers.on && !condition_.known() && !fires_always())
    unimplemented("report trigger whose condition is not known: it never fires", "condition {:#010x}", registers.condition);
  return !before && level(clock) && !condition_.rises().has(clock);
}

uint64_t ReportTrigger::fired(uint64_t clock) const {
  if (!registers_.on || fires_always()) return 0;
  if (const uint32_t clocks = threshold()) return (condition_.holds().among(clock) - condition_.holds().among(since_)) / clocks;
  return condition_.rises().among(clock);
}

uint64_t ReportTrigger::due(uint64_t clock) const { return clock > done_ ? fired(clock) - fired(done_) : 0; }

uint64_t ReportTrigger::next() const {
  if (!registers_.on || fires_always()) return PeriodicClocks::never;
  if (const uint32_t clocks = threshold()) return condition_.holds().until(condition_.holds().among(since_) + (fired(done_) + 1) * clocks);
  return condition_.rises().until(condition_.rises().among(done_) + 1);
}

void ReportTrigger::pass(uint64_t clock) { done_ = std::max(done_, clock); }

void ReportTrigger::state(Archive& archive, const TriggerRegisters& registers, uint64_t clock) {
  archive.value(since_);
  if (!archive.reading()) return;
  if (since_ > clock) archive.fail("a report trigger's count begins after now"), since_ = clock;
  program(registers);
  done_ = clock;
}

}  // namespace softgen::oa
