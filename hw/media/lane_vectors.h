// SPDX-License-Identifier: GPL-2.0-or-later
// Vectors of 16 lanes for the codecs' kernels, only for files that are compiled once per instruction set. All is local to each file, so that the linker cannot
// merge functions of different builds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#ifdef __AVX2__
#include <immintrin.h>
#endif

namespace softgen::media {
namespace {

constexpr unsigned lanes = 16;
typedef int16_t I16 __attribute__((vector_size(32)));
typedef uint8_t B16 __attribute__((vector_size(16)));
typedef uint16_t W16 __attribute__((vector_size(32)));

[[gnu::always_inline]] inline I16 load(const int16_t* from) {
  I16 v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
[[gnu::always_inline]] inline I16 load(const uint16_t* from) {
  I16 v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
[[gnu::always_inline]] inline I16 load(const uint8_t* from) {
  B16 v;
  std::memcpy(&v, from, sizeof v);
  return __builtin_convertvector(v, I16);
}
[[gnu::always_inline]] inline I16 splat(int value) { return I16{} + static_cast<int16_t>(value); }
[[gnu::always_inline]] inline I16 smaller(I16 a, I16 b) {
#ifdef __AVX2__
  return reinterpret_cast<I16>(_mm256_min_epi16(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
#else
  return a < b ? a : b;
#endif
}
[[gnu::always_inline]] inline I16 larger(I16 a, I16 b) {
#ifdef __AVX2__
  return reinterpret_cast<I16>(_mm256_max_epi16(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
#else
  return a > b ? a : b;
#endif
}
[[gnu::always_inline]] inline I16 clamped(I16 v, int limit) { return smaller(larger(v, I16{}), splat(limit)); }

/// The first `count` lanes: 16, or fewer. Values fit the samples.
[[gnu::always_inline]] inline void store(I16 v, unsigned count, uint8_t* to) {
#ifdef __AVX2__
  const __m256i packed = _mm256_permute4x64_epi64(_mm256_packus_epi16(reinterpret_cast<__m256i>(v), reinterpret_cast<__m256i>(v)), 0xd8);
  const B16 bytes = reinterpret_cast<B16>(_mm256_castsi256_si128(packed));
#else
  const B16 bytes = __builtin_convertvector(v, B16);
#endif
  if (count >= lanes) std::memcpy(to, &bytes, lanes);
  else if (count == 8) std::memcpy(to, &bytes, 8);
  else if (count == 4) std::memcpy(to, &bytes, 4);
  else
    for (unsigned i = 0; i < count; ++i) to[i] = bytes[i];
}
[[gnu::always_inline]] inline void store(I16 v, unsigned count, uint16_t* to) {
  if (count >= lanes) std::memcpy(to, &v, 2 * lanes);
  else if (count == 8) std::memcpy(to, &v, 16);
  else if (count == 4) std::memcpy(to, &v, 8);
  else
    for (unsigned i = 0; i < count; ++i) to[i] = static_cast<uint16_t>(v[i]);
}

/// Sums of products of 16 lanes, in 32 bits.
class Sums {
 public:
  /// a * x + b * y. `pair`: see pair_of().
#ifdef __AVX2__
  [[gnu::always_inline]] static inline __m256i pair_of(int x, int y) {
    return _mm256_set1_epi32(static_cast<int>(static_cast<uint32_t>(x) & 0xffff) | static_cast<int>(static_cast<uint32_t>(y) << 16));
  }
  [[gnu::always_inline]] inline void add(I16 a, I16 b, __m256i pair) {
    const __m256i u = reinterpret_cast<__m256i>(a), v = reinterpret_cast<__m256i>(b);
    low_ = _mm256_add_epi32(low_, _mm256_madd_epi16(_mm256_unpacklo_epi16(u, v), pair));
    high_ = _mm256_add_epi32(high_, _mm256_madd_epi16(_mm256_unpackhi_epi16(u, v), pair));
  }
  [[gnu::always_inline]] explicit inline Sums(int start = 0) : low_(_mm256_set1_epi32(start)), high_(low_) {}
  /// Shifted; clamped to 16 bits.
  [[gnu::always_inline]] inline I16 shifted(unsigned shift) const {
    const __m128i count = _mm_cvtsi32_si128(static_cast<int>(shift));
    return reinterpret_cast<I16>(_mm256_packs_epi32(_mm256_sra_epi32(low_, count), _mm256_sra_epi32(high_, count)));
  }

 private:
  __m256i low_, high_;
#else
  struct Pair {
    int x, y;
  };
  [[gnu::always_inline]] static inline Pair pair_of(int x, int y) { return {x, y}; }
  [[gnu::always_inline]] inline void add(I16 a, I16 b, Pair pair) {
    for (unsigned i = 0; i < lanes; ++i) sums_[i] += a[i] * pair.x + b[i] * pair.y;
  }
  [[gnu::always_inline]] explicit inline Sums(int start = 0) {
    for (unsigned i = 0; i < lanes; ++i) sums_[i] = start;
  }
  [[gnu::always_inline]] inline I16 shifted(unsigned shift) const {
    I16 v;
    for (unsigned i = 0; i < lanes; ++i) {
      const int32_t value = sums_[i] >> shift;
      v[i] = static_cast<int16_t>(value < -32768 ? -32768 : value > 32767 ? 32767 : value);
    }
    return v;
  }

 private:
  int32_t sums_[lanes];
#endif
};

/// Sums that stay within 16 bits.
[[gnu::always_inline]] inline I16 saturated_sum(I16 a, I16 b) {
#ifdef __AVX2__
  return reinterpret_cast<I16>(_mm256_adds_epi16(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
#else
  I16 v;
  for (unsigned i = 0; i < lanes; ++i) {
    const int value = a[i] + b[i];
    v[i] = static_cast<int16_t>(value < -32768 ? -32768 : value > 32767 ? 32767 : value);
  }
  return v;
#endif
}

}  // namespace
}  // namespace softgen::media
