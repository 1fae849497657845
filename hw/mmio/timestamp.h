// SPDX-License-Identifier: GPL-2.0-or-later
// RING_TIMESTAMP of all engines: one counter, 12 MHz on Gen9 outside Broxton (SKL PRM vol 2c, TIMESTAMP; i915 gt/intel_gt_clock_utils.c),
// of which 36 bits count.
#pragma once

#include <cstdint>

#include "hw/iface/host.h"
#include "hw/mmio/register_file.h"

namespace softgen::mmio {

inline constexpr uint64_t timestamp_mask = (uint64_t{1} << 36) - 1;

/// Ticks at guest time `ns`.
constexpr uint64_t timestamp_ticks(int64_t ns) { return (static_cast<uint64_t>(ns) * 3 / 250) & timestamp_mask; }

/// Guest time in which so many ticks pass, rounded up.
constexpr int64_t timestamp_ns(uint64_t ticks) { return static_cast<int64_t>((ticks * 250 + 2) / 3); }

/// The counter by way of the RING_TIMESTAMP of the engine at `mmio_base`.
inline uint64_t read_timestamp(RegisterFile& registers, uint32_t mmio_base) {
  uint32_t high, low;
  do {
    high = registers.read(mmio_base + reg::RING_TIMESTAMP_UDW);
    low = registers.read(mmio_base + reg::RING_TIMESTAMP);
  } while (high != registers.read(mmio_base + reg::RING_TIMESTAMP_UDW));
  return low | uint64_t{high} << 32;
}

inline void attach_timestamps(RegisterFile& registers, Host& host) {
  registers.on_engine_read(reg::RING_TIMESTAMP, [&host](uint32_t) { return static_cast<uint32_t>(timestamp_ticks(host.clock_ns())); });
  registers.on_engine_read(reg::RING_TIMESTAMP_UDW,
                           [&host](uint32_t) { return static_cast<uint32_t>(timestamp_ticks(host.clock_ns()) >> 32); });
}

}  // namespace softgen::mmio
