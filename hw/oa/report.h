// SPDX-License-Identifier: GPL-2.0-or-later
// The counters, and the layout of reports (SKL PRM vol 2c, "Performance Counter Report Formats"; TGL PRM vol 13; i915 include/uapi/drm/i915_drm.h,
// drm_i915_oa_format).
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "hw/defs/oa_report.h"
#include "hw/iface/observation.h"

namespace softgen::oa {

constexpr unsigned a_counters = 36, boolean_counters = 8;

/// Numbers of events, which may have fractions. Below 2^53, so that integers are exact.
struct EventCounts {
  std::array<double, a_counters> a{};
  std::array<double, boolean_counters> b{}, c{};
};
struct Counters : EventCounts {
  uint64_t ticks = 0;  ///< core clocks
};

struct ReportHead {
  uint32_t id, timestamp, context;
};

/// Bytes of a report in the format that Counter Select names; 0: a reserved format.
constexpr size_t report_bytes(uint32_t format) {
  switch (format) {
    case defs::oa_a12:
    case defs::oa_c4_b8: return 64;
    case defs::oa_a12_b8_c8: return 128;
    case defs::oa_a36_b8_c8: return 256;
    default: return 0;
  }
}

/// Writes a report in the format that Counter Select names. Empty: a reserved format.
std::span<const uint32_t> write_report(uint32_t format, const ReportHead& head, const Counters& counters, Observation::Report& room);

}  // namespace softgen::oa
