// SPDX-License-Identifier: GPL-2.0-or-later
// Vectors of samples, 16 bytes at a time, which every x86-64 has. Samples are widened to 16 bits, computed, and narrowed with saturation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace softgen::media {

typedef uint8_t U8x16 __attribute__((vector_size(16)));
typedef int16_t I16x8 __attribute__((vector_size(16)));
typedef uint16_t U16x8 __attribute__((vector_size(16)));
typedef int32_t I32x4 __attribute__((vector_size(16)));
typedef uint64_t U64x2 __attribute__((vector_size(16)));

[[gnu::always_inline]] inline U8x16 load16(const void* from) {
  U8x16 v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
/// The upper half is 0.
[[gnu::always_inline]] inline U8x16 load8(const void* from) {
  uint64_t low;
  std::memcpy(&low, from, sizeof low);
  return reinterpret_cast<U8x16>(U64x2{low, 0});
}
[[gnu::always_inline]] inline U8x16 load4(const void* from) {
  uint32_t low;
  std::memcpy(&low, from, sizeof low);
  return reinterpret_cast<U8x16>(U64x2{low, 0});
}
[[gnu::always_inline]] inline void store16(U8x16 v, void* to) { std::memcpy(to, &v, sizeof v); }
[[gnu::always_inline]] inline void store8(U8x16 v, void* to) {
  const uint64_t low = reinterpret_cast<U64x2>(v)[0];
  std::memcpy(to, &low, sizeof low);
}
[[gnu::always_inline]] inline void store4(U8x16 v, void* to) {
  const auto low = static_cast<uint32_t>(reinterpret_cast<U64x2>(v)[0]);
  std::memcpy(to, &low, sizeof low);
}

/// Elements of both, in turns: of the lower halves, of the upper halves.
[[gnu::always_inline]] inline U8x16 low8(U8x16 a, U8x16 b) {
  return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}
[[gnu::always_inline]] inline U8x16 high8(U8x16 a, U8x16 b) {
  return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
}
[[gnu::always_inline]] inline I16x8 low16(I16x8 a, I16x8 b) { return __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11); }
[[gnu::always_inline]] inline I16x8 high16(I16x8 a, I16x8 b) { return __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15); }
[[gnu::always_inline]] inline I32x4 low32(I32x4 a, I32x4 b) { return __builtin_shufflevector(a, b, 0, 4, 1, 5); }
[[gnu::always_inline]] inline I32x4 high32(I32x4 a, I32x4 b) { return __builtin_shufflevector(a, b, 2, 6, 3, 7); }
[[gnu::always_inline]] inline U64x2 low64(U64x2 a, U64x2 b) { return U64x2{a[0], b[0]}; }
[[gnu::always_inline]] inline U64x2 high64(U64x2 a, U64x2 b) { return U64x2{a[1], b[1]}; }

[[gnu::always_inline]] inline I16x8 widen_low(U8x16 v) { return reinterpret_cast<I16x8>(low8(v, U8x16{})); }
[[gnu::always_inline]] inline I16x8 widen_high(U8x16 v) { return reinterpret_cast<I16x8>(high8(v, U8x16{})); }
[[gnu::always_inline]] inline I16x8 widen(const uint8_t* from) { return widen_low(load8(from)); }
[[gnu::always_inline]] inline I16x8 splat16(int value) { return I16x8{} + static_cast<int16_t>(value); }

/// These wrap: for what a hostile stream may make large.
[[gnu::always_inline]] inline I16x8 plus(I16x8 a, I16x8 b) {
  return reinterpret_cast<I16x8>(reinterpret_cast<U16x8>(a) + reinterpret_cast<U16x8>(b));
}
[[gnu::always_inline]] inline I16x8 minus(I16x8 a, I16x8 b) {
  return reinterpret_cast<I16x8>(reinterpret_cast<U16x8>(a) - reinterpret_cast<U16x8>(b));
}

[[gnu::always_inline]] inline I16x8 smaller(I16x8 a, I16x8 b) {
#ifdef __SSE2__
  return reinterpret_cast<I16x8>(_mm_min_epi16(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(b)));
#else
  return a < b ? a : b;
#endif
}
[[gnu::always_inline]] inline I16x8 larger(I16x8 a, I16x8 b) {
#ifdef __SSE2__
  return reinterpret_cast<I16x8>(_mm_max_epi16(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(b)));
#else
  return a > b ? a : b;
#endif
}
[[gnu::always_inline]] inline I16x8 magnitude(I16x8 a) { return larger(a, -a); }
[[gnu::always_inline]] inline I16x8 within(I16x8 v, I16x8 limit) { return larger(smaller(v, limit), -limit); }

/// Clamped to 0..255.
[[gnu::always_inline]] inline U8x16 narrow(I16x8 low, I16x8 high) {
#ifdef __SSE2__
  return reinterpret_cast<U8x16>(_mm_packus_epi16(reinterpret_cast<__m128i>(low), reinterpret_cast<__m128i>(high)));
#else
  low = smaller(larger(low, I16x8{}), splat16(255)), high = smaller(larger(high, I16x8{}), splat16(255));
  return __builtin_shufflevector(reinterpret_cast<U8x16>(low), reinterpret_cast<U8x16>(high), 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24,
                                 26, 28, 30);
#endif
}
/// Clamped to 16 bits.
[[gnu::always_inline]] inline I16x8 narrow(I32x4 low, I32x4 high) {
#ifdef __SSE2__
  return reinterpret_cast<I16x8>(_mm_packs_epi32(reinterpret_cast<__m128i>(low), reinterpret_cast<__m128i>(high)));
#else
  I16x8 result;
  for (unsigned i = 0; i < 8; ++i) {
    const int32_t v = i < 4 ? low[i] : high[i - 4];
    result[i] = static_cast<int16_t>(v < -32768 ? -32768 : v > 32767 ? 32767 : v);
  }
  return result;
#endif
}
/// Products of neighbours, added in pairs.
[[gnu::always_inline]] inline I32x4 products(I16x8 a, I16x8 b) {
#ifdef __SSE2__
  return reinterpret_cast<I32x4>(_mm_madd_epi16(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(b)));
#else
  I32x4 result;
  for (unsigned i = 0; i < 4; ++i) result[i] = a[2 * i] * b[2 * i] + a[2 * i + 1] * b[2 * i + 1];
  return result;
#endif
}
/// (a + b + 1) / 2.
[[gnu::always_inline]] inline U8x16 average(U8x16 a, U8x16 b) {
#ifdef __SSE2__
  return reinterpret_cast<U8x16>(_mm_avg_epu8(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(b)));
#else
  return (a | b) - (((a ^ b) & 0xfe) >> 1);
#endif
}
[[gnu::always_inline]] inline bool any(I16x8 v) {
  const auto halves = reinterpret_cast<U64x2>(v);
  return (halves[0] | halves[1]) != 0;
}

/// Rows become columns.
[[gnu::always_inline]] inline void transpose8x8(I16x8 (&r)[8]) {
  I16x8 a[8], b[8];
  for (unsigned i = 0; i < 4; ++i) a[2 * i] = low16(r[i], r[i + 4]), a[2 * i + 1] = high16(r[i], r[i + 4]);
  for (unsigned i = 0; i < 4; ++i) b[2 * i] = low16(a[i], a[i + 4]), b[2 * i + 1] = high16(a[i], a[i + 4]);
  for (unsigned i = 0; i < 4; ++i) r[2 * i] = low16(b[i], b[i + 4]), r[2 * i + 1] = high16(b[i], b[i + 4]);
}

}  // namespace softgen::media
