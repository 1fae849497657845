// SPDX-License-Identifier: GPL-2.0-or-later
// What i915's performance interface must know of a chip's observation unit, where chips differ (i915 i915_perf.c, i915_perf_oa_regs.h). As in regs.h, a
// driver's view, apart from the model's tables.
#pragma once

#include <cstdint>
#include <span>

namespace softgen::run {

struct RegisterValue {
  uint32_t offset, value;
};

struct RegisterRange {
  uint32_t first, last;
};

struct OaUnit {
  uint32_t control, debug, status, head, tail, buffer;
  uint32_t buffer_upper;                        ///< 0: there is none
  uint32_t global_timer;                        ///< timer and Counter Resume of the chip; 0: each context has them in OACTXCONTROL
  uint32_t context_control;                     ///< OAR_OACONTROL; 0: a context has no counters of its own
  uint32_t tlb_invalidate;                      ///< 0: there is none
  RegisterValue noa_enable;                     ///< the register and its bit
  std::span<const RegisterRange> mux, boolean;  ///< registers of a metric set, beside those of flexible events
  uint32_t status_kept;                         ///< OASTATUS, when a loss has been reported
  uint32_t reason_mask;                         ///< of a report's first dword, behind reason_shift
  uint32_t context_mask;                        ///< of its third dword: the id of its context
  uint32_t context_valid;                       ///< bit of the first dword: the third one is valid; 0: it always is
};

extern const OaUnit gen9_oa, gen11_oa, gen12_oa;

namespace oa {

// OACTXCONTROL and OAGLBCTXCTRL.
constexpr uint32_t context_timer = 0x2360, counter_resume = 1u << 0, timer_enable = 1u << 1, period_shift = 2;
constexpr uint32_t flex[] = {0xe458, 0xe558, 0xe658, 0xe758, 0xe45c, 0xe55c, 0xe65c};
constexpr uint32_t enable = 1u << 0, format_shift = 2, context_format_shift = 1;
// CTX_CONTROL, a masked register of the render engine.
constexpr uint32_t ctx_control = 0x2244, ctx_oar_enable = 1u << 8;
// OA_DEBUG, masked.
constexpr uint32_t no_switch_reports = 1u << 1, no_clock_reports = 1u << 5, include_clock = 1u << 6;
// OASTATUS.
constexpr uint32_t report_lost = 1u << 0, buffer_overflow = 1u << 1, counter_overflow = 1u << 2;
// OABUFFER; the pointers have a grain of 64 bytes.
constexpr uint32_t buffer_bytes = 16u << 20, buffer_16m = 7u << 3, buffer_ggtt = 1u << 0, pointer_mask = ~63u;
constexpr unsigned reason_shift = 19;
constexpr uint32_t reason_context_switch = 1u << 3, no_context = ~0u;
/// Bits that i915 sets up itself in a register of a metric set stay as they are (mask_reg_value).
uint32_t allowed_bits(const RegisterValue& entry);
/// /proc/sys/dev/i915/oa_max_sample_rate.
constexpr uint32_t max_sample_rate_hz = 100'000;

}  // namespace oa

}  // namespace softgen::run
