// SPDX-License-Identifier: GPL-2.0-or-later
// Custom events: a B counter counts the core clocks in which a comparison of the routed signals holds (TGL PRM vol 13, "Custom Event Counters").
#pragma once

#include <array>
#include <cstdint>

namespace softgen::oa {

/// The number of clocks in which an event holds. The routed signals are all 0, or those of the metric set TestOa, which repeat after six clocks.
class EventClocks {
 public:
  EventClocks() = default;
  /// `event`, `mask`: OACEC_EVENT and OACEC_MASK.
  EventClocks(uint32_t event, uint32_t mask, bool test_pattern);
  /// In the first `clocks` clocks.
  uint64_t among(uint64_t clocks) const { return clocks / period * before_[period] + before_[clocks % period]; }
  bool operator==(const EventClocks&) const = default;

 private:
  static constexpr unsigned period = 6;
  std::array<uint8_t, period + 1> before_{};  ///< number of clocks in the first n of a period
};

}  // namespace softgen::oa
