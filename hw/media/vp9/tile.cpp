// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/vp9/tile.h"

#include <algorithm>

#include "hw/media/vp9/transform.h"

namespace softgen::media::vp9 {
namespace {

/// Sizes of the parts: by partition and log2 of a square block's size in units of 8.
constexpr uint8_t part_size[4][4] = {{3, 6, 9, 12}, {2, 5, 8, 11}, {1, 4, 7, 10}, {0, 3, 6, 9}};
constexpr TxType type_of_mode[10] = {TxType::dct_dct,  TxType::adst_dct, TxType::dct_adst, TxType::dct_dct,  TxType::adst_adst,
                                     TxType::adst_dct, TxType::dct_adst, TxType::dct_adst, TxType::adst_dct, TxType::adst_adst};

/// In units of 4 samples of the plane.
unsigned width4(const BlockInfo& block, unsigned plane) { return width8(block.size) * 2 >> (plane > 0); }
unsigned height4(const BlockInfo& block, unsigned plane) { return height8(block.size) * 2 >> (plane > 0); }

unsigned chroma_tx_size(const BlockInfo& block) {
  if (block.size < block_8x8) return 0;
  return std::min<unsigned>(block.tx_size, std::min(width4_log2[block.size], height4_log2[block.size]) - 1u);
}

Mv mean(const BlockInfo& block, unsigned which) {
  int row = 0, column = 0;
  for (const auto& mv : block.mv) row += mv[which].row, column += mv[which].column;
  const auto rounded = [](int v) { return static_cast<int16_t>((v < 0 ? v - 2 : v + 2) / 4); };
  return {rounded(row), rounded(column)};
}

}  // namespace

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
  const unsigned size = part_size[kind][log2];
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
  for (unsigned i = 0; i < 1u << log2; ++i) {
    if (column + i < frame_.above_partition.size()) frame_.above_partition[column + i] = static_cast<uint8_t>(15 >> width4_log2[size]);
    tile_.left_partition[(row + i) & 7] = static_cast<uint8_t>(15 >> height4_log2[size]);
  }
}

template <typename T>
void TileDecoder<T>::block(uint32_t row, uint32_t column, unsigned size) {
  BlockInfo& block = modes_.block(row, column, size);
  if (block.skip) clear_contexts(block);
  if (block.is_inter()) predict_inter(block);
  else if (block.skip) {
    for (unsigned plane = 0; plane < 3; ++plane) residual(block, plane);
    return;
  }
  if (block.skip) return;
  bool any = false;
  for (unsigned plane = 0; plane < 3; ++plane) any |= residual(block, plane);
  if (block.is_inter() && !any && size >= block_8x8) block.skip = true;  // as neighbours and the loop filter see it
}

template <typename T>
void TileDecoder<T>::clear_contexts(const BlockInfo& block) {
  for (unsigned plane = 0; plane < 3; ++plane) {
    const unsigned x = block.column * 2u >> (plane > 0), y = (block.row & 7) * 2u >> (plane > 0);
    auto& above = frame_.above_nonzero[plane];
    std::fill_n(above.begin() + x, std::min<size_t>(width4(block, plane), above.size() - x), uint8_t{0});
    std::fill_n(tile_.left_nonzero[plane] + y, std::min(height4(block, plane), 16 - y), uint8_t{0});
  }
}

template <typename T>
void TileDecoder<T>::predict_inter(const BlockInfo& block) {
  for (unsigned which = 0; which < 1u + block.is_compound(); ++which) {
    InterBlock luma{};
    luma.block_x = luma.x = luma.luma_x = block.column * 8u, luma.block_y = luma.y = luma.luma_y = block.row * 8u;
    luma.block_width = luma.width = width8(block.size) * 8, luma.block_height = luma.height = height8(block.size) * 8;
    luma.filter = block.filter, luma.average = which == 1;
    InterBlock chroma = luma;
    chroma.chroma = true;
    chroma.block_x = chroma.x = luma.x / 2, chroma.block_y = chroma.y = luma.y / 2;
    chroma.block_width = chroma.width = luma.width / 2, chroma.block_height = chroma.height = luma.height / 2;
    if (block.size >= block_8x8) {
      predict_part(block, which, luma, block.mv[3][which]);
      predict_part(block, which, chroma, block.mv[3][which]);
      continue;
    }
    for (unsigned quarter = 0; quarter < 4; ++quarter) {
      InterBlock part = luma;
      part.x += quarter % 2 * 4, part.y += quarter / 2 * 4, part.width = part.height = 4;
      predict_part(block, which, part, block.mv[quarter][which]);
    }
    predict_part(block, which, chroma, mean(block, which));
  }
}

template <typename T>
void TileDecoder<T>::predict_part(const BlockInfo& block, unsigned which, const InterBlock& part, Mv mv) {
  inter_.predict(frame_.picture.references[static_cast<size_t>(block.reference[which] - last_frame)], part, mv);
}

