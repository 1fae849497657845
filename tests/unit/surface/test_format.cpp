// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/surface/format.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "hw/defs/command.h"
#include "hw/defs/gen9/set.h"
#include "tests/catch.h"

using namespace softgen;
using namespace softgen::surface;

namespace {

template <typename T>
Float4 floats(SurfaceFormat code, T element) {
  std::byte bytes[32] = {};
  std::memcpy(bytes, &element, sizeof element);
  return decode_float(*find_format(code), bytes);
}

uint32_t encoded(SurfaceFormat code, Float4 value) {
  std::byte bytes[32] = {};
  encode_float(*find_format(code), value, bytes);
  uint32_t word;
  std::memcpy(&word, bytes, 4);
  return word;
}

}  // namespace

TEST_CASE("the table has Gen9's formats and their uses") {
  unsigned count[11] = {};
  for (uint32_t code = 0; code < 2048; ++code)
    if (const Format* f = find_format(code)) {
      CHECK(static_cast<uint32_t>(f->code) == code);
      for (unsigned i = 0; i < 11; ++i) count[i] += f->uses >> i & 1;
    }
  // gen9-map F2, counted in Mesa's isl at version 9.0: sampled, filtered, shadow, rendered, blended, vertex,
  // …, typed write, typed read. isl leaves out the two planar ones.
  CHECK(count[0] == 185 + 2);
  CHECK(count[1] == 151 + 2);
  CHECK(count[2] == 16);
  CHECK(count[3] == 62);
  CHECK(count[4] == 38);
  CHECK(count[5] == 109);
  CHECK(count[7] == 46);
  CHECK(count[8] == 24);
  CHECK(count[10] == 26);
  // The declared enumeration and the table have the same rows.
  for (const auto& value : defs::gen9::commands.surface_formats.values) {
    const Format* f = find_format(value.value);
    INFO(value.name);
    REQUIRE(f);
    CHECK(f->name == value.name);
  }
}

TEST_CASE("the channels of a format fill its element exactly") {
  for (uint32_t code = 0; code < 1024; ++code) {
    const Format* f = find_format(code);
    if (!f || (f->kind != FormatKind::plain && f->kind != FormatKind::palette)) continue;
    unsigned bits = 0;
    for (unsigned i = 0; i < f->channels; ++i) bits += f->channel[i].bits;
    INFO(f->name);
    CHECK(bits == f->block_bits);
  }
}

TEST_CASE("known elements") {
  CHECK(floats(SurfaceFormat::B8G8R8A8_UNORM, 0xff804000u) == Float4{128 / 255.0f, 64 / 255.0f, 0.0f, 1.0f});
  CHECK(floats(SurfaceFormat::R8G8B8A8_UNORM, 0xff804000u) == Float4{0.0f, 64 / 255.0f, 128 / 255.0f, 1.0f});
  CHECK(floats(SurfaceFormat::B8G8R8X8_UNORM, 0x00804000u)[3] == 1.0f);
  CHECK(floats(SurfaceFormat::R10G10B10A2_UNORM, 0xc00003ffu) == Float4{1.0f, 0.0f, 0.0f, 1.0f});
  CHECK(floats(SurfaceFormat::B5G6R5_UNORM, uint16_t{0xf800}) == Float4{1.0f, 0.0f, 0.0f, 1.0f});
  CHECK(floats(SurfaceFormat::B5G5R5A1_UNORM, uint16_t{0x801f}) == Float4{0.0f, 0.0f, 1.0f, 1.0f});
  CHECK(floats(SurfaceFormat::A4B4G4R4_UNORM, uint16_t{0xf001}) == Float4{1.0f, 0.0f, 0.0f, 1 / 15.0f});
  CHECK(floats(SurfaceFormat::L8A8_UNORM, uint16_t{0x00ff}) == Float4{1.0f, 1.0f, 1.0f, 0.0f});
  CHECK(floats(SurfaceFormat::I8_UNORM, uint8_t{255}) == Float4{1.0f, 1.0f, 1.0f, 1.0f});
  CHECK(floats(SurfaceFormat::A8_UNORM, uint8_t{255}) == Float4{0.0f, 0.0f, 0.0f, 1.0f});
  CHECK(floats(SurfaceFormat::R8G8B8A8_SNORM, 0x81807f00u) == Float4{0.0f, 1.0f, -1.0f, -1.0f});
  CHECK(floats(SurfaceFormat::R24_UNORM_X8_TYPELESS, 0xaaffffffu)[0] == 1.0f);
  CHECK(floats(SurfaceFormat::R32_SFIXED, 0xffff8000u)[0] == -0.5f);
  CHECK(floats(SurfaceFormat::R16G16_SSCALED, 0x0007fffeu) == Float4{-2.0f, 7.0f, 0.0f, 1.0f});
  CHECK(floats(SurfaceFormat::R64_FLOAT, 0.25)[0] == 0.25f);
  CHECK(floats(SurfaceFormat::R11G11B10_FLOAT, 0x3c0u | 0x400u << 11 | 0x1c0u << 22) == Float4{1.0f, 2.0f, 0.5f, 1.0f});
  CHECK(floats(SurfaceFormat::R9G9B9E5_SHAREDEXP, 256u | 128u << 9 | 511u << 18 | 16u << 27) == Float4{1.0f, 0.5f, 511 / 256.0f, 1.0f});

  std::byte bytes[4] = {std::byte{1}, std::byte{0xfe}, std::byte{0}, std::byte{0}};
  CHECK(decode(*find_format(SurfaceFormat::R8G8_SINT), bytes) == Word4{1, 0xfffffffe, 0, 1});
  CHECK(decode(*find_format(SurfaceFormat::R8G8_UINT), bytes) == Word4{1, 0xfe, 0, 1});
  bytes[3] = std::byte{0x5a};
  CHECK(decode(*find_format(SurfaceFormat::X24_TYPELESS_G8_UINT), bytes) == Word4{0, 0x5a, 0, 1});
}

