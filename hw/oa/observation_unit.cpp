// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/oa/observation_unit.h"

#include <algorithm>
#include <utility>

#include "hw/base/log.h"
#include "hw/defs/gt_frequency.h"

namespace softgen::oa {
namespace {

namespace field = reg::field;
namespace report_id = defs::oa_report_id;

/// Max reports of timer and triggers per update: they take a few milliseconds of a host's thread, which may be the guest's processor. The others are
/// lost, and OASTATUS reports that.
constexpr uint64_t max_reports = 16384;
/// Chosen, 100 us: a guest may let the buffer become half full at any rate.
constexpr int64_t min_wait_ns = 100'000;
constexpr uint64_t cap_frequency_hz = uint64_t{defs::cap_frequency_mhz} * 1'000'000;

// The two generations' registers have the same fields.
static_assert(field::OACONTROL_COUNTER_SELECT.mask() == field::OAG_OACONTROL_COUNTER_SELECT.mask());
static_assert(field::OA_DEBUG_DISABLE_CONTEXT_SWITCH_REPORTS.mask() == field::OAG_OA_DEBUG_DISABLE_CONTEXT_SWITCH_REPORTS.mask() &&
              field::OA_DEBUG_DISABLE_CLOCK_RATIO_REPORTS.mask() == field::OAG_OA_DEBUG_DISABLE_CLOCK_RATIO_REPORTS.mask() &&
              field::OA_DEBUG_INCLUDE_CLOCK_RATIO.mask() == field::OAG_OA_DEBUG_INCLUDE_CLOCK_RATIO.mask());

}  // namespace

ObservationUnit::ObservationUnit(const Environment& environment)
    : env_(environment),
      counters_(environment.eus, environment.clock.hz()),
      contexts_(environment.eus, environment.clock.hz()),
      free_(environment.eus, environment.clock.hz()),
      buffer_(environment.registers, environment.form, environment.memory, environment.ggtt) {
  attach_buffer();
  attach_counters();
  attach_selection();
  attach_signals();
  attach_triggers();
}

// The unit's mutex has two names here, which the analysis takes for two mutexes.
void ObservationUnit::take_effect(MutexLock& lock) SG_NO_THREAD_SAFETY_ANALYSIS {
  const bool half_full = std::exchange(half_full_, false);
  const int64_t wake_ns = std::exchange(wake_ns_, -1);
  if (!half_full && wake_ns < 0) return;
  lock.unlock();
  if (wake_ns >= 0 && env_.wake_at) env_.wake_at(wake_ns);
  if (half_full) env_.interrupts.raise_observation();
  lock.lock();
}

ObservationUnit::Time ObservationUnit::now() const {
  const int64_t ns = env_.host.clock_ns();
  return {ns, env_.clock.all_ticks(ns)};
}

Moment ObservationUnit::moment(const Time& time) const {
  return {.tick = time.tick, .render_ticks = render_ticks_ + (context_ ? time.tick - render_since_ : 0), .work = env_.work()};
}

void ObservationUnit::update() {
  MutexLock lock(mutex_);
  update_locked(now());
  take_effect(lock);
}

void ObservationUnit::update_locked(const Time& time) {
  const bool counts = resumed(), reports = enabled(), context_counts = this->context_counts();
  if (!counts_ && !reports_ && !context_counted_ && !counts && !reports && !context_counts) return;
  const Moment moment = this->moment(time);
  counters_.advance(moment, selection_, counts_);
  if (env_.form.context_control) {
    Selection of_context = selection_;
    of_context.start_clock = 0;  // the chip's triggers count the chip's clocks
    contexts_.advance(moment, of_context, context_counted_ && context_);
  }
  if (reports_ && reports) write_due(time.tick);
  schedule_.pass(time.tick, counters_.now().ticks);
  const uint64_t hz = selection_.core_hz;
  const bool was_on = reports_;
  counts_ = counts, reports_ = reports, context_counted_ = context_counts;
  schedule_.timer = timer();
  selection_ = selection();
  follow_triggers(time.tick);
  if (reports_ && was_on && hz != selection_.core_hz &&
      !field::OA_DEBUG_DISABLE_CLOCK_RATIO_REPORTS.of(env_.registers.peek(env_.form.debug)))
    write_to_buffer(report_id::clock_ratio, time.tick, counters_.now(), context_id());
  wait_for_half_full(time);
}

void ObservationUnit::follow_triggers(uint64_t tick) {
  const uint64_t clock = counters_.now().ticks;
  selection_.start_clock = StartTrigger::never;
  for (unsigned i = 0; i < start_.size(); ++i) {
    start_[i].follow(programmed(env_.form.start_triggers[i]), clock);
    selection_.start_clock = std::min(selection_.start_clock, start_[i].start());
  }
  for (unsigned i = 0; i < start_.size(); ++i)
    if (schedule_.triggers[i].follow(programmed_report(i), clock) && reports_)
      write_to_buffer(i ? report_id::trigger_2 : report_id::trigger_1, tick, counters_.now(), context_id());
}

/// The core clocks from the last update on.
CoreClocks ObservationUnit::clocks_ahead() const { return counters_.ahead(counts_ ? selection_.core_hz : 0); }

/// Requests an update for when the buffer becomes half full, if that is to interrupt.
void ObservationUnit::wait_for_half_full(const Time& time) {
  if (!reports_ || !half_full_interrupts()) return;
  const uint64_t report = report_bytes(field::OACONTROL_COUNTER_SELECT.of(env_.registers.peek(env_.form.control))),
                 left = buffer_.below_half();
  if (!report || !left) return;
  if (const std::optional<uint64_t> tick = schedule_.tick_of((left + report - 1) / report, clocks_ahead()))
    wake_ns_ = std::max(env_.clock.ns(*tick), time.ns + min_wait_ns);
}

void ObservationUnit::look() {
  if (half_full_interrupts()) update();
}

bool ObservationUnit::overflow_is_due(uint64_t tick) const {
  if (!reports_) return false;
  const uint64_t count = schedule_.count(tick, clocks_ahead());
  return count > max_reports || count * sizeof(Report) >= buffer_.room();
}

/// Reports of timer and triggers until `tick`.
void ObservationUnit::write_due(uint64_t tick) {
  const CoreClocks clocks = counters_.interval();
  if (const uint64_t count = schedule_.count(tick, clocks); count > max_reports) {
    buffer_.lose();
    if (const std::optional<uint64_t> until = schedule_.tick_of(count - max_reports, clocks)) schedule_.pass(*until, clocks.at(*until));
  }
  for (uint64_t written = 0; written < max_reports; ++written) {
    const std::optional<ReportSchedule::Due> due = schedule_.take(tick, clocks);
    if (!due) return;
    write_to_buffer(due->reason, due->tick, counters_.at(due->tick), context_id());
  }
}

void ObservationUnit::write_to_buffer(reg::Bits reason, uint64_t timestamp, const Counters& counters, uint32_t context) {
  Report room;
  const uint32_t format = field::OACONTROL_COUNTER_SELECT.of(env_.registers.peek(env_.form.control));
  const ReportHead head{report_id_of(reason, counters.ticks), static_cast<uint32_t>(timestamp), context};
  const std::span<const uint32_t> report = write_report(format, head, counters, room);
  if (!half_full_interrupts()) return buffer_.append(report);
  const uint64_t below = buffer_.below_half();
  buffer_.append(report);
  if (below && below <= report.size_bytes() && !buffer_.below_half()) half_full_ = true;
}

uint32_t ObservationUnit::context_id() const { return context_ ? context_->id : env_.form.no_context; }

/// At core clock `clock`. Source id 0, or the clock ratios of both domains, which are one here.
uint32_t ObservationUnit::report_id_of(reg::Bits reason, uint64_t clock) const {
  const mmio::RegisterFile& registers = env_.registers;
  const unsigned trigger = reason.mask() == report_id::trigger_2.mask();
  const uint32_t condition = registers.peek(env_.form.report_triggers[trigger].condition);
  uint32_t id = report_id::start_trigger.with(0, start_[trigger].fired(clock));
  id = report_id::report_threshold.with(id, field::OAREPORTTRIG_CONDITION_THRESHOLD_ENABLE.of(condition));
  id = env_.form.shows_valid_context ? report_id::context_valid.with(id, context_.has_value())
                                     : report_id::timer_enabled.with(id, schedule_.timer.on);
  if (!field::OA_DEBUG_INCLUDE_CLOCK_RATIO.of(registers.peek(env_.form.debug))) return id | reason.mask();
  const auto ratio = static_cast<uint32_t>(core_hz() * defs::frequency_parts / cap_frequency_hz);
  constexpr unsigned low_bits = 7;
  id = report_id::unslice_ratio.with(id, ratio);
  id = report_id::slice_ratio_low.with(id, ratio);
  return report_id::slice_ratio_high.with(id, ratio >> low_bits) | reason.mask();
}

void ObservationUnit::context_entered(const Context& context) {
  MutexLock lock(mutex_);
  const Time time = now();
  update_locked(time);
  context_ = context;
  render_since_ = time.tick;
  if (context_counted_) contexts_.enter(context.image, moment(time));
  if (reports_ && !field::OA_DEBUG_DISABLE_CONTEXT_SWITCH_REPORTS.of(env_.registers.peek(env_.form.debug)))
    write_to_buffer(report_id::context_switch, time.tick, counters_.now(), context_id());
  take_effect(lock);
}

void ObservationUnit::context_leaves() {
  MutexLock lock(mutex_);
  if (!context_) return;
  const Time time = now();
  update_locked(time);
  if (context_counted_) contexts_.leave(context_->image);
  render_ticks_ += time.tick - render_since_;
  context_.reset();
  take_effect(lock);
}

std::span<const uint32_t> ObservationUnit::report(uint32_t id, Report& room) {
  const Time time = now();  // before the lock: software compares it with the time of the previous command
  MutexLock lock(mutex_);
  const std::span<const uint32_t> report = report_locked(id, time, room);
  take_effect(lock);
  return report;
}

std::span<const uint32_t> ObservationUnit::report_locked(uint32_t id, const Time& time, Report& room) {
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
  render_ticks_ = 0;
  const Moment moment = this->moment(now());
  counters_.load({}, moment);
  free_.reset(moment);
  follow_free_events();
  contexts_.reset();
  mux_ = defs::MetricSet::hash_begin;
  counts_ = reports_ = context_counted_ = false;
  schedule_ = {};
  start_ = {};
  selection_ = {};
}

// Version 1 is from before triggers and free-running counters.
void ObservationUnit::state(Archive& archive) {
  MutexLock lock(mutex_);
  const uint32_t version = archive.section("observation", 2);
  if (!archive.reading()) update_locked(now());
  Counters counters = counters_.now();
  counters_state(archive, counters);
  contexts_.state(archive);
  archive.value(mux_);
  bool runs = context_.has_value();
  Context context = context_.value_or(Context{});
  archive.value(runs);
  archive.value(context);
  if (archive.reading()) load(now(), counters, runs ? std::optional(context) : std::nullopt);
  if (version >= 2) {
    for (unsigned i = 0; i < start_.size(); ++i) {
      start_[i].state(archive, programmed(env_.form.start_triggers[i]));
      schedule_.triggers[i].state(archive, programmed_report(i), counters.ticks);
    }
    free_.state(archive, moment(now()));
  } else {
    free_.reset(moment(now()));
  }
  if (archive.reading()) {
    follow_free_events();
    const Time time = now();
    follow_triggers(time.tick);
    wait_for_half_full(time);
  }
  take_effect(lock);
}

/// Goes on with loaded values; registers are loaded before.
void ObservationUnit::load(const Time& time, const Counters& counters, const std::optional<Context>& context) {
  context_ = context;
  render_since_ = time.tick, render_ticks_ = 0;
  counters_.load(counters, moment(time));
  counts_ = resumed(), reports_ = enabled(), context_counted_ = context_counts();
  if (context_ && context_counted_) contexts_.enter(context_->image, moment(time));
  schedule_ = {};
  start_ = {};
  schedule_.timer = timer();
  schedule_.pass(time.tick, counters.ticks);
  selection_ = selection();
}

}  // namespace softgen::oa
