// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/eu/interp/float_math.h"

#include <bit>
#include <cmath>
#include <limits>

namespace softgen::eu {

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
float nan() { return std::bit_cast<float>(0x7fc00000u); }
bool is_nan(float x) { return x != x; }

constexpr double ln2 = 0x1.62e42fefa39efp-1;
constexpr double log2_e = 0x1.71547652b82fep+0;

/// 2^x for |x| < 1100, relative error below 2^-50.
double exp2_core(double x) {
  const double whole = __builtin_floor(x + 0.5);
  const double t = (x - whole) * ln2;
  // exp(t), |t| <= ln2/2: Taylor to t^13 / 13!
  double sum = 1.0;
  for (int k = 13; k > 0; k--) sum = 1.0 + sum * t / k;
  const int exponent = static_cast<int>(whole);
  // In two steps, so that results down to 2^-1074 and up to 2^1023 come out without overflow on the way.
  const int first = exponent / 2, second = exponent - first;
  const auto power = [](int e) { return std::bit_cast<double>(static_cast<uint64_t>(e + 1023) << 52); };
  return sum * power(first) * power(second);
}

/// log2(x) for finite x > 0, absolute error below 2^-50 times max(1, |log2 x|).
double log2_core(double x) {
  int exponent = 0;
  uint64_t bits = std::bit_cast<uint64_t>(x);
  if (bits >> 52 == 0) {
    bits = std::bit_cast<uint64_t>(x * 0x1p54);
    exponent = -54;
  }
  exponent += static_cast<int>(bits >> 52) - 1023;
  double m = std::bit_cast<double>((bits & 0x000fffffffffffff) | 0x3ff0000000000000);
  if (m > 0x1.6a09e667f3bcdp+0) {
    m *= 0.5;
    exponent++;
  }
  // ln m = 2 atanh(s), s = (m - 1) / (m + 1), |s| < 0.172
  const double s = (m - 1.0) / (m + 1.0), s2 = s * s;
  double sum = 0;
  for (int k = 21; k >= 1; k -= 2) sum = sum * s2 + 1.0 / k;
  return exponent + 2.0 * s * sum * log2_e;
}

/// x reduced to r in [-pi/4, pi/4] and the quadrant. Exact products for |x| < 2^20; beyond, the phase loses bits as x has none left.
struct Reduced {
  double r;
  unsigned quadrant;
};
Reduced reduce(double x) {
  constexpr double two_over_pi = 0x1.45f306dc9c883p-1;
  // pi/2 in pieces of 33 bits, so that n * piece is exact.
  constexpr double piece1 = 0x1.921fb544p+0, piece2 = 0x1.0b4611a6p-34, piece3 = 0x1.3198a2e037073p-69;
  constexpr double period = 0x1.921fb54442d18p+2;
  if (__builtin_fabs(x) > 0x1p20) x = std::fmod(x, period);
  const double n = __builtin_floor(x * two_over_pi + 0.5);
  const double r = ((x - n * piece1) - n * piece2) - n * piece3;
  return {r, static_cast<unsigned>(static_cast<int64_t>(n)) & 3};
}
double sin_core(double r) {
  const double r2 = r * r;
  double sum = 1.0;
  for (int k = 17; k >= 3; k -= 2) sum = 1.0 - sum * r2 / (k * (k - 1));
  return r * sum;
}
double cos_core(double r) {
  const double r2 = r * r;
  double sum = 1.0;
  for (int k = 18; k >= 2; k -= 2) sum = 1.0 - sum * r2 / (k * (k - 1));
  return sum;
}
double sine(double x, unsigned shift) {
  const Reduced a = reduce(x);
  const unsigned q = (a.quadrant + shift) & 3;
  const double value = q & 1 ? cos_core(a.r) : sin_core(a.r);
  return q & 2 ? -value : value;
}

/// mantissa * 2^exponent (mantissa < 2^63, `sticky`: something non-zero below) to half precision.
uint16_t pack_half(bool negative, uint64_t mantissa, int exponent, bool sticky, Rounding rounding) {
  const uint16_t sign = negative ? 0x8000 : 0;
  if (!mantissa && !sticky) return sign;
  // Shift so that the unit is the last place of the result: 2^-24 for denormals, more for normals.
  const int top = 63 - std::countl_zero(mantissa | 1) + exponent;
  const int unit = top < -14 || !mantissa ? -24 : top - 10;
  const int shift = unit - exponent;
  bool round = false;
  if (shift > 0) {
    if (shift > 63) {
      sticky = sticky || mantissa != 0;
      mantissa = 0;
    } else {
      round = mantissa >> (shift - 1) & 1;
      sticky = sticky || (mantissa & ((uint64_t{1} << (shift - 1)) - 1)) != 0;
      mantissa >>= shift;
    }
  } else {
    mantissa <<= -shift;
  }
  bool up = false;
  switch (rounding) {
    case Rounding::nearest_even: up = round && (sticky || (mantissa & 1)); break;
    case Rounding::up: up = !negative && (round || sticky); break;
    case Rounding::down: up = negative && (round || sticky); break;
    case Rounding::to_zero: break;
  }
  // Exponent field of the unit: 0 for denormals; a carry out of the mantissa moves into it by itself.
  const uint64_t field = unit == -24 ? (mantissa >= 1024 ? 1 : 0) : static_cast<uint64_t>(unit + 25);
  const uint64_t result = (field << 10) + (unit == -24 && !field ? mantissa : mantissa - 1024) + (up ? 1 : 0);
  if (result < 0x7c00) return static_cast<uint16_t>(sign | result);
  const bool stays_finite = rounding == Rounding::to_zero || (rounding == Rounding::up && negative) ||
                            (rounding == Rounding::down && !negative);
  return static_cast<uint16_t>(sign | (stays_finite ? 0x7bff : 0x7c00));
}

}  // namespace

