// SPDX-License-Identifier: GPL-2.0-or-later
// Decoding of a tile: partitions into blocks, and each block's prediction and residual (VP9 specification, 6.4.2 to 6.4.24, 8.6).
#pragma once

#include "hw/media/vp9/block_samples.h"
#include "hw/media/vp9/coefficients.h"
#include "hw/media/vp9/mode_coder.h"

namespace softgen::media::vp9 {

template <typename T>
class TileDecoder : private BlockSamples<T> {
 public:
  TileDecoder(FrameState& frame, Planes<T>& planes) : BlockSamples<T>(frame, planes, tile_), modes_(frame, tile_) {}

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
  unsigned transform_block(const BlockInfo& block, const TransformPlace& place);

  using BlockSamples<T>::frame_;
  TileState<BoolDecoder> tile_;
  ModeCoder<BoolDecoder> modes_;
  const AddResidual<T> add_residual_ = kernels().template add_residual<T>();
  alignas(64) int32_t coefficients_[1024] = {};
};

}  // namespace softgen::media::vp9
