// SPDX-License-Identifier: GPL-2.0-or-later
// What a block's samples are made with, whether it is decoded or encoded: its predictions, its transform blocks, and the contexts of their coefficients.
#pragma once

#include <algorithm>

#include "hw/media/vp9/inter.h"
#include "hw/media/vp9/intra.h"
#include "hw/media/vp9/mode_contexts.h"

namespace softgen::media::vp9 {

/// In units of 4 samples of the plane.
constexpr unsigned width4(const BlockInfo& block, unsigned plane) { return width8(block.size) * 2 >> (plane > 0); }
constexpr unsigned height4(const BlockInfo& block, unsigned plane) { return height8(block.size) * 2 >> (plane > 0); }

/// The block size of a partition's parts: by log2 of the square's size in units of 8.
unsigned size_of_parts(Partition kind, unsigned log2);

/// A transform block of a block, x and y in units of 4 samples of the plane, from the block's corner on.
struct TransformPlace {
  unsigned plane, tx_size, x, y;
};

template <typename T>
class BlockSamples {
 protected:
  BlockSamples(FrameState& frame, Planes<T>& planes, TileContexts& tile)
      : frame_(frame), planes_(planes), contexts_(tile), inter_(frame.picture, planes) {}

  void predict_inter(const BlockInfo& block);
  void predict_intra_at(const BlockInfo& block, const TransformPlace& place);
  /// Of an intra block.
  uint8_t mode_at(const BlockInfo& block, const TransformPlace& place) const;
  TxType transform_at(const BlockInfo& block, const TransformPlace& place) const;
  unsigned coefficient_context(const BlockInfo& block, const TransformPlace& place) const;
  void set_coded(const BlockInfo& block, const TransformPlace& place, bool coded);
  /// As if all of its blocks had no coefficients.
  void clear_contexts(const BlockInfo& block);
  T* samples_at(const BlockInfo& block, const TransformPlace& place);
  /// Those that begin in the picture, in the order of the stream.
  template <typename F>
  void each_transform(const BlockInfo& block, F&& visit) const {
    for (unsigned plane = 0; plane < 3; ++plane) {
      const unsigned tx_size = plane ? chroma_tx_size(block) : block.tx_size, step = 1u << tx_size;
      const unsigned columns = std::min(width4(block, plane), (frame_.columns - block.column) * 2 >> (plane > 0));
      const unsigned rows = std::min(height4(block, plane), (frame_.rows - block.row) * 2 >> (plane > 0));
      for (unsigned y = 0; y < rows; y += step)
        for (unsigned x = 0; x < columns; x += step) visit(TransformPlace{plane, tx_size, x, y});
    }
  }

  FrameState& frame_;
  Planes<T>& planes_;
  TileContexts& contexts_;

 private:
  static unsigned chroma_tx_size(const BlockInfo& block) {
    if (block.size < block_8x8) return 0;
    return std::min<unsigned>(block.tx_size, std::min(width4_log2[block.size], height4_log2[block.size]) - 1u);
  }
  void predict_part(const BlockInfo& block, unsigned which, const InterBlock& part, Mv mv);

  InterPredictor<T> inter_;
};

}  // namespace softgen::media::vp9
