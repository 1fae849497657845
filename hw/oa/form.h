// SPDX-License-Identifier: GPL-2.0-or-later
// Where a platform's observation unit has its registers: OA (up to Gen11), or OAG and OAR (Gen12).
#pragma once

#include <array>
#include <cstdint>

namespace softgen::oa {

/// Offsets in BAR0.
struct Form {
  uint32_t control, debug, status, head, tail, buffer;
  uint32_t buffer_upper;  ///< 0: there is none
  uint32_t timer;         ///< with Timer Enable, Timer Period and Counter Resume
  uint32_t interrupt_mask;
  uint32_t mmio_trigger;  ///< 0: there is none
  struct TriggerRows {
    uint32_t threshold, condition, high_inputs, low_inputs;
  };
  std::array<TriggerRows, 2> start_triggers, report_triggers;
  uint32_t (*event)(uint32_t counter);  ///< registers of a B counter's custom event, and of its mask
  uint32_t (*event_mask)(uint32_t counter);
  struct CounterRegisters {
    uint32_t a, a32, ticks, b, c;  ///< the first of A0 to A31 (two dwords each), of A32 to A35, of B0 to B7 and of C0 to C7
    uint32_t free;                 ///< free-running A4, A6, A19, A20 (two dwords each); 0: their place is not public
  } counters;
  bool shows_valid_context;  ///< the report id has a bit for it
  uint32_t no_context;       ///< the context's id in reports while none runs
  /// OAR, the counters of a render context: each context has this register; it selects the format of MI_REPORT_PERF_COUNT. 0: that
  /// command reports the chip's counters.
  uint32_t context_control;
};

extern const Form oa, oag;

}  // namespace softgen::oa
