// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/vp9/loop_filter.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <vector>

#include "hw/base/condition.h"
#include "hw/base/mutex.h"

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

/// Eight lines across an edge, each a lane.
typedef int16_t V __attribute__((vector_size(16)));

V splat(int value) { return V{} + static_cast<int16_t>(value); }
V distance(V a, V b) {
  const V d = a - b;
  return d < 0 ? -d : d;
}
V clamped(V v, V low, V high) {
  v = v < low ? low : v;
  return v > high ? high : v;
}
bool any(V mask) {
  uint64_t halves[2];
  std::memcpy(halves, &mask, sizeof halves);
  return (halves[0] | halves[1]) != 0;
}

template <typename T>
struct VectorOf {
  typedef T Type __attribute__((vector_size(8 * sizeof(T))));
};
template <typename T>
V load(const T* from) {
  typename VectorOf<T>::Type samples;
  std::memcpy(&samples, from, sizeof samples);
  return __builtin_convertvector(samples, V);
}
template <typename T>
void store(V v, T* to) {
  const auto samples = __builtin_convertvector(v, typename VectorOf<T>::Type);
  std::memcpy(to, &samples, sizeof samples);
}

void transpose(V* v) {
  V a[8], b[8];
  for (unsigned i = 0; i < 4; ++i) {
    a[2 * i] = __builtin_shufflevector(v[i], v[i + 4], 0, 8, 1, 9, 2, 10, 3, 11);
    a[2 * i + 1] = __builtin_shufflevector(v[i], v[i + 4], 4, 12, 5, 13, 6, 14, 7, 15);
  }
  for (unsigned i = 0; i < 4; ++i) {
    b[2 * i] = __builtin_shufflevector(a[i], a[i + 4], 0, 8, 1, 9, 2, 10, 3, 11);
    b[2 * i + 1] = __builtin_shufflevector(a[i], a[i + 4], 4, 12, 5, 13, 6, 14, 7, 15);
  }
  for (unsigned i = 0; i < 4; ++i) {
    v[2 * i] = __builtin_shufflevector(b[i], b[i + 4], 0, 8, 1, 9, 2, 10, 3, 11);
    v[2 * i + 1] = __builtin_shufflevector(b[i], b[i + 4], 4, 12, 5, 13, 6, 14, 7, 15);
  }
}

/// The samples of eight lines, `half` on each side of the edge: line[half - 1 - i] is 8.8's p(i), line[half + i] is q(i).
template <unsigned half>
class Edge {
 public:
  /// The edge is before *at.
  template <typename T>
  void load_from(const T* at, ptrdiff_t stride, bool horizontal) {
    if (horizontal) {
      for (unsigned i = 0; i < 2 * half; ++i) line_[i] = load(at + (static_cast<ptrdiff_t>(i) - ptrdiff_t{half}) * stride);
      return;
    }
    for (unsigned block = 0; block < half / 4; ++block) {
      V* const v = line_ + block * 8;
      for (unsigned i = 0; i < 8; ++i)
        v[i] = load(at + static_cast<ptrdiff_t>(i) * stride + static_cast<ptrdiff_t>(block * 8) - ptrdiff_t{half});
      transpose(v);
    }
  }
  /// `inner` samples on each side have changed.
  template <typename T>
  void store_to(T* at, ptrdiff_t stride, bool horizontal, unsigned inner) {
    if (horizontal) {
      for (unsigned i = half - inner; i < half + inner; ++i) store(line_[i], at + (static_cast<ptrdiff_t>(i) - ptrdiff_t{half}) * stride);
      return;
    }
    for (unsigned block = 0; block < half / 4; ++block) {
      V* const v = line_ + block * 8;
      transpose(v);
      for (unsigned i = 0; i < 8; ++i)
        store(v[i], at + static_cast<ptrdiff_t>(i) * stride + static_cast<ptrdiff_t>(block * 8) - ptrdiff_t{half});
    }
  }

  /// `size` 4, 8 or 16: the widest filter that is tried. How many samples on each side have changed.
  unsigned filter(unsigned size, const Thresholds& limits, unsigned bit_depth) {
    const V edge = edges(limits);
    if (!any(edge)) return 0;
    const V flat = size >= 8 ? edge & flats(1, 3, limits) : V{};
    [[maybe_unused]] V wider{}, wide3[6]{}, wide7[14]{};
    if (any(flat)) wide<3>(wide3);
    if constexpr (half == 8) {
      if (size == 16 && any(flat)) wider = flat & flats(4, 7, limits);
      if (any(wider)) wide<7>(wide7);
    }
    narrow(edge & ~flat, limits, bit_depth);
    unsigned changed = 2;
    if (any(flat)) {
      changed = 3;
      for (unsigned i = 0; i < 6; ++i) line_[half - 3 + i] = (flat & wide3[i]) | (~flat & line_[half - 3 + i]);
    }
    if constexpr (half == 8) {
      if (any(wider)) {
        changed = 7;
        for (unsigned i = 0; i < 14; ++i) line_[half - 7 + i] = (wider & wide7[i]) | (~wider & line_[half - 7 + i]);
      }
    }
    return changed;
  }

