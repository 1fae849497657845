// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/avc/intra.h"

#include <algorithm>

namespace softgen::media::avc {
namespace {

/// The edge in one line: left from the bottom up, corner, above, above right.
template <int n>
struct Line {
  std::array<int, 3 * n + 1> e;
  int left(int i) const { return e[static_cast<size_t>(n - 1 - i)]; }
  int above(int i) const { return e[static_cast<size_t>(n + 1 + i)]; }
  int& left(int i) { return e[static_cast<size_t>(n - 1 - i)]; }
  int& above(int i) { return e[static_cast<size_t>(n + 1 + i)]; }
  int& corner() { return e[n]; }
  int two(int i) const { return (e[static_cast<size_t>(i)] + e[static_cast<size_t>(i + 1)] + 1) >> 1; }
  /// Around place i.
  int three(int i) const {
    return (e[static_cast<size_t>(i - 1)] + 2 * e[static_cast<size_t>(i)] + e[static_cast<size_t>(i + 1)] + 2) >> 2;
  }
};

template <int n>
Line<n> load(const uint8_t* at, ptrdiff_t stride, const Edges& edges) {
  Line<n> line;
  line.e.fill(128);
  for (int i = 0; i < n; ++i) {
    if (edges.left) line.left(i) = at[i * stride - 1];
    if (edges.above) line.above(i) = at[i - stride];
  }
  if (edges.corner) line.corner() = at[-1 - stride];
  if (edges.above)
    for (int i = n; i < 2 * n; ++i) line.above(i) = edges.above_right ? at[i - stride] : at[n - 1 - stride];
  return line;
}

template <int n>
int dc(const Line<n>& line, const Edges& edges) {
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += (edges.left ? line.left(i) : 0) + (edges.above ? line.above(i) : 0);
  if (edges.left && edges.above) return (sum + n) / (2 * n);
  return edges.left || edges.above ? (sum + n / 2) / n : 128;
}

template <int n>
int horizontal_up(const Line<n>& line, int x, int y) {
  const int z = x + 2 * y, i = y + (x >> 1);
  if (z > 2 * n - 3) return line.left(n - 1);
  if (z == 2 * n - 3) return (line.left(n - 2) + 3 * line.left(n - 1) + 2) >> 2;
  return z % 2 ? line.three(n - 2 - i) : line.two(n - 2 - i);
}

template <int n>
int directional(const Line<n>& line, unsigned mode, int x, int y) {
  switch (mode) {
    case 0: return line.above(x);
    case 1: return line.left(y);
    case 3: return x + y == 2 * n - 2 ? (line.above(2 * n - 2) + 3 * line.above(2 * n - 1) + 2) >> 2 : line.three(n + 2 + x + y);
    case 4: return line.three(n + x - y);
    case 5: {
      const int z = 2 * x - y, i = n + x - (y >> 1);
      if (z < -1) return line.three(n + 1 + z);
      return z < 0 ? line.three(n) : z % 2 ? line.three(i) : line.two(i);
    }
    case 6: {
      const int z = 2 * y - x, i = n - y + (x >> 1);
      if (z < -1) return line.three(n - 1 - z);
      return z < 0 ? line.three(n) : z % 2 ? line.three(i) : line.two(i - 1);
    }
    case 7: return y % 2 ? line.three(n + 2 + x + (y >> 1)) : line.two(n + 1 + x + (y >> 1));
    default: return horizontal_up(line, x, y);
  }
}

template <int n>
void write(uint8_t* to, ptrdiff_t stride, unsigned mode, const Edges& edges, const Line<n>& line) {
  const int flat = mode == 2 ? dc(line, edges) : 0;
  for (int y = 0; y < n; ++y)
    for (int x = 0; x < n; ++x) to[y * stride + x] = static_cast<uint8_t>(mode == 2 ? flat : directional(line, mode, x, y));
}

// 8.3.2.2.1.
Line<8> filtered(Line<8> line, const Edges& edges) {
  const Line<8> raw = line;
  if (edges.above) {
    line.above(0) = edges.corner ? raw.three(9) : (3 * raw.above(0) + raw.above(1) + 2) >> 2;
    for (int i = 1; i < 15; ++i) line.above(i) = raw.three(9 + i);
    line.above(15) = (raw.above(14) + 3 * raw.above(15) + 2) >> 2;
  }
  if (edges.corner) {
    if (edges.left && edges.above) line.corner() = raw.three(8);
    else if (edges.above) line.corner() = (3 * raw.e[8] + raw.above(0) + 2) >> 2;
    else if (edges.left) line.corner() = (3 * raw.e[8] + raw.left(0) + 2) >> 2;
  }
  if (edges.left) {
    line.left(0) = edges.corner ? raw.three(7) : (3 * raw.left(0) + raw.left(1) + 2) >> 2;
    for (int i = 1; i < 7; ++i) line.left(i) = raw.three(7 - i);
    line.left(7) = (raw.left(6) + 3 * raw.left(7) + 2) >> 2;
  }
  return line;
}

// 8.3.3.4 and 8.3.4.4: `n` 16 or 8, samples `step` apart.
void plane(uint8_t* to, ptrdiff_t stride, int n, ptrdiff_t step) {
  const int half = n / 2;
  int h = 0, v = 0;
  for (int i = 1; i <= half; ++i) {
    h += i * (to[(half - 1 + i) * step - stride] - to[(half - 1 - i) * step - stride]);
    v += i * (to[(half - 1 + i) * stride - step] - to[(half - 1 - i) * stride - step]);
  }
  const int factor = n == 16 ? 5 : 34, b = (factor * h + 32) >> 6, c = (factor * v + 32) >> 6;
  const int a = 16 * (to[(n - 1) * stride - step] + to[(n - 1) * step - stride]);
  for (int y = 0; y < n; ++y)
    for (int x = 0; x < n; ++x)
      to[y * stride + x * step] = static_cast<uint8_t>(std::clamp((a + b * (x - half + 1) + c * (y - half + 1) + 16) >> 5, 0, 255));
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

}  // namespace

void intra4(uint8_t* to, ptrdiff_t stride, unsigned mode, const Edges& edges) {
  write<4>(to, stride, mode, edges, load<4>(to, stride, edges));
}

void intra8(uint8_t* to, ptrdiff_t stride, unsigned mode, const Edges& edges) {
  write<8>(to, stride, mode, edges, filtered(load<8>(to, stride, edges), edges));
}

void intra16(uint8_t* to, ptrdiff_t stride, unsigned mode, const Edges& edges) {
  if (mode == 3 && edges.left && edges.above && edges.corner) return plane(to, stride, 16, 1);
  Edges own = edges;
  own.above_right = false;
  write<16>(to, stride, (mode == 0 && edges.above) || (mode == 1 && edges.left) ? mode : 2, own, load<16>(to, stride, own));
}

void intra_chroma(uint8_t* to, ptrdiff_t stride, unsigned mode, std::array<bool, 2> left, const Edges& edges) {
  if (mode == 3 && left[0] && left[1] && edges.above && edges.corner) return plane(to, stride, 8, 2);
  const bool across = mode == 1 && left[0] && left[1], down = mode == 2 && edges.above;
  for (int by = 0; by < 2; ++by)
    for (int bx = 0; bx < 2; ++bx) {
      const int flat = across || down ? 0 : chroma_dc_of(to, stride, bx, by, left[static_cast<size_t>(by)], edges.above);
      for (int y = by * 4; y < by * 4 + 4; ++y)
        for (int x = bx * 4; x < bx * 4 + 4; ++x)
          to[y * stride + x * 2] = across ? to[y * stride - 2] : down ? to[x * 2 - stride] : static_cast<uint8_t>(flat);
    }
}

}  // namespace softgen::media::avc
