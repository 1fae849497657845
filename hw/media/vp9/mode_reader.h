// SPDX-License-Identifier: GPL-2.0-or-later
// Partitions, modes, references and motion vectors of blocks: VP9 specification, 6.4 and the contexts of 9.3.
#pragma once

#include "hw/media/vp9/frame_state.h"

namespace softgen::media::vp9 {

class ModeReader {
 public:
  ModeReader(FrameState& frame, TileState& tile) : frame_(frame), tile_(tile) {}

  /// Of the square block of size 8 << `log2` at a place; has_rows, has_columns: its middle lies in the picture.
  Partition partition(uint32_t row, uint32_t column, unsigned log2, bool has_rows, bool has_columns);
  /// Reads and enters the block.
  BlockInfo& block(uint32_t row, uint32_t column, unsigned size);

 private:
  void intra_frame_modes(BlockInfo& block);
  void inter_frame_modes(BlockInfo& block);
  void intra_modes(BlockInfo& block);
  uint8_t key_mode(const BlockInfo& block, unsigned quarter);
  uint8_t segment_tree();
  uint8_t predicted_segment(const BlockInfo& block) const;
  void keep_segment(const BlockInfo& block);
  void intra_segment(BlockInfo& block);
  void inter_segment(BlockInfo& block);
  void skip(BlockInfo& block);
  void tx_size(BlockInfo& block, bool allow_select);
  bool is_inter(const BlockInfo& block);
  void references(BlockInfo& block);
  void inter_modes(BlockInfo& block);
  void sub_block_modes(BlockInfo& block, unsigned mode_context);
  uint8_t inter_mode(unsigned context);
  void filter(BlockInfo& block);
  void assign(BlockInfo& block, unsigned quarter, uint8_t mode, const Mv (&best)[2], const Mv (&near)[2]);
  Mv read_mv(Mv best);
  int read_component(unsigned component, bool high);
  void keep_motion(const BlockInfo& block);
  // reference_contexts.cpp
  unsigned compound_context() const;
  unsigned compound_reference_context() const;
  unsigned single_context_1() const;
  unsigned single_context_2() const;
  // motion.cpp
  unsigned mode_context(const BlockInfo& block) const;
  const BlockInfo* candidate(const BlockInfo& block, unsigned index) const;
  /// The candidates for a reference; `quarter` -1: of the whole block.
  void find_motion(const BlockInfo& block, int8_t reference, int quarter, Mv (&list)[2]) const;
  void near_of_quarter(const BlockInfo& block, unsigned quarter, unsigned which, Mv& nearest, Mv& near) const;
  Mv clamped(const BlockInfo& block, Mv mv) const;
  Mv lowered(Mv mv) const;

  FrameState& frame_;
  TileState& tile_;
  const BlockInfo* above_ = nullptr;
  const BlockInfo* left_ = nullptr;
};

}  // namespace softgen::media::vp9
