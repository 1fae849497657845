// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/vp9/mode_contexts.h"

#include <algorithm>

namespace softgen::media::vp9 {

void FrameState::begin(const Parameters& parameters, const SideData& data) {
  picture = parameters, side = data;
  rows = picture.rows8(), columns = picture.columns8();
  blocks.resize(size_t{rows} * columns);
  grid.assign(size_t{rows} * columns, nullptr);
  const size_t units = (columns + 7) / 8 * 8;
  above_nonzero[0].assign(units * 2, 0), above_nonzero[1].assign(units, 0), above_nonzero[2].assign(units, 0);
  above_partition.assign(units, 0);
  choose_compound_references();
}

// VP9 specification, setup_compound_reference_mode().
void FrameState::choose_compound_references() {
  const auto& bias = picture.sign_bias;
  if (bias[last_frame] == bias[golden_frame])
    fixed_reference = altref_frame, variable_reference[0] = last_frame, variable_reference[1] = golden_frame;
  else if (bias[last_frame] == bias[altref_frame])
    fixed_reference = golden_frame, variable_reference[0] = last_frame, variable_reference[1] = altref_frame;
  else fixed_reference = last_frame, variable_reference[0] = golden_frame, variable_reference[1] = altref_frame;
}

BlockInfo& ModeContexts::begin_block(uint32_t row, uint32_t column, unsigned size) {
  BlockInfo& block = frame_.blocks[row * frame_.columns + column];
  block = {};
  block.size = static_cast<uint8_t>(size), block.row = static_cast<uint16_t>(row), block.column = static_cast<uint16_t>(column);
  above_ = row ? frame_.at(row - 1, column) : nullptr;
  left_ = column > contexts_.column_begin ? frame_.at(row, column - 1) : nullptr;
  return block;
}

void ModeContexts::enter(BlockInfo& block) {
  const StoredMotion motion{block.mv[3], block.reference};
  const uint32_t bottom = std::min(block.row + height8(block.size), frame_.rows),
                 right = std::min(block.column + width8(block.size), frame_.columns);
  for (uint32_t y = block.row; y < bottom; ++y)
    for (uint32_t x = block.column; x < right; ++x) {
      frame_.grid[y * frame_.columns + x] = &block;
      frame_.side.motion[y * frame_.columns + x] = motion;
    }
}

void ModeContexts::enter_partition(uint32_t row, uint32_t column, unsigned log2, unsigned size) {
  for (unsigned i = 0; i < 1u << log2; ++i) {
    if (column + i < frame_.above_partition.size()) frame_.above_partition[column + i] = static_cast<uint8_t>(15 >> width4_log2[size]);
    contexts_.left_partition[(row + i) & 7] = static_cast<uint8_t>(15 >> height4_log2[size]);
  }
}

unsigned ModeContexts::partition_context(uint32_t row, uint32_t column, unsigned log2) const {
  const unsigned bit = 1u << (3 - log2);
  unsigned above = 0, left = 0;
  for (unsigned i = 0; i < 1u << log2; ++i) {
    if (column + i < frame_.above_partition.size()) above |= frame_.above_partition[column + i];
    left |= contexts_.left_partition[(row + i) & 7];
  }
  return log2 * 4 + (left & bit ? 2 : 0) + (above & bit ? 1 : 0);
}

namespace {
uint8_t mode_of(const BlockInfo* neighbour, unsigned quarter) {
  return neighbour && !neighbour->is_inter() ? neighbour->sub_modes[quarter] : uint8_t{dc_pred};
}
}  // namespace

uint8_t ModeContexts::key_mode_above(const BlockInfo& block, unsigned quarter) const {
  return quarter & 2 ? block.sub_modes[quarter - 2] : mode_of(above_, quarter + 2);
}

uint8_t ModeContexts::key_mode_left(const BlockInfo& block, unsigned quarter) const {
  return quarter & 1 ? block.sub_modes[quarter - 1] : mode_of(left_, quarter + 1);
}

uint8_t ModeContexts::predicted_segment(const BlockInfo& block) const {
  uint8_t least = 7;
  const uint32_t bottom = std::min(block.row + height8(block.size), frame_.rows),
                 right = std::min(block.column + width8(block.size), frame_.columns);
  for (uint32_t y = block.row; y < bottom; ++y)
    for (uint32_t x = block.column; x < right; ++x) least = std::min(least, frame_.side.segment_ids[y * frame_.columns + x]);
  return least;
}

void ModeContexts::keep_segment(const BlockInfo& block) {
  const uint32_t bottom = std::min(block.row + height8(block.size), frame_.rows),
                 right = std::min(block.column + width8(block.size), frame_.columns);
  for (uint32_t y = block.row; y < bottom; ++y)
    for (uint32_t x = block.column; x < right; ++x) frame_.side.segment_ids[y * frame_.columns + x] = block.segment;
}

unsigned ModeContexts::tx_size_context(unsigned largest) const {
  unsigned above = above_ && !above_->skip ? above_->tx_size : largest, left = left_ && !left_->skip ? left_->tx_size : largest;
  if (!left_) left = above;
  if (!above_) above = left;
  return above + left > largest;
}

unsigned ModeContexts::is_inter_context() const {
  const bool above_intra = above_ && !above_->is_inter(), left_intra = left_ && !left_->is_inter();
  return above_ && left_ ? (above_intra && left_intra ? 3 : above_intra || left_intra) : 2 * (above_intra || left_intra);
}

unsigned ModeContexts::filter_context() const {
  const unsigned above = above_ ? above_->filter : 3, left = left_ ? left_->filter : 3;
  return std::min(left == above ? left : left == 3 ? above : above == 3 ? left : 3, 3u);
}

}  // namespace softgen::media::vp9
