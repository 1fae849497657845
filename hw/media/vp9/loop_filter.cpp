// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/vp9/loop_filter.h"

#include <algorithm>
#include <cstdlib>

namespace softgen::media::vp9 {
namespace {

struct Thresholds {
  int limit, block_limit, high_variance, flat;
};

Thresholds thresholds(unsigned level, unsigned sharpness, unsigned bit_depth) {
  int limit = static_cast<int>(level >> ((sharpness > 0) + (sharpness > 4)));
  if (sharpness) limit = std::min(limit, 9 - static_cast<int>(sharpness));
  limit = std::max(limit, 1);
  const unsigned shift = bit_depth - 8;
  return {limit << shift, (2 * (static_cast<int>(level) + 2) + limit) << shift, static_cast<int>(level >> 4) << shift, 1 << shift};
}

template <typename T>
class Edge {
 public:
  /// `across`: from one sample to the next over the edge; the edge is before *at.
  Edge(T* at, ptrdiff_t across, const Thresholds& limits, unsigned bit_depth)
      : at_(at), across_(across), limits_(limits), bit_depth_(bit_depth) {}

  /// `size` 4, 8 or 16: the widest filter that is tried.
  void filter(unsigned size) const {
    if (!is_edge()) return;
    if (size >= 8 && is_flat(1, 3)) {
      if (size == 16 && is_flat(4, 7)) return wide<7>();
      return wide<3>();
    }
    narrow();
  }

 private:
  int q(int i) const { return at_[i * across_]; }
  int p(int i) const { return at_[-(i + 1) * across_]; }
  bool is_edge() const {
    const auto differ = [&](int a, int b) { return std::abs(a - b) > limits_.limit; };
    for (int i = 0; i < 3; ++i)
      if (differ(p(i), p(i + 1)) || differ(q(i), q(i + 1))) return false;
    return std::abs(p(0) - q(0)) * 2 + std::abs(p(1) - q(1)) / 2 <= limits_.block_limit;
  }
  bool is_flat(int from, int to) const {
    for (int i = from; i <= to; ++i)
      if (std::abs(p(i) - p(0)) > limits_.flat || std::abs(q(i) - q(0)) > limits_.flat) return false;
    return true;
  }
  /// Means over windows that end at the outermost samples, which count for all beyond.
  template <int n>
  void wide() const {
    constexpr int shift = n == 7 ? 4 : 3;
    int line[2 * n + 2];
    for (int i = 0; i <= n; ++i) line[n - i] = p(i), line[n + 1 + i] = q(i);
    int sum = 1 << (shift - 1);
    for (int i = -n; i <= n; ++i) sum += line[std::clamp(1 + i, 0, 2 * n + 1)];
    for (int i = 1; i <= 2 * n; ++i) {
      at_[(i - n - 1) * across_] = static_cast<T>((sum + line[i]) >> shift);
      sum += line[std::min(i + 1 + n, 2 * n + 1)] - line[std::max(i - n, 0)];
    }
  }
  void narrow() const {
    const int middle = 1 << (bit_depth_ - 1);
    const auto clamp = [&](int v) { return std::clamp(v, -middle, middle - 1); };
    const int p0 = p(0) - middle, p1 = p(1) - middle, q0 = q(0) - middle, q1 = q(1) - middle;
    const bool varies = std::abs(p1 - p0) > limits_.high_variance || std::abs(q1 - q0) > limits_.high_variance;
    const int base = clamp((varies ? clamp(p1 - q1) : 0) + 3 * (q0 - p0));
    const int f1 = clamp(base + 4) >> 3, f2 = clamp(base + 3) >> 3;
    const auto put = [&](int i, int value) { at_[i * across_] = static_cast<T>(clamp(value) + middle); };
    put(0, q0 - f1), put(-1, p0 + f2);
    if (varies) return;
    const int outer = (f1 + 1) >> 1;
    put(1, q1 - outer), put(-2, p1 + outer);
  }

  T* const at_;
  const ptrdiff_t across_;
  const Thresholds& limits_;
  const unsigned bit_depth_;
};

/// What the filter does at an 8x8 block of a plane: at its first edge and in its middle, in one direction.
struct Cell {
  unsigned level = 0;
  unsigned edge = 0;  ///< 0, 4, 8 or 16
  bool inner = false;
};

class CellReader {
 public:
  CellReader(const FrameState& frame, bool chroma) : frame_(frame), chroma_(chroma) {}

