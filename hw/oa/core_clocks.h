// SPDX-License-Identifier: GPL-2.0-or-later
// The number of core clocks as a function of the timestamp, while their frequency stays.
#pragma once

#include <cstdint>
#include <limits>

namespace softgen::oa {

struct CoreClocks {
  static constexpr uint64_t never = std::numeric_limits<uint64_t>::max();

  uint64_t from_tick = 0, from_clock = 0;
  uint64_t fraction = 0;  ///< of a core clock at from_tick, in units of 1 / timestamp_hz
  uint64_t core_hz = 0;   ///< 0: they stand
  uint64_t timestamp_hz = 1;

  uint64_t at(uint64_t tick) const {
    if (tick <= from_tick) return from_clock;
    return from_clock + static_cast<uint64_t>((static_cast<unsigned __int128>(tick - from_tick) * core_hz + fraction) / timestamp_hz);
  }
  /// The first tick from from_tick on at which there have been so many clocks, or never.
  uint64_t tick_of(uint64_t clock) const {
    if (clock <= from_clock) return from_tick;
    if (core_hz == 0 || clock == never) return never;
    const unsigned __int128 parts = static_cast<unsigned __int128>(clock - from_clock) * timestamp_hz;
    const unsigned __int128 ticks = parts <= fraction ? 0 : (parts - fraction + core_hz - 1) / core_hz;
    return ticks >= never - from_tick ? never : from_tick + static_cast<uint64_t>(ticks);
  }
};

}  // namespace softgen::oa
