// SPDX-License-Identifier: GPL-2.0-or-later
// The picture that a codec decodes, in host memory and linear: intra prediction and the loop filters read it, and it goes to its surface when it is whole.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "hw/media/frame/plane_map.h"

namespace softgen::media {

/// Samples of one plane, whole blocks: rows are `stride` samples apart.
template <typename T>
class Plane {
 public:
  /// Keeps its memory where the size is as before. Samples are then whatever they were.
  void resize(uint32_t width, uint32_t height) {
    width_ = width, height_ = height, stride_ = (width + 63) / 64 * 64;
    samples_.resize(stride_ * height);
  }
  uint32_t width() const { return width_; }
  uint32_t height() const { return height_; }
  size_t stride() const { return stride_; }
  T* row(uint32_t y) { return samples_.data() + y * stride_; }
  const T* row(uint32_t y) const { return samples_.data() + y * stride_; }
  T* at(uint32_t x, uint32_t y) { return row(y) + x; }
  const T* at(uint32_t x, uint32_t y) const { return row(y) + x; }

 private:
  uint32_t width_ = 0, height_ = 0;
  size_t stride_ = 0;
  std::vector<T> samples_;
};

/// Luma, and both chroma components interleaved (Cb first), as NV12 and P010 have them; chroma's width counts samples, so it equals luma's.
/// 10 bits: samples as the codec computes them, not shifted.
template <typename T>
struct Frame {
  Plane<T> luma, chroma;
  void resize(uint32_t width, uint32_t height) {
    luma.resize(width, height);
    chroma.resize(width, height / 2);
  }
};

/// The two planes of a picture in graphics memory.
struct PictureMap {
  PlaneMap luma, chroma;
  void refresh(memory::View& view, const StopFlag& stop) { luma.refresh(view, stop), chroma.refresh(view, stop); }
};

}  // namespace softgen::media
