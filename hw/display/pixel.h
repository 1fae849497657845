// SPDX-License-Identifier: GPL-2.0-or-later
// The pipe's pixel: 16 bits a channel, so that 8, 10 and 12 bit sources and half floats in [0, 1] go through without loss.
#pragma once

#include <cstdint>

namespace softgen::display {

struct Pixel {
  uint16_t r = 0, g = 0, b = 0, a = 0xffff;
  bool operator==(const Pixel&) const = default;
};

/// 8 bits to 16: 0xff becomes 0xffff exactly.
constexpr uint16_t widen8(uint32_t v) { return static_cast<uint16_t>(v * 0x101); }
/// 10 bits to 16, the top bits repeated.
constexpr uint16_t widen10(uint32_t v) { return static_cast<uint16_t>(v << 6 | v >> 4); }
/// Nearest 8-bit value; the inverse of widen8.
constexpr uint32_t narrow8(uint32_t v) { return (v * 255 + 32768) >> 16; }
/// Nearest value of `bits` bits.
constexpr uint32_t narrow(uint32_t v, unsigned bits) { return (v * ((1u << bits) - 1) + 32768) >> 16; }
/// a * b / 65535, rounded to nearest.
constexpr uint16_t mul16(uint32_t a, uint32_t b) {
  const uint32_t t = a * b + 32768;
  return static_cast<uint16_t>((t + (t >> 16)) >> 16);
}

/// What leaves the chip for a display of 8 bits a channel: x8r8g8b8 with X all ones.
constexpr uint32_t to_xrgb(const Pixel& p) { return 0xff000000u | narrow8(p.r) << 16 | narrow8(p.g) << 8 | narrow8(p.b); }

}  // namespace softgen::display
