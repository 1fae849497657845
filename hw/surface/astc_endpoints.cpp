// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/surface/astc_endpoints.h"

#include <algorithm>
#include <utility>

#include "hw/base/bits.h"

namespace softgen::surface::blocks::astc {
namespace {

Color clamped(Color c) {
  for (int& v : c) v = std::clamp(v, 0, 255);
  return c;
}
Color blue_contract(const Color& c) { return {(c[0] + c[2]) >> 1, (c[1] + c[2]) >> 1, c[2], c[3]}; }
void transfer(int& a, int& b) {
  b = b >> 1 | (a & 0x80);
  a = a >> 1 & 0x3f;
  if (a & 0x20) a -= 0x40;
}

Endpoints from_offsets(int* v, bool alpha) {
  for (unsigned i = 0; i < (alpha ? 8u : 6u); i += 2) transfer(v[i + 1], v[i]);
  const Color base{v[0], v[2], v[4], alpha ? v[6] : 255}, sum{v[0] + v[1], v[2] + v[3], v[4] + v[5], alpha ? v[6] + v[7] : 255};
  if (v[1] + v[3] + v[5] >= 0) return {clamped(base), clamped(sum)};
  return {clamped(blue_contract(sum)), clamped(blue_contract(base))};
}

// -- HDR: values of 12 bits, whose bits the modes distribute so that one channel is exact and others are differences to it.
constexpr int hdr_max = 0xfff, hdr_one = 0x780;

Endpoints gray(int low, int high) { return {{low, low, low, hdr_one}, {high, high, high, hdr_one}, true, true}; }

/// Mode 2: luminance, large range.
Endpoints hdr_luminance(const int* v) {
  if (v[1] >= v[0]) return gray(v[0] << 4, v[1] << 4);
  return gray((v[1] << 4) + 8, (v[0] << 4) - 8);
}

/// Mode 3: luminance, small range.
Endpoints hdr_small_luminance(const int* v) {
  const bool coarse = v[0] & 0x80;
  const int low = coarse ? (v[1] & 0xe0) << 4 | (v[0] & 0x7f) << 2 : (v[1] & 0xf0) << 4 | (v[0] & 0x7f) << 1;
  return gray(low, std::min(low + (coarse ? (v[1] & 0x1f) << 2 : (v[1] & 0x0f) << 1), hdr_max));
}

/// One bit of a value goes to bit `to` of a field, in the modes of the mask.
struct Placed {
  uint8_t modes, bit, field, to;
};
template <size_t count>
void place(const Placed (&table)[count], unsigned mode, const int* from, int* fields) {
  for (const Placed& p : table)
    if (p.modes >> mode & 1) fields[p.field] |= from[p.bit] << p.to;
}

Color hdr_color(int red, int green, int blue, int major) {
  Color c{std::clamp(red, 0, hdr_max), std::clamp(green, 0, hdr_max), std::clamp(blue, 0, hdr_max), hdr_one};
  if (major) std::swap(c[0], c[static_cast<size_t>(major)]);
  return c;
}

/// Mode 7: a colour, and what is subtracted from it.
Endpoints hdr_scale(const int* v) {
  const int code = v[0] >> 6 | (v[1] & 0x80) >> 5 | (v[2] & 0x80) >> 4;
  const int major = (code & 12) != 12 ? code >> 2 : code != 15 ? code & 3 : 0;
  const unsigned mode = static_cast<unsigned>((code & 12) != 12 ? code & 3 : code != 15 ? 4 : 5);
  enum : uint8_t { red, green, blue, scale };
  static constexpr Placed table[] = {{0x30, 0, green, 6}, {0x3a, 1, green, 5}, {0x30, 2, blue, 6}, {0x3a, 3, blue, 5}, {0x3d, 6, scale, 5},
                                     {0x2d, 5, scale, 6}, {0x04, 4, scale, 7}, {0x3b, 4, red, 6},  {0x04, 3, red, 6},  {0x10, 5, red, 7},
                                     {0x0f, 2, red, 7},   {0x05, 1, red, 8},   {0x0a, 0, red, 8},  {0x05, 0, red, 9},  {0x02, 6, red, 9},
                                     {0x01, 3, red, 10},  {0x02, 5, red, 10}};
  const int bits[7] = {v[1] >> 6 & 1, v[1] >> 5 & 1, v[2] >> 6 & 1, v[2] >> 5 & 1, v[3] >> 7 & 1, v[3] >> 6 & 1, v[3] >> 5 & 1};
  int f[4] = {v[0] & 0x3f, v[1] & 0x1f, v[2] & 0x1f, v[3] & 0x1f};
  place(table, mode, bits, f);
  static constexpr int shifts[6] = {1, 1, 2, 3, 4, 5};
  for (int& field : f) field <<= shifts[mode];
  if (mode != 5) f[green] = f[red] - f[green], f[blue] = f[red] - f[blue];
  return {hdr_color(f[red] - f[scale], f[green] - f[scale], f[blue] - f[scale], major), hdr_color(f[red], f[green], f[blue], major), true,
          true};
}

int sign_extended(int value, int bits) { return static_cast<int>(sign_extend(static_cast<uint64_t>(value), static_cast<unsigned>(bits))); }

/// Modes 11, 14 and 15: two colours.
Endpoints hdr_direct(const int* v) {
  const int major = v[4] >> 7 | (v[5] & 0x80) >> 6;
  if (major == 3)
    return {{v[0] << 4, v[2] << 4, (v[4] & 0x7f) << 5, hdr_one}, {v[1] << 4, v[3] << 4, (v[5] & 0x7f) << 5, hdr_one}, true, true};
  const auto mode = static_cast<unsigned>(v[1] >> 7 | (v[2] & 0x80) >> 6 | (v[3] & 0x80) >> 5);
  enum : uint8_t { a, b0, b1, c };
  static constexpr Placed table[] = {{0xa4, 0, a, 9},  {0x08, 2, a, 9},  {0x50, 4, a, 9}, {0x50, 5, a, 10}, {0xa0, 1, a, 10},
                                     {0xc0, 2, a, 11}, {0x04, 1, c, 6},  {0xe8, 3, c, 6}, {0x20, 2, c, 7},  {0x5b, 0, b0, 6},
                                     {0x5b, 1, b1, 6}, {0x12, 2, b0, 7}, {0x12, 3, b1, 7}};
  const int bits[6] = {v[2] >> 6 & 1, v[3] >> 6 & 1, v[4] >> 6 & 1, v[5] >> 6 & 1, v[4] >> 5 & 1, v[5] >> 5 & 1};
  int f[4] = {v[0] | (v[1] & 0x40) << 2, v[2] & 0x3f, v[3] & 0x3f, v[1] & 0x3f};
  place(table, mode, bits, f);
  static constexpr int difference_bits[8] = {7, 6, 7, 6, 5, 6, 5, 6};
  const int scale = 1 << ((mode >> 1) ^ 3);
  const int d0 = sign_extended(v[4] & 0x7f, difference_bits[mode]) * scale, d1 = sign_extended(v[5] & 0x7f, difference_bits[mode]) * scale;
  for (int& field : f) field *= scale;
  return {hdr_color(f[a] - f[c], f[a] - f[b0] - f[c] - d0, f[a] - f[b1] - f[c] - d1, major),
          hdr_color(f[a], f[a] - f[b0], f[a] - f[b1], major), true, true};
}

/// Mode 15's alpha.
void hdr_alpha(int first, int second, Endpoints& e) {
  const int mode = first >> 7 | (second & 0x80) >> 6;
  first &= 0x7f, second &= 0x7f;
  if (mode == 3) {
    e.low[3] = first << 5, e.high[3] = second << 5;
    return;
  }
  first |= second << (mode + 1) & 0x780;
  const int difference = sign_extended(second, 6 - mode);
  e.low[3] = first << (4 - mode);
  e.high[3] = std::clamp((first + difference) * (1 << (4 - mode)), 0, hdr_max);
}

}  // namespace

Endpoints decode_endpoints(unsigned mode, const uint8_t* values) {
  int v[8];
  for (unsigned i = 0; i < 8; ++i) v[i] = values[i];
  switch (mode) {
    case 0: return {{v[0], v[0], v[0], 255}, {v[1], v[1], v[1], 255}};
    case 1: {
      const int l0 = v[0] >> 2 | (v[1] & 0xc0), l1 = std::min(l0 + (v[1] & 0x3f), 255);
      return {{l0, l0, l0, 255}, {l1, l1, l1, 255}};
    }
    case 2: return hdr_luminance(v);
    case 3: return hdr_small_luminance(v);
    case 4: return {{v[0], v[0], v[0], v[2]}, {v[1], v[1], v[1], v[3]}};
    case 5:
      transfer(v[1], v[0]), transfer(v[3], v[2]);
      return {clamped({v[0], v[0], v[0], v[2]}), clamped({v[0] + v[1], v[0] + v[1], v[0] + v[1], v[2] + v[3]})};
    case 6:
    case 10:
      return {{v[0] * v[3] >> 8, v[1] * v[3] >> 8, v[2] * v[3] >> 8, mode == 10 ? v[4] : 255}, {v[0], v[1], v[2], mode == 10 ? v[5] : 255}};
    case 7: return hdr_scale(v);
    case 8:
    case 12: {
      const Color a{v[0], v[2], v[4], mode == 12 ? v[6] : 255}, b{v[1], v[3], v[5], mode == 12 ? v[7] : 255};
      if (v[1] + v[3] + v[5] >= v[0] + v[2] + v[4]) return {a, b};
      return {blue_contract(b), blue_contract(a)};
    }
    case 9: return from_offsets(v, false);
    case 13: return from_offsets(v, true);
    default: {
      Endpoints e = hdr_direct(v);
      if (mode == 14) e.low[3] = v[6], e.high[3] = v[7], e.hdr_alpha = false;
      if (mode == 15) hdr_alpha(v[6], v[7], e);
      return e;
    }
  }
}

}  // namespace softgen::surface::blocks::astc
