// SPDX-License-Identifier: GPL-2.0-or-later
// What the power control unit knows of the memory (i915 soc/intel_dram.c:icl_pcode_read_mem_global_info, display/intel_bw.c).
#pragma once

#include <cstdint>
#include <span>

namespace softgen::defs {

struct MemorySpeeds {
  /// A clock that memory may run at, and delays in cycles.
  struct Point {
    uint16_t clock;  ///< in 1/60 GHz
    uint8_t rp, rcd, rdpre, ras;
  };
  uint8_t type;  ///< as the unit answers: 0 is DDR4
  uint8_t channels;
  std::span<const Point> points;
};

}  // namespace softgen::defs
