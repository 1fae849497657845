// SPDX-License-Identifier: GPL-2.0-or-later
// Vectors of W channels for the files that are compiled once per instruction set. All of it is local to the including file.
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
#define LANE_VECTOR_TYPES(w)                                                                     \
  template <>                                                                                    \
  struct VectorTypes<w> {                                                                        \
    typedef float F __attribute__((vector_size(4 * w)));                                         \
    typedef int32_t I __attribute__((vector_size(4 * w)));                                       \
    typedef uint32_t U __attribute__((vector_size(4 * w)));                                      \
    typedef uint16_t H __attribute__((vector_size(4 * w))); /* two components of each channel */ \
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

  /// Loads 32 bytes at a time, so that loads forward from stores of that size.
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
    if constexpr (W == 16)
      return reinterpret_cast<I>(
          _mm512_maskz_cvt_roundps_epi32(0xffff, reinterpret_cast<__m512>(v), _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC));
#endif
#ifdef __AVX2__
    if constexpr (W == 8) return reinterpret_cast<I>(_mm256_cvttps_epi32(_mm256_floor_ps(reinterpret_cast<__m256>(v))));
#endif
    const I cut = __builtin_convertvector(v, I);
    return cut + (floats(cut) > v);
  }

  /// a * b + c, fused where the host has FMA. The same bits without it only if the product is exact.
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

  /// a < b ? a : b, and a > b ? a : b: the result is b if one is NaN.
  [[gnu::always_inline]] static inline F smaller(F a, F b) {
#ifdef __AVX512F__
    if constexpr (W == 16)
      return reinterpret_cast<F>(_mm512_maskz_min_ps(0xffff, reinterpret_cast<__m512>(a), reinterpret_cast<__m512>(b)));
#endif
    return a < b ? a : b;
  }
  [[gnu::always_inline]] static inline F larger(F a, F b) {
#ifdef __AVX512F__
    if constexpr (W == 16)
      return reinterpret_cast<F>(_mm512_maskz_max_ps(0xffff, reinterpret_cast<__m512>(a), reinterpret_cast<__m512>(b)));
#endif
    return a > b ? a : b;
  }

  /// Loads words at byte offsets. Single loads take two thirds of the time of gather instructions, or less; only for 16 words Zen 5's
  /// gather is the fastest.
  [[gnu::always_inline]] static inline U gather(const std::byte* base, U offset) {
#ifdef __AVX512F__
    if constexpr (W == 16) {
      constexpr uint32_t middle = uint32_t{1} << 31;  // the instruction's offsets are signed
      const auto* const at_middle = reinterpret_cast<const void*>(reinterpret_cast<uintptr_t>(base) + middle);
      return reinterpret_cast<U>(_mm512_mask_i32gather_epi32(__m512i{}, 0xffff, reinterpret_cast<__m512i>(offset ^ middle), at_middle, 1));
    }
#endif
    alignas(64) uint32_t at[W];
    put(at, offset);
    asm("" : "+m"(at));  // forces scalar loads of the offsets: compilers would extract them from vector registers, which takes longer
#ifdef __AVX2__
    const __m256i low = eight_words(base, at);
    if constexpr (W == 8) return reinterpret_cast<U>(low);
    else
      return __builtin_shufflevector(reinterpret_cast<typename VectorTypes<8>::U>(low),
                                     reinterpret_cast<typename VectorTypes<8>::U>(eight_words(base, at + 8)), 0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
                                     10, 11, 12, 13, 14, 15);
#else
    return U{word(base, at[0]), word(base, at[1]), word(base, at[2]), word(base, at[3]),
             word(base, at[4]), word(base, at[5]), word(base, at[6]), word(base, at[7])};
#endif
  }

 private:
  [[gnu::always_inline]] static inline uint32_t word(const std::byte* base, uint32_t offset) {
    uint32_t v;
    std::memcpy(&v, base + offset, sizeof v);
    return v;
  }
#ifdef __AVX2__
  /// Volatile: otherwise compilers load all offsets first, which spills registers.
  [[gnu::always_inline]] static inline __m128i four_words(const std::byte* base, const volatile uint32_t* at) {
    __m128i v = _mm_cvtsi32_si128(static_cast<int>(word(base, at[0])));
    v = _mm_insert_epi32(v, static_cast<int>(word(base, at[1])), 1);
    v = _mm_insert_epi32(v, static_cast<int>(word(base, at[2])), 2);
    return _mm_insert_epi32(v, static_cast<int>(word(base, at[3])), 3);
  }
  [[gnu::always_inline]] static inline __m256i eight_words(const std::byte* base, const volatile uint32_t* at) {
    const __m128i low = four_words(base, at);
    return _mm256_inserti128_si256(_mm256_castsi128_si256(low), four_words(base, at + 4), 1);
  }
#endif
};

}  // namespace
}  // namespace softgen::sampler
