// SPDX-License-Identifier: GPL-2.0-or-later
// The observation unit's hooks, and what software has programmed.
#include <algorithm>

#include "hw/base/log.h"
#include "hw/defs/gt_frequency.h"
#include "hw/oa/observation_unit.h"

namespace softgen::oa {
namespace {

namespace field = reg::field;

/// Width of the timestamp whose bits can trigger a timer.
constexpr unsigned timestamp_bits = 36;
/// Core clocks run a thousandth slower than the frequency that registers report, so that a few clocks, rounded up, do not exceed the max frequency in
/// their interval, as piglit's amd_performance_monitor_measure checks.
constexpr uint64_t parts_of_clock = 1000;
constexpr uint64_t cap_frequency_hz = uint64_t{defs::cap_frequency_mhz} * 1'000'000;

/// Of counters 7 + 2 * i and 8 + 2 * i (i915 i915_perf.c, gen8_update_reg_state_unlocked).
constexpr uint32_t flexible_register(unsigned i) { return reg::EU_PERF_CNTL(i % 4, i / 4); }

// The two generations' registers have the same fields.
static_assert(field::OACONTROL_ENABLE.mask() == field::OAG_OACONTROL_ENABLE.mask() &&
              field::OACONTROL_COUNTER_SELECT.mask() == field::OAG_OACONTROL_COUNTER_SELECT.mask());
static_assert(field::OACTXCONTROL_TIMER_PERIOD.mask() == field::OAGLBCTXCTRL_TIMER_PERIOD.mask() &&
              field::OACTXCONTROL_TIMER_ENABLE.mask() == field::OAGLBCTXCTRL_TIMER_ENABLE.mask() &&
              field::OACTXCONTROL_COUNTER_RESUME.mask() == field::OAGLBCTXCTRL_COUNTER_RESUME.mask());
static_assert(field::OA_IMR_BUFFER_HALF_FULL.mask() == field::OAG_OA_IMR_BUFFER_HALF_FULL.mask());
static_assert(field::OASTARTTRIG_CONDITION_THRESHOLD_ENABLE.mask() == field::OAG_STARTTRIG_CONDITION_THRESHOLD_ENABLE.mask() &&
              field::OAREPORTTRIG_CONDITION_ENABLE.mask() == field::OAG_REPORTTRIG_CONDITION_ENABLE.mask());

}  // namespace

void ObservationUnit::attach_buffer() {
  mmio::RegisterFile& registers = env_.registers;
  registers.on_read(env_.form.tail, [this](uint32_t at) {
    update();
    return env_.registers.peek(at);
  });
  // i915 reads it with each read of reports: updates only where that would change the value.
  registers.on_read(env_.form.status, [this](uint32_t at) {
    {
      MutexLock lock(mutex_);
      if (const Time time = now(); overflow_is_due(time.tick)) update_locked(time);
      take_effect(lock);
    }
    return env_.registers.peek(at);
  });
  for (const uint32_t offset : {env_.form.control, env_.form.tail, env_.form.buffer, env_.form.timer, env_.form.interrupt_mask})
    registers.on_write(offset, [this](uint32_t, uint32_t) { update(); });
  // It decides when the buffer becomes half full, and nothing else.
  registers.on_write(env_.form.head, [this](uint32_t, uint32_t) {
    if (half_full_interrupts()) update();
  });
}

void ObservationUnit::attach_triggers() {
  const auto changed = [this](uint32_t, uint32_t) { update(); };
  for (const auto& rows : {env_.form.start_triggers, env_.form.report_triggers})
    for (const Form::TriggerRows& at : rows)
      for (const uint32_t offset : {at.threshold, at.condition, at.high_inputs, at.low_inputs}) env_.registers.on_write(offset, changed);
  if (!env_.form.mmio_trigger) return;
  env_.registers.on_write(env_.form.mmio_trigger, [this](uint32_t, uint32_t value) {
    MutexLock lock(mutex_);
    const Time time = now();
    update_locked(time);
    if (reports_ && !field::OAG_OA_DEBUG_DISABLE_MMIO_TRIGGER.of(env_.registers.peek(env_.form.debug)))
      write_to_buffer(defs::oa_report_id::mmio_trigger, time.tick, counters_.now(), value);
    take_effect(lock);
  });
}

void ObservationUnit::attach_counters() {
  const Form::CounterRegisters& at = env_.form.counters;
  const auto on_read = [this](uint32_t first, uint32_t count, auto value) {
    env_.registers.on_read(first, 4 * count, [this, first, value](uint32_t offset) {
      MutexLock lock(mutex_);
      update_locked(now());
      const uint64_t counter = value(counters_.now(), (offset - first) / 4);
      take_effect(lock);
      return static_cast<uint32_t>(counter);
    });
  };
  constexpr unsigned wide = 32;  // counters of two registers
  on_read(at.a, 2 * wide, [](const Counters& now, uint32_t i) { return static_cast<uint64_t>(now.a[i / 2]) >> (i % 2 ? 32 : 0); });
  on_read(at.a32, a_counters - wide, [](const Counters& now, uint32_t i) { return static_cast<uint64_t>(now.a[wide + i]); });
  on_read(at.ticks, 1, [](const Counters& now, uint32_t) { return now.ticks; });
  on_read(at.b, boolean_counters, [](const Counters& now, uint32_t i) { return static_cast<uint64_t>(now.b[i]); });
  on_read(at.c, boolean_counters, [](const Counters& now, uint32_t i) { return static_cast<uint64_t>(now.c[i]); });
  if (at.free) attach_free_counters();
}

void ObservationUnit::attach_free_counters() {
  constexpr uint32_t size = reg::OAPERF_FREE(3, 1) + 4 - reg::OAPERF_FREE(0, 0);
  env_.registers.on_read(env_.form.counters.free, size, [this](uint32_t offset) {
    MutexLock lock(mutex_);
    const uint32_t i = (offset - env_.form.counters.free) / 4;
    return static_cast<uint32_t>(free_.read(moment(now()), i / 2) >> (i % 2 ? 32 : 0));
  });
  for (const uint32_t offset : {flexible_register(flexible_registers - 1), reg::RPNSWREQ})
    env_.registers.on_write(offset, [this](uint32_t, uint32_t) {
      MutexLock lock(mutex_);
      follow_free_events();
    });
}

void ObservationUnit::follow_free_events() {
  const uint32_t events = env_.registers.peek(flexible_register(flexible_registers - 1));
  const uint64_t hz = clocks_hz();
  if (!free_.counts(events, hz)) free_.select(moment(now()), events, hz);
}

void ObservationUnit::attach_selection() {
  const auto changed = [this](uint32_t, uint32_t) { update(); };
  for (unsigned i = 0; i < boolean_counters; ++i) {
    env_.registers.on_write(env_.form.event(i), changed);
    env_.registers.on_write(env_.form.event_mask(i), changed);
  }
  for (unsigned i = 0; i <= flexible_registers; ++i)
    env_.registers.on_write(flexible_register(i), changed);  // the last one selects nothing
  env_.registers.on_write(reg::RPNSWREQ, changed);
  if (env_.form.context_control)
    for (const uint32_t offset : {env_.form.context_control, reg::OACTXCONTROL}) env_.registers.on_write(offset, changed);
}

// The sequence of a metric set begins with the enable of NOA (i915 i915_perf.c; Mesa's sets).
void ObservationUnit::attach_signals() {
  env_.registers.on_write(reg::GDT_CHICKEN_BITS, [this](uint32_t, uint32_t) {
    MutexLock lock(mutex_);
    update_locked(now());
    mux_ = defs::MetricSet::hash_begin;
    take_effect(lock);
  });
  env_.registers.on_write(reg::NOA_WRITE, [this](uint32_t, uint32_t value) {
    MutexLock lock(mutex_);
    mux_ = defs::MetricSet::hash(mux_, value);
  });
}

bool ObservationUnit::enabled() const { return field::OACONTROL_ENABLE.of(env_.registers.peek(env_.form.control)); }

bool ObservationUnit::resumed() const { return field::OACTXCONTROL_COUNTER_RESUME.of(env_.registers.peek(env_.form.timer)); }

bool ObservationUnit::context_counts() const {
  return env_.form.context_control && field::OAR_OACONTROL_ENABLE.of(env_.registers.peek(env_.form.context_control)) &&
         field::OACTXCONTROL_COUNTER_RESUME.of(env_.registers.peek(reg::OACTXCONTROL));
}

bool ObservationUnit::half_full_interrupts() const {
  return !field::OA_IMR_BUFFER_HALF_FULL.of(env_.registers.peek(env_.form.interrupt_mask));
}

ReportSchedule::Timer ObservationUnit::timer() const {
  const uint32_t control = env_.registers.peek(env_.form.timer), exponent = field::OACTXCONTROL_TIMER_PERIOD.of(control);
  return {.on = field::OACTXCONTROL_TIMER_ENABLE.of(control) && exponent < timestamp_bits, .exponent = exponent};
}

/// The frequency that software has requested, else the max.
uint64_t ObservationUnit::core_hz() const {
  if (const uint64_t now = field::RPSTAT1_CURRENT_FREQUENCY.of(env_.registers.peek(reg::RPSTAT1)))
    return now * cap_frequency_hz / defs::frequency_parts;
  return field::RP_STATE_CAP_RP0.of(env_.registers.peek(reg::RP_STATE_CAP)) * cap_frequency_hz;
}

Selection ObservationUnit::selection() const {
  Selection selection;
  for (unsigned i = 0; i < flexible_registers; ++i) selection.flexible[i] = env_.registers.peek(flexible_register(i));
  const auto set = std::ranges::find(env_.metric_sets, mux_, &defs::MetricSet::mux);
  if (set != env_.metric_sets.end()) selection.signals = &*set;
  else if (mux_ != defs::MetricSet::hash_begin)
    note("OA: sequence of writes to NOA_WRITE that is no known metric set's", "hash {:#018x}", mux_);
  for (unsigned i = 0; i < boolean_counters; ++i)
    selection.events[i] = EventClocks(env_.registers.peek(env_.form.event(i)), env_.registers.peek(env_.form.event_mask(i)),
                                      selection.signals && selection.signals->test_pattern);
  selection.core_hz = clocks_hz();
  return selection;
}

uint64_t ObservationUnit::clocks_hz() const { return core_hz() / parts_of_clock * (parts_of_clock - 1); }

TriggerRegisters ObservationUnit::programmed(const Form::TriggerRows& at) const {
  const mmio::RegisterFile& registers = env_.registers;
  const Routed routed = mux_ == defs::MetricSet::hash_begin                      ? Routed::nothing
                        : selection_.signals && selection_.signals->test_pattern ? Routed::test_pattern
                                                                                 : Routed::unknown;
  return {.on = enabled(),
          .threshold = registers.peek(at.threshold),
          .condition = registers.peek(at.condition),
          .high_inputs = registers.peek(at.high_inputs),
          .low_inputs = registers.peek(at.low_inputs),
          .routed = routed};
}

TriggerRegisters ObservationUnit::programmed_report(unsigned i) const {
  TriggerRegisters registers = programmed(env_.form.report_triggers[i]);
  registers.on = registers.on && field::OAREPORTTRIG_CONDITION_ENABLE.of(registers.condition);
  return registers;
}

}  // namespace softgen::oa
