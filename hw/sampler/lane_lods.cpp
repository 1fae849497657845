// SPDX-License-Identifier: GPL-2.0-or-later
// Levels of detail of four quads at once, with the same bits as lod.cpp. Compiled once per instruction set (LANE_LODS names the function).
#include "hw/sampler/lane_kernels.h"
#include "hw/sampler/lane_vectors.h"

namespace softgen::sampler {
namespace {

typedef float F4 __attribute__((vector_size(16)));
typedef int32_t I4 __attribute__((vector_size(16)));
inline F4 splat(float v) { return F4{v, v, v, v}; }
inline F4 four(const float* from) {
  F4 v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
inline I4 splat(int32_t v) { return I4{v, v, v, v}; }
inline F4 floats(I4 v) { return __builtin_convertvector(v, F4); }
inline I4 at_most(I4 v, int32_t bound) { return v < splat(bound) ? v : splat(bound); }
inline I4 at_least(I4 v, int32_t bound) { return v > splat(bound) ? v : splat(bound); }

/// A bit for each element that is all ones.
inline uint32_t bits_of(I4 mask) {
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
inline Differences differences(const float* from) {
  const F4 a = four(from), b = four(from + 4), c = four(from + 8), d = four(from + 12);
  const F4 ab = __builtin_shufflevector(a, b, 0, 4, 1, 5), cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
  const F4 first = __builtin_shufflevector(ab, cd, 0, 1, 4, 5), second = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
  const F4 third = F4{a[2], b[2], c[2], d[2]};
  return {second - first, third - first};
}

/// As log2_of() in lod.cpp.
inline F4 half_log2(F4 squared) {
  const I4 bits = reinterpret_cast<I4>(squared);
  const F4 t = reinterpret_cast<F4>((bits & 0x007fffff) | 0x3f800000) - 1.0f;
  const F4 exponent = floats((bits >> 23) - 127);
  const F4 fraction = t * ((log2_terms[0] + log2_terms[1] * t) + t * t * (log2_terms[2] + log2_terms[3] * t));
  const F4 value = 0.5f * (exponent + fraction);
  const F4 there = squared >= splat(0x1p-100f) ? value : splat(-64.0f);
  return squared > splat(0x1.fffffep127f) ? splat(64.0f) : there;
}

inline F4 plane(const LaneDetail& d, const float* u, const float* v) {
  const Differences du = differences(u), dv = differences(v);
  const F4 u_across = du.across * d.width, v_across = dv.across * d.height, u_down = du.down * d.width, v_down = dv.down * d.height;
  const F4 x = u_across * u_across + v_across * v_across, y = u_down * u_down + v_down * v_down;
  return half_log2(x < y ? y : x);
}

}  // namespace

void LANE_LODS(const LaneDetail& d, const float* u, const float* v, const float* given, const float* bias, LaneLods& out);
void LANE_LODS(const LaneDetail& d, const float* u, const float* v, const float* given, const float* bias, LaneLods& out) {
  F4 value = (given ? four(given) : plane(d, u, v));
  if (given || bias) {
    value = value == value ? value : F4{};
    value = value + (bias ? four(bias) : F4{}) + d.bias;
    value = value == value ? value : F4{};
  } else {
    value = value + d.bias;
  }
  value = value < splat(64.0f) ? value : splat(64.0f);
  value = value > splat(-64.0f) ? value : splat(-64.0f);
  // As quantized(). From here on in 1/256, like all bounds.
  I4 fixed = reinterpret_cast<I4>(value * 256.0f + lod_rounding) - __builtin_bit_cast(int32_t, lod_rounding);
  if (d.preclamped) fixed = at_least(at_most(fixed, d.pre_high), d.pre_low);
  out.magnify = bits_of(fixed <= splat(d.magnified));
  fixed = at_most(at_least(at_least(at_most(fixed, d.high), d.low), 0), d.last);
  // As Filter::sample(). At the last level the weight of the next one is zero.
  I4 level{};
  F4 weight{};
  if (d.mips == LaneMips::nearest) level = (fixed + 128) >> 8;
  if (d.mips == LaneMips::linear) {
    level = fixed >> 8;
    weight = floats(fixed & 255) * (1.0f / 256);
  }
  std::memcpy(out.level, &level, sizeof level);
  std::memcpy(out.weight, &weight, sizeof weight);
  out.one_level = bits_of(level == __builtin_shufflevector(level, level, 0, 0, 0, 0)) == 15;
  out.mixed = bits_of(weight != 0) != 0;
}

}  // namespace softgen::sampler
