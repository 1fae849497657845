// SPDX-License-Identifier: GPL-2.0-or-later
// What is coded of a macroblock, beside what Macroblock keeps for its neighbours.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "hw/media/avc/b_types.h"
#include "hw/media/avc/motion.h"

namespace softgen::media::avc {

/// How inter macroblocks are divided; the values are mb_type's of P (table 7-13).
enum class Shape : uint8_t { whole, rows, columns, quarters };

/// Which blocks may have coefficients. Luma blocks are in decoding order; bit 0 of `dc` is luma's, then Cb's and Cr's.
struct BlockMask {
  uint16_t luma = 0xffff;
  std::array<uint8_t, 2> chroma{0xf, 0xf};
  uint8_t dc = 7;
};

/// Levels in scanning order; luma blocks in decoding order. Those of Intra_16x16 have 15 AC levels from place 0 on.
struct CodedMacroblock {
  BlockMask mask;
  uint8_t mode16 = 0;
  Shape shape = Shape::whole;
  /// Of each partition: its lists (b_types.h); 0: a quarter with direct prediction.
  std::array<uint8_t, 4> lists{list0, list0, list0, list0};
  std::array<uint8_t, 4> sub_shape{};              ///< of quarters, as SubType has it
  std::array<std::array<Mv, 16>, 2> difference{};  ///< mvd by list and first block (row * 4 + column)
  int qp_delta = 0;
  std::array<int16_t, 16> luma_dc{};
  std::array<std::array<int16_t, 16>, 16> luma{};
  std::array<std::array<int16_t, 64>, 4> luma8{};
  std::array<std::array<int16_t, 4>, 2> chroma_dc{};
  std::array<std::array<std::array<int16_t, 15>, 4>, 2> chroma_ac{};
  std::vector<uint8_t> pcm;  ///< samples of I_PCM
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
constexpr unsigned first_block(const Partition& part) { return part.y / 4u * 4 + part.x / 4u; }
constexpr unsigned first_quarter(const Partition& part) { return part.y / 8u * 2 + part.x / 8u; }

/// The parts of the partition `index` that have a vector of their own.
template <class Visit>
void for_each_part(const CodedMacroblock& coded, unsigned index, Visit&& visit) {
  const Partition part = partitions(coded.shape)[index];
  if (coded.shape != Shape::quarters) return visit(part);
  const uint8_t width = sub_width(coded.sub_shape[index]), height = sub_height(coded.sub_shape[index]);
  for (unsigned y = 0; y < 8; y += height)
    for (unsigned x = 0; x < 8; x += width)
      visit(Partition{static_cast<uint8_t>(part.x + x), static_cast<uint8_t>(part.y + y), width, height});
}

}  // namespace softgen::media::avc
