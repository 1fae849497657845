// SPDX-License-Identifier: GPL-2.0-or-later
// Inter prediction's samples (H.265 8.5.3.3): interpolation of references and weighted prediction.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "hw/media/frame/frame.h"
#include "hw/media/hevc/picture_info.h"

namespace softgen::media::hevc {

struct Rectangle {
  int x, y, width, height;  ///< luma samples: multiples of 4, up to 64
};

/// The interpolation filters, by the fraction: quarters of luma samples, eighths of chroma samples (tables 8-11 and 8-12).
extern const int8_t luma_filter[4][8];
extern const int8_t chroma_filter[8][4];

/// One dimension or both: `columns` x `rows` samples, whose neighbours in a row are `step` apart, become 14 bit values. `from` is the block's first sample;
/// samples around it are there as far as the filter reaches. Fractions are rows of the filter.
template <typename T, unsigned taps>
void interpolate(const T* from, ptrdiff_t stride, unsigned step, unsigned columns, unsigned rows, const int8_t (*filter)[taps],
                 unsigned fraction_x, unsigned fraction_y, unsigned bits, int16_t* to, ptrdiff_t to_stride);

template <typename T>
class MotionCompensator {
 public:
  /// `references`: by frame; those that are not open read as nothing, and predict mid-grey.
  void begin(const PictureParameters& picture, const std::array<PictureMap, max_frames>* references, Frame<T>* frame) {
    picture_ = &picture, references_ = references, frame_ = frame;
  }
  void predict(const Rectangle& block, const Motion& motion, const SliceParameters& slice);

 private:
  static constexpr unsigned max_block = 64, margin = 8;
  using Block = std::array<int16_t, max_block * max_block>;
  void fetch(const PlaneMap& plane, int x, int y, unsigned columns, unsigned rows, unsigned element_samples, unsigned bits);
  void predict_luma(const PlaneMap& plane, const Rectangle& block, Mv mv, Block& to);
  void predict_chroma(const PlaneMap& plane, const Rectangle& block, Mv mv, Block& to);
  void combine(Plane<T>& plane, const Rectangle& block, bool is_chroma, const Motion& motion, const SliceParameters& slice);

  const PictureParameters* picture_ = nullptr;
  const std::array<PictureMap, max_frames>* references_ = nullptr;
  Frame<T>* frame_ = nullptr;
  std::array<T, (max_block + margin) * (max_block + margin)> fetched_;
  std::array<Block, 2> predictions_;
};

}  // namespace softgen::media::hevc
