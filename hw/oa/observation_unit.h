// SPDX-License-Identifier: GPL-2.0-or-later
// The observation unit: performance counters, their registers, and reports of the counters: by MI_REPORT_PERF_COUNT, and to a buffer in guest memory,
// by a timer and at context switches (SKL PRM vol 2c, OA*; TGL PRM vol 13, "Observability"; i915 i915_perf.c).
//
// It has no thread. It is updated when software reads the tail, the status or a counter, and before anything changes that reports depend on; an update
// writes the reports of timer and triggers that have become due, with counters interpolated between it and the one before. A unit that no software uses
// counts nothing. Only if the half-full interrupt is unmasked (OA_IMR) it requests to be updated at a time.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <span>

#include "hw/base/archive.h"
#include "hw/base/mutex.h"
#include "hw/iface/host.h"
#include "hw/iface/observation.h"
#include "hw/mmio/interrupts.h"
#include "hw/mmio/timestamp.h"
#include "hw/oa/context_counters.h"
#include "hw/oa/event_counters.h"
#include "hw/oa/free_counters.h"
#include "hw/oa/report_buffer.h"
#include "hw/oa/report_schedule.h"

namespace softgen::oa {

/// What the unit is connected to; outlives it.
struct Environment {
  mmio::RegisterFile& registers;
  mmio::Interrupts& interrupts;
  Host& host;
  HostMemory& memory;
  const memory::Ggtt& ggtt;
  const Form& form;
  std::span<const defs::MetricSet> metric_sets;
  mmio::TimestampClock clock;
  Eus eus;
  /// Total work so far.
  std::function<WorkCounts()> work = work_counts;
  /// look() is to be called at this guest time, or earlier. Empty: nothing calls it.
  std::function<void(int64_t ns)> wake_at = nullptr;
};

/// Any thread that may access guest memory (memory::Gate), except for the calls of Observation.
class ObservationUnit final : public Observation {
 public:
  /// Registers the hooks.
  explicit ObservationUnit(const Environment& environment);

  void context_entered(const Context& context) override;
  void context_leaves() override;
  std::span<const uint32_t> report(uint32_t id, Report& room) override;

  /// The time has come that Environment::wake_at was given, or an earlier one.
  void look();
  /// Registers may have changed without their hooks (GDRST).
  void registers_changed();
  /// Power or function level reset, after that of the registers.
  void reset();
  void state(Archive& archive);

 private:
  struct Time {
    int64_t ns;     ///< of the guest
    uint64_t tick;  ///< of the timestamp
  };
  Time now() const;
  void attach_buffer();
  void attach_counters();
  void attach_selection();
  void attach_signals();
  void attach_triggers();
  void attach_free_counters();
  // What software has programmed, as of now.
  bool enabled() const;
  bool resumed() const;
  bool context_counts() const;
  bool half_full_interrupts() const;
  ReportSchedule::Timer timer() const;
  uint64_t core_hz() const;
  uint64_t clocks_hz() const;
  Selection selection() const SG_REQUIRES(mutex_);
  TriggerRegisters programmed(const Form::TriggerRows& at) const SG_REQUIRES(mutex_);
  TriggerRegisters programmed_report(unsigned i) const SG_REQUIRES(mutex_);
  /// Interrupts, and requests to be woken, as what has been done since the last call demands: with the mutex released meanwhile.
  void take_effect(MutexLock& lock) SG_REQUIRES(mutex_);
  /// Advances the counters to this moment and writes the reports that are due.
  void update();
  void update_locked(const Time& time) SG_REQUIRES(mutex_);
  Moment moment(const Time& time) const SG_REQUIRES(mutex_);
  void follow_triggers(uint64_t tick) SG_REQUIRES(mutex_);
  void follow_free_events() SG_REQUIRES(mutex_);
  CoreClocks clocks_ahead() const SG_REQUIRES(mutex_);
  void wait_for_half_full(const Time& time) SG_REQUIRES(mutex_);
  bool overflow_is_due(uint64_t tick) const SG_REQUIRES(mutex_);
  void write_due(uint64_t tick) SG_REQUIRES(mutex_);
  void write_to_buffer(reg::Bits reason, uint64_t timestamp, const Counters& counters, uint32_t context) SG_REQUIRES(mutex_);
  uint32_t report_id_of(reg::Bits reason, uint64_t clock) const SG_REQUIRES(mutex_);
  uint32_t context_id() const SG_REQUIRES(mutex_);
  std::span<const uint32_t> report_locked(uint32_t id, const Time& time, Report& room) SG_REQUIRES(mutex_);
  void load(const Time& time, const Counters& counters, const std::optional<Context>& context) SG_REQUIRES(mutex_);

  const Environment env_;
  Mutex mutex_;
  EventCounters counters_ SG_GUARDED_BY(mutex_);
  ContextCounters contexts_ SG_GUARDED_BY(mutex_);
  FreeCounters free_ SG_GUARDED_BY(mutex_);
  ReportBuffer buffer_ SG_GUARDED_BY(mutex_);
  uint64_t mux_ SG_GUARDED_BY(mutex_) = defs::MetricSet::hash_begin;  ///< MetricSet::hash() of the values written to NOA_WRITE
  // What software had programmed at the last update.
  bool reports_ SG_GUARDED_BY(mutex_) = false, counts_ SG_GUARDED_BY(mutex_) = false;
  bool context_counted_ SG_GUARDED_BY(mutex_) = false;  ///< OAR
  ReportSchedule schedule_ SG_GUARDED_BY(mutex_);
  std::array<StartTrigger, ReportSchedule::trigger_count> start_ SG_GUARDED_BY(mutex_);
  Selection selection_ SG_GUARDED_BY(mutex_);
  // What take_effect() does next.
  bool half_full_ SG_GUARDED_BY(mutex_) = false;
  int64_t wake_ns_ SG_GUARDED_BY(mutex_) = -1;  ///< -1: nothing
  // The render engine's context.
  std::optional<Context> context_ SG_GUARDED_BY(mutex_);
  uint64_t render_since_ SG_GUARDED_BY(mutex_) = 0, render_ticks_ SG_GUARDED_BY(mutex_) = 0;  ///< of the timestamp
};

}  // namespace softgen::oa
