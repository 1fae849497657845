// SPDX-License-Identifier: GPL-2.0-or-later
// No public source has IEF's formulas; with the drivers' parameters they are chosen (docs/vebox.md).
#include "hw/media/sfc/sharpen.h"

#include <algorithm>
#include <cstdlib>

namespace softgen::media::sfc {
namespace {

constexpr int coefficient_places = 5, gain_places = 5, weight_places = 3;

/// The largest gradient over 3x3, in steps of 8 bits.
int edge_at(const uint16_t* above, const uint16_t* at, const uint16_t* below) {
  const int right = above[1] + 2 * at[1] + below[1] - above[-1] - 2 * at[-1] - below[-1];
  const int down = below[-1] + 2 * below[0] + below[1] - above[-1] - 2 * above[0] - above[1];
  return std::max(std::abs(right), std::abs(down)) >> (8 + 2);
}

}  // namespace

void sharpen(const Sharpening& filter, vebox::SamplePlane& from, vebox::SamplePlane& to) {
  for (int y = from.first; y < from.first + from.rows; ++y) {
    uint16_t* const row = from.row(y);
    std::fill_n(row - sharpening_reach, sharpening_reach, row[0]);
    std::fill_n(row + from.columns, sharpening_reach, row[from.columns - 1]);
  }
  for (int y = to.first; y < to.first + to.rows; ++y) {
    const uint16_t* const far_above = from.row(y - 2);
    const uint16_t* const above = from.row(y - 1);
    const uint16_t* const own = from.row(y);
    const uint16_t* const below = from.row(y + 1);
    const uint16_t* const far_below = from.row(y + 2);
    uint16_t* const out = to.row(y);
    for (int x = 0; x < to.columns; ++x) {
      const uint16_t *const a2 = far_above + x, *const a = above + x, *const at = own + x, *const b = below + x, *const b2 = far_below + x;
      // Each ring: how far the sample is from the mean of four or eight others.
      const int cross = 4 * at[0] - a[0] - b[0] - at[-1] - at[1];
      const int corner = 4 * at[0] - a[-1] - a[1] - b[-1] - b[1];
      const int far_cross = 4 * at[0] - a2[0] - b2[0] - at[-2] - at[2];
      const int far_corner = 4 * at[0] - a2[-2] - a2[2] - b2[-2] - b2[2];
      const int far_side = 8 * at[0] - a2[-1] - a2[1] - b2[-1] - b2[1] - a[-2] - a[2] - b[-2] - b[2];
      const int64_t detail = int64_t{filter.cross} * cross + int64_t{filter.corner} * corner + int64_t{filter.far_cross} * far_cross +
                             int64_t{filter.far_corner} * far_corner + int64_t{filter.far_side} * (far_side / 2);
      const int edge = edge_at(a, at, b);
      const int weight = edge >= filter.strong_edge ? filter.strong_weight
                         : edge >= filter.weak_edge ? filter.weak_weight
                                                    : filter.flat_weight;
      constexpr int places = coefficient_places + 2 + gain_places + weight_places;
      const int64_t added = (detail * filter.gain * weight + (int64_t{1} << (places - 1))) >> places;
      out[x] = static_cast<uint16_t>(std::clamp<int64_t>(at[0] + added, 0, 0xffff));
    }
  }
}

}  // namespace softgen::media::sfc
