// SPDX-License-Identifier: GPL-2.0-or-later
// A coding tree as kernels or drivers have chosen it: HCP_PAK_OBJECT and its CU records, without any generation's layout.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "hw/media/hevc/picture_info.h"

namespace softgen::media::hevc {

constexpr unsigned max_units = 64, max_transform_units = 16;

struct UnitRecord {
  bool is_inter = false, bypass = false;
  uint8_t log2 = 3, part = 0;  ///< part: PartMode
  int8_t qp = 26;
  uint8_t chroma_mode = 4;              ///< intra_chroma_pred_mode
  std::array<uint8_t, 4> luma_modes{};  ///< below 35
  std::array<Motion, 4> motions;        ///< of prediction blocks; frames are not set
  unsigned transform_units = 0;
  std::array<uint8_t, max_transform_units> transform_log2{};  ///< in the order of decoding, one behind the other
  std::array<uint16_t, 3> transform_skip{};                   ///< by component: a bit for each of them
};

struct TreeRecord {
  uint32_t x = 0, y = 0;  ///< in CTBs
  bool is_last = false;   ///< of the slice
  /// Of the CTB, its quarters, and theirs: bit 4 * i + k is that of quarter k of quarter i.
  bool split0 = false;
  uint8_t split1 = 0;
  uint16_t split2 = 0;
  std::vector<UnitRecord> units;  ///< at most max_units
};

}  // namespace softgen::media::hevc
