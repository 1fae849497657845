// SPDX-License-Identifier: GPL-2.0-or-later
// RING_TIMESTAMP of all engines: one counter at the platform's rate (SKL PRM vol 2c, TIMESTAMP; i915 gt/intel_gt_clock_utils.c), of which 36 bits
// count.
#pragma once

#include <cstdint>
#include <numeric>

#include "hw/iface/host.h"
#include "hw/mmio/register_file.h"

namespace softgen::mmio {

/// The rate of the counter, and guest time.
class TimestampClock {
 public:
  static constexpr uint64_t mask = (uint64_t{1} << 36) - 1;

  constexpr explicit TimestampClock(uint64_t hz) : ticks_(hz / std::gcd(hz, second)), nanoseconds_(second / std::gcd(hz, second)) {}
  constexpr uint64_t hz() const { return second * ticks_ / nanoseconds_; }
  /// The counter at guest time `ns`.
  constexpr uint64_t ticks(int64_t ns) const { return all_ticks(ns) & mask; }
  /// As ticks(), but not truncated to the counter's width.
  constexpr uint64_t all_ticks(int64_t ns) const { return static_cast<uint64_t>(ns) * ticks_ / nanoseconds_; }
  /// Guest time in which so many ticks pass, rounded up.
  constexpr int64_t ns(uint64_t ticks) const { return static_cast<int64_t>((ticks * nanoseconds_ + ticks_ - 1) / ticks_); }

 private:
  static constexpr uint64_t second = 1'000'000'000;
  const uint64_t ticks_, nanoseconds_;  ///< so many ticks take so many nanoseconds
};

/// The counter by way of the RING_TIMESTAMP of the engine at `mmio_base`.
inline uint64_t read_timestamp(RegisterFile& registers, uint32_t mmio_base) {
  uint32_t high, low;
  do {
    high = registers.read(mmio_base + reg::RING_TIMESTAMP_UDW);
    low = registers.read(mmio_base + reg::RING_TIMESTAMP);
  } while (high != registers.read(mmio_base + reg::RING_TIMESTAMP_UDW));
  return low | uint64_t{high} << 32;
}

inline void attach_timestamps(RegisterFile& registers, Host& host, const TimestampClock& clock) {
  registers.on_engine_read(reg::RING_TIMESTAMP, [&host, clock](uint32_t) { return static_cast<uint32_t>(clock.ticks(host.clock_ns())); });
  registers.on_engine_read(reg::RING_TIMESTAMP_UDW,
                           [&host, clock](uint32_t) { return static_cast<uint32_t>(clock.ticks(host.clock_ns()) >> 32); });
}

}  // namespace softgen::mmio
