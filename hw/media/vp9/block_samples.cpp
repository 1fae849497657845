// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/vp9/block_samples.h"

namespace softgen::media::vp9 {
namespace {

constexpr TxType type_of_mode[10] = {TxType::dct_dct,  TxType::adst_dct, TxType::dct_adst, TxType::dct_dct,  TxType::adst_adst,
                                     TxType::adst_dct, TxType::dct_adst, TxType::dct_adst, TxType::adst_dct, TxType::adst_adst};

Mv mean(const BlockInfo& block, unsigned which) {
  int row = 0, column = 0;
  for (const auto& mv : block.mv) row += mv[which].row, column += mv[which].column;
  const auto rounded = [](int v) { return static_cast<int16_t>((v < 0 ? v - 2 : v + 2) / 4); };
  return {rounded(row), rounded(column)};
}

}  // namespace

unsigned size_of_parts(Partition kind, unsigned log2) {
  static constexpr uint8_t sizes[4][4] = {{3, 6, 9, 12}, {2, 5, 8, 11}, {1, 4, 7, 10}, {0, 3, 6, 9}};
  return sizes[kind][log2];
}

template <typename T>
void BlockSamples<T>::clear_contexts(const BlockInfo& block) {
  for (unsigned plane = 0; plane < 3; ++plane) {
    const unsigned x = block.column * 2u >> (plane > 0), y = (block.row & 7) * 2u >> (plane > 0);
    auto& above = frame_.above_nonzero[plane];
    std::fill_n(above.begin() + x, std::min<size_t>(width4(block, plane), above.size() - x), uint8_t{0});
    std::fill_n(contexts_.left_nonzero[plane] + y, std::min(height4(block, plane), 16 - y), uint8_t{0});
  }
}

template <typename T>
void BlockSamples<T>::predict_inter(const BlockInfo& block) {
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
void BlockSamples<T>::predict_part(const BlockInfo& block, unsigned which, const InterBlock& part, Mv mv) {
  inter_.predict(frame_.picture.references[static_cast<size_t>(block.reference[which] - last_frame)], part, mv);
}

template <typename T>
uint8_t BlockSamples<T>::mode_at(const BlockInfo& block, const TransformPlace& place) const {
  return place.plane ? block.uv_mode : block.size < block_8x8 ? block.sub_modes[(place.y & 1) * 2 + (place.x & 1)] : block.mode;
}

template <typename T>
TxType BlockSamples<T>::transform_at(const BlockInfo& block, const TransformPlace& place) const {
  const bool plain = place.plane || block.is_inter() || frame_.picture.lossless || place.tx_size == 3;
  return plain ? TxType::dct_dct : type_of_mode[mode_at(block, place)];
}

template <typename T>
unsigned BlockSamples<T>::coefficient_context(const BlockInfo& block, const TransformPlace& place) const {
  const auto& above = frame_.above_nonzero[place.plane];
  const uint8_t* const left = contexts_.left_nonzero[place.plane];
  const unsigned chroma = place.plane > 0, n = 1u << place.tx_size;
  const unsigned column = (block.column * 2u >> chroma) + place.x, row = ((block.row & 7) * 2u >> chroma) + place.y;
  bool above_any = false, left_any = false;
  for (unsigned i = 0; i < n; ++i) above_any |= column + i < above.size() && above[column + i], left_any |= row + i < 16 && left[row + i];
  return unsigned{above_any} + left_any;
}

// Beyond the picture there is nothing.
template <typename T>
void BlockSamples<T>::set_coded(const BlockInfo& block, const TransformPlace& place, bool coded) {
  auto& above = frame_.above_nonzero[place.plane];
  uint8_t* const left = contexts_.left_nonzero[place.plane];
  const unsigned chroma = place.plane > 0, columns = frame_.columns * 2 >> chroma, rows = frame_.rows * 2 >> chroma;
  const unsigned x4 = (block.column * 2u >> chroma) + place.x, y4 = (block.row * 2u >> chroma) + place.y;
  const unsigned left_at = ((block.row & 7) * 2u >> chroma) + place.y;
  for (unsigned i = 0; i < 1u << place.tx_size; ++i) {
    if (x4 + i < above.size()) above[x4 + i] = coded && x4 + i < columns;
    if (left_at + i < 16) left[left_at + i] = coded && y4 + i < rows;
  }
}

template <typename T>
T* BlockSamples<T>::samples_at(const BlockInfo& block, const TransformPlace& place) {
  const unsigned chroma = place.plane > 0;
  return planes_.plane[place.plane].at((block.column * 8u >> chroma) + place.x * 4, (block.row * 8u >> chroma) + place.y * 4);
}

// The edges: VP9 specification, 8.5.1.1; samples beyond the picture (of whole 8x8 blocks) are its last ones (libvpx, vp9_reconintra.c).
template <typename T>
void BlockSamples<T>::predict_intra_at(const BlockInfo& block, const TransformPlace& place) {
  const auto [plane, tx_size, x, y] = place;
  const unsigned size = 4u << tx_size, chroma = plane > 0;
  const unsigned x0 = (block.column * 8u >> chroma) + x * 4, y0 = (block.row * 8u >> chroma) + y * 4;
  const unsigned width = frame_.picture.width >> chroma, height = frame_.picture.height >> chroma;
  Plane<T>& samples = planes_.plane[plane];
  const T base = static_cast<T>(1u << (frame_.picture.bit_depth - 1));
  Edges<T> edges;
  edges.have_above = y0 > 0;
  edges.have_left = x > 0 || block.column > contexts_.column_begin;
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
  predict_intra(mode_at(block, place), size, edges, samples.at(x0, y0), samples.stride(), frame_.picture.bit_depth);
}

template class BlockSamples<uint8_t>;
template class BlockSamples<uint16_t>;

}  // namespace softgen::media::vp9
