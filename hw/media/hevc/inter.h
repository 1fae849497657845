// SPDX-License-Identifier: GPL-2.0-or-later
// Inter prediction's samples (H.265 8.5.3.3): interpolation of references and weighted prediction.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "hw/media/frame/frame.h"
#include "hw/media/hevc/picture_info.h"
#include "hw/media/hevc/sample_kernels.h"

namespace softgen::media::hevc {

struct Rectangle {
  int x, y, width, height;  ///< luma samples: multiples of 4, up to 64
};

template <typename T>
class MotionCompensator {
 public:
  /// `references`: by frame; those that are not open read as nothing, and predict mid-grey.
  void begin(const PictureParameters& picture, const std::array<PictureMap, max_frames>* references, Frame<T>* frame) {
    picture_ = &picture, references_ = references, frame_ = frame;
  }
  void predict(const Rectangle& block, const Motion& motion, const SliceParameters& slice);

 private:
  static constexpr unsigned margin = 8, fetched_stride = max_block + margin;
  using Block = std::array<int16_t, max_block * max_block + kernel_overread>;
  void fetch(const PlaneMap& plane, int x, int y, unsigned columns, unsigned rows, unsigned element_samples, unsigned bits);
  void predict_luma(const PlaneMap& plane, const Rectangle& block, Mv mv, Block& to);
  void predict_chroma(const PlaneMap& plane, const Rectangle& block, Mv mv, Block& to);
  void combine(Plane<T>& plane, const Rectangle& block, bool is_chroma, const Motion& motion, const SliceParameters& slice);

  const PictureParameters* picture_ = nullptr;
  const std::array<PictureMap, max_frames>* references_ = nullptr;
  Frame<T>* frame_ = nullptr;
  std::array<T, fetched_stride * fetched_stride + kernel_overread> fetched_{};
  std::array<Block, 2> predictions_{};
  const SampleKernels<T>& kernels_ = kernels().template samples<T>();
};

}  // namespace softgen::media::hevc
