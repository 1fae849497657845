// SPDX-License-Identifier: GPL-2.0-or-later
// Numbers between memory and registers. Exact: computed in double where single would round twice.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "hw/surface/format.h"

namespace softgen::surface {
namespace {

constexpr uint32_t float_infinity = 0x7f800000;

double max_unorm(unsigned bits) { return static_cast<double>((uint64_t{1} << bits) - 1); }
double max_snorm(unsigned bits) { return static_cast<double>((uint64_t{1} << (bits - 1)) - 1); }

double srgb_curve(double s) { return s <= 0.04045 ? s / 12.92 : std::pow((s + 0.055) / 1.055, 2.4); }
double inverse_srgb_curve(double l) { return l <= 0.0031308 ? l * 12.92 : 1.055 * std::pow(l, 1 / 2.4) - 0.055; }

struct SrgbTables {
  std::array<float, 256> linear;
  // code i is the nearest for linear values from threshold[i] (included) to threshold[i + 1]
  std::array<float, 256> threshold;
  SrgbTables() {
    for (unsigned i = 0; i < 256; ++i) {
      linear[i] = static_cast<float>(srgb_curve(i / 255.0));
      threshold[i] = i == 0 ? 0.0f : static_cast<float>(srgb_curve((i - 0.5) / 255.0));
    }
  }
};
const SrgbTables srgb_tables;

}  // namespace

float half_to_float(uint16_t half) {
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000) << 16;
  const uint32_t exponent = half >> 10 & 31, mantissa = half & 0x3ff;
  if (exponent == 31) return std::bit_cast<float>(sign | float_infinity | mantissa << 13);
  if (exponent) return std::bit_cast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
  const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
  return sign ? -magnitude : magnitude;
}

uint16_t float_to_half(float value) {
  const uint32_t word = std::bit_cast<uint32_t>(value);
  const uint16_t sign = static_cast<uint16_t>(word >> 16 & 0x8000);
  const uint32_t magnitude = word & 0x7fffffff;
  if (magnitude > float_infinity) return static_cast<uint16_t>(sign | 0x7e00 | (magnitude >> 13 & 0x3ff));
  if (magnitude >= 0x477ff000) return static_cast<uint16_t>(sign | 0x7c00);  // 65520 and beyond round to infinity
  if (magnitude < 0x38800000) {                                              // below 2^-14: steps of 2^-24
    const float steps = std::bit_cast<float>(magnitude) * 0x1p24f;
    return static_cast<uint16_t>(sign | static_cast<uint16_t>(std::nearbyint(steps)));
  }
  const uint32_t odd = magnitude >> 13 & 1;
  return static_cast<uint16_t>(sign | ((magnitude - (112u << 23) + 0xfff + odd) >> 13));
}

float ufloat_to_float(uint32_t value, unsigned mantissa_bits) {
  const uint32_t exponent = value >> mantissa_bits & 31, mantissa = value & ((1u << mantissa_bits) - 1);
  if (exponent == 31) return std::bit_cast<float>(float_infinity | mantissa << (23 - mantissa_bits));
  if (exponent) return std::bit_cast<float>((exponent + 112) << 23 | mantissa << (23 - mantissa_bits));
  return std::ldexp(static_cast<float>(mantissa), -14 - static_cast<int>(mantissa_bits));
}

uint32_t float_to_ufloat(float value, unsigned mantissa_bits) {
  const uint32_t word = std::bit_cast<uint32_t>(value);
  const uint32_t infinity = 31u << mantissa_bits;
  if ((word & 0x7fffffff) > float_infinity) return infinity | 1u << (mantissa_bits - 1);
  if (word >> 31) return 0;
  if (word == float_infinity) return infinity;
  if (word >= (127u + 16) << 23) return infinity - 1;
  if (word < (127u - 14) << 23) return static_cast<uint32_t>(std::ldexp(value, 14 + static_cast<int>(mantissa_bits)));
  return (word - (112u << 23)) >> (23 - mantissa_bits);
}

float unorm_to_float(uint32_t value, unsigned bits) { return static_cast<float>(value / max_unorm(bits)); }

uint32_t float_to_unorm(float value, unsigned bits) {
  if (!(value > 0)) return 0;  // also NaN
  const double scaled = std::min(static_cast<double>(value), 1.0) * max_unorm(bits);
  return static_cast<uint32_t>(std::nearbyint(scaled));
}

float snorm_to_float(int32_t value, unsigned bits) { return static_cast<float>(std::max(value / max_snorm(bits), -1.0)); }

int32_t float_to_snorm(float value, unsigned bits) {
  if (std::isnan(value)) return 0;
  const double scaled = std::clamp(static_cast<double>(value), -1.0, 1.0) * max_snorm(bits);
  return static_cast<int32_t>(std::nearbyint(scaled));
}

const std::array<float, 256>& srgb8_values() { return srgb_tables.linear; }

float srgb8_to_linear(uint8_t code) { return srgb_tables.linear[code]; }

uint8_t linear_to_srgb8(float linear) {
  if (!(linear > 0)) return 0;
  const auto& t = srgb_tables.threshold;
  return static_cast<uint8_t>(std::upper_bound(t.begin(), t.end(), linear) - t.begin() - 1);
}

float srgb_to_linear(float srgb) { return static_cast<float>(srgb_curve(srgb)); }

float linear_to_srgb(float linear) { return static_cast<float>(inverse_srgb_curve(linear)); }

// EXT_texture_shared_exponent, 3.8.x: B = 15, N = 9.
Float4 decode_shared_exponent(uint32_t packed) {
  const float scale = std::ldexp(1.0f, static_cast<int>(packed >> 27) - 24);
  return {static_cast<float>(packed & 511) * scale, static_cast<float>(packed >> 9 & 511) * scale,
          static_cast<float>(packed >> 18 & 511) * scale, 1.0f};
}

uint32_t encode_shared_exponent(float r, float g, float b) {
  static constexpr float largest = 65408.0f;  // 511 / 512 * 2^16
  const auto clamp = [](float v) { return v > 0 ? std::min(v, largest) : 0.0f; };
  r = clamp(r), g = clamp(g), b = clamp(b);
  const float top = std::max({r, g, b});
  int exponent = top < 0x1p-16f ? 0 : std::ilogb(top) + 16;
  const auto mantissa = [&](float v) { return static_cast<uint32_t>(std::floor(std::ldexp(static_cast<double>(v), 24 - exponent) + 0.5)); };
  if (mantissa(top) == 512) ++exponent;
  return mantissa(r) | mantissa(g) << 9 | mantissa(b) << 18 | static_cast<uint32_t>(exponent) << 27;
}

}  // namespace softgen::surface
