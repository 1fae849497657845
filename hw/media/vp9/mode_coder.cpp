// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/vp9/mode_coder.h"

#include <algorithm>

#include "hw/media/vp9/tables.h"

namespace softgen::media::vp9 {
namespace {

/// Of the contexts of luma modes.
constexpr uint8_t size_group[block_sizes] = {0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 3};

/// Calls mode(quarter, the mode that it has) for each part of a block below 8x8, and gives it to the part's quarters.
template <typename F>
void each_part(BlockInfo& block, F&& mode) {
  const unsigned wide = width4_log2[block.size], high = height4_log2[block.size];
  for (unsigned y = 0; y < 2; y += 1 + high)
    for (unsigned x = 0; x < 2; x += 1 + wide) {
      const uint8_t coded = mode(y * 2 + x, block.sub_modes[y * 2 + x]);
      for (unsigned j = y; j <= y + high; ++j)
        for (unsigned i = x; i <= x + wide; ++i) block.sub_modes[j * 2 + i] = coded;
    }
}

}  // namespace

template <class Bits>
Partition ModeCoder<Bits>::partition(uint32_t row, uint32_t column, unsigned log2, bool has_rows, bool has_columns, Partition kind) {
  const unsigned context = this->partition_context(row, column, log2);
  const uint8_t* const p = frame_.picture.is_intra() ? key_partitions[context] : frame_.probabilities.partition[context];
  unsigned result = partition_split;
  const bool splits = kind == partition_split;
  if (has_rows && has_columns) result = code_tree(tile_.bits, partition_tree, p, kind);
  else if (has_columns) result = code(tile_.bits, p[1], splits) ? partition_split : partition_horizontal;
  else if (has_rows) result = code(tile_.bits, p[2], splits) ? partition_split : partition_vertical;
  ++tile_.counts.partition[context][result];
  return static_cast<Partition>(result);
}

template <class Bits>
void ModeCoder<Bits>::code_block(BlockInfo& block) {
  if (frame_.picture.is_intra()) intra_frame_modes(block);
  else inter_frame_modes(block);
}

template <class Bits>
void ModeCoder<Bits>::intra_frame_modes(BlockInfo& block) {
  block.reference = {intra_frame, no_reference};
  block.filter = 3;
  intra_segment(block);
  skip(block);
  tx_size(block, true);
  if (block.size >= block_8x8) block.sub_modes.fill(key_mode(block, 0));
  else each_part(block, [&](unsigned quarter, uint8_t) { return key_mode(block, quarter); });
  block.mode = block.sub_modes[3];
  block.uv_mode = static_cast<uint8_t>(code_tree(tile_.bits, intra_mode_tree, key_uv_modes[block.mode], block.uv_mode));
}

template <class Bits>
uint8_t ModeCoder<Bits>::key_mode(const BlockInfo& block, unsigned quarter) {
  const uint8_t above = this->key_mode_above(block, quarter), left = this->key_mode_left(block, quarter);
  return static_cast<uint8_t>(code_tree(tile_.bits, intra_mode_tree, key_y_modes[above][left], block.sub_modes[quarter]));
}

template <class Bits>
void ModeCoder<Bits>::inter_frame_modes(BlockInfo& block) {
  inter_segment(block);
  skip(block);
  const bool inter = this->is_inter(block);
  tx_size(block, !block.skip || !inter);
  if (!inter) return intra_modes(block);
  this->references(block);
  this->inter_modes(block);
}

template <class Bits>
void ModeCoder<Bits>::intra_modes(BlockInfo& block) {
  block.reference = {intra_frame, no_reference};
  block.filter = 3;
  const auto coded = [&](unsigned group, uint8_t wanted) {
    const unsigned mode = code_tree(tile_.bits, intra_mode_tree, frame_.probabilities.y_mode[group], wanted);
    ++tile_.counts.y_mode[group][mode];
    return static_cast<uint8_t>(mode);
  };
  if (block.size >= block_8x8) block.sub_modes.fill(coded(size_group[block.size], block.sub_modes[0]));
  else each_part(block, [&](unsigned, uint8_t wanted) { return coded(0, wanted); });
  block.mode = block.sub_modes[3];
  block.uv_mode = static_cast<uint8_t>(code_tree(tile_.bits, intra_mode_tree, frame_.probabilities.uv_mode[block.mode], block.uv_mode));
  ++tile_.counts.uv_mode[block.mode][block.uv_mode];
}

template <class Bits>
uint8_t ModeCoder<Bits>::segment_tree(uint8_t segment) {
  return static_cast<uint8_t>(code_tree(tile_.bits, vp9::segment_tree, frame_.probabilities.segment_tree, segment));
}

template <class Bits>
void ModeCoder<Bits>::intra_segment(BlockInfo& block) {
  if (!frame_.picture.segmentation.enabled || !frame_.picture.segmentation.update_map) return;
  block.segment = segment_tree(block.segment);
  this->keep_segment(block);
}

template <class Bits>
void ModeCoder<Bits>::inter_segment(BlockInfo& block) {
  if (!frame_.picture.segmentation.enabled) return;
  const uint8_t predicted = this->predicted_segment(block), wanted = block.segment;
  block.segment = predicted;
  if (!frame_.picture.segmentation.update_map) return;
  if (frame_.picture.segmentation.temporal_update) {
    const unsigned context = (above_ && above_->segment_predicted) + (left_ && left_->segment_predicted);
    block.segment_predicted = code(tile_.bits, frame_.probabilities.segment_predicted[context], wanted == predicted);
    if (!block.segment_predicted) block.segment = segment_tree(wanted);
  } else {
    block.segment = segment_tree(wanted);
  }
  this->keep_segment(block);
}

template <class Bits>
void ModeCoder<Bits>::skip(BlockInfo& block) {
  if (this->skips(block)) {
    block.skip = true;
    return;
  }
  const unsigned context = (above_ && above_->skip) + (left_ && left_->skip);
  block.skip = code(tile_.bits, frame_.probabilities.skip[context], block.skip);
  ++tile_.counts.skip[context][block.skip];
}

template <class Bits>
unsigned ModeCoder<Bits>::implied_tx_size(const BlockInfo& block) const {
  return std::min<unsigned>(max_tx_size[block.size], std::min<unsigned>(frame_.header.tx_mode, tx_allow_32x32));
}

template <class Bits>
void ModeCoder<Bits>::tx_size(BlockInfo& block, bool allow_select) {
  if (!allow_select || frame_.header.tx_mode != tx_select || block.size < block_8x8) {
    block.tx_size = static_cast<uint8_t>(implied_tx_size(block));
    return;
  }
  const unsigned largest = max_tx_size[block.size], context = this->tx_size_context(largest);
  const Probabilities& p = frame_.probabilities;
  Counts& counts = tile_.counts;
  const uint8_t* const chain = largest == 1 ? p.tx8[context] : largest == 2 ? p.tx16[context] : p.tx32[context];
  uint32_t* const count = largest == 1 ? counts.tx8[context] : largest == 2 ? counts.tx16[context] : counts.tx32[context];
  unsigned size = 0;
  while (size < largest && code(tile_.bits, chain[size], block.tx_size > size)) ++size;
  ++count[size];
  block.tx_size = static_cast<uint8_t>(size);
}

template class ModeCoder<BoolDecoder>;
template class ModeCoder<BoolEncoder>;

}  // namespace softgen::media::vp9
