// SPDX-License-Identifier: GPL-2.0-or-later
// What the encoder has decided of a macroblock, beside what Macroblock keeps for its neighbours.
#pragma once

#include <array>
#include <cstdint>

#include "hw/media/avc/motion.h"

namespace softgen::media::avc {

/// How P macroblocks are divided; the values are mb_type's (table 7-13).
enum class Shape : uint8_t { whole, rows, columns, quarters };

/// Levels in scanning order; luma blocks in decoding order. Those of Intra_16x16 have 15 AC levels from place 0 on.
struct CodedMacroblock {
  uint8_t mode16 = 0;
  Shape shape = Shape::whole;
  std::array<Mv, 4> difference{};  ///< mvd of each partition
  std::array<int16_t, 16> luma_dc{};
  std::array<std::array<int16_t, 16>, 16> luma{};
  std::array<std::array<int16_t, 4>, 2> chroma_dc{};
  std::array<std::array<std::array<int16_t, 15>, 4>, 2> chroma_ac{};
};

inline std::array<Partition, 4> partitions(Shape shape) {
  switch (shape) {
    case Shape::rows: return {{{0, 0, 16, 8}, {0, 8, 16, 8}}};
    case Shape::columns: return {{{0, 0, 8, 16}, {8, 0, 8, 16}}};
    case Shape::quarters: return {{{0, 0, 8, 8}, {8, 0, 8, 8}, {0, 8, 8, 8}, {8, 8, 8, 8}}};
    default: return {{{0, 0, 16, 16}}};
  }
}
constexpr unsigned partition_count(Shape shape) { return shape == Shape::whole ? 1 : shape == Shape::quarters ? 4 : 2; }

}  // namespace softgen::media::avc
