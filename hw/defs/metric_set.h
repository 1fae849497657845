// SPDX-License-Identifier: GPL-2.0-or-later
// Metric sets: what a sequence of writes to NOA_WRITE makes the observation counters B and C count. Which signal a value of NOA_WRITE routes where
// is not public; Mesa's metric sets (src/intel/perf/oa-*.xml) say what their sequences mean.
#pragma once

#include <array>
#include <cstdint>

namespace softgen::defs {

enum class OaSignal : uint8_t {
  none,    ///< nothing that is modelled
  events,  ///< B counters: what the custom event of the same number finds in the routed signals
  clock,
  render_busy,
  copy_busy,
  video_busy,
  video_enhance_busy,
  sampler_busy,
  typed_reads,  ///< this and those that follow: in units of 64 bytes
  typed_writes,
  untyped_reads,
  untyped_writes,
  vertex_reads,
  memory_reads,  ///< all of the render engine's
  memory_writes,
};

struct MetricSet {
  static constexpr uint64_t hash_begin = 0xcbf2'9ce4'8422'2325;
  /// FNV-1a of 64 bits, a dword a step.
  static constexpr uint64_t hash(uint64_t before, uint32_t value) { return (before ^ value) * 0x100'0000'01b3; }

  uint64_t mux;  ///< hash() of the values written to NOA_WRITE, from hash_begin on
  const char* name;
  bool test_pattern;             ///< bit 3 of the routed signals changes with each clock, bits 5:4 count 0, 1, 2
  std::array<OaSignal, 8> b, c;  ///< of counters that a metric adds up, the first has the signal and the others none
};

}  // namespace softgen::defs
