// SPDX-License-Identifier: GPL-2.0-or-later
// Some rows of a picture on the host, a plane for each component, whatever the surface's format is.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "hw/media/vebox/enhancement.h"

namespace softgen::media::vebox {

/// The pages of a surface.
struct SurfaceMap {
  PixelFormat format;
  std::array<PlaneMap, 2> planes;
  void open(memory::View& view, const StopFlag& stop, const Surface& surface, Access access);
};

/// Samples have 16 bits; those of 8 bits are the upper half. Around the band are margins, whose samples are the nearest ones at the picture's edges.
struct SamplePlane {
  static constexpr int margin = 8;  ///< to each side, in samples
  std::vector<uint16_t> samples;
  int first = 0;  ///< row of the picture of the first one here
  int rows = 0;
  int columns = 0;
  size_t stride = 0;

  void resize(int first_row, int row_count, int column_count);
  uint16_t* row(int y) { return samples.data() + static_cast<size_t>(y - first) * stride + margin; }
  const uint16_t* row(int y) const { return samples.data() + static_cast<size_t>(y - first) * stride + margin; }
};

struct Band {
  static constexpr int margin = 8;  ///< rows above and below
  Sampling sampling = Sampling::s420;
  int first = 0, count = 0;  ///< rows of the picture that are to be computed
  std::array<SamplePlane, 3> planes;

  /// Room for rows [y, y + n) of pictures of this width, with `around` rows above and below. n and around are even.
  void resize(Sampling of, int y, int n, int width, int around);
  int step_x() const { return chroma_step_x(sampling); }
  int step_y() const { return chroma_step_y(sampling); }
};

using Bytes = std::vector<std::byte>;
/// Rows [y, y + count) from column x on, with margins.
void load(const SurfaceMap& from, uint32_t x, uint32_t width, int y, int count, Band& band, Bytes& scratch);
/// The band without its margins. It has the sampling of the surface.
void store(const Band& band, uint32_t x, uint32_t width, uint8_t alpha, SurfaceMap& to, Bytes& scratch);
/// `from` without its margins as `to`. Chroma is repeated, or averaged, or left out.
void resample(const Band& from, Sampling sampling, int width, const Colour& colour, Band& to);

constexpr uint8_t to_byte(uint32_t sample) { return sample > 0xff7f ? 0xff : static_cast<uint8_t>((sample + 0x80) >> 8); }

}  // namespace softgen::media::vebox
