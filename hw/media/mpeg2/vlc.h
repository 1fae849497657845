// SPDX-License-Identifier: GPL-2.0-or-later
// The variable length codes of MPEG-2 (ISO/IEC 13818-2, annex B), as tables by the next bits.
#pragma once

#include <array>
#include <cstdint>

#include "hw/media/bits/bit_reader.h"

namespace softgen::media::mpeg2 {

/// A code's length (0: there is no such code) and what it stands for.
struct VlcEntry {
  uint8_t length = 0;
  int8_t value = 0;
};

/// All codes of at most `bits` bits.
template <unsigned bits>
using VlcTable = std::array<VlcEntry, 1u << bits>;

/// Of run and level; run 64 is the end of the block, 65 the escape.
struct CoefficientEntry {
  uint8_t length = 0, run = 0, level = 0;
};
constexpr uint8_t end_of_block = 64, escape = 65;

struct CoefficientTable {
  std::array<CoefficientEntry, 256> by_first;  ///< by the first 8 bits, when one of the first 6 is set
  std::array<CoefficientEntry, 1024> by_last;  ///< else by bits 7 to 16
  /// `word`: the next 16 bits.
  const CoefficientEntry& find(uint32_t word) const { return word >= 0x400 ? by_first[word >> 8] : by_last[word]; }
};

/// Flags of macroblock_type (tables B.2 to B.4).
constexpr int mb_intra = 1, mb_pattern = 2, mb_backward = 4, mb_forward = 8, mb_quant = 16;

constexpr int address_escape = 34;
extern const VlcTable<11> address_increments;  ///< table B.1: 1 to 33, or address_escape
extern const VlcTable<6> mb_types[3];          ///< of I, P and B pictures
extern const VlcTable<9> block_patterns;       ///< table B.9
extern const VlcTable<10> motion_codes;        ///< table B.10: magnitudes; a sign follows those that are not 0
extern const VlcTable<10> dc_sizes[2];         ///< tables B.12 (luma) and B.13 (chroma)
extern const CoefficientTable
    coefficients[2];  ///< tables B.14 and B.15, without signs; B.14 as it is for all but a block's first coefficient

/// -1: there is no such code, and nothing was taken.
template <size_t size>
int take(BitReader& bits, const std::array<VlcEntry, size>& table) {
  const VlcEntry entry = table[bits.peek(std::countr_zero(size))];
  bits.skip(entry.length);
  return entry.length ? entry.value : -1;
}

}  // namespace softgen::media::mpeg2