float half_to_float(uint16_t half) {
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000) << 16;
  const uint32_t exponent = half >> 10 & 31, mantissa = half & 1023;
  if (exponent == 31) return mantissa ? nan() : std::bit_cast<float>(sign | 0x7f800000);
  if (exponent == 0) {
    const float value = static_cast<float>(mantissa) * 0x1p-24f;
    return sign ? -value : value;
  }
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
}

uint16_t double_to_half(double value, Rounding rounding) {
  const auto bits = std::bit_cast<uint64_t>(value);
  const bool negative = bits >> 63;
  const int exponent = static_cast<int>(bits >> 52 & 2047);
  const uint64_t fraction = bits & 0x000fffffffffffff;
  if (exponent == 2047) return static_cast<uint16_t>(fraction ? 0x7e00 : negative ? 0xfc00 : 0x7c00);
  if (exponent == 0) return pack_half(negative, 0, 0, fraction != 0, rounding);
  return pack_half(negative, fraction | uint64_t{1} << 52, exponent - 1075, false, rounding);
}

uint16_t float_to_half(float value, Rounding rounding) { return double_to_half(static_cast<double>(value), rounding); }

float math_inv(float x) { return is_nan(x) ? nan() : 1.0f / x; }

float math_sqrt(float x) { return is_nan(x) || x < 0 ? nan() : __builtin_sqrtf(x); }

float math_rsq(float x) {
  if (is_nan(x) || x < 0) return nan();
  if (x == 0) return std::signbit(x) ? -infinity : infinity;
  if (x == infinity) return 0.0f;
  return static_cast<float>(1.0 / __builtin_sqrt(static_cast<double>(x)));
}

float math_log(float x) {
  if (is_nan(x) || x < 0) return nan();
  if (x == 0) return -infinity;
  if (x == infinity) return infinity;
  return static_cast<float>(log2_core(x));
}

float math_exp(float x) {
  if (is_nan(x)) return nan();
  if (x > 200) return infinity;
  if (x < -300) return 0.0f;
  return static_cast<float>(exp2_core(x));
}

float math_sin(float x) {
  if (is_nan(x) || __builtin_fabsf(x) == infinity) return nan();
  if (x == 0) return x;
  return static_cast<float>(sine(x, 0));
}

float math_cos(float x) {
  if (is_nan(x) || __builtin_fabsf(x) == infinity) return nan();
  return static_cast<float>(sine(x, 1));
}

float math_fdiv(float a, float b) {
  const float r = a / b;
  return is_nan(r) ? nan() : r;
}

float math_pow(float a, float b) {
  const float base = __builtin_fabsf(a);
  if (b == 0 || base == 1) return 1.0f;
  if (is_nan(a) || is_nan(b)) return nan();
  if (base == 0) return b > 0 ? 0.0f : infinity;
  if (base == infinity) return b > 0 ? infinity : 0.0f;
  if (__builtin_fabsf(b) == infinity) return (b > 0) == (base > 1) ? infinity : 0.0f;
  const double power = static_cast<double>(b) * log2_core(base);
  if (power > 200) return infinity;
  if (power < -300) return 0.0f;
  return static_cast<float>(exp2_core(power));
}

Quad quad_fma(Quad a, Quad b, Quad c) { return a * b + c; }

}  // namespace softgen::eu
