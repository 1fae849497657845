// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/vp9/mode_reader.h"

#include <algorithm>

#include "hw/media/vp9/tables.h"

namespace softgen::media::vp9 {
namespace {

/// Of the contexts of luma modes.
constexpr uint8_t size_group[block_sizes] = {0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 3};

}  // namespace

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

Partition ModeReader::partition(uint32_t row, uint32_t column, unsigned log2, bool has_rows, bool has_columns) {
  const unsigned bit = 1u << (3 - log2);
  unsigned above = 0, left = 0;
  for (unsigned i = 0; i < 1u << log2; ++i) {
    if (column + i < frame_.above_partition.size()) above |= frame_.above_partition[column + i];
    left |= tile_.left_partition[(row + i) & 7];
  }
  const unsigned context = log2 * 4 + (left & bit ? 2 : 0) + (above & bit ? 1 : 0);
  const uint8_t* const p = frame_.picture.is_intra() ? key_partitions[context] : frame_.probabilities.partition[context];
  unsigned result = partition_split;
  if (has_rows && has_columns) result = read_tree(tile_.bits, partition_tree, p);
  else if (has_columns) result = tile_.bits.decode(p[1]) ? partition_split : partition_horizontal;
  else if (has_rows) result = tile_.bits.decode(p[2]) ? partition_split : partition_vertical;
  ++tile_.counts.partition[context][result];
  return static_cast<Partition>(result);
}

BlockInfo& ModeReader::block(uint32_t row, uint32_t column, unsigned size) {
  BlockInfo& block = frame_.blocks[row * frame_.columns + column];
  block = {};
  block.size = static_cast<uint8_t>(size), block.row = static_cast<uint16_t>(row), block.column = static_cast<uint16_t>(column);
  above_ = row ? frame_.at(row - 1, column) : nullptr;
  left_ = column > tile_.column_begin ? frame_.at(row, column - 1) : nullptr;
  const uint32_t bottom = std::min(row + height8(size), frame_.rows), right = std::min(column + width8(size), frame_.columns);
  if (frame_.picture.is_intra()) intra_frame_modes(block);
  else inter_frame_modes(block);
  for (uint32_t y = row; y < bottom; ++y)
    for (uint32_t x = column; x < right; ++x) frame_.grid[y * frame_.columns + x] = &block;
  keep_motion(block);
  return block;
}

void ModeReader::keep_motion(const BlockInfo& block) {
  const StoredMotion motion{block.mv[3], block.reference};
  const uint32_t bottom = std::min(block.row + height8(block.size), frame_.rows),
                 right = std::min(block.column + width8(block.size), frame_.columns);
  for (uint32_t y = block.row; y < bottom; ++y)
    for (uint32_t x = block.column; x < right; ++x) frame_.side.motion[y * frame_.columns + x] = motion;
}

void ModeReader::intra_frame_modes(BlockInfo& block) {
  block.reference = {intra_frame, no_reference};
  block.filter = 3;
  intra_segment(block);
  skip(block);
  tx_size(block, true);
  if (block.size >= block_8x8) {
    block.mode = key_mode(block, 0);
    block.sub_modes.fill(block.mode);
  } else {
    const unsigned wide = width4_log2[block.size], high = height4_log2[block.size];
    for (unsigned y = 0; y < 2; y += 1 + high)
      for (unsigned x = 0; x < 2; x += 1 + wide) {
        const uint8_t mode = key_mode(block, y * 2 + x);
        for (unsigned j = y; j <= y + high; ++j)
          for (unsigned i = x; i <= x + wide; ++i) block.sub_modes[j * 2 + i] = mode;
      }
    block.mode = block.sub_modes[3];
  }
  block.uv_mode = static_cast<uint8_t>(read_tree(tile_.bits, intra_mode_tree, key_uv_modes[block.mode]));
}

uint8_t ModeReader::key_mode(const BlockInfo& block, unsigned quarter) {
  const auto neighbour = [](const BlockInfo* other, unsigned of) {
    return other && !other->is_inter() ? other->sub_modes[of] : uint8_t{dc_pred};
  };
  const uint8_t above = quarter & 2 ? block.sub_modes[quarter - 2] : neighbour(above_, quarter + 2);
  const uint8_t left = quarter & 1 ? block.sub_modes[quarter - 1] : neighbour(left_, quarter + 1);
  return static_cast<uint8_t>(read_tree(tile_.bits, intra_mode_tree, key_y_modes[above][left]));
}

void ModeReader::inter_frame_modes(BlockInfo& block) {
  inter_segment(block);
  skip(block);
  const bool inter = is_inter(block);
  tx_size(block, !block.skip || !inter);
  if (!inter) return intra_modes(block);
  references(block);
  inter_modes(block);
}

void ModeReader::intra_modes(BlockInfo& block) {
  block.reference = {intra_frame, no_reference};
  block.filter = 3;
  const auto read = [&](unsigned group) {
    const unsigned mode = read_tree(tile_.bits, intra_mode_tree, frame_.probabilities.y_mode[group]);
    ++tile_.counts.y_mode[group][mode];
    return static_cast<uint8_t>(mode);
  };
  if (block.size >= block_8x8) {
    block.sub_modes.fill(read(size_group[block.size]));
  } else {
    const unsigned wide = width4_log2[block.size], high = height4_log2[block.size];
    for (unsigned y = 0; y < 2; y += 1 + high)
      for (unsigned x = 0; x < 2; x += 1 + wide) {
        const uint8_t mode = read(0);
        for (unsigned j = y; j <= y + high; ++j)
          for (unsigned i = x; i <= x + wide; ++i) block.sub_modes[j * 2 + i] = mode;
      }
  }
  block.mode = block.sub_modes[3];
  block.uv_mode = static_cast<uint8_t>(read_tree(tile_.bits, intra_mode_tree, frame_.probabilities.uv_mode[block.mode]));
  ++tile_.counts.uv_mode[block.mode][block.uv_mode];
}

uint8_t ModeReader::segment_tree() {
  return static_cast<uint8_t>(read_tree(tile_.bits, vp9::segment_tree, frame_.probabilities.segment_tree));
}

uint8_t ModeReader::predicted_segment(const BlockInfo& block) const {
  uint8_t least = 7;
  const uint32_t bottom = std::min(block.row + height8(block.size), frame_.rows),
                 right = std::min(block.column + width8(block.size), frame_.columns);
  for (uint32_t y = block.row; y < bottom; ++y)
    for (uint32_t x = block.column; x < right; ++x) least = std::min(least, frame_.side.segment_ids[y * frame_.columns + x]);
  return least;
}

void ModeReader::keep_segment(const BlockInfo& block) {
  const uint32_t bottom = std::min(block.row + height8(block.size), frame_.rows),
                 right = std::min(block.column + width8(block.size), frame_.columns);
  for (uint32_t y = block.row; y < bottom; ++y)
    for (uint32_t x = block.column; x < right; ++x) frame_.side.segment_ids[y * frame_.columns + x] = block.segment;
}

void ModeReader::intra_segment(BlockInfo& block) {
  if (!frame_.picture.segmentation.enabled || !frame_.picture.segmentation.update_map) return;
  block.segment = segment_tree();
  keep_segment(block);
}

void ModeReader::inter_segment(BlockInfo& block) {
  if (!frame_.picture.segmentation.enabled) return;
  const uint8_t predicted = predicted_segment(block);
  block.segment = predicted;
  if (!frame_.picture.segmentation.update_map) return;
  if (frame_.picture.segmentation.temporal_update) {
    const unsigned context = (above_ && above_->segment_predicted) + (left_ && left_->segment_predicted);
    block.segment_predicted = tile_.bits.decode(frame_.probabilities.segment_predicted[context]);
    if (!block.segment_predicted) block.segment = segment_tree();
  } else {
    block.segment = segment_tree();
  }
  keep_segment(block);
}

void ModeReader::skip(BlockInfo& block) {
  if (frame_.picture.segmentation.enabled && frame_.picture.segmentation.segments[block.segment].skip) {
    block.skip = true;
    return;
  }
  const unsigned context = (above_ && above_->skip) + (left_ && left_->skip);
  block.skip = tile_.bits.decode(frame_.probabilities.skip[context]);
  ++tile_.counts.skip[context][block.skip];
}

void ModeReader::tx_size(BlockInfo& block, bool allow_select) {
  const unsigned largest = max_tx_size[block.size];
  const TxMode mode = frame_.header.tx_mode;
  if (!allow_select || mode != tx_select || block.size < block_8x8) {
    block.tx_size = static_cast<uint8_t>(std::min<unsigned>(largest, std::min<unsigned>(mode, tx_allow_32x32)));
    return;
  }
  unsigned above = above_ && !above_->skip ? above_->tx_size : largest, left = left_ && !left_->skip ? left_->tx_size : largest;
  if (!left_) left = above;
  if (!above_) above = left;
  const unsigned context = above + left > largest;
  const Probabilities& p = frame_.probabilities;
  const uint8_t* const chain = largest == 1 ? p.tx8[context] : largest == 2 ? p.tx16[context] : p.tx32[context];
  unsigned size = 0;
  while (size < largest && tile_.bits.decode(chain[size])) ++size;
  Counts& counts = tile_.counts;
  ++(largest == 1 ? counts.tx8[context] : largest == 2 ? counts.tx16[context] : counts.tx32[context])[size];
  block.tx_size = static_cast<uint8_t>(size);
}

}  // namespace softgen::media::vp9
