// SPDX-License-Identifier: GPL-2.0-or-later
// log, exp, sin, cos and pow on eight channels. Compiled once for each instruction set (MATH_KERNELS names the table), without contraction:
// the same bits from all of them. Own polynomials in double precision, rounded once.
#include <cmath>
#include <cstring>
#include <limits>

#include "hw/eu/interp/math_lanes.h"

namespace softgen::eu {
namespace {

/// Channels that are worked on at a time: their doubles are one register of the host.
#ifdef __AVX512F__
constexpr unsigned width = 8;
#else
constexpr unsigned width = 4;
#endif
typedef float Floats __attribute__((vector_size(4 * width)));
typedef int32_t Ints __attribute__((vector_size(4 * width)));
typedef double Doubles __attribute__((vector_size(8 * width)));
typedef int64_t Longs __attribute__((vector_size(8 * width)));
typedef uint64_t Words __attribute__((vector_size(8 * width)));

constexpr float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
constexpr double ln2 = 0x1.62e42fefa39efp-1, log2_e = 0x1.71547652b82fep+0;

// Zero is taken off, not added: -0 stays what it is.
inline Floats floats(float v) { return v - Floats{}; }
inline Doubles doubles(double v) { return v - Doubles{}; }
inline Doubles widened(Floats v) { return __builtin_convertvector(v, Doubles); }
inline Floats rounded(Doubles v) { return __builtin_convertvector(v, Floats); }
inline Floats magnitude(Floats v) { return reinterpret_cast<Floats>(reinterpret_cast<Ints>(v) & 0x7fffffff); }

/// A number below 2^51 rounded to a whole one, as the host's rounding mode says; it is also in the low bits of `sum`.
struct Rounded {
  Doubles sum, whole;
  explicit Rounded(Doubles v) : sum(v + 0x1.8p52), whole(sum - 0x1.8p52) {}
  Longs low_bits() const { return reinterpret_cast<Longs>(sum); }
};

// Polynomials are summed in pairs (Estrin), not term by term: what costs is the length of the chain.
inline Doubles pair(double low, double high, Doubles x) { return low + high * x; }

/// 2^x for |x| <= 300, relative error below 2^-41 (2^-30 in other rounding modes than to nearest); beyond, the same as at 300.
inline Doubles exp2_core(Doubles x) {
  x = x > 300.0 ? doubles(300.0) : x;
  x = x < -300.0 ? doubles(-300.0) : x;
  const Rounded nearest(x);
  const Doubles t = (x - nearest.whole) * ln2;
  // exp(t), |t| <= ln2 / 2: Taylor to t^10 / 10!
  const Doubles t2 = t * t, t4 = t2 * t2;
  const Doubles low = (1.0 + t) + pair(1.0 / 2, 1.0 / 6, t) * t2,
                middle = pair(1.0 / 24, 1.0 / 120, t) + pair(1.0 / 720, 1.0 / 5040, t) * t2,
                high = pair(1.0 / 40320, 1.0 / 362880, t) + 1.0 / 3628800 * t2;
  const Doubles sum = (low + middle * t4) + high * (t4 * t4);
  return sum * reinterpret_cast<Doubles>((nearest.low_bits() + 1023) << 52);
}

/// log2(x) of normal x > 0, absolute error below 2^-43 times max(1, |log2 x|).
inline Doubles log2_core(Doubles x) {
  const Words bits = reinterpret_cast<Words>(x);
  // An integer below 2^52 becomes a double as the mantissa of 2^52.
  Doubles exponent = reinterpret_cast<Doubles>(bits >> 52 | 0x4330000000000000u) - (0x1p52 + 1023);
  Doubles m = reinterpret_cast<Doubles>((bits & 0x000fffffffffffffu) | 0x3ff0000000000000u);
  const Longs large = m > 0x1.6a09e667f3bcdp+0;
  m = large ? m * 0.5 : m;
  exponent = large ? exponent + 1.0 : exponent;
  // ln m = 2 atanh(s), s = (m - 1) / (m + 1), |s| < 0.172
  const Doubles s = (m - 1.0) / (m + 1.0), s2 = s * s;
  const Doubles s4 = s2 * s2;
  const Doubles low = pair(1.0, 1.0 / 3, s2) + pair(1.0 / 5, 1.0 / 7, s2) * s4,
                high = pair(1.0 / 9, 1.0 / 11, s2) + pair(1.0 / 13, 1.0 / 15, s2) * s4;
  const Doubles sum = low + high * (s4 * s4);
  return exponent + s * sum * (2 * log2_e);
}

constexpr double over_factorial(int n) { return n > 1 ? over_factorial(n - 1) / n : 1.0; }

/// Of the sine (`first` 1) or cosine (0): the terms from v^0 to v^7 of 1 / first! - v / (first + 2)! + v^2 / (first + 4)! ...
template <int first>
inline Doubles alternating(Doubles v, Doubles v2, Doubles v4) {
  constexpr auto term = [](int n) { return over_factorial(first + 2 * n); };
  const Doubles low = pair(term(0), -term(1), v) + pair(term(2), -term(3), v) * v2,
                high = pair(term(4), -term(5), v) + pair(term(6), -term(7), v) * v2;
  return low + high * v4;
}
inline Doubles sin_core(Doubles r) {
  const Doubles r2 = r * r, r4 = r2 * r2;
  return r * alternating<1>(r2, r4, r4 * r4);
}
inline Doubles cos_core(Doubles r) {
  const Doubles r2 = r * r, r4 = r2 * r2, r8 = r4 * r4;
  return alternating<0>(r2, r4, r8) + over_factorial(16) * (r8 * r8);
}

/// sin(x + shift pi/2). Exact products for |x| < 2^20; beyond, the phase loses bits as x has none left.
inline Floats sine(Floats a, int64_t shift) {
  constexpr double two_over_pi = 0x1.45f306dc9c883p-1;
  // pi/2 in pieces of 33 bits, so that n * piece is exact.
  constexpr double piece1 = 0x1.921fb544p+0, piece2 = 0x1.0b4611a6p-34, piece3 = 0x1.3198a2e037073p-69;
  constexpr double period = 0x1.921fb54442d18p+2;
  Doubles x = widened(a);
  for (unsigned i = 0; i < width; i++)
    if (std::fabs(x[i]) > 0x1p20) x[i] = std::fabs(a[i]) < infinity ? std::fmod(x[i], period) : 0.0;
  x = x == x ? x : Doubles{};
  const Rounded nearest(x * two_over_pi);
  const Doubles n = nearest.whole, r = ((x - n * piece1) - n * piece2) - n * piece3;
  const Longs quadrant = nearest.low_bits() + shift;
  Doubles value = (quadrant & 1) != 0 ? cos_core(r) : sin_core(r);
  value = (quadrant & 2) != 0 ? -value : value;
  return magnitude(a) < infinity ? rounded(value) : floats(nan);
}
inline Floats sin_of(Floats a, Floats) { return a == 0 ? a : sine(a, 0); }
inline Floats cos_of(Floats a, Floats) { return sine(a, 1); }

inline Floats log_of(Floats a, Floats) {
  const Ints usual = (a > 0) & (a < infinity);
  Floats r = rounded(log2_core(widened(usual ? a : floats(1))));
  r = a == infinity ? a : r;
  r = a == 0 ? floats(-infinity) : r;
  return a >= 0 ? r : floats(nan);
}

/// 2^power, which is no NaN.
inline Floats power_of_two(Doubles power, Floats r) {
  // In single precision these are infinity and zero anyhow.
  const Floats p = rounded(power);
  r = p > 200 ? floats(infinity) : r;
  return p < -300 ? Floats{} : r;
}
inline Floats exp_of(Floats a, Floats) {
  const Doubles power = widened(a == a ? a : Floats{});
  return a == a ? power_of_two(power, rounded(exp2_core(power))) : floats(nan);
}

inline bool all_of(Ints mask) {
  int64_t words[width / 2];
  std::memcpy(words, &mask, sizeof mask);
  int64_t all = -1;
  for (const int64_t word : words) all &= word;
  return all == -1;
}

/// |a| to the power b.
inline Floats pow_of(Floats a, Floats b) {
  const Floats base = magnitude(a);
  const Ints finite = (base < infinity) & (magnitude(b) < infinity), usual = finite & (base > 0);
  const Doubles power = widened(usual ? b : Floats{}) * log2_core(widened(usual ? base : floats(1)));
  Floats r = power_of_two(power, rounded(exp2_core(power)));
  // What shaders mostly have: no infinities or NaN, and zero to positive powers only.
  if (all_of(finite & ((base > 0) | (b > 0)))) return base > 0 ? r : Floats{};
  r = magnitude(b) == infinity ? ((b > 0) == (base > 1) ? floats(infinity) : Floats{}) : r;
  r = base == infinity ? (b > 0 ? floats(infinity) : Floats{}) : r;
  r = base == 0 ? (b > 0 ? Floats{} : floats(infinity)) : r;
  r = ((a != a) | (b != b)) ? floats(nan) : r;
  return ((b == 0) | (base == 1)) ? floats(1) : r;
}

/// The result is stored whole: a load right after two half stores would wait until both are in the cache (store forwarding).
template <Floats (*function)(Floats, Floats)>
void each(float* r, const float* a, const float* b) {
  typedef float F8 __attribute__((vector_size(32), aligned(4), may_alias));
  Floats values[8 / width];
  for (unsigned n = 0; n < 8 / width; ++n) {
    Floats x, y{};
    std::memcpy(&x, a + width * n, sizeof x);
    if (function == pow_of) std::memcpy(&y, b + width * n, sizeof y);
    values[n] = function(x, y);
  }
#ifdef __AVX512F__
  *reinterpret_cast<F8*>(r) = values[0];
#else
  *reinterpret_cast<F8*>(r) = __builtin_shufflevector(values[0], values[1], 0, 1, 2, 3, 4, 5, 6, 7);
#endif
}

}  // namespace

extern const Transcendentals MATH_KERNELS;
const Transcendentals MATH_KERNELS{each<log_of>, each<exp_of>, each<sin_of>, each<cos_of>, each<pow_of>};

}  // namespace softgen::eu
