// SPDX-License-Identifier: GPL-2.0-or-later
// What the generated unpack and pack functions are made of. Bit positions count from bit 0 of the first dword.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>

#include "hw/base/bits.h"

namespace softgen::defs {

/// A copy of at most N dwords, the missing ones zero, with one more so that a field at the end may be read as a pair.
template <size_t N>
struct Dwords {
  explicit Dwords(std::span<const uint32_t> source) { std::copy_n(source.begin(), std::min(N, source.size()), dw.begin()); }
  uint64_t take(unsigned start, unsigned width) const {
    const uint64_t pair = dw[start / 32] | uint64_t{dw[start / 32 + 1]} << 32;
    return bits(pair, start % 32 + width - 1, start % 32);
  }
  uint64_t take_in_place(unsigned start, unsigned width) const { return take(start, width) << (start % 32); }
  int64_t take_signed(unsigned start, unsigned width) const { return sign_extend(take(start, width), width); }
  /// The bits of a nested structure, `width` of them, as dwords of its own.
  template <size_t M>
  std::array<uint32_t, M> slice(unsigned start, unsigned width) const {
    std::array<uint32_t, M> part{};
    for (unsigned done = 0; done < width && done / 32 < M; done += 32)
      part[done / 32] = static_cast<uint32_t>(take(start + done, std::min(32u, width - done)));
    return part;
  }

  std::array<uint32_t, N + 1> dw{};
};

inline void put(std::span<uint32_t> dw, unsigned start, unsigned width, uint64_t value) {
  const uint64_t mask = width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
  const unsigned at = start / 32, shift = start % 32;
  dw[at] |= static_cast<uint32_t>((value & mask) << shift);
  if (shift + width > 32) dw[at + 1] |= static_cast<uint32_t>((value & mask) >> (32 - shift));
}

template <size_t M>
void put_slice(std::span<uint32_t> dw, unsigned start, unsigned width, const std::array<uint32_t, M>& part) {
  for (unsigned done = 0; done < width && done / 32 < M; done += 32) put(dw, start + done, std::min(32u, width - done), part[done / 32]);
}

inline uint64_t to_fixed(float value, unsigned fraction_bits) {
  return static_cast<uint64_t>(std::llround(std::ldexp(value, static_cast<int>(fraction_bits))));
}
inline float from_fixed(int64_t value, unsigned fraction_bits) {
  return std::ldexp(static_cast<float>(value), -static_cast<int>(fraction_bits));
}

}  // namespace softgen::defs
