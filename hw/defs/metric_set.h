// SPDX-License-Identifier: GPL-2.0-or-later
// Metric sets: what the observation counters B and C count after a sequence of writes to NOA_WRITE. How a single value routes signals is not public;
// what whole sequences select follows from Mesa's metric sets (src/intel/perf/oa-*.xml).
#pragma once

#include <array>
#include <cstdint>

namespace softgen::defs {

enum class OaSignal : uint8_t {
  none,    ///< no signal, or one that is not modelled
  events,  ///< B counters: clocks in which the custom event of the same number holds
  clock,
  render_busy,
  copy_busy,
  video_busy,
  video_enhance_busy,
  sampler_busy,
  typed_reads,  ///< this and the following: in units of 64 bytes
  typed_writes,
  untyped_reads,
  untyped_writes,
  vertex_reads,
  memory_reads,  ///< of all units of the render engine
  memory_writes,
};

struct MetricSet {
  static constexpr uint64_t hash_begin = 0xcbf2'9ce4'8422'2325;
  /// 64-bit FNV-1a with one step per dword.
  static constexpr uint64_t hash(uint64_t before, uint32_t value) { return (before ^ value) * 0x100'0000'01b3; }

  uint64_t mux;  ///< hash() of the values written to NOA_WRITE, from hash_begin on
  const char* name;
  bool test_pattern;             ///< routed signals: bit 3 toggles each clock, bits 5:4 cycle through 0, 1, 2
  std::array<OaSignal, 8> b, c;  ///< where a metric adds counters, the first has the signal, the others none
};

}  // namespace softgen::defs
