// SPDX-License-Identifier: GPL-2.0-or-later
// Partitions and modes of blocks: VP9 specification, 6.4.2 to 6.4.10.
#pragma once

#include "hw/media/vp9/inter_mode_coder.h"

namespace softgen::media::vp9 {

template <class Bits>
class ModeCoder : public InterModeCoder<Bits> {
 public:
  ModeCoder(FrameState& frame, TileState<Bits>& tile) : InterModeCoder<Bits>(frame, tile) {}

  /// Of the square block of size 8 << `log2` at a place; has_rows, has_columns: its middle lies in the picture. An encoder's is one that can be there.
  Partition partition(uint32_t row, uint32_t column, unsigned log2, bool has_rows, bool has_columns, Partition kind = partition_none);
  /// All symbols of a block that has begun but for its coefficients.
  void code_block(BlockInfo& block);

 protected:
  /// The transform size of blocks that do not say it.
  unsigned implied_tx_size(const BlockInfo& block) const;

  using ModeContexts::frame_, ModeContexts::above_, ModeContexts::left_, InterModeCoder<Bits>::tile_;

 private:
  void intra_frame_modes(BlockInfo& block);
  void inter_frame_modes(BlockInfo& block);
  void intra_modes(BlockInfo& block);
  uint8_t key_mode(const BlockInfo& block, unsigned quarter);
  uint8_t segment_tree(uint8_t segment);
  void intra_segment(BlockInfo& block);
  void inter_segment(BlockInfo& block);
  void skip(BlockInfo& block);
  void tx_size(BlockInfo& block, bool allow_select);
};

}  // namespace softgen::media::vp9