TEST_CASE("elements of dwords and bytes: each channel separately") {
  unsigned words = 0, bytes = 0;
  for (uint32_t code = 0; code < 1024; ++code) {
    const Format* f = find_format(code);
    if (!f || f->layout == ElementLayout::any) continue;
    INFO(f->name);
    const bool is_words = f->layout == ElementLayout::words;
    is_words ? ++words : ++bytes;
    std::array<std::byte, 16> element;
    for (unsigned v = 0; v < 256; ++v) {
      for (size_t i = 0; i < element.size(); ++i) element[i] = static_cast<std::byte>((v + i * 37) & 255);
      const Word4 got = decode(*f, element.data());
      for (size_t i = 0; i < 4; ++i) {
        const bool integer = f->numeric != Numeric::floating;
        uint32_t expected = i < 3 ? 0 : integer ? 1 : 0x3f800000;
        if (f->output[i] >= 0) {
          const auto stored = static_cast<size_t>(f->output[i]);
          if (is_words) std::memcpy(&expected, &element[4 * stored], 4);
          else if (integer) expected = std::to_integer<uint32_t>(element[stored]);
          else if (f->srgb && i < 3) expected = std::bit_cast<uint32_t>(srgb8_to_linear(std::to_integer<uint8_t>(element[stored])));
          else expected = std::bit_cast<uint32_t>(unorm_to_float(std::to_integer<uint32_t>(element[stored]), 8));
        }
        if (got[i] != expected) FAIL("byte " << v << ", channel " << i);
      }
    }
  }
  CHECK(words >= 12);  // R32 to R32G32B32A32 of FLOAT, UINT and SINT
  CHECK(bytes >= 12);  // UNORM, UINT and sRGB
}

TEST_CASE("64-bit passthru elements are returned as dwords") {
  const uint64_t element[4] = {0x1122334455667788, 0x99aabbccddeeff00, 3, 4};
  std::array<uint32_t, 8> out;
  CHECK(decode_raw64(*find_format(SurfaceFormat::R64G64B64_PASSTHRU), reinterpret_cast<const std::byte*>(element), out) == 6);
  CHECK(out == std::array<uint32_t, 8>{0x55667788, 0x11223344, 0xddeeff00, 0x99aabbcc, 3, 0, 0, 0});
}

