// SPDX-License-Identifier: GPL-2.0-or-later
// Vectors of W channels for the files that are compiled once for each instruction set: all of this is local to the file that includes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#ifdef __SSE2__
#include <immintrin.h>
#endif

namespace softgen::sampler {
namespace {

template <unsigned W>
struct VectorTypes;
#define LANE_VECTOR_TYPES(w)                                                                            \
  template <>                                                                                           \
  struct VectorTypes<w> {                                                                               \
    typedef float F __attribute__((vector_size(4 * w)));                                                \
    typedef int32_t I __attribute__((vector_size(4 * w)));                                              \
    typedef uint32_t U __attribute__((vector_size(4 * w)));                                             \
    typedef uint16_t H __attribute__((vector_size(4 * w))); /* two components of each channel */       \
  };
LANE_VECTOR_TYPES(8)
#ifdef __AVX512F__
LANE_VECTOR_TYPES(16)
#endif
#undef LANE_VECTOR_TYPES

template <unsigned W>
struct Vectors {
  using F = typename VectorTypes<W>::F;
  using I = typename VectorTypes<W>::I;
  using U = typename VectorTypes<W>::U;

  template <typename V, typename T>
  [[gnu::always_inline]] static inline V splat(T v) {
    return v - V{};
  }
  [[gnu::always_inline]] static inline F floats(I v) { return __builtin_convertvector(v, F); }
  [[gnu::always_inline]] static inline F floats(U v) { return __builtin_convertvector(reinterpret_cast<I>(v), F); }

  /// 32 bytes at a time: what was stored so can be loaded at once.
  [[gnu::always_inline]] static inline F get(const float* from) {
    if constexpr (W == 16) {
      const auto low = Vectors<8>::get(from), high = Vectors<8>::get(from + 8);
      return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    }
    F v;
    std::memcpy(&v, from, sizeof v);
    return v;
  }
  template <typename T, typename V>
  [[gnu::always_inline]] static inline void put(T* to, V v) {
    std::memcpy(to, &v, sizeof v);
  }

  [[gnu::always_inline]] static inline I floored(F v) {
#ifdef __AVX512F__
    if constexpr (W == 16) return reinterpret_cast<I>(_mm512_maskz_cvt_roundps_epi32(0xffff, reinterpret_cast<__m512>(v), _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC));
#endif
#ifdef __AVX2__
    if constexpr (W == 8) return reinterpret_cast<I>(_mm256_cvttps_epi32(_mm256_floor_ps(reinterpret_cast<__m256>(v))));
#endif
    const I cut = __builtin_convertvector(v, I);
    return cut + (floats(cut) > v);
  }

  /// a * b + c: only where that is exact, or b * a is.
  [[gnu::always_inline]] static inline F fused(F a, F b, F c) {
#ifdef __AVX512F__
    if constexpr (W == 16)
      return reinterpret_cast<F>(_mm512_fmadd_ps(reinterpret_cast<__m512>(a), reinterpret_cast<__m512>(b), reinterpret_cast<__m512>(c)));
#endif
#ifdef __FMA__
    if constexpr (W == 8)
      return reinterpret_cast<F>(_mm256_fmadd_ps(reinterpret_cast<__m256>(a), reinterpret_cast<__m256>(b), reinterpret_cast<__m256>(c)));
#endif
    return a * b + c;
  }

  /// Words at byte offsets. Loads one by one take two thirds of the time of the hosts' gather instructions, where those are not slower still.
  [[gnu::always_inline]] static inline U gather(const std::byte* base, U offset) {
    alignas(64) uint32_t at[W];
    put(at, offset);
    asm("" : "+m"(at));  // from memory, indeed: compilers know longer ways through vector registers
    const auto word = [&](unsigned i) {
      uint32_t v;
      std::memcpy(&v, base + at[i], sizeof v);
      return v;
    };
    if constexpr (W == 16)
      return U{word(0), word(1), word(2),  word(3),  word(4),  word(5),  word(6),  word(7),
               word(8), word(9), word(10), word(11), word(12), word(13), word(14), word(15)};
    else return U{word(0), word(1), word(2), word(3), word(4), word(5), word(6), word(7)};
  }
};

}  // namespace
}  // namespace softgen::sampler