  /// `row` and `column` in units of 8 samples of the plane.
  Cell at(uint32_t row, uint32_t column, bool horizontal_edge) const {
    const unsigned shift = chroma_ ? 1 : 0;
    const uint32_t r = row << shift, c = column << shift;
    const BlockInfo* const block = frame_.at(r, c);
    Cell cell;
    if (!block) return cell;
    const Segment& segment = frame_.picture.segmentation.segments[block->segment];
    cell.level = segment.levels[static_cast<size_t>(block->reference[0])][block->is_inter() && block->mode != zero_mv];
    if (!cell.level) return cell;
    const unsigned tx = tx_size(*block), unit = tx > 1 ? 1u << (tx - 1) : 1;
    const uint32_t at = horizontal_edge ? row : column, full = horizontal_edge ? r : c,
                   begin = horizontal_edge ? block->row : block->column;
    const bool transforms = !(block->skip && block->is_inter());
    if (full && (full == begin || (transforms && at % unit == 0))) {
      cell.edge = tx == 0 ? (at % 4 == 0 ? 8 : 4) : tx == 1 ? 8 : 16;
      // The last chroma blocks, of which half lies in the picture.
      const bool half = chroma_ && full + 1 >= (horizontal_edge ? frame_.rows : frame_.columns);
      if (half) cell.edge = std::min(cell.edge, 8u);
    }
    cell.inner = transforms && tx == 0;
    if (chroma_ && (c + 1 >= frame_.columns || (horizontal_edge && r + 1 >= frame_.rows))) cell.inner = false;
    return cell;
  }

 private:
  unsigned tx_size(const BlockInfo& block) const {
    if (!chroma_) return block.tx_size;
    if (block.size < block_8x8) return 0;
    return std::min<unsigned>(block.tx_size, std::min(width4_log2[block.size], height4_log2[block.size]) - 1u);
  }

  const FrameState& frame_;
  const bool chroma_;
};

template <typename T>
void filter_superblock(const FrameState& frame, Plane<T>& plane, bool chroma, uint32_t row, uint32_t column,
                       const std::array<Thresholds, 64>& limits) {
  const CellReader cells(frame, chroma);
  const unsigned shift = chroma ? 1 : 0, size = 8 >> shift, bit_depth = frame.picture.bit_depth;
  const uint32_t bottom = std::min((row >> shift) + size, (frame.rows + shift) >> shift),
                 right = std::min((column >> shift) + size, (frame.columns + shift) >> shift);
  for (const bool horizontal : {false, true})
    for (uint32_t y = row >> shift; y < bottom; ++y)
      for (uint32_t x = column >> shift; x < right; ++x) {
        const Cell cell = cells.at(y, x, horizontal);
        const ptrdiff_t stride = static_cast<ptrdiff_t>(plane.stride()), along = horizontal ? 1 : stride, across = horizontal ? stride : 1;
        T* const at = plane.at(x * 8, y * 8);
        for (unsigned i = 0; cell.edge && i < 8; ++i) Edge<T>(at + i * along, across, limits[cell.level], bit_depth).filter(cell.edge);
        for (unsigned i = 0; cell.inner && i < 8; ++i)
          Edge<T>(at + i * along + 4 * across, across, limits[cell.level], bit_depth).filter(4);
      }
}

}  // namespace

// Superblocks in order: all of a superblock's vertical edges before its horizontal ones (8.8.1).
template <typename T>
void filter_row(const FrameState& frame, Planes<T>& planes, uint32_t row) {
  std::array<Thresholds, 64> limits;
  for (unsigned level = 0; level < 64; ++level) limits[level] = thresholds(level, frame.picture.sharpness, frame.picture.bit_depth);
  for (unsigned i = 0; i < 3; ++i)
    for (uint32_t column = 0; column < frame.columns; column += 8) filter_superblock(frame, planes.plane[i], i > 0, row, column, limits);
}

template void filter_row<uint8_t>(const FrameState&, Planes<uint8_t>&, uint32_t);
template void filter_row<uint16_t>(const FrameState&, Planes<uint16_t>&, uint32_t);

}  // namespace softgen::media::vp9
