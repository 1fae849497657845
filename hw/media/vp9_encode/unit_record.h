// SPDX-License-Identifier: GPL-2.0-or-later
// A superblock as kernels have chosen it: HCP_VP9_PAK_OBJECT and its CU records, without any generation's layout. Values may be illegal: TileEncoder replaces them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "hw/media/vp9/block.h"

namespace softgen::media::vp9 {

constexpr unsigned max_units = 64;

/// A unit's first or second block: of halves there are two, else the first holds.
struct UnitPart {
  uint8_t uv_mode = dc_pred;
  uint8_t tx_size = 0, filter = filter_regular, segment = 0;
  uint8_t rounding = 6;                ///< of a level, in sixteenths
  std::array<uint8_t, 2> reference{};  ///< Reference; first intra_frame: an intra block
  bool compound = false;
};

struct UnitRecord {
  uint8_t log2 = 3;  ///< of its size
  Partition kind = partition_none;
  std::array<UnitPart, 2> parts;
  std::array<uint8_t, 4> modes{};         ///< of intra blocks: by part; of the smallest unit by its parts
  std::array<std::array<Mv, 2>, 4> mv{};  ///< the same of inter blocks, by reference
};

struct SuperblockRecord {
  uint32_t x = 0, y = 0;  ///< in superblocks
  bool split0 = false;
  uint8_t split1 = 0;   ///< of its quarters
  uint16_t split2 = 0;  ///< of theirs: bit 4 * i + k is that of quarter k of quarter i
  std::vector<UnitRecord> units;
};

}  // namespace softgen::media::vp9
