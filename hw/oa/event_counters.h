// SPDX-License-Identifier: GPL-2.0-or-later
// The counters, as functions of the work of the units (hw/base/work.h) and of time. docs/oa.md lists which are exact, modelled or zero.
#pragma once

#include <array>
#include <cstdint>

#include "hw/base/work.h"
#include "hw/defs/metric_set.h"
#include "hw/oa/core_clocks.h"
#include "hw/oa/custom_event.h"
#include "hw/oa/report.h"

namespace softgen::oa {

constexpr unsigned flexible_registers = 7;

/// What software has selected to be counted.
struct Selection {
  std::array<uint32_t, flexible_registers> flexible{};  ///< EU_PERF_CNTL0 to 6
  const defs::MetricSet* signals = nullptr;             ///< null: the routed signals are unknown, and taken as 0
  std::array<EventClocks, boolean_counters> events{};
  uint64_t core_hz = 0;
  uint64_t start_clock = 0;  ///< from these core clocks on B and C count
};

/// A point in time, and the total work until then.
struct Moment {
  uint64_t tick = 0;          ///< of the timestamp
  uint64_t render_ticks = 0;  ///< ticks with a context on the render engine
  WorkCounts work;
};

/// Execution units of a platform.
struct Eus {
  unsigned count, threads;  ///< threads of each
};

/// Counters change with the timestamp only: two reads in one tick give the same values. No A or C counter grows by more than the number of EUs per core
/// clock, as software requires; events that a draw counts all at once at its end enter the counters at that rate.
class EventCounters {
 public:
  /// `timestamp_hz`: of RING_TIMESTAMP.
  EventCounters(Eus eus, uint64_t timestamp_hz) : eus_(eus), timestamp_hz_(timestamp_hz) {}

  const Counters& now() const { return now_; }
  /// Counters at a tick between the last two moments, interpolated.
  Counters at(uint64_t tick) const;
  /// The core clocks between the last two moments, and (`core_hz`: their frequency from now on, 0: they stand) from the last one on.
  CoreClocks interval() const;
  CoreClocks ahead(uint64_t core_hz) const;
  /// Advances to `moment`, if it is a later tick. `counts`: the work since the last one is counted, as `selection` says.
  void advance(const Moment& moment, const Selection& selection, bool counts);
  /// Sets the counters to these values at `moment`.
  void load(const Counters& counters, const Moment& moment);

 private:
  /// Time of kernels in the stages of WorkCounts that run them. Stages count their time when they end, which may be more than the time since the last
  /// moment: the excess is carried over to later intervals.
  struct StageTimes {
    double geometry = 0, pixels = 0, compute = 0, blit = 0;  ///< ns
  };
  static StageTimes take(StageTimes& waiting, double max);
  double interval_ns() const;
  double interval_clocks() const;
  double kernel_ns(const StageTimes& times) const;
  void count_units(const WorkCounts& work, double busy);
  void count_flexible(const WorkCounts& work, const StageTimes& times);
  void count_signals(const WorkCounts& work, const StageTimes& times, double busy);
  double signal(defs::OaSignal signal, const WorkCounts& work, const StageTimes& times, double busy) const;
  double clocks(double ns) const;
  uint64_t clocks_after(uint64_t ticks) const;
  uint64_t fraction_after(uint64_t ticks) const;
  uint64_t started_at() const;
  void settle();
  double in_clocks(defs::OaSignal signal, unsigned i, uint64_t ticks) const;
  defs::OaSignal signal_of_b(unsigned i) const { return selection_.signals ? selection_.signals->b[i] : defs::OaSignal::events; }
  defs::OaSignal signal_of_c(unsigned i) const { return selection_.signals ? selection_.signals->c[i] : defs::OaSignal::none; }

  const Eus eus_;
  const uint64_t timestamp_hz_;
  Counters before_, now_;  ///< at the last two moments
  Moment from_, to_;       ///< the last two moments
  uint64_t fraction_ = 0;  ///< of a core clock at from_, in units of 1 / timestamp_hz_
  bool counted_ = false;   ///< work between them was counted
  Selection selection_;    ///< used for that
  StageTimes waiting_;
  EventCounts debt_;  ///< events that are not in the counters yet
};

}  // namespace softgen::oa
