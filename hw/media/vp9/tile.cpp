// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/vp9/tile.h"

namespace softgen::media::vp9 {

template <typename T>
void TileDecoder<T>::begin(std::span<const uint8_t> bytes, uint32_t column_begin, uint32_t column_end) {
  tile_.bits = BoolDecoder(bytes);
  tile_.bits.flag();  // the marker
  tile_.column_begin = column_begin, tile_.column_end = column_end;
}

template <typename T>
void TileDecoder<T>::row(uint32_t row) {
  tile_.clear_left();
  for (uint32_t column = tile_.column_begin; column < tile_.column_end; column += 8) partition(row, column, 3);
}

template <typename T>
void TileDecoder<T>::partition(uint32_t row, uint32_t column, unsigned log2) {
  if (row >= frame_.rows || column >= frame_.columns) return;
  const uint32_t half = (1u << log2) / 2;
  const bool has_rows = row + half < frame_.rows, has_columns = column + half < frame_.columns;
  const Partition kind = modes_.partition(row, column, log2, has_rows, has_columns);
  const unsigned size = size_of_parts(kind, log2);
  if (log2 == 0 || kind == partition_none) {
    block(row, column, size);
  } else if (kind == partition_horizontal) {
    block(row, column, size);
    if (has_rows) block(row + half, column, size);
  } else if (kind == partition_vertical) {
    block(row, column, size);
    if (has_columns) block(row, column + half, size);
  } else {
    for (unsigned i = 0; i < 4; ++i) partition(row + (i / 2) * half, column + (i % 2) * half, log2 - 1);
    return;
  }
  modes_.enter_partition(row, column, log2, size);
}

template <typename T>
void TileDecoder<T>::block(uint32_t row, uint32_t column, unsigned size) {
  BlockInfo& block = modes_.begin_block(row, column, size);
  modes_.code_block(block);
  modes_.enter(block);
  if (block.skip) this->clear_contexts(block);
  if (block.is_inter()) this->predict_inter(block);
  else if (block.skip) return this->each_transform(block, [&](const TransformPlace& place) { this->predict_intra_at(block, place); });
  if (block.skip) return;
  bool any = false;
  this->each_transform(block, [&](const TransformPlace& place) { any |= transform_block(block, place) > 0; });
  if (block.is_inter() && !any && size >= block_8x8) block.skip = true;  // as neighbours and the loop filter see it
}

template <typename T>
unsigned TileDecoder<T>::transform_block(const BlockInfo& block, const TransformPlace& place) {
  if (!block.is_inter()) this->predict_intra_at(block, place);
  const Parameters& picture = frame_.picture;
  const CoefficientBlock coded{.tx_size = place.tx_size,
                               .chroma = place.plane > 0,
                               .inter = block.is_inter(),
                               .type = this->transform_at(block, place),
                               .context = this->coefficient_context(block, place),
                               .quantizers = &picture.segmentation.segments[block.segment].quantizers[place.plane > 0]};
  const unsigned count = read_coefficients(frame_, tile_, coded, coefficients_);
  this->set_coded(block, place, count > 0);
  if (count)
    add_residual_(place.tx_size, coded.type, picture.lossless, count, coefficients_, this->samples_at(block, place),
                  this->planes_.plane[place.plane].stride(), picture.bit_depth);
  return count;
}

template class TileDecoder<uint8_t>;
template class TileDecoder<uint16_t>;

}  // namespace softgen::media::vp9