TEST_CASE("16-bit floats: every code, and round to nearest even between them") {
  bool same = true;
  for (uint32_t code = 0; code < 0x10000; ++code) {
    const float v = half_to_float(static_cast<uint16_t>(code));
    const int e = code >> 10 & 31, m = code & 0x3ff;
    if (e == 31) {
      same &= m ? std::isnan(v) : std::isinf(v);
      if (!m) same &= float_to_half(v) == code;
      continue;
    }
    const double expect = (code & 0x8000 ? -1 : 1) * (e ? std::ldexp(1024 + m, e - 25) : std::ldexp(m, -24));
    same &= v == expect && float_to_half(v) == code;
    // Half way to the next: the even one.
    if ((code & 0x7fff) < 0x7bff) {
      const double next = half_to_float(static_cast<uint16_t>(code + 1));
      const float middle = static_cast<float>((expect + next) / 2);
      same &= float_to_half(middle) == (code & 1 ? code + 1 : code);
      same &= float_to_half(std::nextafterf(middle, static_cast<float>(next))) == code + 1;
    }
  }
  CHECK(same);
  CHECK(float_to_half(65519.0f) == 0x7bff);
  CHECK(float_to_half(65520.0f) == 0x7c00);
  CHECK(float_to_half(-1e30f) == 0xfc00);
  CHECK((float_to_half(std::numeric_limits<float>::quiet_NaN()) & 0x7fff) > 0x7c00);
}

TEST_CASE("11- and 10-bit floats: every code, rounded towards zero between them, clamped beyond") {
  for (const unsigned mantissa : {6u, 5u}) {
    bool same = true;
    const uint32_t infinity = 31u << mantissa;
    for (uint32_t code = 0; code < infinity; ++code) {
      const int e = static_cast<int>(code >> mantissa), m = static_cast<int>(code & ((1u << mantissa) - 1));
      const double expect =
          e ? std::ldexp((1 << mantissa) + m, e - 15 - static_cast<int>(mantissa)) : std::ldexp(m, -14 - static_cast<int>(mantissa));
      const float v = ufloat_to_float(code, mantissa);
      same &= v == expect && float_to_ufloat(v, mantissa) == code;
      if (code + 1 < infinity) same &= float_to_ufloat(std::nextafterf(ufloat_to_float(code + 1, mantissa), 0.0f), mantissa) == code;
    }
    CHECK(same);
    CHECK(float_to_ufloat(-1.0f, mantissa) == 0);
    CHECK(float_to_ufloat(1e9f, mantissa) == infinity - 1);
    CHECK(float_to_ufloat(std::numeric_limits<float>::infinity(), mantissa) == infinity);
    CHECK(float_to_ufloat(-std::numeric_limits<float>::infinity(), mantissa) == 0);
    CHECK(std::isnan(ufloat_to_float(float_to_ufloat(std::nanf(""), mantissa), mantissa)));
  }
}

TEST_CASE("unorm and snorm: every code round-trips, saturation, NaN is zero, round to nearest") {
  for (const unsigned bits : {1u, 2u, 4u, 5u, 6u, 8u, 10u, 16u, 24u}) {
    bool same = true;
    const uint32_t step = bits == 24 ? 37 : 1;
    const uint64_t top = (uint64_t{1} << bits) - 1;
    for (uint64_t code = 0; code <= top; code += step) {
      const float v = unorm_to_float(static_cast<uint32_t>(code), bits);
      same &= v == static_cast<float>(static_cast<double>(code) / static_cast<double>(top));
      same &= float_to_unorm(v, bits) == code;
    }
    CHECK(same);
    CHECK(float_to_unorm(7.0f, bits) == top);
    CHECK(float_to_unorm(-1.0f, bits) == 0);
    CHECK(float_to_unorm(std::nanf(""), bits) == 0);
  }
  for (const unsigned bits : {2u, 8u, 10u, 16u}) {
    bool same = true;
    const int32_t top = (1 << (bits - 1)) - 1;
    for (int32_t code = -top; code <= top; ++code) same &= float_to_snorm(snorm_to_float(code, bits), bits) == code;
    CHECK(same);
    CHECK(snorm_to_float(-top - 1, bits) == -1.0f);
    CHECK(float_to_snorm(-9.0f, bits) == -top);
    CHECK(float_to_snorm(9.0f, bits) == top);
    CHECK(float_to_snorm(std::nanf(""), bits) == 0);
  }
  CHECK(float_to_unorm(0.5f, 8) == 128);  // 127.5, to even
  CHECK(float_to_unorm(0.5f, 1) == 0);
}

