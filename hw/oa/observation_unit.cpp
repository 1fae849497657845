// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/oa/observation_unit.h"

#include <algorithm>

#include "hw/base/log.h"
#include "hw/defs/gt_frequency.h"

namespace softgen::oa {
namespace {

namespace field = reg::field;
namespace report_id = defs::oa_report_id;

/// Max timer reports per update: they take a few milliseconds of a host's thread, which may be the guest's processor. The others are lost, and OASTATUS
/// reports that.
constexpr uint64_t max_reports = 16384;
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
static_assert(field::OA_DEBUG_DISABLE_CONTEXT_SWITCH_REPORTS.mask() == field::OAG_OA_DEBUG_DISABLE_CONTEXT_SWITCH_REPORTS.mask() &&
              field::OA_DEBUG_DISABLE_CLOCK_RATIO_REPORTS.mask() == field::OAG_OA_DEBUG_DISABLE_CLOCK_RATIO_REPORTS.mask() &&
              field::OA_DEBUG_INCLUDE_CLOCK_RATIO.mask() == field::OAG_OA_DEBUG_INCLUDE_CLOCK_RATIO.mask());

}  // namespace

ObservationUnit::ObservationUnit(const Environment& environment)
    : env_(environment),
      counters_(environment.eus, environment.clock.hz()),
      contexts_(environment.eus, environment.clock.hz()),
      buffer_(environment.registers, environment.form, environment.memory, environment.ggtt) {
  attach_buffer();
  attach_counters();
  attach_selection();
  attach_signals();
}

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
    }
    return env_.registers.peek(at);
  });
  for (const uint32_t offset : {env_.form.control, env_.form.tail, env_.form.buffer, env_.form.timer})
    registers.on_write(offset, [this](uint32_t, uint32_t) { update(); });
}

