// SPDX-License-Identifier: GPL-2.0-or-later
// Ternary raster operations (KBL PRM vol 11, "Bit-Wise Operations"): bit P * 4 + S * 2 + D of the code is the
// result for pattern, source and destination bits P, S, D. 0xCC copies the source, 0xF0 the pattern, 0xAA is
// the destination.
#pragma once

#include <cstddef>
#include <cstdint>

namespace softgen::blitter {

constexpr bool rop_uses_destination(uint8_t rop) { return ((rop >> 1 ^ rop) & 0x55) != 0; }
constexpr bool rop_uses_source(uint8_t rop) { return ((rop >> 2 ^ rop) & 0x33) != 0; }
constexpr bool rop_uses_pattern(uint8_t rop) { return ((rop >> 4 ^ rop) & 0x0f) != 0; }

/// out = rop(pattern, source, destination) for `bytes` rounded up to 32, in ascending order; all blocks have room for that.
/// Operands that the code does not use may be anything readable; `out` may be one of them.
void apply_rop(uint8_t rop, std::byte* out, const std::byte* pattern, const std::byte* source, const std::byte* destination, size_t bytes);

}  // namespace softgen::blitter
