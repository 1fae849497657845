// SPDX-License-Identifier: GPL-2.0-or-later
// Compiled once for each instruction set (LANE_KERNELS names the table); everything here is local to the file.
#include "hw/sampler/lane_kernels.h"

#include <cstring>
#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "hw/surface/unorm8.h"

namespace softgen::sampler {
namespace {

typedef float F8 __attribute__((vector_size(32)));
typedef int32_t I8 __attribute__((vector_size(32)));
typedef uint32_t U8 __attribute__((vector_size(32)));

constexpr int32_t one_texel = 256;  // eight bits of fraction
constexpr float far = 1 << 22;       // texels, as in Filter::axis: 256 times that are within 32 bits
constexpr float least = 0x1p-64f;

template <typename V, typename T>
inline V get(const T* from) {
  V v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
template <typename V, typename T>
inline void put(T* to, V v) {
  std::memcpy(to, &v, sizeof v);
}
inline I8 as_ints(U8 v) { return reinterpret_cast<I8>(v); }
inline U8 as_words(I8 v) { return reinterpret_cast<U8>(v); }
inline F8 as_floats(U8 v) { return reinterpret_cast<F8>(v); }
inline F8 magnitude(F8 v) { return reinterpret_cast<F8>(reinterpret_cast<I8>(v) & 0x7fffffff); }
inline F8 to_floats(I8 v) { return __builtin_convertvector(v, F8); }
inline F8 splat(float v) { return F8{v, v, v, v, v, v, v, v}; }
/// A value for each quad.
template <typename V, typename T>
inline V by_quad(T a, T b) {
  return V{a, a, a, a, b, b, b, b};
}

inline I8 floored(F8 v) {
  const I8 cut = __builtin_convertvector(v, I8);
  return cut + (to_floats(cut) > v);
}

inline I8 modulo(I8 i, I8 size, bool power) {
  if (power) return i & (size - 1);
  // The quotient is a whole number or at least 1 / size from one, and |i| is below 2^23: float has it right.
  return i - floored(to_floats(i) / to_floats(size)) * size;
}

inline I8 wrapped(Wrap mode, I8 i, I8 size, bool power) {
  switch (mode) {
    case Wrap::wrap: return modulo(i, size, power);
    case Wrap::mirror: {
      const I8 m = modulo(i, 2 * size, power);
      return m < size ? m : 2 * size - 1 - m;
    }
    case Wrap::clamp: break;
  }
  const I8 last = size - 1;
  i = i < 0 ? I8{} : i;
  return i > last ? last : i;
}

struct Axis {
  I8 low, high;  ///< texels; equal without linear filtering
  F8 weight;     ///< of high
};

template <bool linear>
inline Axis axis(const LaneSurface& s, const LaneTap& tap, unsigned n, I8 size) {
  F8 texels = get<F8>(n ? tap.v : tap.u);
  if (s.normalized) texels *= to_floats(size);
  // NaN, and what is next to nothing.
  texels = magnitude(texels) >= least ? texels : F8{};
  texels = texels > far ? splat(far) : texels;
  texels = texels < -far ? splat(-far) : texels;
  texels *= static_cast<float>(one_texel);
  if (tap.rounded[n]) texels += 0.5f;
  I8 fixed = floored(texels) + tap.offset[n] * one_texel;
  if constexpr (!linear) {
    const I8 i = wrapped(s.wrap[n], fixed >> 8, size, s.powers);
    return {i, i, F8{}};
  }
  fixed -= one_texel / 2;
  const I8 low = fixed >> 8;
  return {wrapped(s.wrap[n], low, size, s.powers), wrapped(s.wrap[n], low + 1, size, s.powers),
          to_floats(fixed & (one_texel - 1)) * (1.0f / one_texel)};
}

/// Parts of an element's offset: their sum is its place (surface::offset_x, offset_y).
template <LaneTiling tiling>
inline U8 column(const LaneSurface& s, U8 x) {
  const U8 byte = x << s.shift;
  switch (tiling) {
    case LaneTiling::y: return ((byte >> 7) << 12) + ((byte & 0x70u) << 5) + (byte & 15u);
    case LaneTiling::x: return ((byte >> 9) << 12) + (byte & 511u);
    case LaneTiling::linear: break;
  }
  return byte;
}
template <LaneTiling tiling>
inline U8 row(const LaneSurface& s, U8 y) {
  switch (tiling) {
    case LaneTiling::y: return (y & ~31u) * s.pitch + ((y & 31u) << 4);
    case LaneTiling::x: return (y & ~7u) * s.pitch + ((y & 7u) << 9);
    case LaneTiling::linear: break;
  }
  return y * s.pitch;
}

/// Eight loads: they take two thirds of the time of the hosts' gather instructions, where those are not slower still.
inline U8 gather(const std::byte* base, U8 offset) {
  alignas(32) uint32_t at[lane_count];
  put(at, offset);
  const auto word = [&](unsigned i) {
    uint32_t v;
    std::memcpy(&v, base + at[i], sizeof v);
    return v;
  };
  return U8{word(0), word(1), word(2), word(3), word(4), word(5), word(6), word(7)};
}

/// Elements in the low bits of dwords.
inline void fetch(const LaneSurface& s, const LaneTap& tap, unsigned count, const U8* offsets, U8* texels) {
  if (tap.memory) {
    for (unsigned i = 0; i < count; ++i) texels[i] = gather(tap.memory, offsets[i] & ~3u);
  } else {
    alignas(32) uint32_t at[4][lane_count];
    const std::byte* places[4][lane_count];
    for (unsigned i = 0; i < count; ++i) put(at[i], offsets[i] & ~3u);
    tap.load(tap.context, at[0], count * lane_count, places[0]);
    for (unsigned i = 0; i < count; ++i) {
      const auto word = [&](unsigned lane) {
        uint32_t v;
        std::memcpy(&v, places[i][lane], sizeof v);
        return v;
      };
      texels[i] = U8{word(0), word(1), word(2), word(3), word(4), word(5), word(6), word(7)};
    }
  }
  if (s.shift < 2)
    for (unsigned i = 0; i < count; ++i) texels[i] >>= (offsets[i] & 3u) * 8u;
}

inline F8 look_up(const float* table, U8 code) { return as_floats(gather(reinterpret_cast<const std::byte*>(table), code * 4u)); }

inline F8 unorm8(U8 code) { return surface::unorm8(to_floats(as_ints(code))); }
inline F8 unorm24(U8 code) { return to_floats(as_ints(code & 0xffffffu)) / 16777215.0f; }

/// Byte n of each texel.
inline U8 byte_of(U8 texel, unsigned n) {
#ifdef __AVX2__
  // 0x80 picks zero.
  const __m256i places = {static_cast<int64_t>(0x8080800480808000), static_cast<int64_t>(0x8080800c80808008),
                          static_cast<int64_t>(0x8080800480808000), static_cast<int64_t>(0x8080800c80808008)};
  const __m256i picks = _mm256_add_epi32(places, _mm256_set1_epi32(static_cast<int32_t>(n)));
  return reinterpret_cast<U8>(_mm256_shuffle_epi8(reinterpret_cast<__m256i>(texel), picks));
#else
  return texel >> 8 * n & 255u;
#endif
}

template <LaneCodes codes>
inline F8 component(const LaneDecode& d, unsigned n, U8 texel) {
  switch (codes) {
    case LaneCodes::unorm8: return unorm8(byte_of(texel, n));
    case LaneCodes::srgb8: return n == d.linear_component ? unorm8(byte_of(texel, n)) : look_up(d.srgb, byte_of(texel, n));
    case LaneCodes::unorm24: return unorm24(texel);
    case LaneCodes::float32: break;
  }
  return as_floats(texel);
}

/// Texels may be infinite: what has no weight does not count.
template <bool any_value>
inline F8 between(F8 a, F8 b, F8 weight) {
  const F8 mixed = a + (b - a) * weight;
  if constexpr (any_value) return weight == 0 ? a : mixed;
  return mixed;
}

template <LaneCodes codes>
inline F8 bilinear(const LaneDecode& d, unsigned n, const U8* texels, F8 u, F8 v) {
  constexpr bool any_value = codes == LaneCodes::float32;
  const F8 top = between<any_value>(component<codes>(d, n, texels[0]), component<codes>(d, n, texels[1]), u);
  const F8 bottom = between<any_value>(component<codes>(d, n, texels[2]), component<codes>(d, n, texels[3]), u);
  return between<any_value>(top, bottom, v);
}

template <LaneCodes codes, LaneTiling tiling, bool linear>
void sample(const LaneSurface& s, const LaneTap& tap, float* const (&out)[4]) {
  const LaneLevel &a = *tap.level[0], &b = *tap.level[1];
  const Axis u = axis<linear>(s, tap, 0, by_quad<I8>(a.width, b.width)), v = axis<linear>(s, tap, 1, by_quad<I8>(a.height, b.height));
  const U8 x = by_quad<U8>(a.x, b.x), y = by_quad<U8>(a.y, b.y);
  constexpr unsigned corners = linear ? 4 : 1;
  U8 offsets[corners], texels[corners];
  const U8 left = column<tiling>(s, as_words(u.low) + x), top = row<tiling>(s, as_words(v.low) + y);
  offsets[0] = left + top;
  if constexpr (linear) {
    const U8 right = column<tiling>(s, as_words(u.high) + x), bottom = row<tiling>(s, as_words(v.high) + y);
    offsets[1] = right + top, offsets[2] = left + bottom, offsets[3] = right + bottom;
  }
  fetch(s, tap, corners, offsets, texels);
  const LaneDecode& d = s.decode;
  for (unsigned c = 0; c < 4; ++c) {
    F8 color;
    if (d.from[c] >= LaneDecode::zero) color = splat(d.from[c] == LaneDecode::one ? 1.0f : 0.0f);
    else if constexpr (linear) color = bilinear<codes>(d, d.from[c], texels, u.weight, v.weight);
    else color = component<codes>(d, d.from[c], texels[0]);
    put(out[c], color);
  }
}

void mix(float* const (&a)[4], const float (&b)[4][lane_count], const float (&weight)[quads_of_lanes]) {
  const F8 w = by_quad<F8>(weight[0], weight[1]);
  for (unsigned c = 0; c < 4; ++c) put(a[c], between<true>(get<F8>(a[c]), get<F8>(b[c]), w));
}

void copy(float* to, const float* from) {
  typedef float Unaligned __attribute__((vector_size(32), aligned(4), may_alias));
  for (unsigned i = 0; i < 16; i += 8) *reinterpret_cast<Unaligned*>(to + i) = *reinterpret_cast<const Unaligned*>(from + i);
}

// -- levels of detail, with the bits of lod.cpp
typedef float F4 __attribute__((vector_size(16)));
typedef int32_t I4 __attribute__((vector_size(16)));
typedef double D4 __attribute__((vector_size(32)));
typedef int64_t L4 __attribute__((vector_size(32)));
inline F4 splat4(float v) { return F4{v, v, v, v}; }
inline D4 splat4(double v) { return D4{v, v, v, v}; }

/// Channel n of four quads.
inline F4 of_quads(const float* from, unsigned n) { return F4{from[n], from[4 + n], from[8 + n], from[12 + n]}; }

inline F4 half_log2(D4 squared) {
  const L4 bits = reinterpret_cast<L4>(squared);
  D4 mantissa = reinterpret_cast<D4>((bits & 0x000fffffffffffff) | 0x3ff0000000000000);
  const L4 upper = mantissa > splat4(0x1.6a09e667f3bcdp+0);
  mantissa = upper ? mantissa * 0.5 : mantissa;
  const I4 exponent = __builtin_convertvector((bits >> 52 & 0x7ff) - 1023 - upper, I4);
  const D4 s = (mantissa - 1.0) / (mantissa + 1.0), s2 = s * s;
  constexpr double to_log2 = 0x1.71547652b82fep+0;  // 2 / ln 2, halved
  const D4 value = 0.5 * __builtin_convertvector(exponent, D4) +
                   to_log2 * s * (1.0 + s2 * (1 / 3.0 + s2 * (1 / 5.0 + s2 * (1 / 7.0 + s2 * (1 / 9.0)))));
  F4 result = __builtin_convertvector(value, F4);
  const auto narrow = [](L4 mask) { return __builtin_convertvector(mask, I4); };
  result = narrow(squared < splat4(0x1p128)) ? result : splat4(64.0f);
  return narrow((squared > D4{}) & ~(squared < splat4(0x1p-128))) ? result : splat4(-64.0f);
}

inline D4 squared_length(F4 u, F4 v) {
  const D4 du = __builtin_convertvector(u, D4), dv = __builtin_convertvector(v, D4);
  return du * du + dv * dv;
}

void lods(const LaneDetail& d, const float* u, const float* v, const float* given, const float* bias, LaneLods& out) {
  F4 detail;
  if (given) {
    detail = get<F4>(given);
  } else {
    const F4 u0 = of_quads(u, 0), v0 = of_quads(v, 0);
    const D4 x = squared_length((of_quads(u, 1) - u0) * d.width, (of_quads(v, 1) - v0) * d.height);
    const D4 y = squared_length((of_quads(u, 2) - u0) * d.width, (of_quads(v, 2) - v0) * d.height);
    detail = half_log2(x < y ? y : x);
  }
  detail = detail == detail ? detail : F4{};
  F4 value = detail + (bias ? get<F4>(bias) : F4{}) + d.bias;
  value = value == value ? value : F4{};
  if (d.preclamped) {
    value = splat4(d.pre_high) < value ? splat4(d.pre_high) : value;
    value = value < splat4(d.pre_low) ? splat4(d.pre_low) : value;
  }
  value = value < splat4(-64.0f) ? splat4(-64.0f) : value;
  value = splat4(64.0f) < value ? splat4(64.0f) : value;
  const F4 scaled = value * 256.0f + 0.5f;
  const I4 cut = __builtin_convertvector(scaled, I4);
  value = __builtin_convertvector(cut + (__builtin_convertvector(cut, F4) > scaled), F4) / 256.0f;
  const I4 magnify = value <= splat4(d.magnified);
  out.magnify = (magnify[0] & 1u) | (magnify[1] & 2u) | (magnify[2] & 4u) | (magnify[3] & 8u);
  value = splat4(d.high) < value ? splat4(d.high) : value;
  value = value < splat4(d.low) ? splat4(d.low) : value;
  value = value < F4{} ? F4{} : value;
  value = splat4(d.last) < value ? splat4(d.last) : value;
  put(out.clamped, value);
}

}  // namespace

extern const LaneKernels LANE_KERNELS;
#define SAMPLE_OF(codes, tiling) {sample<LaneCodes::codes, LaneTiling::tiling, false>, sample<LaneCodes::codes, LaneTiling::tiling, true>}
#define SAMPLES_OF(codes) {SAMPLE_OF(codes, linear), SAMPLE_OF(codes, x), SAMPLE_OF(codes, y)}
const LaneKernels LANE_KERNELS{copy, lods, {SAMPLES_OF(unorm8), SAMPLES_OF(srgb8), SAMPLES_OF(unorm24), SAMPLES_OF(float32)}, mix};

}  // namespace softgen::sampler
