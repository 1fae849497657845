// SPDX-License-Identifier: GPL-2.0-or-later
// Levels of detail of four quads at once, with the same bits as lod.cpp. Local to the files that are compiled once per instruction set.
#pragma once

#include <limits>

#include "hw/sampler/lane_kernels.h"
#include "hw/sampler/lane_vectors.h"

namespace softgen::sampler {
namespace {

typedef float F4 __attribute__((vector_size(16)));
typedef int32_t I4 __attribute__((vector_size(16)));
typedef double D4 __attribute__((vector_size(32)));

struct Quads {
  static F4 splat(float v) { return F4{v, v, v, v}; }
  static F4 four(const float* from) {
    F4 v;
    std::memcpy(&v, from, sizeof v);
    return v;
  }
  static I4 splat(int32_t v) { return I4{v, v, v, v}; }
  static F4 floats(I4 v) { return __builtin_convertvector(v, F4); }
  static I4 at_most(I4 v, int32_t bound) {
#ifdef __AVX2__
    return reinterpret_cast<I4>(_mm_min_epi32(reinterpret_cast<__m128i>(v), _mm_set1_epi32(bound)));
#else
    return v < splat(bound) ? v : splat(bound);
#endif
  }
  static I4 at_least(I4 v, int32_t bound) {
#ifdef __AVX2__
    return reinterpret_cast<I4>(_mm_max_epi32(reinterpret_cast<__m128i>(v), _mm_set1_epi32(bound)));
#else
    return v > splat(bound) ? v : splat(bound);
#endif
  }
  /// a < b ? a : b, and a > b ? a : b: the result is b if one is NaN.
  static F4 smaller(F4 a, F4 b) {
#ifdef __SSE2__
    return reinterpret_cast<F4>(_mm_min_ps(reinterpret_cast<__m128>(a), reinterpret_cast<__m128>(b)));
#else
    return a < b ? a : b;
#endif
  }
  static F4 larger(F4 a, F4 b) {
#ifdef __SSE2__
    return reinterpret_cast<F4>(_mm_max_ps(reinterpret_cast<__m128>(a), reinterpret_cast<__m128>(b)));
#else
    return a > b ? a : b;
#endif
  }
  /// A bit for each element that is all ones.
  static uint32_t bits_of(I4 mask) {
#ifdef __SSE2__
    return static_cast<uint32_t>(_mm_movemask_ps(reinterpret_cast<__m128>(mask)));
#else
    return (mask[0] & 1u) | (mask[1] & 2u) | (mask[2] & 4u) | (mask[3] & 8u);
#endif
  }

  /// Differences of the second and the third channel of each quad from the first.
  struct Differences {
    F4 across, down;
  };
  static Differences differences(const float* from) {
#ifdef __AVX512F__
    return differences(_mm512_loadu_ps(from));
#else
    const F4 a = four(from), b = four(from + 4), c = four(from + 8), d = four(from + 12);
    const F4 ab = __builtin_shufflevector(a, b, 0, 4, 1, 5), cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
    const F4 third_ab = __builtin_shufflevector(a, b, 2, 6, 2, 6), third_cd = __builtin_shufflevector(c, d, 2, 6, 2, 6);
    const F4 first = __builtin_shufflevector(ab, cd, 0, 1, 4, 5), second = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
    return {second - first, __builtin_shufflevector(third_ab, third_cd, 0, 1, 4, 5) - first};
#endif
  }
#ifdef __AVX512F__
  static Differences differences(__m512 from) {
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    const auto sorted = reinterpret_cast<VectorTypes<16>::F>(_mm512_maskz_permutexvar_ps(0xffff, order, from));
    const F4 first = __builtin_shufflevector(sorted, sorted, 0, 1, 2, 3), second = __builtin_shufflevector(sorted, sorted, 4, 5, 6, 7);
    return {second - first, __builtin_shufflevector(sorted, sorted, 8, 9, 10, 11) - first};
  }
#endif

  static D4 doubles(F4 v) { return __builtin_convertvector(v, D4); }
  static D4 square_root(D4 v) {
#ifdef __AVX2__
    return reinterpret_cast<D4>(_mm256_sqrt_pd(reinterpret_cast<__m256d>(v)));
#else
    return D4{__builtin_sqrt(v[0]), __builtin_sqrt(v[1]), __builtin_sqrt(v[2]), __builtin_sqrt(v[3])};
#endif
  }
  static D4 ceiling(D4 v) {
#ifdef __AVX2__
    return reinterpret_cast<D4>(_mm256_ceil_pd(reinterpret_cast<__m256d>(v)));
#else
    return D4{__builtin_ceil(v[0]), __builtin_ceil(v[1]), __builtin_ceil(v[2]), __builtin_ceil(v[3])};
#endif
  }
  static F4 rounded(D4 v) { return __builtin_convertvector(v, F4); }

