// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/vp9/inter.h"

#include <algorithm>

#include "hw/media/vp9/tables.h"

namespace softgen::media::vp9 {
namespace {

constexpr int taps_before = 3, taps = 8;
constexpr uint32_t unscaled = 1 << 14;

int scaled(int64_t value, uint32_t scale) { return static_cast<int>(value * scale >> 14); }

template <typename T>
T filtered(const T* from, size_t step, const int16_t* kernel, int largest) {
  int sum = 64;
  for (unsigned i = 0; i < taps; ++i) sum += from[i * step] * kernel[i];
  return static_cast<T>(std::clamp(sum >> 7, 0, largest));
}

}  // namespace

// libvpx, vp9_decodeframe.c (dec_build_inter_predictors): position and vector are scaled separately, and a block's position by its place in luma.
template <typename T>
auto InterPredictor<T>::locate(const ReferencePicture& reference, const InterBlock& block, Mv mv) const -> Position {
  const int sub = block.chroma ? 1 : 0;
  int row = mv.row * (2 >> sub), column = mv.column * (2 >> sub);
  if (reference.x_scale == unscaled && reference.y_scale == unscaled)
    return {static_cast<int>(block.x) + (column >> 4), static_cast<int>(block.y) + (row >> 4), column & 15u, row & 15u, 16, 16};
  const auto clamp_to = [](int v, unsigned at, unsigned length, unsigned whole) {
    const int before = static_cast<int>(at), after = static_cast<int>(whole) - static_cast<int>(at + length),
              margin = static_cast<int>(length + 4) * 16;
    return std::clamp(v, -before * 16 - margin, std::max(after * 16 + margin - 16, -before * 16 - margin));
  };
  column = clamp_to(column, block.block_x, block.block_width, picture_.width >> sub);
  row = clamp_to(row, block.block_y, block.block_height, picture_.height >> sub);
  const int dx = static_cast<int>(block.x - block.block_x), dy = static_cast<int>(block.y - block.block_y);
  const int x = scaled(column, reference.x_scale) + (scaled(int64_t{static_cast<int>(block.luma_x) + dx} * 16, reference.x_scale) & 15);
  const int y = scaled(row, reference.y_scale) + (scaled(int64_t{static_cast<int>(block.luma_y) + dy} * 16, reference.y_scale) & 15);
  return {scaled(block.x, reference.x_scale) + (x >> 4),        scaled(block.y, reference.y_scale) + (y >> 4),       x & 15u, y & 15u,
          static_cast<unsigned>(scaled(16, reference.x_scale)), static_cast<unsigned>(scaled(16, reference.y_scale))};
}

/// Into samples_, max_columns apart; chroma's components are separated.
template <typename T>
void InterPredictor<T>::fetch(const ReferencePicture& reference, bool chroma, int x, int y, unsigned columns, unsigned rows) {
  constexpr unsigned shift = sizeof(T) == 2 ? 6 : 0;  // P010: the upper bits
  if (!reference.map) {
    for (auto& plane : samples_) std::fill(plane.begin(), plane.end(), T{0});
    return;
  }
  if (!chroma) {
    reference.map->luma.fetch(x, y, columns, rows, reinterpret_cast<std::byte*>(samples_[0].data()), max_columns * sizeof(T));
    for (unsigned row = 0; shift && row < rows; ++row) kernels_.shift_down(samples_[0].data() + row * max_columns, columns, shift);
    return;
  }
  reference.map->chroma.fetch(x, y, columns, rows, reinterpret_cast<std::byte*>(pairs_.data()), 2 * max_columns * sizeof(T));
  for (unsigned row = 0; row < rows; ++row)
    kernels_.split(pairs_.data() + row * 2 * max_columns, columns, shift, samples_[0].data() + row * max_columns,
                   samples_[1].data() + row * max_columns);
}

template <typename T>
void InterPredictor<T>::predict(const ReferencePicture& reference, const InterBlock& block, Mv mv) {
  Position at = locate(reference, block, mv);
  const bool is_scaled = at.x_step != 16 || at.y_step != 16 || reference.x_scale != unscaled || reference.y_scale != unscaled;
  at.filter_x = is_scaled || at.x_sub, at.filter_y = is_scaled || at.y_sub;
  const unsigned columns = std::min(((block.width - 1) * at.x_step + at.x_sub) / 16 + 1 + (at.filter_x ? taps - 1 : 0), max_columns);
  const unsigned rows = std::min(((block.height - 1) * at.y_step + at.y_sub) / 16 + 1 + (at.filter_y ? taps - 1 : 0), max_rows);
  fetch(reference, block.chroma, at.x - (at.filter_x ? taps_before : 0), at.y - (at.filter_y ? taps_before : 0), columns, rows);
  for (unsigned i = 0; i < (block.chroma ? 2u : 1u); ++i)
    filter(at, block, samples_[i].data(), max_columns, planes_.plane[block.chroma ? 1 + i : 0]);
}

template <typename T>
void InterPredictor<T>::filter(const Position& at, const InterBlock& block, const T* from, size_t stride, Plane<T>& plane) {
  if (at.x_step != 16 || at.y_step != 16) return filter_scaled(at, block, from, stride, plane);
  const auto& kernels = interpolation[block.filter & 3];
  const int largest = (1 << picture_.bit_depth) - 1;
  T* const to = plane.at(block.x, block.y);
  const bool x_taps = at.filter_x, y_taps = at.filter_y;
  if (x_taps && y_taps) {
    kernels_.filter(from, stride, 1, block.width, block.height + taps - 1, kernels[at.x_sub], largest, false, middle_.data(), max_block);
    from = middle_.data(), stride = max_block;
  } else if (x_taps) {
    return kernels_.filter(from, stride, 1, block.width, block.height, kernels[at.x_sub], largest, block.average, to, plane.stride());
  }
  if (y_taps)
    kernels_.filter(from, stride, stride, block.width, block.height, kernels[at.y_sub], largest, block.average, to, plane.stride());
  else kernels_.copy(from, stride, block.width, block.height, block.average, to, plane.stride());
}

template <typename T>
void InterPredictor<T>::filter_scaled(const Position& at, const InterBlock& block, const T* from, size_t stride, Plane<T>& plane) {
  const auto& kernels = interpolation[block.filter & 3];
  const int largest = (1 << picture_.bit_depth) - 1;
  const unsigned rows = std::min(((block.height - 1) * at.y_step + at.y_sub) / 16 + 1 + taps - 1, max_rows);
  for (unsigned row = 0; row < rows; ++row)
    for (unsigned x = 0, position = at.x_sub; x < block.width; ++x, position += at.x_step)
      middle_[row * max_block + x] = filtered(from + row * stride + position / 16, 1, kernels[position & 15], largest);
  for (unsigned y = 0, position = at.y_sub; y < block.height; ++y, position += at.y_step) {
    T* const to = plane.at(block.x, block.y + y);
    const T* const line = middle_.data() + position / 16 * max_block;
    for (unsigned x = 0; x < block.width; ++x) {
      const T value = filtered(line + x, max_block, kernels[position & 15], largest);
      to[x] = block.average ? static_cast<T>((to[x] + value + 1) >> 1) : value;
    }
  }
}

template class InterPredictor<uint8_t>;
template class InterPredictor<uint16_t>;

}  // namespace softgen::media::vp9
