// SPDX-License-Identifier: GPL-2.0-or-later
// Counters as a report has them (SKL PRM vol 2c, "Performance Counter Report Formats"; TGL PRM vol 13; i915 include/uapi/drm/i915_drm.h,
// drm_i915_oa_format).
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "hw/iface/observation.h"

namespace softgen::oa {

constexpr unsigned a_counters = 36, boolean_counters = 8;

/// All counters, with the parts of events that have not made a whole one yet. Below 2^53, so that whole numbers are exact.
struct Counters {
  uint64_t ticks = 0;  ///< core clocks
  std::array<double, a_counters> a{};
  std::array<double, boolean_counters> b{}, c{};
};

struct ReportHead {
  uint32_t id, timestamp, context;
};

/// Counter Select of the format with all counters.
constexpr uint32_t all_counters = 5;

/// Writes a report in the format that Counter Select names. Empty: a reserved format.
std::span<const uint32_t> write_report(uint32_t format, const ReportHead& head, const Counters& counters, Observation::Report& room);

/// Report id of a buffer's report: why it was written, and beside it.
namespace reason {
constexpr uint32_t timer = 1u << 19, trigger_1 = 1u << 20, trigger_2 = 1u << 21, context_switch = 1u << 22, go = 1u << 23,
                   clock_ratio = 1u << 24;
}
/// Clock ratios in a report id, in units of 50/3 MHz: bits 8:0 the unslice's; bits 31:25 and 10:9 the low and high bits of the slices'.
constexpr uint32_t clock_ratios(uint32_t ratio) { return (ratio & 0x1ff) | (ratio & 0x7f) << 25 | (ratio >> 7 & 3) << 9; }
constexpr uint32_t report_started = 1u << 18, report_thresholds = 1u << 17, report_timer_on = 1u << 16, report_context_valid = 1u << 16;

}  // namespace softgen::oa