  /// As log2_of() in lod.cpp.
  static F4 half_log2(F4 squared) {
    const I4 bits = reinterpret_cast<I4>(squared);
    const F4 t = reinterpret_cast<F4>((bits & 0x007fffff) | 0x3f800000) - 1.0f;
    const F4 exponent = floats((bits >> 23) - 127);
    const F4 fraction = t * ((log2_terms[0] + log2_terms[1] * t) + t * t * (log2_terms[2] + log2_terms[3] * t));
    const F4 value = 0.5f * (exponent + fraction);
    const F4 there = squared >= splat(0x1p-100f) ? value : splat(-64.0f);
    return squared > splat(0x1.fffffep127f) ? splat(64.0f) : there;
  }

  /// Squares of the distances, in texels, to the next pixel across and down.
  static F4 across(const LaneDetail& d, const Differences& u, const Differences& v) {
    const F4 x = u.across * d.width, y = v.across * d.height;
    return x * x + y * y;
  }
  static F4 down(const LaneDetail& d, const Differences& u, const Differences& v) {
    const F4 x = u.down * d.width, y = v.down * d.height;
    return x * x + y * y;
  }
  /// plane_lod().
  static F4 plane(const LaneDetail& d, const Differences& u, const Differences& v) {
    return half_log2(larger(down(d, u, v), across(d, u, v)));
  }

  /// As LaneFootprints, with levels of detail.
  struct Footprints {
    F4 taps, step_u, step_v, lod;
  };
  /// plane_footprint(), of up to `max_taps` taps.
  static Footprints footprints(const LaneDetail& d, const Differences& u, const Differences& v, double max_taps) {
    const D4 x_u = doubles(u.across * d.width), x_v = doubles(v.across * d.height);
    const D4 y_u = doubles(u.down * d.width), y_v = doubles(v.down * d.height);
    const D4 uu = x_u * x_u + y_u * y_u, vv = x_v * x_v + y_v * y_v, uv = x_u * x_v + y_u * y_v;
    const D4 root = square_root((uu - vv) * (uu - vv) + 4 * uv * uv), longer = (uu + vv + root) / 2, other = (uu + vv - root) / 2;
    const auto there = (longer >= 0x1p-100) & (longer <= std::numeric_limits<double>::max());
    const D4 shorter = other < 0 ? D4{} : other, maximum = max_taps - D4{};
    D4 ratio = shorter * max_taps * max_taps <= longer ? maximum : ceiling(square_root(longer / shorter) - 1e-3);
    ratio = ratio < 1 ? 1 - D4{} : maximum < ratio ? maximum : ratio;
    ratio = there ? ratio : 1 - D4{};
    const D4 du = uu >= vv ? longer - vv : uv, dv = uu >= vv ? uv : longer - uu;
    const D4 length = square_root(du * du + dv * dv), scale = square_root(longer) / length;
    const auto steps = there & (length > 0);
    return {.taps = rounded(steps ? ratio : 1 - D4{}),
            .step_u = rounded(steps ? du * scale / static_cast<double>(d.width) : D4{}),
            .step_v = rounded(steps ? dv * scale / static_cast<double>(d.height) : D4{}),
            .lod = half_log2(rounded(longer / (ratio * ratio)))};
  }

  struct Lods {
    I4 level{};
    F4 weight{};           ///< of the next level
    uint32_t magnify = 0;  ///< a bit per quad
  };
  /// finish_lod() of levels of detail with bias, |value| <= 64 or no number, and what Filter::sample() makes of it.
  static Lods finished(const LaneDetail& d, F4 value) {
    value = larger(smaller(value, splat(64.0f)), splat(-64.0f));
    // As quantized(). From here on in 1/256, like all bounds.
    I4 fixed = reinterpret_cast<I4>(value * 256.0f + lod_rounding) - __builtin_bit_cast(int32_t, lod_rounding);
    if (d.preclamped) fixed = at_least(at_most(fixed, d.pre_high), d.pre_low);
    Lods out;
    out.magnify = bits_of(fixed <= splat(d.magnified));
    fixed = at_most(at_least(at_least(at_most(fixed, d.high), d.low), 0), d.last);
    // At the last level the weight of the next one is zero.
    if (d.mips == LaneMips::nearest) out.level = (fixed + 128) >> 8;
    if (d.mips == LaneMips::linear) {
      out.level = fixed >> 8;
      out.weight = floats(fixed & 255) * (1.0f / 256);
    }
    return out;
  }
};

}  // namespace
}  // namespace softgen::sampler
