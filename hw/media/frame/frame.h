// SPDX-License-Identifier: GPL-2.0-or-later
// The picture that a codec decodes, in host memory and linear: intra prediction and the loop filters read it, and it goes to its surface when it is whole.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "hw/base/worker_pool.h"
#include "hw/media/frame/picture_sink.h"
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

/// Where the two planes of a picture are: luma, and interleaved chroma.
struct PictureLayout {
  PlaneLayout luma, chroma;
  /// Of every other row: from the first (0) or the second (1) on.
  PictureLayout field(unsigned parity) const;
  /// Of 4:2:0: at most that many samples of luma.
  PictureLayout limited(uint32_t width, uint32_t height) const;
};

/// NV12 without a base: `width` x `height` samples of luma; chroma begins at row `chroma_row` of the surface.
PictureLayout nv12_layout(uint32_t pitch, surface::Tiling tiling, uint32_t width, uint32_t height, uint32_t chroma_row);

/// The two planes of a picture in graphics memory.
struct PictureMap {
  PlaneMap luma, chroma;
  /// `layout` at `base`, whatever its planes have. The rest is as for PlaneMap::open().
  void open(memory::View& view, const StopFlag& stop, const PictureLayout& layout, uint64_t base, Access access);
  void close() { luma.close(), chroma.close(); }
  void refresh(memory::View& view, const StopFlag& stop) { luma.refresh(view, stop), chroma.refresh(view, stop); }
};

/// All of a picture to its surface, in strips on the pool.
void store_frame(PictureMap& to, const Frame<uint8_t>& frame, WorkerPool* pool, bool has_chroma = true);

/// The same for what takes pictures over. It refers to the frame. Samples of 16 bits are the upper ones.
HostPicture host_picture(const Frame<uint8_t>& frame, bool has_chroma = true);
HostPicture host_picture(const Frame<uint16_t>& frame);

/// Macroblock (x, y) repeats the row of samples above it; those of the first row become grey.
void repeat_row_above(Frame<uint8_t>& frame, uint32_t x, uint32_t y);
void make_grey(Frame<uint8_t>& frame, uint32_t x, uint32_t y);

}  // namespace softgen::media
