// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/vp9/intra.h"

#include <algorithm>

namespace softgen::media::vp9 {
namespace {

template <typename T>
T average(int a, int b) {
  return static_cast<T>((a + b + 1) >> 1);
}
template <typename T>
T average(int a, int b, int c) {
  return static_cast<T>((a + 2 * b + c + 2) >> 2);
}

template <typename T>
void predict_dc(unsigned size, const Edges<T>& edges, T* to, size_t stride, unsigned bit_depth) {
  unsigned sum = 0, count = 0;
  if (edges.have_above) {
    for (unsigned i = 0; i < size; ++i) sum += edges.above()[i];
    count += size;
  }
  if (edges.have_left) {
    for (unsigned i = 0; i < size; ++i) sum += edges.left[i];
    count += size;
  }
  const T value = static_cast<T>(count ? (sum + count / 2) / count : 1u << (bit_depth - 1));
  for (unsigned row = 0; row < size; ++row) std::fill_n(to + row * stride, size, value);
}

/// Down to the left: from the row above alone.
template <typename T>
void predict_from_above(uint8_t mode, unsigned size, const T* above, T* to, size_t stride) {
  for (unsigned row = 0; row < size; ++row)
    for (unsigned column = 0; column < size; ++column) {
      T& sample = to[row * stride + column];
      if (mode == d45_pred) {
        const unsigned i = row + column;
        sample = i + 2 < 2 * size ? average<T>(above[i], above[i + 1], above[i + 2]) : above[2 * size - 1];
      } else {
        const unsigned i = row / 2 + column;
        sample = row & 1 ? average<T>(above[i], above[i + 1], above[i + 2]) : average<T>(above[i], above[i + 1]);
      }
    }
}

template <typename T>
void predict_d207(unsigned size, const T* left, T* to, size_t stride) {
  const auto at = [&](unsigned i) { return left[std::min(i, size - 1)]; };
  for (unsigned row = 0; row < size; ++row)
    for (unsigned column = 0; column < size; ++column) {
      const unsigned i = row + column / 2;
      to[row * stride + column] = column & 1 ? average<T>(at(i), at(i + 1), at(i + 2)) : average<T>(at(i), at(i + 1));
    }
}

/// Down to the right: the edge from the bottom left over the corner to the top right is one line.
template <typename T>
void predict_down_right(uint8_t mode, unsigned size, const Edges<T>& edges, T* to, size_t stride) {
  T line[65];
  const unsigned corner = size;
  for (unsigned i = 0; i < size; ++i) line[size - 1 - i] = edges.left[i];
  std::copy_n(edges.above_left_and_above, size + 1, line + corner);
  const auto smooth = [&](unsigned at) { return average<T>(line[at - 1], line[at], line[at + 1]); };
  for (unsigned row = 0; row < size; ++row)
    for (unsigned column = 0; column < size; ++column) {
      T& sample = to[row * stride + column];
      if (mode == d135_pred) {
        sample = smooth(corner + column - row);
      } else if (mode == d117_pred) {
        const unsigned back = row / 2;
        if (column >= back)
          sample = row & 1 ? smooth(corner + column - back) : average<T>(line[corner + column - back], line[corner + column - back + 1]);
        else sample = smooth(corner - (row - 2 * column - 1));
      } else {
        const unsigned back = column / 2;
        if (row >= back)
          sample = column & 1 ? smooth(corner - (row - back)) : average<T>(line[corner - (row - back)], line[corner - (row - back) - 1]);
        else sample = smooth(corner + (column - 2 * row - 1));
      }
    }
}

template <typename T>
void predict_tm(unsigned size, const Edges<T>& edges, T* to, size_t stride, unsigned bit_depth) {
  const int largest = (1 << bit_depth) - 1, corner = edges.above()[-1];
  for (unsigned row = 0; row < size; ++row)
    for (unsigned column = 0; column < size; ++column)
      to[row * stride + column] = static_cast<T>(std::clamp(edges.left[row] + edges.above()[column] - corner, 0, largest));
}

}  // namespace

template <typename T>
void predict_intra(uint8_t mode, unsigned size, const Edges<T>& edges, T* to, size_t stride, unsigned bit_depth) {
  switch (mode) {
    case v_pred:
      for (unsigned row = 0; row < size; ++row) std::copy_n(edges.above(), size, to + row * stride);
      return;
    case h_pred:
      for (unsigned row = 0; row < size; ++row) std::fill_n(to + row * stride, size, edges.left[row]);
      return;
    case d45_pred:
    case d63_pred: return predict_from_above(mode, size, edges.above(), to, stride);
    case d207_pred: return predict_d207(size, edges.left, to, stride);
    case d135_pred:
    case d117_pred:
    case d153_pred: return predict_down_right(mode, size, edges, to, stride);
    case tm_pred: return predict_tm(size, edges, to, stride, bit_depth);
    default: return predict_dc(size, edges, to, stride, bit_depth);
  }
}

template void predict_intra<uint8_t>(uint8_t, unsigned, const Edges<uint8_t>&, uint8_t*, size_t, unsigned);
template void predict_intra<uint16_t>(uint8_t, unsigned, const Edges<uint16_t>&, uint16_t*, size_t, unsigned);

}  // namespace softgen::media::vp9
