// SPDX-License-Identifier: GPL-2.0-or-later
// A tile's superblocks, one by one: each block is predicted, transformed, quantized and reconstructed as a decoder would, then written.
#pragma once

#include <span>
#include <vector>

#include "hw/media/vp9/block_samples.h"
#include "hw/media/vp9/coefficients.h"
#include "hw/media/vp9_encode/mode_writer.h"

namespace softgen::media::vp9 {

class TileEncoder : private BlockSamples<uint8_t> {
 public:
  /// `source`: the picture that is to be coded, in whole superblocks.
  TileEncoder(FrameState& frame, Planes<uint8_t>& planes, const Planes<uint8_t>& source)
      : BlockSamples(frame, planes, tile_), source_(source), modes_(frame, tile_) {}

  /// Counts begin anew.
  void begin_picture() { tile_.counts = {}; }
  const Counts& counts() const { return tile_.counts; }
  /// `max_bytes`: what comes behind so many is dropped.
  void begin(uint32_t column_begin, uint32_t column_end, size_t max_bytes);
  void begin_row() { tile_.clear_left(); }
  /// At a place in units of 8 samples. Units that are missing become others; false: some were, or had another size.
  bool superblock(uint32_t row, uint32_t column, const SuperblockRecord& record);
  /// The tile's bytes.
  std::vector<uint8_t> end();
  bool is_cut() const { return tile_.bits.is_cut(); }

 private:
  const UnitRecord& next_unit(unsigned log2);
  void partition(uint32_t row, uint32_t column, unsigned log2, unsigned path);
  void block(uint32_t row, uint32_t column, unsigned size, const UnitRecord& unit, unsigned which);
  /// Levels to levels_; their number to coded_.
  void code_transform(const BlockInfo& block, const TransformPlace& place, uint8_t rounding);
  void write_residual(const BlockInfo& block);

  const Planes<uint8_t>& source_;
  TileState<BoolEncoder> tile_;
  ModeWriter modes_;
  const AddResidual<uint8_t> add_residual_ = kernels().template add_residual<uint8_t>();
  const SuperblockRecord* record_ = nullptr;
  size_t next_unit_ = 0;
  bool is_consistent_ = true;
  const UnitRecord default_unit_;
  std::vector<int16_t> levels_;  ///< of the block's transform blocks, one behind the other
  std::vector<unsigned> coded_;  ///< how many each has
  alignas(64) int32_t coefficients_[1024] = {};
  alignas(64) int16_t residual_[1024] = {};
};

}  // namespace softgen::media::vp9
