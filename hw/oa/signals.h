// SPDX-License-Identifier: GPL-2.0-or-later
// The signals that software routes to the custom events and triggers, and sets of clocks that repeat as the known ones do.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

namespace softgen::oa {

/// Clocks after which the known signals repeat.
constexpr unsigned signal_period = 6;

enum class Routed : uint8_t {
  nothing,       ///< all signals are 0
  test_pattern,  ///< those of the metric set TestOa
  unknown,
};

/// TestOa's routed signals in a clock, derived from the ratios that IGT (tests/i915/perf.c) expects of its counters: bit 3 toggles each clock,
/// bits 5:4 cycle through 0, 1, 2.
constexpr uint32_t test_signals(uint64_t clock) { return static_cast<uint32_t>(clock % 2 << 3 | clock % 3 << 4); }

/// Clocks that repeat with signal_period.
class PeriodicClocks {
 public:
  static constexpr uint64_t never = std::numeric_limits<uint64_t>::max();

  constexpr PeriodicClocks() = default;
  constexpr void add(unsigned clock) { clocks_ |= static_cast<uint8_t>(1u << clock % signal_period); }
  constexpr bool has(uint64_t clock) const { return clocks_ >> clock % signal_period & 1; }
  /// How many of the first `clocks` clocks they are.
  constexpr uint64_t among(uint64_t clocks) const {
    return clocks / signal_period * count(clocks_) + count(clocks_ & ((1u << clocks % signal_period) - 1));
  }
  /// The least number of clocks among which are `n` of them, or never.
  constexpr uint64_t until(uint64_t n) const {
    if (n == 0) return 0;
    const uint64_t per_period = count(clocks_);
    if (per_period == 0 || n / per_period >= never / signal_period) return never;
    uint64_t clocks = (n - 1) / per_period * signal_period, left = (n - 1) % per_period + 1;
    while (left) left -= has(clocks++);
    return clocks;
  }
  bool operator==(const PeriodicClocks&) const = default;

 private:
  static constexpr uint64_t count(unsigned bits) { return static_cast<uint64_t>(std::popcount(bits)); }
  uint8_t clocks_ = 0;  ///< bit i: clock i of a period
};

}  // namespace softgen::oa
