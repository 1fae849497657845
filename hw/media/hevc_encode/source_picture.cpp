// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/hevc_encode/source_picture.h"

#include <cstring>

namespace softgen::media::hevc {

void SourcePicture::open(memory::View& view, const StopFlag& stop, const PictureLayout& layout, uint64_t base, unsigned bits) {
  map_.open(view, stop, layout, base, Access::read);
  frame_.resize(layout.luma.width, layout.luma.height);
  sample_bytes_ = layout.luma.element;
  shift_ = sample_bytes_ * 8 - bits;
  row_.resize(size_t{layout.luma.width} * sample_bytes_);
}

void SourcePicture::load(uint32_t y, uint32_t rows) {
  load_plane(map_.luma, frame_.luma, y, rows, 1);
  load_plane(map_.chroma, frame_.chroma, y / 2, rows / 2, 2);
}

/// `samples`: of an element.
void SourcePicture::load_plane(const PlaneMap& from, Plane<uint16_t>& to, uint32_t y, uint32_t rows, unsigned samples) {
  for (uint32_t row = y; row < y + rows && row < to.height(); ++row) {
    from.fetch(0, static_cast<int>(row), to.width() / samples, 1, row_.data(), row_.size());
    uint16_t* const at = to.row(row);
    if (sample_bytes_ == 2) std::memcpy(at, row_.data(), row_.size());
    else
      for (uint32_t x = 0; x < to.width(); ++x) at[x] = std::to_integer<uint16_t>(row_[x]);
    for (uint32_t x = 0; x < to.width(); ++x) at[x] = static_cast<uint16_t>(at[x] >> shift_);
  }
}

void SourcePicture::subtract(unsigned component, int x, int y, unsigned log2, int16_t* predicted) const {
  const Plane<uint16_t>& plane = component ? frame_.chroma : frame_.luma;
  const unsigned step = component ? 2 : 1;
  for (unsigned row = 0; row < 1u << log2; ++row) {
    const uint16_t* const from = plane.at(static_cast<uint32_t>(x) * step + (component == 2), static_cast<uint32_t>(y) + row);
    for (unsigned i = 0; i < 1u << log2; ++i, ++predicted) *predicted = static_cast<int16_t>(from[i * step] - *predicted);
  }
}

}  // namespace softgen::media::hevc
