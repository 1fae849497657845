// SPDX-License-Identifier: GPL-2.0-or-later
// log, exp, sin, cos and pow on eight channels. Compiled once for each instruction set (MATH_KERNELS names the table), without contraction:
// the same bits from all of them. Own polynomials in double precision, rounded once.
#include <cmath>
#include <cstring>
#include <limits>

#include "hw/eu/interp/math_lanes.h"

namespace softgen::eu {
namespace {

typedef float F4 __attribute__((vector_size(16)));
typedef int32_t I4 __attribute__((vector_size(16)));
typedef double D4 __attribute__((vector_size(32)));
typedef int64_t L4 __attribute__((vector_size(32)));
typedef uint64_t U4 __attribute__((vector_size(32)));

constexpr float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
constexpr double ln2 = 0x1.62e42fefa39efp-1, log2_e = 0x1.71547652b82fep+0;

inline F4 floats(float v) { return F4{v, v, v, v}; }
inline D4 doubles(double v) { return D4{v, v, v, v}; }
inline D4 widened(F4 v) { return __builtin_convertvector(v, D4); }
inline F4 rounded(D4 v) { return __builtin_convertvector(v, F4); }
inline F4 magnitude(F4 v) { return reinterpret_cast<F4>(reinterpret_cast<I4>(v) & 0x7fffffff); }

/// Down to whole numbers, which fit an int.
inline D4 floored(D4 v) {
  const D4 cut = __builtin_convertvector(__builtin_convertvector(v, I4), D4);
  return cut > v ? cut - 1.0 : cut;
}

/// 2^x for |x| <= 300, relative error below 2^-41; beyond, the same as at 300.
inline D4 exp2_core(D4 x) {
  x = x > 300.0 ? doubles(300.0) : x;
  x = x < -300.0 ? doubles(-300.0) : x;
  const D4 whole = floored(x + 0.5);
  const D4 t = (x - whole) * ln2;
  // exp(t), |t| <= ln2 / 2: Taylor to t^10 / 10!
  D4 sum = doubles(1.0);
  for (int k = 10; k > 0; k--) sum = 1.0 + sum * (t * (1.0 / k));
  const L4 exponent = __builtin_convertvector(__builtin_convertvector(whole, I4), L4);
  return sum * reinterpret_cast<D4>((exponent + 1023) << 52);
}

/// log2(x) of normal x > 0, absolute error below 2^-43 times max(1, |log2 x|).
inline D4 log2_core(D4 x) {
  const U4 bits = reinterpret_cast<U4>(x);
  // An integer below 2^52 becomes a double as the mantissa of 2^52.
  D4 exponent = reinterpret_cast<D4>(bits >> 52 | 0x4330000000000000u) - (0x1p52 + 1023);
  D4 m = reinterpret_cast<D4>((bits & 0x000fffffffffffffu) | 0x3ff0000000000000u);
  const L4 large = m > 0x1.6a09e667f3bcdp+0;
  m = large ? m * 0.5 : m;
  exponent = large ? exponent + 1.0 : exponent;
  // ln m = 2 atanh(s), s = (m - 1) / (m + 1), |s| < 0.172
  const D4 s = (m - 1.0) / (m + 1.0), s2 = s * s;
  D4 sum = doubles(1.0 / 15);
  for (int k = 13; k >= 1; k -= 2) sum = sum * s2 + 1.0 / k;
  return exponent + s * sum * (2 * log2_e);
}

inline D4 sin_core(D4 r) {
  const D4 r2 = r * r;
  D4 sum = doubles(1.0);
  for (int k = 15; k >= 3; k -= 2) sum = 1.0 - sum * (r2 * (1.0 / (k * (k - 1))));
  return r * sum;
}
inline D4 cos_core(D4 r) {
  const D4 r2 = r * r;
  D4 sum = doubles(1.0);
  for (int k = 16; k >= 2; k -= 2) sum = 1.0 - sum * (r2 * (1.0 / (k * (k - 1))));
  return sum;
}

/// sin(x + shift pi/2). Exact products for |x| < 2^20; beyond, the phase loses bits as x has none left.
inline F4 sine(F4 a, int64_t shift) {
  constexpr double two_over_pi = 0x1.45f306dc9c883p-1;
  // pi/2 in pieces of 33 bits, so that n * piece is exact.
  constexpr double piece1 = 0x1.921fb544p+0, piece2 = 0x1.0b4611a6p-34, piece3 = 0x1.3198a2e037073p-69;
  constexpr double period = 0x1.921fb54442d18p+2;
  D4 x = widened(a);
  for (unsigned i = 0; i < 4; i++)
    if (std::fabs(x[i]) > 0x1p20) x[i] = std::fabs(a[i]) < infinity ? std::fmod(x[i], period) : 0.0;
  x = x == x ? x : D4{};
  const D4 n = floored(x * two_over_pi + 0.5);
  const D4 r = ((x - n * piece1) - n * piece2) - n * piece3;
  const L4 quadrant = __builtin_convertvector(__builtin_convertvector(n, I4), L4) + shift;
  D4 value = (quadrant & 1) != 0 ? cos_core(r) : sin_core(r);
  value = (quadrant & 2) != 0 ? -value : value;
  return magnitude(a) < infinity ? rounded(value) : floats(nan);
}
inline F4 sin_of(F4 a, F4) { return a == 0 ? a : sine(a, 0); }
inline F4 cos_of(F4 a, F4) { return sine(a, 1); }

inline F4 log_of(F4 a, F4) {
  const I4 usual = (a > 0) & (a < infinity);
  F4 r = rounded(log2_core(widened(usual ? a : floats(1))));
  r = a == infinity ? a : r;
  r = a == 0 ? floats(-infinity) : r;
  return a >= 0 ? r : floats(nan);
}

/// 2^power, which is no NaN.
inline F4 power_of_two(D4 power, F4 r) {
  // In single precision these are infinity and zero anyhow.
  const F4 p = rounded(power);
  r = p > 200 ? floats(infinity) : r;
  return p < -300 ? F4{} : r;
}
inline F4 exp_of(F4 a, F4) {
  const D4 power = widened(a == a ? a : F4{});
  return a == a ? power_of_two(power, rounded(exp2_core(power))) : floats(nan);
}

/// |a| to the power b.
inline F4 pow_of(F4 a, F4 b) {
  const F4 base = magnitude(a);
  const I4 usual = (base > 0) & (base < infinity) & (magnitude(b) < infinity);
  const D4 power = widened(usual ? b : F4{}) * log2_core(widened(usual ? base : floats(1)));
  F4 r = power_of_two(power, rounded(exp2_core(power)));
  r = magnitude(b) == infinity ? ((b > 0) == (base > 1) ? floats(infinity) : F4{}) : r;
  r = base == infinity ? (b > 0 ? floats(infinity) : F4{}) : r;
  r = base == 0 ? (b > 0 ? F4{} : floats(infinity)) : r;
  r = ((a != a) | (b != b)) ? floats(nan) : r;
  return ((b == 0) | (base == 1)) ? floats(1) : r;
}

/// The result is stored whole: who loads it at once would wait for two halves to be in the cache.
template <F4 (*function)(F4, F4)>
void each(float* r, const float* a, const float* b) {
  typedef float F8 __attribute__((vector_size(32), aligned(4), may_alias));
  F4 values[2];
  for (unsigned n = 0; n < 2; ++n) {
    F4 x, y{};
    std::memcpy(&x, a + 4 * n, sizeof x);
    if (function == pow_of) std::memcpy(&y, b + 4 * n, sizeof y);
    values[n] = function(x, y);
  }
  *reinterpret_cast<F8*>(r) = __builtin_shufflevector(values[0], values[1], 0, 1, 2, 3, 4, 5, 6, 7);
}

}  // namespace

extern const Transcendentals MATH_KERNELS;
const Transcendentals MATH_KERNELS{each<log_of>, each<exp_of>, each<sin_of>, each<cos_of>, each<pow_of>};

}  // namespace softgen::eu
