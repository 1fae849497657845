// SPDX-License-Identifier: GPL-2.0-or-later
// Entropy tables of baseline JPEG (ITU-T T.81 annexes C, F, K).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "hw/media/bits/bit_reader.h"

namespace softgen::media::jpeg {

/// A block's coefficients, row by row.
using Block = std::array<int16_t, 64>;

/// The place in the block of the n-th coefficient of a stream: T.81 figure A.6.
consteval std::array<uint8_t, 64> make_scan() {
  std::array<uint8_t, 64> scan{};
  size_t at = 0;
  for (unsigned sum = 0; sum < 15; ++sum) {
    const unsigned first = sum < 8 ? 0 : sum - 7, last = sum < 8 ? sum : 7;
    // Even diagonals go up, odd ones down.
    for (unsigned i = first; i <= last; ++i) {
      const unsigned row = sum % 2 ? i : sum - i;
      scan[at++] = static_cast<uint8_t>(row * 8 + (sum - row));
    }
  }
  return scan;
}
inline constexpr std::array<uint8_t, 64> scan_order = make_scan();

/// Codes of up to 16 bits and the bytes that they stand for.
class HuffmanDecoder {
 public:
  /// `counts`: number of codes of each length from 1 on; `values`: in the order of codes. Codes without a value, and those beyond the code space of
  /// their length, are left out.
  void build(std::span<const uint8_t> counts, std::span<const uint8_t> values);

  struct Symbol {
    uint8_t length;  ///< 0: no such code
    uint8_t value;
  };
  /// `bits`: the next ones of the stream, in the high end.
  Symbol find(uint32_t bits) const {
    const Symbol first = short_[bits >> (32 - short_bits)];
    return first.length ? first : find_long(bits);
  }

 private:
  static constexpr unsigned short_bits = 9, max_bits = 16;
  Symbol find_long(uint32_t bits) const;

  std::array<Symbol, 1u << short_bits> short_{};
  std::array<uint32_t, max_bits + 1> end_{};    ///< by length: the first code behind the length's codes
  std::array<uint32_t, max_bits + 1> first_{};  ///< by length: its first code
  std::array<uint16_t, max_bits + 1> index_{};  ///< by length: index of its first value
  std::array<uint8_t, 256> values_{};
};

}  // namespace softgen::media::jpeg
