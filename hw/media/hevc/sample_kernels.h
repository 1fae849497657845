// SPDX-License-Identifier: GPL-2.0-or-later
// The loops over samples, compiled for the baseline and for AVX2; all give the same bits.
#pragma once

#include <cstddef>
#include <cstdint>

namespace softgen {
template <typename Table>
struct KernelSet;  // hw/base/host_cpu.h
}

namespace softgen::media::hevc {

constexpr unsigned max_block = 64;        ///< columns and rows of a prediction block
constexpr unsigned kernel_overread = 16;  ///< samples behind the last column that kernels may read, and predictions that they may write

/// 8.5.3.3.4: explicit weights.
struct Weighting {
  int shift, round, weight[2], offset[2];
};

/// Of one component.
struct SaoKernel {
  uint8_t position = 0;             ///< band
  int8_t offset[4] = {0, 0, 0, 0};  ///< of bands from `position` on; of edges: valley, concave, convex, peak
};

template <typename T>
struct SampleKernels {
  /// One dimension or both, with 8 taps or (chroma: two components interleaved) 4: samples become values of 14 bits in rows of max_block. `from` is the block's
  /// first sample; samples around it are there as far as the filter reaches. Fractions are rows of the filter.
  using Interpolate = void (*)(const T* from, ptrdiff_t stride, unsigned columns, unsigned rows, unsigned fraction_x, unsigned fraction_y,
                               unsigned bits, int16_t* to);
  Interpolate luma, chroma;
  /// Default weights; `b` null: one list.
  void (*combine)(const int16_t* a, const int16_t* b, unsigned columns, unsigned rows, unsigned bits, T* to, ptrdiff_t stride);
  /// Explicit weights, of even columns and of odd ones.
  void (*weigh)(const int16_t* a, const int16_t* b, unsigned columns, unsigned rows, const Weighting (&by)[2], int limit, T* to,
                ptrdiff_t stride);
  /// Residuals in rows of `size`; the block's samples are `step` apart, 1 or 2.
  void (*add)(const int16_t* residuals, unsigned size, T* to, ptrdiff_t stride, unsigned step, int limit);
  /// A row of samples to `to`, apart from `from`; of even columns and of odd ones. `distance`: to one neighbour, and back to the other.
  void (*sao_edge)(const T* from, ptrdiff_t distance, unsigned count, const SaoKernel (&by)[2], int limit, T* to);
  void (*sao_band)(const T* from, unsigned count, const SaoKernel (&by)[2], unsigned bits, T* to);
  /// Samples' codes in a surface of 16 bits have them in the upper bits.
  void (*shift_down)(T* samples, size_t stride, unsigned columns, unsigned rows, unsigned shift);
  void (*shift_up)(T* samples, size_t count, unsigned shift);
};

struct TransformKernels {
  /// 8.6.4.2, the cosine transform: coefficients in rows of 1 << log2, of which those beyond `columns` and `rows` (multiples of 4) are 0.
  void (*inverse)(const int16_t* coefficients, unsigned log2, unsigned columns, unsigned rows, unsigned bits, int16_t* residuals);
};

struct Kernels {
  SampleKernels<uint8_t> bytes;
  SampleKernels<uint16_t> words;
  TransformKernels transform;
  template <typename T>
  const SampleKernels<T>& samples() const {
    if constexpr (sizeof(T) == 1) return bytes;
    else return words;
  }
};

/// Those that this host runs, and the best of them.
KernelSet<Kernels> all_kernels();
const Kernels& kernels();

}  // namespace softgen::media::hevc
