// SPDX-License-Identifier: GPL-2.0-or-later
// The differences between chips' observation units that i915's performance interface depends on (i915 i915_perf.c, i915_perf_oa_regs.h). As regs.h,
// this is a driver's view, independent of the model's tables.
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
  uint32_t global_timer;                        ///< the chip's timer and Counter Resume; 0: each context has its own in OACTXCONTROL
  uint32_t context_control;                     ///< OAR_OACONTROL; 0: there are no counters per context
  uint32_t tlb_invalidate;                      ///< 0: there is none
  RegisterValue noa_enable;                     ///< the register and its bit
  std::span<const RegisterRange> mux, boolean;  ///< allowed in a metric set, besides flexible event registers
  uint32_t status_kept;                         ///< OASTATUS bits that are written when a reported loss is cleared
  uint32_t reason_mask;                         ///< of a report's first dword, after the shift by reason_shift
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
// OABUFFER; head and tail are multiples of 64 bytes.
constexpr uint32_t buffer_bytes = 16u << 20, buffer_16m = 7u << 3, buffer_ggtt = 1u << 0, pointer_mask = ~63u;
constexpr unsigned reason_shift = 19;
constexpr uint32_t reason_context_switch = 1u << 3, no_context = ~0u;
/// A metric set's value of a register without the bits that i915 programs itself (mask_reg_value).
uint32_t allowed_bits(const RegisterValue& entry);
/// /proc/sys/dev/i915/oa_max_sample_rate.
constexpr uint32_t max_sample_rate_hz = 100'000;

}  // namespace oa

}  // namespace softgen::run
