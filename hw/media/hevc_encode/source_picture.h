// SPDX-License-Identifier: GPL-2.0-or-later
// The picture that is encoded, in host memory, row of CTBs by row of CTBs.
#pragma once

#include <cstdint>
#include <vector>

#include "hw/media/frame/frame.h"

namespace softgen::media::hevc {

class SourcePicture {
 public:
  /// Samples of 16 bits have theirs on top.
  void open(memory::View& view, const StopFlag& stop, const PictureLayout& layout, uint64_t base, unsigned bits);
  void refresh(memory::View& view, const StopFlag& stop) { map_.refresh(view, stop); }
  /// Rows of luma [y, y + rows), and chroma's; even.
  void load(uint32_t y, uint32_t rows);
  /// A component's block, less `predicted`: both in rows of 1 << `log2`.
  void subtract(unsigned component, int x, int y, unsigned log2, int16_t* predicted) const;

 private:
  void load_plane(const PlaneMap& from, Plane<uint16_t>& to, uint32_t y, uint32_t rows, unsigned samples);

  PictureMap map_;
  Frame<uint16_t> frame_;
  std::vector<std::byte> row_;
  unsigned shift_ = 0, sample_bytes_ = 1;
};

}  // namespace softgen::media::hevc
