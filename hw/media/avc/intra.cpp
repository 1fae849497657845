// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/avc/intra.h"

#include <cstring>

#include "hw/media/frame/lanes.h"

namespace softgen::media::avc {
namespace {

/// The edge in one line: left from the bottom up, corner, above, above right. Both ends are there once more, at -1 and 3 * n + 1.
template <int n>
struct Line {
  static constexpr int front = 1, size = (3 * n + 3 + 15) / 16 * 16 + 32;
  uint8_t e[size];
  uint8_t& at(int i) { return e[front + i]; }
  uint8_t at(int i) const { return e[front + i]; }
  uint8_t& left(int i) { return at(n - 1 - i); }
  uint8_t left(int i) const { return at(n - 1 - i); }
  uint8_t& above(int i) { return at(n + 1 + i); }
  uint8_t above(int i) const { return at(n + 1 + i); }
  void repeat_ends() { at(-1) = at(0), at(3 * n + 1) = at(3 * n); }
};

template <int n>
Line<n> load(const uint8_t* at, ptrdiff_t stride, const Edges& edges) {
  Line<n> line;
  std::memset(line.e, 128, sizeof line.e);
  if (edges.left)
    for (int i = 0; i < n; ++i) line.left(i) = at[i * stride - 1];
  if (edges.corner) line.at(n) = at[-1 - stride];
  if (edges.above) {
    std::memcpy(&line.above(0), at - stride, n);
    if (edges.above_right) std::memcpy(&line.above(n), at + n - stride, n);
    else std::memset(&line.above(n), at[n - 1 - stride], n);
  }
  line.repeat_ends();
  return line;
}

/// two[i]: the mean of places i and i + 1. three[i]: around place i, (1 2 1) / 4.
template <int n>
struct Means {
  static constexpr int front = Line<n>::front;
  uint8_t twos[Line<n>::size], threes[Line<n>::size];
  explicit Means(const Line<n>& line) {
    constexpr int count = (3 * n + 3 + 15) / 16;
    for (int i = 0; i < count; ++i) {
      const U8x16 before = load16(line.e + i * 16), at = load16(line.e + i * 16 + 1), after = load16(line.e + i * 16 + 2);
      store16(average(before, at), twos + i * 16);
      // The mean of the outer two, rounded down, so that only the last rounding counts.
      store16(average(average(before, after) - ((before ^ after) & 1), at), threes + i * 16 + 1);
    }
  }
  const uint8_t* two(int i) const { return twos + front + i; }
  const uint8_t* three(int i) const { return threes + front + i; }
};

template <int n>
int dc(const Line<n>& line, const Edges& edges) {
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += (edges.left ? line.left(i) : 0) + (edges.above ? line.above(i) : 0);
  if (edges.left && edges.above) return (sum + n) / (2 * n);
  return edges.left || edges.above ? (sum + n / 2) / n : 128;
}

// Modes 5 to 8 (8.3.1.2.6 to 8.3.1.2.9) go along lines: their means are in `line` one after the other, and each row begins somewhere in it.
template <int n>
void vertical_right(const Means<n>& m, uint8_t* to, ptrdiff_t stride) {
  std::memcpy(to, m.two(n), n), std::memcpy(to + stride, m.three(n), n);
  for (int y = 2; y < n; ++y) {
    uint8_t* const row = to + y * stride;
    row[0] = *m.three(n + 1 - y);
    std::memcpy(row + 1, row - 2 * stride, n - 1);
  }
}

template <int n>
void horizontal_down(const Means<n>& m, uint8_t* to, ptrdiff_t stride) {
  uint8_t line[3 * n];
  for (int i = 0; i < n; ++i) line[2 * i] = *m.two(i), line[2 * i + 1] = *m.three(i + 1);
  std::memcpy(line + 2 * n, m.three(n + 1), n);
  for (int y = 0; y < n; ++y) std::memcpy(to + y * stride, line + 2 * (n - 1 - y), n);
}

template <int n>
void horizontal_up(const Line<n>& edge, const Means<n>& m, uint8_t* to, ptrdiff_t stride) {
  uint8_t line[3 * n];
  for (int i = 0; i < n - 1; ++i) line[2 * i] = *m.two(n - 2 - i), line[2 * i + 1] = *m.three(n - 2 - i);
  std::memset(line + 2 * n - 2, edge.left(n - 1), n + 2);
  for (int y = 0; y < n; ++y) std::memcpy(to + y * stride, line + 2 * y, n);
}

template <int n>
void write(uint8_t* to, ptrdiff_t stride, unsigned mode, const Edges& edges, const Line<n>& line) {
  if (mode < 3) {
    const int flat = mode == 2 ? dc(line, edges) : 0;
    for (int y = 0; y < n; ++y) {
      if (mode) std::memset(to + y * stride, mode == 2 ? flat : line.left(y), n);
      else std::memcpy(to + y * stride, line.e + line.front + n + 1, n);
    }
    return;
  }
  const Means<n> m(line);
  switch (mode) {
    case 3:
      for (int y = 0; y < n; ++y) std::memcpy(to + y * stride, m.three(n + 2 + y), n);
      break;
    case 4:
      for (int y = 0; y < n; ++y) std::memcpy(to + y * stride, m.three(n - y), n);
      break;
    case 5: vertical_right(m, to, stride); break;
    case 6: horizontal_down(m, to, stride); break;
    case 7:
      for (int y = 0; y < n; ++y) std::memcpy(to + y * stride, y % 2 ? m.three(n + 2 + y / 2) : m.two(n + 1 + y / 2), n);
      break;
    default: horizontal_up(line, m, to, stride);
  }
}

// 8.3.2.2.1.
Line<8> filtered(const Line<8>& raw, const Edges& edges) {
  const Means<8> m(raw);
  const auto quarter = [](int once, int thrice) { return static_cast<uint8_t>((once + 3 * thrice + 2) >> 2); };
  Line<8> line = raw;
  if (edges.above) {
    std::memcpy(&line.above(0), m.three(9), 16);
    if (!edges.corner) line.above(0) = quarter(raw.above(1), raw.above(0));
  }
  if (edges.left) {
    std::memcpy(&line.at(0), m.three(0), 8);
    if (!edges.corner) line.left(0) = quarter(raw.left(1), raw.left(0));
  }
  if (edges.corner) {
    if (edges.left && edges.above) line.at(8) = *m.three(8);
    else if (edges.above) line.at(8) = quarter(raw.above(0), raw.at(8));
    else if (edges.left) line.at(8) = quarter(raw.left(0), raw.at(8));
  }
  line.repeat_ends();
  return line;
}

/// 8.3.3.4 and 8.3.4.4: what a plane begins with at (0, 0), and its steps.
struct Slope {
  int first, across, down;
};

// `n` 16 or 8, samples `step` apart.
Slope slope(const uint8_t* to, ptrdiff_t stride, int n, ptrdiff_t step) {
  const int half = n / 2;
  int h = 0, v = 0;
  for (int i = 1; i <= half; ++i) {
    h += i * (to[(half - 1 + i) * step - stride] - to[(half - 1 - i) * step - stride]);
    v += i * (to[(half - 1 + i) * stride - step] - to[(half - 1 - i) * stride - step]);
  }
  const int factor = n == 16 ? 5 : 34, b = (factor * h + 32) >> 6, c = (factor * v + 32) >> 6;
  const int a = 16 * (to[(n - 1) * stride - step] + to[(n - 1) * step - stride]);
  return {a + 16 - (b + c) * (half - 1), b, c};
}

// All values have 16 bits.
void plane16(uint8_t* to, ptrdiff_t stride) {
  const Slope s = slope(to, stride, 16, 1);
  I16x8 left = splat16(s.first) + I16x8{0, 1, 2, 3, 4, 5, 6, 7} * static_cast<int16_t>(s.across), right = left + splat16(8 * s.across);
  for (unsigned y = 0; y < 16; ++y, to += stride, left += splat16(s.down), right += splat16(s.down))
    store16(narrow(left >> 5, right >> 5), to);
}

void plane_chroma(uint8_t* to, ptrdiff_t stride) {
  const Slope cb = slope(to, stride, 8, 2), cr = slope(to + 1, stride, 8, 2);
  const auto in_turns = [](int first, int second) { return low16(splat16(first), splat16(second)); };
  const I16x8 down = in_turns(cb.down, cr.down);
  I16x8 left = in_turns(cb.first, cr.first) + I16x8{0, 0, 1, 1, 2, 2, 3, 3} * in_turns(cb.across, cr.across);
  I16x8 right = left + in_turns(4 * cb.across, 4 * cr.across);
  for (unsigned y = 0; y < 8; ++y, to += stride, left += down, right += down) store16(narrow(left >> 5, right >> 5), to);
}

int chroma_dc_of(const uint8_t* to, ptrdiff_t stride, int bx, int by, bool left, bool above) {
  int from_left = 0, from_above = 0;
  for (int i = 0; i < 4; ++i) {
    if (left) from_left += to[(by * 4 + i) * stride - 2];
    if (above) from_above += to[(bx * 4 + i) * 2 - stride];
  }
  if (bx != by) {  // 8.3.4: one edge is preferred
    if (bx == 1 && above) left = false;
    else if (by == 1 && left) above = false;
  }
  if (left && above) return (from_left + from_above + 4) >> 3;
  return left ? (from_left + 2) >> 2 : above ? (from_above + 2) >> 2 : 128;
}

/// `count` pairs.
void fill_pairs(uint8_t* to, uint8_t first, uint8_t second, unsigned count) {
  for (unsigned i = 0; i < count; ++i) to[2 * i] = first, to[2 * i + 1] = second;
}

}  // namespace

void intra4(uint8_t* to, ptrdiff_t stride, unsigned mode, const Edges& edges) {
  write<4>(to, stride, mode, edges, load<4>(to, stride, edges));
}

void intra8(uint8_t* to, ptrdiff_t stride, unsigned mode, const Edges& edges) {
  write<8>(to, stride, mode, edges, filtered(load<8>(to, stride, edges), edges));
}

void intra16(uint8_t* to, ptrdiff_t stride, unsigned mode, const Edges& edges) {
  if (mode == 3 && edges.left && edges.above && edges.corner) return plane16(to, stride);
  Edges own = edges;
  own.above_right = false;
  write<16>(to, stride, (mode == 0 && edges.above) || (mode == 1 && edges.left) ? mode : 2, own, load<16>(to, stride, own));
}

void intra_chroma(uint8_t* to, ptrdiff_t stride, unsigned mode, std::array<bool, 2> left, const Edges& edges) {
  if (mode == 3 && left[0] && left[1] && edges.above && edges.corner) return plane_chroma(to, stride);
  if (mode == 2 && edges.above) {
    for (int y = 0; y < 8; ++y) std::memcpy(to + y * stride, to - stride, 16);
    return;
  }
  if (mode == 1 && left[0] && left[1]) {
    for (int y = 0; y < 8; ++y, to += stride) fill_pairs(to, to[-2], to[-1], 8);
    return;
  }
  for (int by = 0; by < 2; ++by)
    for (int bx = 0; bx < 2; ++bx) {
      const auto flat = [&](int component) {
        return static_cast<uint8_t>(chroma_dc_of(to + component, stride, bx, by, left[static_cast<size_t>(by)], edges.above));
      };
      uint8_t pattern[8];
      fill_pairs(pattern, flat(0), flat(1), 4);
      for (int y = by * 4; y < by * 4 + 4; ++y) std::memcpy(to + y * stride + bx * 8, pattern, 8);
    }
}

}  // namespace softgen::media::avc
