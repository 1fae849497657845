// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/hevc/inter.h"

namespace softgen::media::hevc {
namespace {

Weighting weighting_of(const Motion& motion, const SliceParameters& slice, unsigned component, unsigned bits) {
  const bool bi = motion.uses(0) && motion.uses(1);
  const int denominator = component ? slice.log2_chroma_denominator : slice.log2_luma_denominator;
  const int log2 = denominator + 14 - static_cast<int>(bits);
  Weighting by{.shift = log2 + bi, .round = 0, .weight = {1, 1}, .offset = {0, 0}};
  for (unsigned list = 0; list < 2; ++list) {
    if (!motion.uses(list)) continue;
    const Weights& weights = slice.weights[list][static_cast<size_t>(motion.index[list])];
    by.weight[list] = weights.weight[component];
    by.offset[list] = weights.offset[component] * (1 << (bits - 8));
  }
  if (bi) {
    by.round = (by.offset[0] + by.offset[1] + 1) * (1 << log2);
  } else {
    if (!motion.uses(0)) by.weight[0] = by.weight[1], by.offset[0] = by.offset[1];
    by.round = 1 << log2 >> 1;
  }
  return by;
}

/// Weights that are no others than the default ones: the results are the same (8.5.3.3.4.2 and .3).
bool is_default(const Weighting& by, const Motion& motion, int denominator) {
  const bool bi = motion.uses(0) && motion.uses(1);
  return by.weight[0] == 1 << denominator && by.offset[0] == 0 && (!bi || (by.weight[1] == 1 << denominator && by.offset[1] == 0));
}

}  // namespace

template <typename T>
void MotionCompensator<T>::fetch(const PlaneMap& plane, int x, int y, unsigned columns, unsigned rows, unsigned element_samples,
                                 unsigned bits) {
  if (!plane.is_open()) {
    fetched_.fill(static_cast<T>(1u << (bits - 1)));
    return;
  }
  plane.fetch(x, y, columns, rows, reinterpret_cast<std::byte*>(fetched_.data()), fetched_stride * sizeof(T));
  if constexpr (sizeof(T) == 2) kernels_.shift_down(fetched_.data(), fetched_stride, columns * element_samples, rows, 16 - bits);
}

template <typename T>
void MotionCompensator<T>::predict_luma(const PlaneMap& plane, const Rectangle& block, Mv mv, Block& to) {
  const auto columns = static_cast<unsigned>(block.width), rows = static_cast<unsigned>(block.height);
  const unsigned fraction_x = mv.x & 3, fraction_y = mv.y & 3, before_x = fraction_x ? 3 : 0, before_y = fraction_y ? 3 : 0;
  fetch(plane, block.x + (mv.x >> 2) - static_cast<int>(before_x), block.y + (mv.y >> 2) - static_cast<int>(before_y),
        columns + (fraction_x ? 7 : 0), rows + (fraction_y ? 7 : 0), 1, picture_->luma_bits);
  kernels_.luma(fetched_.data() + before_y * fetched_stride + before_x, fetched_stride, columns, rows, fraction_x, fraction_y,
                picture_->luma_bits, to.data());
}

template <typename T>
void MotionCompensator<T>::predict_chroma(const PlaneMap& plane, const Rectangle& block, Mv mv, Block& to) {
  const auto pairs = static_cast<unsigned>(block.width / 2), rows = static_cast<unsigned>(block.height / 2);
  const unsigned fraction_x = mv.x & 7, fraction_y = mv.y & 7, before_x = fraction_x ? 1 : 0, before_y = fraction_y ? 1 : 0;
  fetch(plane, block.x / 2 + (mv.x >> 3) - static_cast<int>(before_x), block.y / 2 + (mv.y >> 3) - static_cast<int>(before_y),
        pairs + (fraction_x ? 3 : 0), rows + (fraction_y ? 3 : 0), 2, picture_->chroma_bits);
  kernels_.chroma(fetched_.data() + before_y * fetched_stride + 2 * before_x, fetched_stride, pairs * 2, rows, fraction_x, fraction_y,
                  picture_->chroma_bits, to.data());
}

template <typename T>
void MotionCompensator<T>::combine(Plane<T>& plane, const Rectangle& block, bool is_chroma, const Motion& motion,
                                   const SliceParameters& slice) {
  const auto columns = static_cast<unsigned>(block.width), rows = static_cast<unsigned>(is_chroma ? block.height / 2 : block.height);
  const unsigned bits = is_chroma ? picture_->chroma_bits : picture_->luma_bits;
  T* const to = plane.at(static_cast<uint32_t>(block.x), static_cast<uint32_t>(is_chroma ? block.y / 2 : block.y));
  const auto stride = static_cast<ptrdiff_t>(plane.stride());
  const int16_t* const a = predictions_[motion.uses(0) ? 0 : 1].data();
  const int16_t* const b = motion.uses(0) && motion.uses(1) ? predictions_[1].data() : nullptr;
  if (slice.weighted) {
    const Weighting by[2] = {weighting_of(motion, slice, is_chroma ? 1 : 0, bits), weighting_of(motion, slice, is_chroma ? 2 : 0, bits)};
    const int denominator = is_chroma ? slice.log2_chroma_denominator : slice.log2_luma_denominator;
    if (!is_default(by[0], motion, denominator) || !is_default(by[1], motion, denominator))
      return kernels_.weigh(a, b, columns, rows, by, (1 << bits) - 1, to, stride);
  }
  kernels_.combine(a, b, columns, rows, bits, to, stride);
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

template class MotionCompensator<uint8_t>;
template class MotionCompensator<uint16_t>;

}  // namespace softgen::media::hevc
