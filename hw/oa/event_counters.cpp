// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/oa/event_counters.h"

#include <algorithm>
#include <numeric>
#include <span>

#include "hw/defs/message.h"
#include "hw/defs/registers/registers.h"

namespace softgen::oa {
namespace {

namespace field = reg::field;
using defs::OaSignal;

/// A counters of units' events (TGL PRM vol 13, "Aggregating Counters"). A22, A29 and A33 would count HiZ tests and cache misses, which are not
/// modelled.
constexpr struct {
  unsigned counter;
  Work work;
} unit_events[] = {{1, Work::vs_threads},
                   {2, Work::hs_threads},
                   {3, Work::ds_threads},
                   {4, Work::cs_threads},
                   {5, Work::gs_threads},
                   {6, Work::ps_threads},
                   {21, Work::samples_rasterized},
                   {23, Work::samples_failed_early},
                   {24, Work::pixels_killed},
                   {25, Work::samples_failed_late},
                   {26, Work::samples_written},
                   {27, Work::samples_blended},
                   {28, Work::pixels_sampled},
                   {30, Work::slm_reads},
                   {31, Work::slm_writes},
                   {32, Work::memory_accesses},
                   {34, Work::atomics},
                   {35, Work::barriers}};
constexpr unsigned first_flexible = 7;

/// Increment Event and Coarse Event Filter of a flexible event (i915 i915_perf_oa_regs.h; their meaning follows from Mesa's sets RenderBasic and
/// ComputeBasic).
enum Increment : uint32_t { fpu_0 = 0, fpu_1 = 1, sends = 2, eu_active = 4, occupancy = 8 };
/// Thread clocks per count of occupancy: Mesa's EU Thread Occupancy divides 8 times the counter by the number of threads.
constexpr double occupancy_unit = 8;
enum Coarse : uint32_t { any = 0, vs = 1, hs = 2, ds = 3, gs = 4, ps = 5, compute = 6 };
/// Fine filters 7 to 10 select one EU of a row of four.
constexpr uint32_t first_eu = 7, last_eu = 10;

double of(const WorkCounts& work, Work what) { return static_cast<double>(work.of(what)); }

double sum(std::span<const uint64_t> counts) { return static_cast<double>(std::accumulate(counts.begin(), counts.end(), uint64_t{0})); }

/// Messages to all shared functions.
double messages(const WorkCounts& work) {
  double all = 0;
  for (const auto& function : work.messages) all += sum(function);
  return all;
}

double instructions(const WorkCounts& work) {
  return of(work, Work::alu_instructions) + of(work, Work::math_instructions) + messages(work);
}

constexpr bool follows_clock(OaSignal signal) { return signal == OaSignal::clock || signal == OaSignal::events; }

double share(double part, double of_all) { return of_all > 0 ? part / of_all : 0; }

}  // namespace

EventCounters::StageTimes EventCounters::take(StageTimes& waiting, double max) {
  const auto part = [max](double& of) {
    const double taken = std::min(of, max);
    of -= taken;
    return taken;
  };
  return {part(waiting.geometry), part(waiting.pixels), part(waiting.compute), part(waiting.blit)};
}

/// Core clocks in the first `ticks` ticks after from_.
uint64_t EventCounters::clocks_after(uint64_t ticks) const {
  return static_cast<uint64_t>((static_cast<unsigned __int128>(ticks) * selection_.core_hz + fraction_) / timestamp_hz_);
}

/// What remains of them, in units of 1 / timestamp_hz_.
uint64_t EventCounters::fraction_after(uint64_t ticks) const {
  return static_cast<uint64_t>((static_cast<unsigned __int128>(ticks) * selection_.core_hz + fraction_) % timestamp_hz_);
}

CoreClocks EventCounters::interval() const {
  return {from_.tick, before_.ticks, fraction_, counted_ ? selection_.core_hz : 0, timestamp_hz_};
}

CoreClocks EventCounters::ahead(uint64_t core_hz) const {
  return {to_.tick, now_.ticks, fraction_after(to_.tick - from_.tick), core_hz, timestamp_hz_};
}

double EventCounters::interval_ns() const { return static_cast<double>(to_.tick - from_.tick) * 1e9 / static_cast<double>(timestamp_hz_); }

double EventCounters::interval_clocks() const { return static_cast<double>(now_.ticks - before_.ticks); }

/// Core clocks in `ns` of the interval. Not by the frequency: the whole interval is exactly its clocks, with which software compares.
double EventCounters::clocks(double ns) const { return interval_clocks() * share(ns, interval_ns()); }

void EventCounters::advance(const Moment& moment, const Selection& selection, bool counts) {
  if (moment.tick <= to_.tick) return;
  fraction_ = fraction_after(to_.tick - from_.tick);
  from_ = to_;
  to_ = moment;
  before_ = now_;
  counted_ = counts;
  selection_ = selection;
  const WorkCounts work = work_between(from_.work, to_.work);
  const auto ns = [&work](TimedStage stage) { return static_cast<double>(work.of(stage)); };
  waiting_.geometry += ns(TimedStage::geometry);
  waiting_.pixels += ns(TimedStage::pixels);
  waiting_.compute += ns(TimedStage::compute);
  waiting_.blit += ns(TimedStage::blit);
  const StageTimes times = take(waiting_, interval_ns());
  if (!counts) return;
  now_.ticks += clocks_after(to_.tick - from_.tick);
  const double busy =
      interval_clocks() * share(static_cast<double>(to_.render_ticks - from_.render_ticks), static_cast<double>(to_.tick - from_.tick));
  count_units(work, busy);
  count_flexible(work, times);
  count_signals(work, times, busy);
  settle();
}

/// Moves events into the counters, at most as many as the clocks since before_ allow.
void EventCounters::settle() {
  constexpr double rounding = 1e-6;
  const double max = interval_clocks() * eus_.count * (1 - rounding);
  const auto move = [max](std::span<double> debts, std::span<double> counters) {
    for (size_t i = 0; i < debts.size(); ++i) {
      const double moved = std::min(debts[i], max);
      debts[i] -= moved;
      counters[i] += moved;
    }
  };
  move(debt_.a, now_.a);
  move(debt_.b, now_.b);
  move(debt_.c, now_.c);
}

void EventCounters::count_units(const WorkCounts& work, double busy) {
  debt_.a[0] += busy;
  for (const auto& event : unit_events) debt_.a[event.counter] += of(work, event.work);
}

double EventCounters::kernel_ns(const StageTimes& times) const {
  return std::min(times.geometry + times.pixels + times.compute, interval_ns());
}

/// EU clocks: the time in which a stage ran kernels, times all EUs. The mix of the kernels' instructions distributes them among an EU's pipes.
void EventCounters::count_flexible(const WorkCounts& work, const StageTimes& times) {
  const double alu = of(work, Work::alu_instructions), math = of(work, Work::math_instructions), sent = messages(work),
               all = instructions(work);
  const double geometry_threads =
      of(work, Work::vs_threads) + of(work, Work::hs_threads) + of(work, Work::ds_threads) + of(work, Work::gs_threads);
  const auto stage_ns = [&](uint32_t coarse) {
    switch (coarse) {
      case any: return kernel_ns(times);
      case vs: return times.geometry * share(of(work, Work::vs_threads), geometry_threads);
      case hs: return times.geometry * share(of(work, Work::hs_threads), geometry_threads);
      case ds: return times.geometry * share(of(work, Work::ds_threads), geometry_threads);
      case gs: return times.geometry * share(of(work, Work::gs_threads), geometry_threads);
      case ps: return times.pixels;
      case compute: return times.compute;
      default: return 0.0;
    }
  };
  const auto events = [&](uint32_t increment, uint32_t coarse, uint32_t fine) {
    if (fine && (fine < first_eu || fine > last_eu)) return 0.0;
    const double loaded = clocks(stage_ns(coarse)) * eus_.count / (fine ? last_eu - first_eu + 1 : 1);
    switch (increment) {
      case fpu_0: return loaded * share(alu, all);
      case fpu_1: return loaded * share(math, all);
      case sends: return loaded * share(sent, all);
      case eu_active: return loaded;
      case occupancy: return loaded * eus_.threads / occupancy_unit;
      default: return 0.0;
    }
  };
  for (unsigned i = 0; i < selection_.flexible.size(); ++i) {
    const uint32_t select = selection_.flexible[i];
    debt_.a[first_flexible + 2 * i] +=
        events(field::EU_PERF_CNTL_FIRST_INCREMENT.of(select), field::EU_PERF_CNTL_FIRST_COARSE_FILTER.of(select),
               field::EU_PERF_CNTL_FIRST_FINE_FILTER.of(select));
    debt_.a[first_flexible + 2 * i + 1] +=
        events(field::EU_PERF_CNTL_SECOND_INCREMENT.of(select), field::EU_PERF_CNTL_SECOND_COARSE_FILTER.of(select),
               field::EU_PERF_CNTL_SECOND_FINE_FILTER.of(select));
  }
}

double EventCounters::signal(OaSignal signal, const WorkCounts& work, const StageTimes& times, double busy) const {
  constexpr double unit = 64;
  const double read = of(work, Work::typed_bytes_read) + of(work, Work::untyped_bytes_read) + of(work, Work::vertex_bytes),
               written = of(work, Work::typed_bytes_written) + of(work, Work::untyped_bytes_written);
  switch (signal) {
    case OaSignal::render_busy: return busy;
    case OaSignal::sampler_busy:
      return clocks(kernel_ns(times)) * share(sum(work.messages[static_cast<size_t>(Sfid::sampler)]), instructions(work));
    case OaSignal::copy_busy: return clocks(times.blit);
    case OaSignal::typed_reads: return of(work, Work::typed_bytes_read) / unit;
    case OaSignal::typed_writes: return of(work, Work::typed_bytes_written) / unit;
    case OaSignal::untyped_reads: return of(work, Work::untyped_bytes_read) / unit;
    case OaSignal::untyped_writes: return of(work, Work::untyped_bytes_written) / unit;
    case OaSignal::vertex_reads: return of(work, Work::vertex_bytes) / unit;
    case OaSignal::memory_reads: return read / unit;
    case OaSignal::memory_writes: return written / unit;
    case OaSignal::none:
    case OaSignal::events:
    case OaSignal::clock:
    case OaSignal::video_busy:
    case OaSignal::video_enhance_busy: return 0;
  }
  return 0;
}

/// From which core clock of the interval on B and C count.
uint64_t EventCounters::started_at() const { return std::clamp(selection_.start_clock, before_.ticks, now_.ticks); }

void EventCounters::count_signals(const WorkCounts& work, const StageTimes& times, double busy) {
  const double started = share(static_cast<double>(now_.ticks - started_at()), interval_clocks());
  for (unsigned i = 0; i < boolean_counters; ++i) {
    const OaSignal b = signal_of_b(i), c = signal_of_c(i);
    (follows_clock(b) ? now_.b[i] : debt_.b[i]) += follows_clock(b) ? in_clocks(b, i, now_.ticks) : signal(b, work, times, busy) * started;
    (follows_clock(c) ? now_.c[i] : debt_.c[i]) += follows_clock(c) ? in_clocks(c, i, now_.ticks) : signal(c, work, times, busy) * started;
  }
}

/// The number of core clocks from before_.ticks to `ticks` that counter `i` counts, since it has started.
double EventCounters::in_clocks(OaSignal signal, unsigned i, uint64_t ticks) const {
  const auto until = [&](uint64_t clocks) { return signal == OaSignal::clock ? clocks : selection_.events[i].among(clocks); };
  return static_cast<double>(until(ticks) - until(std::min(ticks, started_at())));
}

Counters EventCounters::at(uint64_t tick) const {
  if (tick >= to_.tick || !counted_) return now_;
  const uint64_t clocks = clocks_after(tick - std::min(tick, from_.tick));
  const uint64_t started = std::min(started_at() - before_.ticks, clocks);
  // Multiplication first, so that a counter of each clock is interpolated exactly.
  const auto between = [](double before, double after, uint64_t part, uint64_t of) {
    return before + share((after - before) * static_cast<double>(part), static_cast<double>(of));
  };
  const uint64_t all = now_.ticks - before_.ticks, started_part = clocks - started, started_all = now_.ticks - started_at();
  Counters counters;
  counters.ticks = before_.ticks + clocks;
  for (unsigned i = 0; i < a_counters; ++i) counters.a[i] = between(before_.a[i], now_.a[i], clocks, all);
  for (unsigned i = 0; i < boolean_counters; ++i) {
    const OaSignal b = signal_of_b(i), c = signal_of_c(i);
    counters.b[i] =
        follows_clock(b) ? before_.b[i] + in_clocks(b, i, counters.ticks) : between(before_.b[i], now_.b[i], started_part, started_all);
    counters.c[i] =
        follows_clock(c) ? before_.c[i] + in_clocks(c, i, counters.ticks) : between(before_.c[i], now_.c[i], started_part, started_all);
  }
  return counters;
}

void EventCounters::load(const Counters& counters, const Moment& moment) {
  before_ = now_ = counters;
  from_ = to_ = moment;
  fraction_ = 0;
  counted_ = false;
  waiting_ = {};
  debt_ = {};
}

}  // namespace softgen::oa
