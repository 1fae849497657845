// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/hevc/inter.h"

#include <algorithm>
#include <cstring>

namespace softgen::media::hevc {

const int8_t luma_filter[4][8] = {
    {0, 0, 0, 64, 0, 0, 0, 0}, {-1, 4, -10, 58, 17, -5, 1, 0}, {-1, 4, -11, 40, 40, -11, 4, -1}, {0, 1, -5, 17, 58, -10, 4, -1}};
const int8_t chroma_filter[8][4] = {{0, 64, 0, 0},    {-2, 58, 10, -2}, {-4, 54, 16, -2}, {-6, 46, 28, -4},
                                    {-4, 36, 36, -4}, {-4, 28, 46, -6}, {-2, 16, 54, -4}, {-2, 10, 58, -2}};

namespace {

constexpr unsigned max_row = 64;

/// Sums over `taps` samples that are `distance` apart, from taps / 2 - 1 before each on.
template <typename From, unsigned taps>
void filter_row(const From* from, ptrdiff_t distance, unsigned columns, const int8_t* filter, unsigned shift, int16_t* to) {
  from -= (static_cast<ptrdiff_t>(taps) / 2 - 1) * distance;
  for (unsigned x = 0; x < columns; ++x) {
    int32_t sum = 0;
    for (unsigned tap = 0; tap < taps; ++tap) sum += filter[tap] * from[x + static_cast<ptrdiff_t>(tap) * distance];
    to[x] = static_cast<int16_t>(sum >> shift);
  }
}

/// 8.5.3.3.4.
struct Weighting {
  int shift, round, weight[2], offset[2];
};

template <typename T, bool bi>
void weigh_row(const int16_t* first, const int16_t* second, unsigned columns, unsigned step, const Weighting& by, int limit, T* to) {
  for (unsigned x = 0; x < columns; x += step) {
    const int value = bi ? (first[x] * by.weight[0] + second[x] * by.weight[1] + by.round) >> by.shift
                         : ((first[x] * by.weight[0] + by.round) >> by.shift) + by.offset[0];
    to[x] = static_cast<T>(std::clamp(value, 0, limit));
  }
}

Weighting weighting_of(const Motion& motion, const SliceParameters& slice, unsigned component, unsigned bits) {
  const bool bi = motion.uses(0) && motion.uses(1);
  const int denominator = !slice.weighted ? 0 : component ? slice.log2_chroma_denominator : slice.log2_luma_denominator;
  const int log2 = denominator + 14 - static_cast<int>(bits);
  Weighting by{.shift = log2 + bi, .round = 0, .weight = {1, 1}, .offset = {0, 0}};
  if (slice.weighted) {
    for (unsigned list = 0; list < 2; ++list) {
      if (!motion.uses(list)) continue;
      const Weights& weights = slice.weights[list][static_cast<size_t>(motion.index[list])];
      by.weight[list] = weights.weight[component];
      by.offset[list] = weights.offset[component] * (1 << (bits - 8));
    }
  }
  if (bi) {
    by.round = (by.offset[0] + by.offset[1] + 1) * (1 << log2);
  } else {
    if (!motion.uses(0)) by.weight[0] = by.weight[1], by.offset[0] = by.offset[1];
    by.round = 1 << log2 >> 1;
  }
  return by;
}

}  // namespace

template <typename T, unsigned taps>
void interpolate(const T* from, ptrdiff_t stride, unsigned step, unsigned columns, unsigned rows, const int8_t (*filter)[taps],
                 unsigned fraction_x, unsigned fraction_y, unsigned bits, int16_t* to, ptrdiff_t to_stride) {
  const unsigned first_shift = bits - 8, up = 14 - bits;
  if (!fraction_x && !fraction_y) {
    for (unsigned y = 0; y < rows; ++y)
      for (unsigned x = 0; x < columns; ++x)
        to[static_cast<ptrdiff_t>(y) * to_stride + x] = static_cast<int16_t>(from[static_cast<ptrdiff_t>(y) * stride + x] << up);
    return;
  }
  if (!fraction_y || !fraction_x) {
    const ptrdiff_t distance = fraction_x ? static_cast<ptrdiff_t>(step) : stride;
    const int8_t* const weights = filter[fraction_x | fraction_y];
    for (unsigned y = 0; y < rows; ++y)
      filter_row<T, taps>(from + static_cast<ptrdiff_t>(y) * stride, distance, columns, weights, first_shift,
                          to + static_cast<ptrdiff_t>(y) * to_stride);
    return;
  }
  std::array<int16_t, max_row * (64 + taps - 1)> rows_filtered;
  const unsigned before = taps / 2 - 1;
  for (unsigned y = 0; y < rows + taps - 1; ++y)
    filter_row<T, taps>(from + (static_cast<ptrdiff_t>(y) - before) * stride, step, columns, filter[fraction_x], first_shift,
                        rows_filtered.data() + y * max_row);
  for (unsigned y = 0; y < rows; ++y)
    filter_row<int16_t, taps>(rows_filtered.data() + (y + before) * max_row, max_row, columns, filter[fraction_y], 6,
                              to + static_cast<ptrdiff_t>(y) * to_stride);
}

template <typename T>
void MotionCompensator<T>::fetch(const PlaneMap& plane, int x, int y, unsigned columns, unsigned rows, unsigned element_samples,
                                 unsigned bits) {
  const size_t stride = max_block + margin;
  if (!plane.is_open()) {
    fetched_.fill(static_cast<T>(1u << (bits - 1)));
    return;
  }
  plane.fetch(x, y, columns, rows, reinterpret_cast<std::byte*>(fetched_.data()), stride * sizeof(T));
  if constexpr (sizeof(T) == 2) {
    const unsigned shift = 16 - bits;
    for (unsigned row = 0; row < rows; ++row)
      for (unsigned i = 0; i < columns * element_samples; ++i)
        fetched_[row * stride + i] = static_cast<T>(fetched_[row * stride + i] >> shift);
  }
}

template <typename T>
void MotionCompensator<T>::predict_luma(const PlaneMap& plane, const Rectangle& block, Mv mv, Block& to) {
  constexpr ptrdiff_t stride = max_block + margin;
  const auto columns = static_cast<unsigned>(block.width), rows = static_cast<unsigned>(block.height);
  fetch(plane, block.x + (mv.x >> 2) - 3, block.y + (mv.y >> 2) - 3, columns + 7, rows + 7, 1, picture_->luma_bits);
  interpolate<T, 8>(fetched_.data() + 3 * stride + 3, stride, 1, columns, rows, luma_filter, mv.x & 3, mv.y & 3, picture_->luma_bits,
                    to.data(), max_block);
}

template <typename T>
void MotionCompensator<T>::predict_chroma(const PlaneMap& plane, const Rectangle& block, Mv mv, Block& to) {
  constexpr ptrdiff_t stride = max_block + margin;
  const auto pairs = static_cast<unsigned>(block.width / 2), rows = static_cast<unsigned>(block.height / 2);
  fetch(plane, block.x / 2 + (mv.x >> 3) - 1, block.y / 2 + (mv.y >> 3) - 1, pairs + 3, rows + 3, 2, picture_->chroma_bits);
  interpolate<T, 4>(fetched_.data() + stride + 2, stride, 2, pairs * 2, rows, chroma_filter, mv.x & 7, mv.y & 7, picture_->chroma_bits,
                    to.data(), max_block);
}

template <typename T>
void MotionCompensator<T>::combine(Plane<T>& plane, const Rectangle& block, bool is_chroma, const Motion& motion,
                                   const SliceParameters& slice) {
  const auto columns = static_cast<unsigned>(block.width), rows = static_cast<unsigned>(is_chroma ? block.height / 2 : block.height);
  const unsigned bits = is_chroma ? picture_->chroma_bits : picture_->luma_bits, step = is_chroma ? 2 : 1;
  const int limit = (1 << bits) - 1;
  const unsigned first = motion.uses(0) ? 0 : 1;
  for (unsigned part = 0; part < step; ++part) {
    const Weighting by = weighting_of(motion, slice, is_chroma ? 1 + part : 0, bits);
    for (unsigned y = 0; y < rows; ++y) {
      T* const to = plane.at(static_cast<uint32_t>(block.x), static_cast<uint32_t>(is_chroma ? block.y / 2 : block.y) + y) + part;
      const int16_t *const a = predictions_[first].data() + y * max_block + part, *const b = predictions_[1].data() + y * max_block + part;
      if (motion.uses(0) && motion.uses(1)) weigh_row<T, true>(a, b, columns - part, step, by, limit, to);
      else weigh_row<T, false>(a, b, columns - part, step, by, limit, to);
    }
  }
}

template <typename T>
void MotionCompensator<T>::predict(const Rectangle& block, const Motion& motion, const SliceParameters& slice) {
  if (!motion.uses(0) && !motion.uses(1)) return;
  for (const bool is_chroma : {false, true}) {
    for (unsigned list = 0; list < 2; ++list) {
      if (!motion.uses(list)) continue;
      const PictureMap& map = (*references_)[motion.frame[list]];
      if (is_chroma) predict_chroma(map.chroma, block, motion.mv[list], predictions_[list]);
      else predict_luma(map.luma, block, motion.mv[list], predictions_[list]);
    }
    combine(is_chroma ? frame_->chroma : frame_->luma, block, is_chroma, motion, slice);
  }
}

template void interpolate<uint16_t, 8>(const uint16_t*, ptrdiff_t, unsigned, unsigned, unsigned, const int8_t (*)[8], unsigned, unsigned,
                                       unsigned, int16_t*, ptrdiff_t);
template class MotionCompensator<uint8_t>;
template class MotionCompensator<uint16_t>;

}  // namespace softgen::media::hevc
