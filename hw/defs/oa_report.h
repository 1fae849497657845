// SPDX-License-Identifier: GPL-2.0-or-later
// The first dword of a performance report in a buffer (SKL PRM vol 2c, "Performance Counter Report Formats"; i915 i915_perf.c, OAREPORT_REASON_*), and
// values of Counter Select (i915_drm.h, drm_i915_oa_format).
#pragma once

#include "hw/defs/registers/registers.h"

namespace softgen::defs {

namespace oa_report_id {
inline constexpr reg::Bits timer{19, 19}, trigger_1{20, 20}, trigger_2{21, 21}, context_switch{22, 22}, go{23, 23}, clock_ratio{24, 24};
/// Gen12.
inline constexpr reg::Bits mmio_trigger{25, 25};
/// Of trigger 2 in its reports, else of trigger 1: whether the start trigger has fired; Threshold Enable of the report trigger.
inline constexpr reg::Bits start_trigger{18, 18}, report_threshold{17, 17};
/// Gen12: whether the timer is enabled.
inline constexpr reg::Bits context_valid{16, 16}, timer_enabled{16, 16};
/// Clock ratios, with Include Clock Ratio, in units of RPSTAT1: of the unslice, and of the slices in two parts.
inline constexpr reg::Bits unslice_ratio{8, 0}, slice_ratio_low{31, 25}, slice_ratio_high{10, 9};
}  // namespace oa_report_id

enum OaFormat : uint32_t { oa_a12 = 0, oa_a12_b8_c8 = 2, oa_a36_b8_c8 = 5, oa_c4_b8 = 7 };

}  // namespace softgen::defs
