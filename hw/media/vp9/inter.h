// SPDX-License-Identifier: GPL-2.0-or-later
// Inter prediction: VP9 specification, 8.5.2.
#pragma once

#include <vector>

#include "hw/media/vp9/picture.h"
#include "hw/media/vp9/planes.h"
#include "hw/media/vp9/sample_kernels.h"

namespace softgen::media::vp9 {

/// A rectangle of one plane: luma, or both chroma planes (at the same place).
struct InterBlock {
  unsigned x, y;                                         ///< in the plane
  unsigned width, height;                                ///< 4 to 64
  unsigned luma_x, luma_y;                               ///< of the block it is part of, in luma, as libvpx scales from there
  unsigned block_x, block_y, block_width, block_height;  ///< in the plane: what vectors are clamped by when the reference is scaled
  bool chroma;
  uint8_t filter;
  bool average;  ///< with what is there: the second reference
};

template <typename T>
class InterPredictor {
 public:
  InterPredictor(const Parameters& picture, Planes<T>& planes) : picture_(picture), planes_(planes) {}
  void predict(const ReferencePicture& reference, const InterBlock& block, Mv mv);

 private:
  struct Position {
    int x, y;               ///< whole samples of the reference
    unsigned x_sub, y_sub;  ///< sixteenths
    unsigned x_step, y_step;
    bool filter_x = false, filter_y = false;  ///< samples before and after the block are fetched for the taps
  };
  Position locate(const ReferencePicture& reference, const InterBlock& block, Mv mv) const;
  void fetch(const ReferencePicture& reference, bool chroma, int x, int y, unsigned columns, unsigned rows);
  void filter(const Position& at, const InterBlock& block, const T* from, size_t stride, Plane<T>& plane);

  void filter_scaled(const Position& at, const InterBlock& block, const T* from, size_t stride, Plane<T>& plane);

  /// Four times the largest block and a half, when references are scaled.
  static constexpr unsigned max_block = 64, max_columns = 288, max_rows = 288;
  const Parameters& picture_;
  Planes<T>& planes_;
  const SampleKernels<T>& kernels_ = kernels().template samples<T>();
  std::vector<T> samples_[2] = {std::vector<T>(max_columns * max_rows), std::vector<T>(max_columns* max_rows)};
  std::vector<T> pairs_ = std::vector<T>(2 * max_columns * max_rows);
  std::vector<T> middle_ = std::vector<T>(max_block * max_rows);
};

}  // namespace softgen::media::vp9