TEST_CASE("sRGB: every code round-trips, and values between give the nearest code") {
  bool same = true;
  for (unsigned code = 0; code < 256; ++code) same &= linear_to_srgb8(srgb8_to_linear(static_cast<uint8_t>(code))) == code;
  constexpr unsigned seed = 3;
  INFO("seed " << seed);
  std::mt19937 random(seed);
  for (int i = 0; i < 20000; ++i) {
    const float v = static_cast<float>(random()) / 4294967296.0f;
    const double s = v <= 0.0031308 ? v * 12.92 : 1.055 * std::pow(v, 1 / 2.4) - 0.055;
    const double scaled = s * 255;
    if (std::abs(scaled - std::floor(scaled) - 0.5) < 1e-4) continue;
    same &= linear_to_srgb8(v) == std::lround(scaled);
  }
  CHECK(same);
  CHECK(linear_to_srgb8(-1.0f) == 0);
  CHECK(linear_to_srgb8(2.0f) == 255);
  CHECK(linear_to_srgb8(std::nanf("")) == 0);
  CHECK(floats(SurfaceFormat::R8G8B8A8_UNORM_SRGB, 0x80808080u)[3] == 128 / 255.0f);
  CHECK(floats(SurfaceFormat::R8G8B8A8_UNORM_SRGB, 0x80808080u)[0] == Approx(0.21586).epsilon(1e-4));
}

TEST_CASE("shared exponent: the extension's own cases") {
  CHECK(encode_shared_exponent(0, 0, 0) == 0);
  CHECK(decode_shared_exponent(encode_shared_exponent(1.0f, 0.5f, 0.25f)) == Float4{1.0f, 0.5f, 0.25f, 1.0f});
  CHECK(decode_shared_exponent(encode_shared_exponent(1e9f, 0, 0))[0] == 65408.0f);
  CHECK(decode_shared_exponent(encode_shared_exponent(-1.0f, std::nanf(""), 3.0f)) == Float4{0.0f, 0.0f, 3.0f, 1.0f});
  // The largest component rounds up into the next exponent.
  CHECK(decode_shared_exponent(encode_shared_exponent(0.99999f, 0, 0))[0] == 1.0f);
}

TEST_CASE("integers of fewer bits saturate") {
  std::byte bytes[4];
  encode(*find_format(SurfaceFormat::R8G8B8A8_UINT), {300, 255, 0, ~0u}, bytes);
  CHECK(std::to_integer<int>(bytes[0]) == 255);
  CHECK(std::to_integer<int>(bytes[3]) == 255);
  encode(*find_format(SurfaceFormat::R8G8B8A8_SINT), {static_cast<uint32_t>(-300), 300, static_cast<uint32_t>(-5), 0}, bytes);
  CHECK(std::to_integer<int>(bytes[0]) == 0x80);
  CHECK(std::to_integer<int>(bytes[1]) == 0x7f);
  CHECK(std::to_integer<int>(bytes[2]) == 0xfb);
  CHECK(encoded(SurfaceFormat::B8G8R8X8_UNORM, {1, 1, 1, 1}) == 0x00ffffff);
}

TEST_CASE("a value read from a render format is written back unchanged") {
  constexpr unsigned seed = 17;
  INFO("seed " << seed);
  std::mt19937 random(seed);
  for (uint32_t code = 0; code < 1024; ++code) {
    const Format* f = find_format(code);
    if (!f || f->kind != FormatKind::plain || !(f->is(use_render) || f->is(use_typed_write))) continue;
    INFO(f->name);
    bool same = true;
    for (int i = 0; i < 2000; ++i) {
      std::byte in[16], out[16];
      for (auto& b : in) b = static_cast<std::byte>(random());
      encode(*f, decode(*f, in), out);
      const Word4 a = decode(*f, in), b = decode(*f, out);
      for (unsigned k = 0; k < 4; ++k) {
        const float value = std::bit_cast<float>(a[k]);
        same &= a[k] == b[k] || (f->numeric == Numeric::floating && std::isnan(value) && std::isnan(std::bit_cast<float>(b[k])));
      }
    }
    CHECK(same);
  }
}
