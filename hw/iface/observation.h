// SPDX-License-Identifier: GPL-2.0-or-later
// The observation unit (hw/oa) as the render engine's streamer uses it: the streamer notifies it of context switches and requests reports. All calls
// are made on the streamer's thread.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace softgen {

class Observation {
 public:
  static constexpr size_t report_dwords = 64;
  using Report = std::array<uint32_t, report_dwords>;
  /// From the context's descriptor.
  struct Context {
    uint32_t id;     ///< upper half
    uint32_t image;  ///< GGTT address
  };

  virtual ~Observation() = default;
  /// A context starts to run; its registers are restored.
  virtual void context_entered(const Context& context) = 0;
  /// The running context is about to be saved or dropped.
  virtual void context_leaves() = 0;
  /// MI_REPORT_PERF_COUNT of the running context: writes a report with this `id` to `room`. Returns the report's dwords; the selected
  /// format determines how many.
  virtual std::span<const uint32_t> report(uint32_t id, Report& room) = 0;
};

}  // namespace softgen
