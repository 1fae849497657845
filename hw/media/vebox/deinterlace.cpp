// SPDX-License-Identifier: GPL-2.0-or-later
// The names of the parameters are public, how they are used is not: all formulas here are chosen (docs/media.md).
#include "hw/media/vebox/deinterlace.h"

#include <algorithm>
#include <cstdlib>

namespace softgen::media::vebox {
namespace {

int difference(uint16_t a, uint16_t b) { return std::abs(int{a} - int{b}) >> 8; }

/// How badly lines above and below match when they are shifted by `shift` against each other, around a column.
int mismatch(const uint16_t* above, const uint16_t* below, int x, int shift) {
  int sum = 0;
  for (int i = -1; i <= 1; ++i) sum += std::abs(int{above[x + i + shift]} - int{below[x + i - shift]});
  return sum;
}

/// The sample between two lines of a field, along the edge that goes through it. Steeper edges are tried only when the one before matched better: two
/// lines of a texture match by chance at some shift.
uint16_t between(const uint16_t* above, const uint16_t* below, int x, int reach) {
  constexpr int bias = 2 << 8;
  int best = mismatch(above, below, x, 0) - bias, shift = 0;
  for (const int sign : {-1, 1})
    for (int i = 1; i <= reach; ++i) {
      const int sum = mismatch(above, below, x, sign * i);
      if (sum >= best) break;
      best = sum, shift = sign * i;
    }
  return static_cast<uint16_t>((above[x + shift] + below[x - shift] + 1) / 2);
}

constexpr int luma_reach = 3, chroma_reach = 1;

/// Row `y` of a plane of `height` rows, from its neighbours of the other parity.
void interpolate_row(const SamplePlane& from, int y, int height, int reach, uint16_t* to) {
  const bool above = y > 0, below = y + 1 < height;
  if (!above || !below) {
    std::copy_n(from.row(above ? y - 1 : below ? y + 1 : y), from.columns, to);
    return;
  }
  const uint16_t *const a = from.row(y - 1), *const b = from.row(y + 1);
  for (int x = 0; x < from.columns; ++x) to[x] = between(a, b, x, reach);
}

int plane_height(const Band& band, size_t plane, int height) { return plane && band.step_y() == 2 ? (height + 1) / 2 : height; }

/// Sum over a pair of pixels: how much the frames differ there, this row's twice as much as those of the other field around.
int frame_difference(const SamplePlane& a, const SamplePlane& b, int x, int y) {
  int sum = 0;
  for (int i = -1; i <= 1; ++i) {
    const uint16_t *const p = a.row(y + i) + x, *const q = b.row(y + i) + x;
    sum += (difference(p[0], q[0]) + difference(p[1], q[1])) * (i ? 1 : 2);
  }
  return sum;
}

/// How much the picture varies around a pair of pixels, within the field.
int complexity(const Deinterlace& di, const SamplePlane& a, int x, int y) {
  constexpr int weight_one = 64;
  const uint16_t *const row = a.row(y) + x, *const above = a.row(y - 2) + x, *const below = a.row(y + 2) + x;
  const int horizontal = difference(row[-1], row[0]) + difference(row[0], row[1]) + difference(row[1], row[2]);
  const int vertical =
      difference(above[0], row[0]) + difference(row[0], below[0]) + difference(above[1], row[1]) + difference(row[1], below[1]);
  return horizontal + vertical * di.vertical_weight / weight_one;
}

/// The greatest motion of a pair, its neighbours, and those on rows [first_row, last_row].
int motion_around(const MotionMap& motion, int pair, int first_row, int last_row) {
  const int left = std::max(pair - 1, 0), right = std::min(pair + 1, motion.columns - 1);
  int most = 0;
  for (int y = std::max(first_row, motion.first); y <= std::min(last_row, motion.first + motion.rows - 1); ++y)
    for (int x = left; x <= right; ++x) most = std::max<int>(most, motion.row(y)[x]);
  return most;
}

}  // namespace

void MotionMap::resize(int first_row, int row_count, int column_count) {
  first = first_row, rows = row_count, columns = column_count;
  values.resize(static_cast<size_t>(rows * columns));
}

void measure_motion(const Deinterlace& di, const Band& current, const Band& previous, const MotionMap* before, MotionMap& motion) {
  const SamplePlane &now = current.planes[0], &last = previous.planes[0];
  motion.resize(current.first - motion_margin, current.count + 2 * motion_margin, (now.columns + 1) / 2);
  for (int y = motion.first; y < motion.first + motion.rows; ++y) {
    uint8_t* const row = motion.row(y);
    for (int pair = 0; pair < motion.columns; ++pair) {
      const int moved = frame_difference(now, last, 2 * pair, y) << di.shift_up;
      const int varies = std::max(complexity(di, now, 2 * pair, y), complexity(di, last, 2 * pair, y));
      int measure = moved / ((varies >> di.shift_down) + di.complexity_bias);
      if (before) {
        const int old = before->row(y)[pair];
        measure = std::max(measure, old * (old >= di.max_motion ? di.decay_large : di.decay_small) >> 8);
      }
      row[pair] = static_cast<uint8_t>(std::min(measure, 0xff));
    }
  }
}

void interpolate(const Band& source, bool odd, int height, Band& to) {
  to.resize(source.sampling, source.first, source.count, source.planes[0].columns, 0);
  for (size_t p = 0; p < 3; ++p) {
    const SamplePlane& from = source.planes[p];
    SamplePlane& out = to.planes[p];
    for (int y = out.first; y < out.first + out.rows; ++y) {
      if ((y & 1) == odd) std::copy_n(from.row(y), from.columns, out.row(y));
      else interpolate_row(from, y, plane_height(source, p, height), p ? chroma_reach : luma_reach, out.row(y));
    }
  }
}

void adapt(const Deinterlace& di, const Band& source, const Band& other, bool odd, int height, const MotionMap& motion, Band& to) {
  interpolate(source, odd, height, to);
  const int span = di.max_motion - di.min_motion;
  for (size_t p = 0; p < 3; ++p) {
    SamplePlane& out = to.planes[p];
    const int down = p ? source.step_y() : 1;
    const bool halved = p && source.step_x() == 2;
    for (int y = out.first + ((out.first & 1) == odd); y < out.first + out.rows; y += 2) {
      const uint16_t *const a = source.planes[p].row(y), *const b = other.planes[p].row(y);
      uint16_t* const row = out.row(y);
      for (int x = 0; x < out.columns; ++x) {
        const int pair = halved ? x : x / 2;
        const int moves = std::clamp(motion_around(motion, pair, y * down - 1, y * down + down) - di.min_motion, 0, span);
        const int woven = (a[x] + b[x] + 1) / 2;
        row[x] = static_cast<uint16_t>(woven + (row[x] - woven) * moves / span);
      }
    }
  }
}

}  // namespace softgen::media::vebox
