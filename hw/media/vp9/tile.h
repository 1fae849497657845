// SPDX-License-Identifier: GPL-2.0-or-later
// Decoding of a tile: partitions into blocks, and each block's prediction and residual (VP9 specification, 6.4.2 to 6.4.24, 8.6).
#pragma once

#include "hw/media/vp9/coefficients.h"
#include "hw/media/vp9/inter.h"
#include "hw/media/vp9/intra.h"
#include "hw/media/vp9/mode_reader.h"

namespace softgen::media::vp9 {

template <typename T>
class TileDecoder {
 public:
  TileDecoder(FrameState& frame, Planes<T>& planes) : frame_(frame), planes_(planes), modes_(frame, tile_), inter_(frame.picture, planes) {}

  /// Counts begin anew.
  void begin_picture() { tile_.counts = {}; }
  const Counts& counts() const { return tile_.counts; }
  void begin(std::span<const uint8_t> bytes, uint32_t column_begin, uint32_t column_end);
  /// One row of superblocks.
  void row(uint32_t row);
  bool over() const { return tile_.bits.over(); }

 private:
  void partition(uint32_t row, uint32_t column, unsigned log2);
  void block(uint32_t row, uint32_t column, unsigned size);
  void predict_inter(const BlockInfo& block);
  void predict_part(const BlockInfo& block, unsigned which, const InterBlock& part, Mv mv);
  /// Returns whether the block had coefficients.
  bool residual(BlockInfo& block, unsigned plane);
  unsigned transform_block(BlockInfo& block, unsigned plane, unsigned tx_size, unsigned x, unsigned y);
  void clear_contexts(const BlockInfo& block);
  void predict_intra_block(const BlockInfo& block, unsigned plane, unsigned tx_size, unsigned x, unsigned y, uint8_t mode);

  FrameState& frame_;
  Planes<T>& planes_;
  TileState tile_;
  ModeReader modes_;
  InterPredictor<T> inter_;
  const AddResidual<T> add_residual_ = kernels().template add_residual<T>();
  alignas(64) int32_t coefficients_[1024] = {};
};

}  // namespace softgen::media::vp9
