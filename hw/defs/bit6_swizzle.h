// SPDX-License-Identifier: GPL-2.0-or-later
// How tiled memory is spread over two memory channels.
#pragma once

#include <cstdint>

namespace softgen::defs {

/// The address bits whose parity is added to bit 6, per walk of a tile, in all accesses to tiled memory but the CPU's own; 0: none.
struct Bit6Swizzle {
  uint64_t x_walk = 0, y_walk = 0;
  bool operator==(const Bit6Swizzle&) const = default;

  constexpr uint64_t of(uint64_t address, bool y) const {
    return address ^ uint64_t { __builtin_parityll(address & (y ? y_walk : x_walk)) != 0 } << 6;
  }
};

/// i915 gt/intel_ggtt_fencing.c, detect_bit_6_swizzle: I915_BIT_6_SWIZZLE_9_10 and _9.
inline constexpr Bit6Swizzle gen5_swizzle{.x_walk = 1 << 9 | 1 << 10, .y_walk = 1 << 9};

}  // namespace softgen::defs
