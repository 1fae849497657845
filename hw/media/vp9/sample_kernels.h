// SPDX-License-Identifier: GPL-2.0-or-later
// The loops over samples, compiled for the baseline and for AVX2; all give the same bits.
#pragma once

#include "hw/media/vp9/transform.h"

namespace softgen {
template <typename Table>
struct KernelSet;  // hw/base/host_cpu.h
}

namespace softgen::media::vp9 {

constexpr unsigned kernel_overread = 16;  ///< samples behind the last column that kernels may read

template <typename T>
struct SampleKernels {
  /// Eight taps that are `distance` apart, the first at `from`. `columns`: 4, 8 or a multiple of 16. `average`: with what is there.
  void (*filter)(const T* from, size_t stride, size_t distance, unsigned columns, unsigned rows, const int16_t* taps, int largest,
                 bool average, T* to, size_t to_stride);
  void (*copy)(const T* from, size_t stride, unsigned columns, unsigned rows, bool average, T* to, size_t to_stride);
  /// Pairs to two planes and back, between a surface's codes and samples: `shift` is 6 for P010, which has samples in the upper bits.
  void (*split)(const T* pairs, unsigned count, unsigned shift, T* u, T* v);
  void (*join)(const T* u, const T* v, unsigned count, unsigned shift, T* pairs);
  void (*shift_down)(T* samples, unsigned count, unsigned shift);
  void (*shift_up)(const T* from, unsigned count, unsigned shift, T* to);
};

struct Kernels {
  SampleKernels<uint8_t> bytes;
  SampleKernels<uint16_t> words;
  ResidualKernels residual;
  template <typename T>
  const SampleKernels<T>& samples() const {
    if constexpr (sizeof(T) == 1) return bytes;
    else return words;
  }
  template <typename T>
  AddResidual<T> add_residual() const {
    if constexpr (sizeof(T) == 1) return residual.bytes;
    else return residual.words;
  }
};

/// Those that this host runs, and the best of them.
KernelSet<Kernels> all_kernels();
const Kernels& kernels();

}  // namespace softgen::media::vp9