 private:
  V& q(unsigned i) { return line_[half + i]; }
  V& p(unsigned i) { return line_[half - 1 - i]; }
  V edges(const Thresholds& limits) {
    const V limit = splat(limits.limit);
    V largest{};
    for (unsigned i = 0; i < 3; ++i) {
      const V a = distance(p(i), p(i + 1)), b = distance(q(i), q(i + 1));
      largest = a > largest ? a : largest;
      largest = b > largest ? b : largest;
    }
    return (largest <= limit) & (distance(p(0), q(0)) * 2 + (distance(p(1), q(1)) >> 1) <= splat(limits.block_limit));
  }
  V flats(unsigned from, unsigned to, const Thresholds& limits) {
    V largest{};
    for (unsigned i = from; i <= to; ++i) {
      const V a = distance(p(i), p(0)), b = distance(q(i), q(0));
      largest = a > largest ? a : largest;
      largest = b > largest ? b : largest;
    }
    return largest <= splat(limits.flat);
  }
  /// Means over windows that end at the outermost samples, which count for all beyond.
  template <unsigned n>
  void wide(V (&out)[2 * n]) const {
    constexpr int shift = n == 7 ? 4 : 3;
    const V* const line = line_ + (half - 1 - n);
    V sum = splat(1 << (shift - 1)) + line[0] * static_cast<int16_t>(n);
    for (unsigned i = 1; i <= n + 1; ++i) sum += line[i];
    for (unsigned i = 1; i <= 2 * n; ++i) {
      out[i - 1] = (sum + line[i]) >> shift;
      sum += line[std::min(i + 1 + n, 2 * n + 1)] - line[i > n ? i - n : 0];
    }
  }
  void narrow(V where, const Thresholds& limits, unsigned bit_depth) {
    const V middle = splat(1 << (bit_depth - 1)), low = -middle, high = middle - 1;
    const V p0 = p(0) - middle, p1 = p(1) - middle, q0 = q(0) - middle, q1 = q(1) - middle, variance = splat(limits.high_variance);
    const V varies = (distance(p1, p0) > variance) | (distance(q1, q0) > variance);
    const V base = clamped((varies & clamped(p1 - q1, low, high)) + (q0 - p0) * 3, low, high);
    const V f1 = clamped(base + 4, low, high) >> 3, f2 = clamped(base + 3, low, high) >> 3, outer = (f1 + 1) >> 1;
    const auto put = [&](V& to, V value, V mask) { to = (mask & (clamped(value, low, high) + middle)) | (~mask & to); };
    put(q(0), q0 - f1, where), put(p(0), p0 + f2, where);
    put(q(1), q1 - outer, where & ~varies), put(p(1), p1 + outer, where & ~varies);
  }

  V line_[2 * half];
};

template <unsigned half, typename T>
void filter_edge(T* at, ptrdiff_t stride, bool horizontal, unsigned size, const Thresholds& limits, unsigned bit_depth) {
  Edge<half> edge;
  edge.load_from(at, stride, horizontal);
  if (const unsigned changed = edge.filter(size, limits, bit_depth)) edge.store_to(at, stride, horizontal, changed);
}

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
        const auto stride = static_cast<ptrdiff_t>(plane.stride());
        T* const at = plane.at(x * 8, y * 8);
        if (cell.edge == 16) filter_edge<8>(at, stride, horizontal, 16, limits[cell.level], bit_depth);
        else if (cell.edge) filter_edge<4>(at, stride, horizontal, cell.edge, limits[cell.level], bit_depth);
        if (cell.inner) filter_edge<4>(at + 4 * (horizontal ? stride : 1), stride, horizontal, 4, limits[cell.level], bit_depth);
      }
}

/// How far the rows of superblocks have come. A row's superblock is filtered when the one above it and its right neighbour are: rows change samples of
/// the row above, and superblocks those of their left neighbour.
class Progress {
 public:
  explicit Progress(size_t rows) : done_(rows) {}
  void wait_for(size_t row, uint32_t columns) {
    MutexLock lock(mutex_);
    while (done_[row] < columns) changed_.wait(mutex_);
  }
  void set(size_t row, uint32_t columns) {
    {
      MutexLock lock(mutex_);
      done_[row] = columns;
    }
    changed_.notify_all();
  }

 private:
  Mutex mutex_;
  Condition changed_;
  std::vector<uint32_t> done_ SG_GUARDED_BY(mutex_);
};

}  // namespace

// Superblocks in order: all of a superblock's vertical edges before its horizontal ones (8.8.1).
template <typename T>
bool filter_picture(const FrameState& frame, Planes<T>& planes, WorkerPool* pool, const std::function<bool()>& aborting) {
  std::array<Thresholds, 64> limits;
  for (unsigned level = 0; level < 64; ++level) limits[level] = thresholds(level, frame.picture.sharpness, frame.picture.bit_depth);
  // Rows are begun in order, so that the one that is waited for has begun; superblocks are handed on in groups.
  constexpr uint32_t group = 4;
  const uint32_t rows = (frame.rows + 7) / 8, columns = (frame.columns + 7) / 8;
  Progress progress(rows);
  std::atomic<bool> aborted = false;
  for_each(pool, rows, [&](size_t row, unsigned) {
    if (aborting()) aborted = true;
    for (uint32_t first = 0; first < columns; first += group) {
      const uint32_t end = std::min(first + group, columns);
      if (row) progress.wait_for(row - 1, std::min(end + 1, columns));
      for (unsigned i = 0; !aborted && i < 3; ++i)
        for (uint32_t column = first; column < end; ++column)
          filter_superblock(frame, planes.plane[i], i > 0, static_cast<uint32_t>(row) * 8, column * 8, limits);
      progress.set(row, end);
    }
  });
  return !aborted;
}

template bool filter_picture<uint8_t>(const FrameState&, Planes<uint8_t>&, WorkerPool*, const std::function<bool()>&);
template bool filter_picture<uint16_t>(const FrameState&, Planes<uint16_t>&, WorkerPool*, const std::function<bool()>&);

}  // namespace softgen::media::vp9
