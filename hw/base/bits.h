// SPDX-License-Identifier: GPL-2.0-or-later
// Bit fields of hardware words, counted as the manuals count them: [high:low], both included.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>

namespace softgen {

/// Bits [high:low] of a word, shifted down. Requires 0 <= low <= high < width of T.
template <std::unsigned_integral T>
constexpr T bits(T word, unsigned high, unsigned low) {
  const unsigned width = high - low + 1;
  const T shifted = static_cast<T>(word >> low);
  return width >= sizeof(T) * 8 ? shifted : static_cast<T>(shifted & ((T{1} << width) - 1));
}

template <std::unsigned_integral T>
constexpr bool bit(T word, unsigned index) {
  return (word >> index) & 1;
}

/// `word` with bits [high:low] replaced by the low bits of `value`.
template <std::unsigned_integral T>
constexpr T with_bits(T word, unsigned high, unsigned low, T value) {
  const unsigned width = high - low + 1;
  const T mask = width >= sizeof(T) * 8 ? ~T{0} : static_cast<T>((T{1} << width) - 1);
  return static_cast<T>((word & ~static_cast<T>(mask << low)) | ((value & mask) << low));
}

/// Two's complement value of the low `width` bits.
constexpr int64_t sign_extend(uint64_t value, unsigned width) {
  const unsigned shift = 64 - width;
  return static_cast<int64_t>(value << shift) >> shift;
}

template <std::unsigned_integral T>
constexpr T align_up(T value, T alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

template <std::unsigned_integral T>
constexpr T align_down(T value, T alignment) {
  return value / alignment * alignment;
}

/// A masked register write: the upper half selects which bits of the lower half change (SKL PRM vol 2c, "Masked" access).
constexpr uint32_t masked_write(uint32_t old, uint32_t value) {
  const uint32_t mask = value >> 16;
  return (old & ~mask & 0xffff) | (value & mask);
}

/// The masked register write that changes all 16 bits.
constexpr uint32_t masked_all(uint32_t value) { return 0xffff'0000 | (value & 0xffff); }

/// PPGTT addresses in commands are canonical (bit 47 repeated upwards); page tables index 48 bits.
constexpr uint64_t strip_canonical(uint64_t address) { return address & 0xffff'ffff'ffffull; }

}  // namespace softgen
