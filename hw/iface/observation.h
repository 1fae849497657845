// SPDX-License-Identifier: GPL-2.0-or-later
// What the render engine's streamer tells the unit that counts events (hw/oa), and asks of it. On the thread that runs the streamer.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace softgen {

class Observation {
 public:
  static constexpr size_t report_dwords = 64;
  using Report = std::array<uint32_t, report_dwords>;
  /// By its descriptor.
  struct Context {
    uint32_t id;     ///< the upper half
    uint32_t image;  ///< GGTT address
  };

  virtual ~Observation() = default;
  /// A context runs, its registers are restored.
  virtual void context_entered(const Context& context) = 0;
  /// It is about to be saved, or is dropped.
  virtual void context_leaves() = 0;
  /// MI_REPORT_PERF_COUNT of the running context: writes a report with this `id` to `room`. Returns the dwords that it has in the selected format.
  virtual std::span<const uint32_t> report(uint32_t id, Report& room) = 0;
};

}  // namespace softgen
