// SPDX-License-Identifier: GPL-2.0-or-later
// The deblocking filter (H.265 8.7.2) on edges whose strength is known. All vertical edges of a picture come before its horizontal ones; rows of cells may be
// filtered in any order within each of the two.
#pragma once

#include <cstdint>

#include "hw/media/frame/frame.h"
#include "hw/media/hevc/picture_info.h"

namespace softgen::media::hevc {

/// Rows of cells (4 luma samples) [first, last). For chroma's sake `first` is even.
template <typename T>
void deblock(const PictureInfo& info, Frame<T>& frame, bool vertical, uint32_t first, uint32_t last);

/// QpC of 4:2:0 (table 8-10).
constexpr int chroma_qp(int index) {
  constexpr uint8_t table[14] = {29, 30, 31, 32, 33, 33, 34, 34, 35, 35, 36, 36, 37, 37};
  return index < 30 ? index : index >= 44 ? index - 6 : table[index - 30];
}

}  // namespace softgen::media::hevc
