// SPDX-License-Identifier: GPL-2.0-or-later
// Scaling of a plane: columns, then rows, each by a window of up to 8 samples.
#pragma once

#include <cstdint>
#include <vector>

#include "hw/media/sfc/job.h"
#include "hw/media/vebox/band.h"

namespace softgen::media::sfc {

/// The samples that each sample of a line becomes of, and their weights.
struct Windows {
  struct Window {
    int32_t first = 0;  ///< from the region's beginning on; from -max_taps to the region's size
    std::array<int16_t, max_taps> weight{};
  };
  std::vector<Window> windows;
  unsigned taps = 2, shift = 0;  ///< weights add up to 1 << shift, as a rule
  bool copies = false;           ///< each sample is the one at its own place

  size_t size() const { return windows.size(); }
};

/// A line of one component.
struct Line {
  int64_t region = 0;                     ///< first luma sample of the region
  int64_t step = 0, start = 0;            ///< as of an Axis
  int into = 1, from = 1;                 ///< luma samples for one of the component: of the output, of the input
  unsigned into_site = 0, from_site = 0;  ///< where it is from the luma sample on, in siting_parts
  uint32_t size = 1;                      ///< samples of the component in the region
  uint32_t count = 1;                     ///< samples to be made
};
/// Taps: null: bilinear. `first_tap`, `taps`: which of them are used.
Windows windows_of(const Line& line, const Taps* table, unsigned first_tap, unsigned taps);

/// The part of a plane that is the source region.
struct Region {
  const vebox::SamplePlane& plane;
  int left = 0, top = 0, width = 1, height = 1;
};

/// Scratch memory of one thread.
struct FilterMemory {
  std::vector<uint16_t> line;
  std::vector<int32_t> sums;
};
/// Makes the rows that `to` has; those above and below of the picture are its nearest ones.
void filter(const Region& from, const Windows& columns, const Windows& rows, vebox::SamplePlane& to, FilterMemory& memory);

}  // namespace softgen::media::sfc
