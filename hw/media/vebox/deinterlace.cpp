// SPDX-License-Identifier: GPL-2.0-or-later
// The names of the parameters are public, how they are used is not: all formulas here are chosen (docs/vebox.md).
#include "hw/media/vebox/deinterlace.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <span>

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

/// Columns that an edge goes to either side from line to line, by plane.
constexpr int reach_of(size_t plane) { return plane ? 1 : 3; }

/// The lines of the other parity around a line: at the picture's edges both are the one that there is.
struct Lines {
  const uint16_t *above, *below;
};
Lines lines_around(const SamplePlane& from, int y, int height) {
  const bool last = y + 1 >= height;
  return {from.row(y > 0 ? y - 1 : y + 1), from.row(last ? y - 1 : y + 1)};
}

int plane_height(const Band& band, size_t plane, int height) { return plane && band.step_y() == 2 ? (height + 1) / 2 : height; }

/// `to` has the lines of one parity as they are; fill(plane, line, lines around it, its row in `to`) makes the others.
template <typename Fill>
void fill_lines(const Band& source, bool odd, int height, Band& to, Fill&& fill) {
  to.resize(source.sampling, source.first, source.count, source.planes[0].columns, 0);
  for (size_t p = 0; p < 3; ++p) {
    const SamplePlane& from = source.planes[p];
    SamplePlane& out = to.planes[p];
    for (int y = out.first; y < out.first + out.rows; ++y) {
      if ((y & 1) == odd) std::copy_n(from.row(y), from.columns, out.row(y));
      else fill(p, y, lines_around(from, y, plane_height(source, p, height)), std::span(out.row(y), static_cast<size_t>(out.columns)));
    }
  }
}

/// The frames' difference, summed over a pair of pixels: this row's twice as much as those of the other field around.
int frame_difference(const SamplePlane& a, const SamplePlane& b, int x, int y) {
  int sum = 0;
  for (int i = -1; i <= 1; ++i) {
    const uint16_t *const p = a.row(y + i) + x, *const q = b.row(y + i) + x;
    sum += (difference(p[0], q[0]) + difference(p[1], q[1])) * (i ? 1 : 2);
  }
  return sum;
}

/// The variation of the picture around a pair of pixels, within the field.
int complexity(const Deinterlace& di, const SamplePlane& a, int x, int y) {
  constexpr int weight_one = 64;
  const uint16_t *const row = a.row(y) + x, *const above = a.row(y - 2) + x, *const below = a.row(y + 2) + x;
  const int horizontal = difference(row[-1], row[0]) + difference(row[0], row[1]) + difference(row[1], row[2]);
  const int vertical =
      difference(above[0], row[0]) + difference(row[0], below[0]) + difference(above[1], row[1]) + difference(row[1], below[1]);
  return horizontal + vertical * di.vertical_weight / weight_one;
}

/// The maximum motion of each pair, its neighbours, and the rows from first_row to last_row.
void spread(const MotionMap& motion, int first_row, int last_row, std::vector<uint8_t>& to) {
  const auto columns = static_cast<size_t>(motion.columns);
  std::vector<uint8_t> max(columns + 2);
  for (int y = std::max(first_row, motion.first); y <= std::min(last_row, motion.first + motion.rows - 1); ++y) {
    const uint8_t* const row = motion.row(y);
    for (size_t x = 0; x < columns; ++x) max[x + 1] = std::max(max[x + 1], row[x]);
  }
  to.resize(columns);
  for (size_t x = 0; x < columns; ++x) to[x] = std::max({max[x], max[x + 1], max[x + 2]});
}

/// The weight of an interpolated sample, of 256, by STMM.
std::array<uint16_t, 256> shares_of(const Deinterlace& di) {
  const int span = di.max_motion - di.min_motion;
  std::array<uint16_t, 256> shares;
  for (int i = 0; i < 256; ++i) shares[static_cast<size_t>(i)] = static_cast<uint16_t>(std::clamp(i - di.min_motion, 0, span) * 256 / span);
  return shares;
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
  fill_lines(source, odd, height, to, [](size_t p, int, const Lines& lines, std::span<uint16_t> row) {
    for (size_t x = 0; x < row.size(); ++x) row[x] = between(lines.above, lines.below, static_cast<int>(x), reach_of(p));
  });
}

void adapt(const Deinterlace& di, const Band& source, const Band& other, bool odd, int height, const MotionMap& motion, Band& to) {
  const std::array<uint16_t, 256> shares = shares_of(di);
  std::vector<uint8_t> moving;
  fill_lines(source, odd, height, to, [&](size_t p, int y, const Lines& lines, std::span<uint16_t> row) {
    const int down = p ? source.step_y() : 1;
    const bool halved = p && source.step_x() == 2;
    const uint16_t *const a = source.planes[p].row(y), *const b = other.planes[p].row(y);
    spread(motion, y * down - 1, y * down + down, moving);
    for (size_t x = 0; x < row.size(); ++x) {
      const int share = shares.data()[moving.data()[halved ? x : x / 2]], woven = (a[x] + b[x] + 1) / 2;
      row[x] = static_cast<uint16_t>(
          share ? woven + (between(lines.above, lines.below, static_cast<int>(x), reach_of(p)) - woven) * share / 256 : woven);
    }
  });
}

}  // namespace softgen::media::vebox
