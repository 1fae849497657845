// SPDX-License-Identifier: GPL-2.0-or-later
// Compiled once per instruction set (BYTE_KERNELS and WORD_KERNELS name the tables).
#include "hw/media/vp9/sample_kernels.h"

#include "hw/media/lane_vectors.h"

namespace softgen::media::vp9 {
namespace {

[[gnu::always_inline]] inline I16 mean(I16 a, I16 b) { return (a + b + 1) >> 1; }

template <bool average, typename T>
[[gnu::always_inline]] inline void filter_rows(const T* from, size_t stride, size_t distance, unsigned columns, unsigned rows,
                                               const int16_t* taps, int largest, T* to, size_t to_stride) {
  decltype(Sums::pair_of(0, 0)) pairs[4];
  for (unsigned i = 0; i < 4; ++i) pairs[i] = Sums::pair_of(taps[2 * i], taps[2 * i + 1]);
  for (unsigned y = 0; y < rows; ++y, from += stride, to += to_stride) {
    for (unsigned x = 0; x < columns; x += lanes) {
      Sums sums(64);
      for (unsigned i = 0; i < 4; ++i) sums.add(load(from + x + 2 * i * distance), load(from + x + (2 * i + 1) * distance), pairs[i]);
      I16 result = clamped(sums.shifted(7), largest);
      const unsigned count = columns - x;
      if constexpr (average) {
        T there[lanes] = {};
        if (count >= lanes) std::memcpy(there, to + x, sizeof there);
        else if (count == 8) std::memcpy(there, to + x, 8 * sizeof(T));
        else std::memcpy(there, to + x, 4 * sizeof(T));
        result = mean(result, load(there));
      }
      store(result, count, to + x);
    }
  }
}

template <typename T>
void filter(const T* from, size_t stride, size_t distance, unsigned columns, unsigned rows, const int16_t* taps, int largest, bool average,
            T* to, size_t to_stride) {
  if (average) filter_rows<true>(from, stride, distance, columns, rows, taps, largest, to, to_stride);
  else filter_rows<false>(from, stride, distance, columns, rows, taps, largest, to, to_stride);
}

template <typename T>
void copy(const T* from, size_t stride, unsigned columns, unsigned rows, bool average, T* to, size_t to_stride) {
  for (unsigned y = 0; y < rows; ++y, from += stride, to += to_stride) {
    if (!average) std::memcpy(to, from, columns * sizeof(T));
    else
      for (unsigned x = 0; x < columns; ++x) to[x] = static_cast<T>((to[x] + from[x] + 1) >> 1);
  }
}

template <typename T>
void split(const T* __restrict pairs, unsigned count, unsigned shift, T* __restrict u, T* __restrict v) {
  for (unsigned i = 0; i < count; ++i) u[i] = static_cast<T>(pairs[2 * i] >> shift), v[i] = static_cast<T>(pairs[2 * i + 1] >> shift);
}
template <typename T>
void join(const T* __restrict u, const T* __restrict v, unsigned count, unsigned shift, T* __restrict pairs) {
  for (unsigned i = 0; i < count; ++i) pairs[2 * i] = static_cast<T>(u[i] << shift), pairs[2 * i + 1] = static_cast<T>(v[i] << shift);
}
template <typename T>
void shift_down(T* samples, unsigned count, unsigned shift) {
  for (unsigned i = 0; i < count; ++i) samples[i] = static_cast<T>(samples[i] >> shift);
}
template <typename T>
void shift_up(const T* __restrict from, unsigned count, unsigned shift, T* __restrict to) {
  for (unsigned i = 0; i < count; ++i) to[i] = static_cast<T>(from[i] << shift);
}

template <typename T>
constexpr SampleKernels<T> table = {
    .filter = filter<T>, .copy = copy<T>, .split = split<T>, .join = join<T>, .shift_down = shift_down<T>, .shift_up = shift_up<T>};

}  // namespace

extern const SampleKernels<uint8_t> BYTE_KERNELS;
extern const SampleKernels<uint16_t> WORD_KERNELS;
constexpr SampleKernels<uint8_t> BYTE_KERNELS = table<uint8_t>;
constexpr SampleKernels<uint16_t> WORD_KERNELS = table<uint16_t>;

}  // namespace softgen::media::vp9
