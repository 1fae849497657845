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
  const bool stays_finite =
      rounding == Rounding::to_zero || (rounding == Rounding::up && negative) || (rounding == Rounding::down && !negative);
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

float math_fdiv(float a, float b) {
  const float r = a / b;
  return is_nan(r) ? nan() : r;
}

Quad quad_fma(Quad a, Quad b, Quad c) { return a * b + c; }

}  // namespace softgen::eu