template <typename T>
bool TileDecoder<T>::residual(BlockInfo& block, unsigned plane) {
  const unsigned tx_size = plane ? chroma_tx_size(block) : block.tx_size, step = 1u << tx_size;
  const unsigned columns = std::min(width4(block, plane), (frame_.columns - block.column) * 2 >> (plane > 0));
  const unsigned rows = std::min(height4(block, plane), (frame_.rows - block.row) * 2 >> (plane > 0));
  bool any = false;
  for (unsigned y = 0; y < rows; y += step)
    for (unsigned x = 0; x < columns; x += step) any |= transform_block(block, plane, tx_size, x, y) > 0;
  return any;
}

template <typename T>
unsigned TileDecoder<T>::transform_block(BlockInfo& block, unsigned plane, unsigned tx_size, unsigned x, unsigned y) {
  const unsigned n = 1u << tx_size, chroma = plane > 0;
  const unsigned x4 = (block.column * 2u >> chroma) + x, y4 = (block.row * 2u >> chroma) + y;
  uint8_t mode = dc_pred;
  if (!block.is_inter()) {
    mode = chroma ? block.uv_mode : block.size < block_8x8 ? block.sub_modes[(y & 1) * 2 + (x & 1)] : block.mode;
    predict_intra_block(block, plane, tx_size, x, y, mode);
  }
  if (block.skip) return 0;
  auto& above = frame_.above_nonzero[plane];
  uint8_t* const left = tile_.left_nonzero[plane];
  const unsigned left_at = ((block.row & 7) * 2u >> chroma) + y;
  bool above_any = false, left_any = false;
  for (unsigned i = 0; i < n; ++i) above_any |= x4 + i < above.size() && above[x4 + i], left_any |= left_at + i < 16 && left[left_at + i];
  const bool plain = chroma || block.is_inter() || frame_.picture.lossless || tx_size == 3;
  const CoefficientBlock coded{.tx_size = tx_size,
                               .chroma = plane > 0,
                               .inter = block.is_inter(),
                               .type = plain ? TxType::dct_dct : type_of_mode[mode],
                               .context = unsigned{above_any} + left_any,
                               .quantizers = &frame_.picture.segmentation.segments[block.segment].quantizers[chroma]};
  const unsigned count = read_coefficients(frame_, tile_, coded, coefficients_);
  // Beyond the picture there is nothing.
  const unsigned columns = frame_.columns * 2 >> chroma, rows = frame_.rows * 2 >> chroma;
  for (unsigned i = 0; i < n; ++i) {
    if (x4 + i < above.size()) above[x4 + i] = count && x4 + i < columns;
    if (left_at + i < 16) left[left_at + i] = count && y4 + i < rows;
  }
  if (count)
    add_residual_(tx_size, coded.type, frame_.picture.lossless, count, coefficients_, planes_.plane[plane].at(x4 * 4, y4 * 4),
                  planes_.plane[plane].stride(), frame_.picture.bit_depth);
  return count;
}

// The edges: VP9 specification, 8.5.1.1; samples beyond the picture (of whole 8x8 blocks) are its last ones (libvpx, vp9_reconintra.c).
template <typename T>
void TileDecoder<T>::predict_intra_block(const BlockInfo& block, unsigned plane, unsigned tx_size, unsigned x, unsigned y, uint8_t mode) {
  const unsigned size = 4u << tx_size, chroma = plane > 0;
  const unsigned x0 = (block.column * 8u >> chroma) + x * 4, y0 = (block.row * 8u >> chroma) + y * 4;
  const unsigned width = frame_.picture.width >> chroma, height = frame_.picture.height >> chroma;
  Plane<T>& samples = planes_.plane[plane];
  const T base = static_cast<T>(1u << (frame_.picture.bit_depth - 1));
  Edges<T> edges;
  edges.have_above = y0 > 0;
  edges.have_left = x > 0 || block.column > tile_.column_begin;
  T* const above = edges.above();
  if (edges.have_above) {
    const T* const from = samples.at(x0, y0 - 1);
    const bool have_right = size == 4 && x + 1 < width4(block, plane);
    const unsigned present = std::min(have_right ? 2 * size : size, width - x0);
    std::copy_n(from, present, above);
    std::fill(above + present, above + 2 * size, above[present - 1]);
    above[-1] = edges.have_left ? *samples.at(x0 - 1, y0 - 1) : static_cast<T>(base + 1);
  } else {
    std::fill_n(above - 1, 2 * size + 1, static_cast<T>(base - 1));
  }
  if (edges.have_left) {
    const unsigned present = std::min(size, height - y0);
    for (unsigned i = 0; i < size; ++i) edges.left[i] = *samples.at(x0 - 1, y0 + std::min(i, present - 1));
  } else {
    std::fill_n(edges.left, size, static_cast<T>(base + 1));
  }
  predict_intra(mode, size, edges, samples.at(x0, y0), samples.stride(), frame_.picture.bit_depth);
}

template class TileDecoder<uint8_t>;
template class TileDecoder<uint16_t>;

}  // namespace softgen::media::vp9
