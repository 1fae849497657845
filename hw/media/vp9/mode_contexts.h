// SPDX-License-Identifier: GPL-2.0-or-later
// What neighbours say of a block: the contexts of its symbols (VP9 specification, 9.3) and its motion vector candidates (6.4.22).
#pragma once

#include "hw/media/vp9/frame_state.h"

namespace softgen::media::vp9 {

class ModeContexts {
 public:
  ModeContexts(FrameState& frame, TileContexts& tile) : frame_(frame), contexts_(tile) {}
  /// A new block: all of it is 0 but for its size and place.
  BlockInfo& begin_block(uint32_t row, uint32_t column, unsigned size);
  /// Once it is coded: later blocks see it.
  void enter(BlockInfo& block);
  /// Of square blocks of size 8 << `log2`.
  void enter_partition(uint32_t row, uint32_t column, unsigned log2, unsigned size);

 protected:
  unsigned partition_context(uint32_t row, uint32_t column, unsigned log2) const;
  uint8_t key_mode_above(const BlockInfo& block, unsigned quarter) const;
  uint8_t key_mode_left(const BlockInfo& block, unsigned quarter) const;
  uint8_t predicted_segment(const BlockInfo& block) const;
  void keep_segment(const BlockInfo& block);
  unsigned tx_size_context(unsigned largest) const;
  unsigned is_inter_context() const;
  unsigned filter_context() const;
  const Segment& segment_of(const BlockInfo& block) const { return frame_.picture.segmentation.segments[block.segment]; }
  bool skips(const BlockInfo& block) const { return frame_.picture.segmentation.enabled && segment_of(block).skip; }
  bool has_reference(const BlockInfo& block) const { return frame_.picture.segmentation.enabled && segment_of(block).has_reference; }
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
  /// Differences to this prediction have eighths of a sample.
  bool has_eighths(Mv best) const;

  FrameState& frame_;
  TileContexts& contexts_;
  const BlockInfo* above_ = nullptr;
  const BlockInfo* left_ = nullptr;
};

}  // namespace softgen::media::vp9