void ObservationUnit::attach_counters() {
  const Form::CounterRegisters& at = env_.form.counters;
  const auto on_read = [this](uint32_t first, uint32_t count, auto value) {
    env_.registers.on_read(first, 4 * count, [this, first, value](uint32_t offset) {
      MutexLock lock(mutex_);
      update_locked(now());
      return static_cast<uint32_t>(value(counters_.now(), (offset - first) / 4));
    });
  };
  constexpr unsigned wide = 32;  // counters of two registers
  on_read(at.a, 2 * wide, [](const Counters& now, uint32_t i) { return static_cast<uint64_t>(now.a[i / 2]) >> (i % 2 ? 32 : 0); });
  on_read(at.a32, a_counters - wide, [](const Counters& now, uint32_t i) { return static_cast<uint64_t>(now.a[wide + i]); });
  on_read(at.ticks, 1, [](const Counters& now, uint32_t) { return now.ticks; });
  on_read(at.b, boolean_counters, [](const Counters& now, uint32_t i) { return static_cast<uint64_t>(now.b[i]); });
  on_read(at.c, boolean_counters, [](const Counters& now, uint32_t i) { return static_cast<uint64_t>(now.c[i]); });
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

ObservationUnit::Timer ObservationUnit::timer() const {
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
  selection.core_hz = core_hz() / parts_of_clock * (parts_of_clock - 1);
  return selection;
}

ObservationUnit::Time ObservationUnit::now() const {
  const int64_t ns = env_.host.clock_ns();
  return {ns, env_.clock.all_ticks(ns)};
}

Moment ObservationUnit::moment(const Time& time) const {
  return {.tick = time.tick, .render_ns = render_ns_ + (context_ ? time.ns - render_since_ : 0), .work = env_.work()};
}

void ObservationUnit::update() {
  MutexLock lock(mutex_);
  update_locked(now());
}

void ObservationUnit::update_locked(const Time& time) {
  const bool counts = resumed(), reports = enabled(), context_counts = this->context_counts();
  if (!counts_ && !reports_ && !context_counted_ && !counts && !reports && !context_counts) return;
  const Moment moment = this->moment(time);
  counters_.advance(moment, selection_, counts_);
  if (env_.form.context_control) contexts_.advance(moment, selection_, context_counted_ && context_);
  if (reports_ && reports) write_due(time.tick);
  const uint64_t hz = selection_.core_hz;
  selection_ = selection();
  const bool was_on = reports_;
  counts_ = counts, reports_ = reports, context_counted_ = context_counts;
  timer_ = timer();
  updated_tick_ = time.tick;
  if (reports_ && was_on && hz != selection_.core_hz &&
      !field::OA_DEBUG_DISABLE_CLOCK_RATIO_REPORTS.of(env_.registers.peek(env_.form.debug)))
    write_to_buffer(report_id::clock_ratio, time.tick, counters_.now());
}

/// Timer reports that have become due after the last update, until `tick`.
ObservationUnit::Due ObservationUnit::due(uint64_t tick) const {
  if (!timer_.on) return {};
  // The bit becomes 1 at odd multiples of `half`.
  const uint64_t half = uint64_t{1} << timer_.exponent, period = 2 * half;
  uint64_t first = updated_tick_ / period * period + half;
  if (first <= updated_tick_) first += period;
  return {.first = first, .period = period, .count = first > tick ? 0 : (tick - first) / period + 1};
}

bool ObservationUnit::overflow_is_due(uint64_t tick) const {
  if (!reports_) return false;
  const uint64_t count = due(tick).count;
  return count > max_reports || count * sizeof(Report) >= buffer_.room();
}

void ObservationUnit::write_due(uint64_t tick) {
  Due due = this->due(tick);
  if (due.count > max_reports) {
    buffer_.lose();
    due.first += (due.count - max_reports) * due.period;
    due.count = max_reports;
  }
  for (; due.count; --due.count, due.first += due.period) write_to_buffer(report_id::timer, due.first, counters_.at(due.first));
}

void ObservationUnit::write_to_buffer(reg::Bits reason, uint64_t timestamp, const Counters& counters) {
  Report room;
  const uint32_t format = field::OACONTROL_COUNTER_SELECT.of(env_.registers.peek(env_.form.control));
  const ReportHead head{report_id_of(reason), static_cast<uint32_t>(timestamp), context_id()};
  buffer_.append(write_report(format, head, counters, room));
}

uint32_t ObservationUnit::context_id() const { return context_ ? context_->id : env_.form.no_context; }

/// Source id 0, or the clock ratios of both domains, which are one here.
uint32_t ObservationUnit::report_id_of(reg::Bits reason) const {
  const mmio::RegisterFile& registers = env_.registers;
  const auto thresholds = [&registers](uint32_t offset) {
    return field::OASTARTTRIG_CONDITION_THRESHOLD_ENABLE.of(registers.peek(offset));
  };
  uint32_t id = reason.mask();
  id = report_id::start_threshold.with(id, std::ranges::any_of(env_.form.start_condition, thresholds));
  id = report_id::report_threshold.with(id, std::ranges::any_of(env_.form.report_condition, thresholds));
  id = env_.form.shows_valid_context ? report_id::context_valid.with(id, context_.has_value())
                                     : report_id::timer_enabled.with(id, timer_.on);
  if (!field::OA_DEBUG_INCLUDE_CLOCK_RATIO.of(registers.peek(env_.form.debug))) return id;
  const auto ratio = static_cast<uint32_t>(core_hz() * defs::frequency_parts / cap_frequency_hz);
  constexpr unsigned low_bits = 7;
  id = report_id::unslice_ratio.with(id, ratio);
  id = report_id::slice_ratio_low.with(id, ratio);
  return report_id::slice_ratio_high.with(id, ratio >> low_bits);
}

void ObservationUnit::context_entered(const Context& context) {
  MutexLock lock(mutex_);
  const Time time = now();
  update_locked(time);
  context_ = context;
  render_since_ = time.ns;
  if (context_counted_) contexts_.enter(context.image, moment(time));
  if (reports_ && !field::OA_DEBUG_DISABLE_CONTEXT_SWITCH_REPORTS.of(env_.registers.peek(env_.form.debug)))
    write_to_buffer(report_id::context_switch, time.tick, counters_.now());
}

void ObservationUnit::context_leaves() {
  MutexLock lock(mutex_);
  if (!context_) return;
  const Time time = now();
  update_locked(time);
  if (context_counted_) contexts_.leave(context_->image);
  render_ns_ += time.ns - render_since_;
  context_.reset();
}

std::span<const uint32_t> ObservationUnit::report(uint32_t id, Report& room) {
  const Time time = now();  // before the lock: software compares it with the time of the previous command
  MutexLock lock(mutex_);
  update_locked(time);
  const ReportHead head{id, static_cast<uint32_t>(time.tick), context_id()};
  if (!env_.form.context_control)
    return write_report(field::OACONTROL_COUNTER_SELECT.of(env_.registers.peek(env_.form.control)), head, counters_.now(), room);
  // IGT expects zeros in all 256 bytes from a context that does not count (tests/i915/perf.c, gen12_single_ctx_helper).
  if (!context_counted_) return write_report(defs::oa_a36_b8_c8, head, {}, room);
  return write_report(field::OAR_OACONTROL_COUNTER_SELECT.of(env_.registers.peek(env_.form.context_control)), head, contexts_.now(), room);
}

void ObservationUnit::registers_changed() { update(); }

void ObservationUnit::reset() {
  MutexLock lock(mutex_);
  context_.reset();
  render_ns_ = 0;
  counters_.load({}, moment(now()));
  contexts_.reset();
  mux_ = defs::MetricSet::hash_begin;
  counts_ = reports_ = context_counted_ = false;
  timer_ = {};
  selection_ = {};
}

void ObservationUnit::state(Archive& archive) {
  MutexLock lock(mutex_);
  archive.section("observation", 1);
  if (!archive.reading()) update_locked(now());
  Counters counters = counters_.now();
  counters_state(archive, counters);
  contexts_.state(archive);
  archive.value(mux_);
  bool runs = context_.has_value();
  Context context = context_.value_or(Context{});
  archive.value(runs);
  archive.value(context);
  if (!archive.reading()) return;
  const Time time = now();
  context_ = runs ? std::optional(context) : std::nullopt;
  render_since_ = time.ns, render_ns_ = 0;
  counters_.load(counters, moment(time));
  counts_ = resumed(), reports_ = enabled(), context_counted_ = context_counts();
  if (context_ && context_counted_) contexts_.enter(context_->image, moment(time));
  timer_ = timer();
  selection_ = selection();
  updated_tick_ = time.tick;
}

}  // namespace softgen::oa
