// SPDX-License-Identifier: GPL-2.0-or-later
// What blocks of a picture share while it is decoded, beside samples, and the state of one tile.
#pragma once

#include <algorithm>
#include <vector>

#include "hw/media/vp9/probabilities.h"

namespace softgen::media::vp9 {

struct FrameState {
  Parameters picture;
  SideData side;
  Probabilities probabilities;
  CompressedHeader header;
  Reference fixed_reference = altref_frame;  ///< of compound prediction
  Reference variable_reference[2] = {last_frame, golden_frame};
  uint32_t rows = 0, columns = 0;                          ///< in units of 8 samples
  std::vector<BlockInfo> blocks;                           ///< at their top left corner's place
  std::vector<BlockInfo*> grid;                            ///< the block of each 8x8 samples; null: not decoded yet
  std::vector<uint8_t> above_nonzero[3], above_partition;  ///< per 4 samples of the plane; per 8 samples

  BlockInfo* at(uint32_t row, uint32_t column) const { return grid[row * columns + column]; }
  /// For a new picture.
  void begin(const Parameters& parameters, const SideData& data);
  void choose_compound_references();
};

/// Without its bits.
struct TileContexts {
  uint32_t column_begin = 0, column_end = 0;
  uint8_t left_nonzero[3][16] = {}, left_partition[8] = {};
  Counts counts{};              ///< of all tiles that it has coded
  uint8_t energies[1024] = {};  ///< of the block's coefficients: scratch memory
  void clear_left() {
    for (auto& plane : left_nonzero) std::fill(std::begin(plane), std::end(plane), uint8_t{0});
    std::fill(std::begin(left_partition), std::end(left_partition), uint8_t{0});
  }
};

/// Bits: BoolDecoder or BoolEncoder.
template <class Bits>
struct TileState : TileContexts {
  Bits bits;
};

/// VP9 specification, get_tile_offset(): where a tile begins, in units of 8 samples.
inline uint32_t tile_offset(uint32_t tile, uint32_t whole, unsigned log2) {
  return std::min(static_cast<uint32_t>(uint64_t{tile} * ((whole + 7) / 8) >> log2) * 8, whole);
}

}  // namespace softgen::media::vp9
