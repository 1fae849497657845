// SPDX-License-Identifier: GPL-2.0-or-later
// ETC1, ETC2 and EAC (OpenGL ES 3.0 specification, appendix C).
#include <algorithm>
#include <array>

#include "hw/base/bits.h"
#include "hw/surface/block.h"

namespace softgen::surface::blocks {
namespace {

constexpr int modifiers[8][2] = {{2, 8}, {5, 17}, {9, 29}, {13, 42}, {18, 60}, {24, 80}, {33, 106}, {47, 183}};
constexpr int distances[8] = {3, 6, 11, 16, 23, 32, 41, 64};
constexpr int eac_modifiers[16][8] = {
    {-3, -6, -9, -15, 2, 5, 8, 14}, {-3, -7, -10, -13, 2, 6, 9, 12}, {-2, -5, -8, -13, 1, 4, 7, 12}, {-2, -4, -6, -13, 1, 3, 5, 12},
    {-3, -6, -8, -12, 2, 5, 7, 11}, {-3, -7, -9, -11, 2, 6, 8, 10},  {-4, -7, -8, -11, 3, 6, 7, 10}, {-3, -5, -8, -11, 2, 4, 7, 10},
    {-2, -6, -8, -10, 1, 5, 7, 9},  {-2, -5, -8, -10, 1, 4, 7, 9},   {-2, -4, -8, -10, 1, 3, 7, 9},  {-2, -5, -7, -10, 1, 4, 6, 9},
    {-3, -4, -7, -10, 2, 3, 6, 9},  {-1, -2, -3, -10, 0, 1, 2, 9},   {-4, -6, -8, -9, 3, 5, 7, 8},   {-3, -5, -7, -9, 2, 4, 6, 8}};

using Color = std::array<int, 3>;

uint64_t big_endian(const uint8_t* block) {
  uint64_t word = 0;
  for (unsigned i = 0; i < 8; ++i) word = word << 8 | block[i];
  return word;
}

int field(uint64_t word, unsigned high, unsigned low) { return static_cast<int>(bits(word, high, low)); }
int from4(int v) { return v << 4 | v; }
int from5(int v) { return v << 3 | v >> 2; }
int from6(int v) { return v << 2 | v >> 4; }
int from7(int v) { return v << 1 | v >> 6; }
uint8_t clamp8(int v) { return static_cast<uint8_t>(std::clamp(v, 0, 255)); }

// Texels go down the columns; each has a bit in both halves of the low word.
unsigned index_of(uint64_t word, unsigned x, unsigned y) {
  const unsigned at = x * 4 + y;
  return static_cast<unsigned>((word >> (16 + at) & 1) << 1 | (word >> at & 1));
}

void store(Rgba8& out, const Color& base, int add) { out = {clamp8(base[0] + add), clamp8(base[1] + add), clamp8(base[2] + add), 255}; }

// Individual and differential modes: two half blocks, a base colour and a table each.
void decode_halves(uint64_t word, const Color& first, const Color& second, bool opaque, Texels8& out) {
  const bool flipped = word >> 32 & 1;
  const int table[2] = {field(word, 39, 37), field(word, 36, 34)};
  for (unsigned y = 0; y < 4; ++y)
    for (unsigned x = 0; x < 4; ++x) {
      const unsigned half = (flipped ? y : x) / 2, index = index_of(word, x, y);
      Rgba8& texel = out[y * 4 + x];
      if (!opaque && index == 2) {
        texel = {};
        continue;
      }
      const int size = !opaque && index == 0 ? 0 : modifiers[table[half]][index & 1];
      store(texel, half ? second : first, index & 2 ? -size : size);
    }
}

void decode_paints(uint64_t word, const std::array<Color, 4>& paint, bool opaque, Texels8& out) {
  for (unsigned y = 0; y < 4; ++y)
    for (unsigned x = 0; x < 4; ++x) {
      const unsigned index = index_of(word, x, y);
      store(out[y * 4 + x], paint[index], 0);
      if (!opaque && index == 2) out[y * 4 + x] = {};
    }
}

Color plus(const Color& c, int d) { return {c[0] + d, c[1] + d, c[2] + d}; }

void decode_t(uint64_t word, bool opaque, Texels8& out) {
  const Color a{from4(field(word, 60, 59) << 2 | field(word, 57, 56)), from4(field(word, 55, 52)), from4(field(word, 51, 48))};
  const Color b{from4(field(word, 47, 44)), from4(field(word, 43, 40)), from4(field(word, 39, 36))};
  const int d = distances[field(word, 35, 34) << 1 | field(word, 32, 32)];
  decode_paints(word, {a, plus(b, d), b, plus(b, -d)}, opaque, out);
}

void decode_h(uint64_t word, bool opaque, Texels8& out) {
  const Color a{from4(field(word, 62, 59)), from4(field(word, 58, 56) << 1 | field(word, 52, 52)),
                from4(field(word, 51, 51) << 3 | field(word, 49, 47))};
  const Color b{from4(field(word, 46, 43)), from4(field(word, 42, 39)), from4(field(word, 38, 35))};
  const int d = distances[field(word, 34, 34) << 2 | field(word, 32, 32) << 1 | (a >= b ? 1 : 0)];
  decode_paints(word, {plus(a, d), plus(a, -d), plus(b, d), plus(b, -d)}, opaque, out);
}

void decode_planar(uint64_t word, Texels8& out) {
  const Color o{from6(field(word, 62, 57)), from7(field(word, 56, 56) << 6 | field(word, 54, 49)),
                from6(field(word, 48, 48) << 5 | field(word, 44, 43) << 3 | field(word, 41, 39))};
  const Color h{from6(field(word, 38, 34) << 1 | field(word, 32, 32)), from7(field(word, 31, 25)), from6(field(word, 24, 19))};
  const Color v{from6(field(word, 18, 13)), from7(field(word, 12, 6)), from6(field(word, 5, 0))};
  for (int y = 0; y < 4; ++y)
    for (int x = 0; x < 4; ++x) {
      Rgba8& texel = out[static_cast<size_t>(y * 4 + x)];
      for (size_t c = 0; c < 3; ++c) texel[c] = clamp8((x * (h[c] - o[c]) + y * (v[c] - o[c]) + 4 * o[c] + 2) >> 2);
      texel[3] = 255;
    }
}

}  // namespace

void decode_etc2(const uint8_t* block, bool punch_through, Texels8& out) {
  const uint64_t word = big_endian(block);
  const bool flag = word >> 33 & 1;  // differential; with punch-through alpha: opaque
  const bool opaque = !punch_through || flag;
  if (!flag && !punch_through) {
    const Color a{from4(field(word, 63, 60)), from4(field(word, 55, 52)), from4(field(word, 47, 44))};
    const Color b{from4(field(word, 59, 56)), from4(field(word, 51, 48)), from4(field(word, 43, 40))};
    return decode_halves(word, a, b, true, out);
  }
  Color a, b;
  for (unsigned c = 0; c < 3; ++c) {
    const unsigned low = 56 - c * 8;
    a[c] = field(word, low + 7, low + 3);
    b[c] = a[c] + static_cast<int>(sign_extend(bits(word, low + 2, low), 3));
  }
  // Sums that do not fit name the modes that ETC1 lacks.
  if (b[0] < 0 || b[0] > 31) return decode_t(word, opaque, out);
  if (b[1] < 0 || b[1] > 31) return decode_h(word, opaque, out);
  if (b[2] < 0 || b[2] > 31) return decode_planar(word, out);
  for (int& v : a) v = from5(v);
  for (int& v : b) v = from5(v);
  decode_halves(word, a, b, opaque, out);
}

void decode_eac_alpha(const uint8_t* block, Texels8& out) {
  const uint64_t word = big_endian(block);
  const int base = field(word, 63, 56), multiplier = field(word, 55, 52);
  const int* table = eac_modifiers[field(word, 51, 48)];
  for (unsigned x = 0; x < 4; ++x)
    for (unsigned y = 0; y < 4; ++y) {
      const unsigned at = 45 - (x * 4 + y) * 3;
      out[y * 4 + x][3] = clamp8(base + table[field(word, at + 2, at)] * multiplier);
    }
}

void decode_eac11(const uint8_t* block, bool is_signed, std::array<float, 16>& out) {
  const uint64_t word = big_endian(block);
  const int multiplier = field(word, 55, 52), step = multiplier ? multiplier * 8 : 1;
  const int* table = eac_modifiers[field(word, 51, 48)];
  // A signed base of -128 counts as -127.
  const int base = is_signed ? std::max(static_cast<int>(static_cast<int8_t>(block[0])), -127) * 8 : block[0] * 8 + 4;
  for (unsigned x = 0; x < 4; ++x)
    for (unsigned y = 0; y < 4; ++y) {
      const unsigned at = 45 - (x * 4 + y) * 3;
      const int value = base + table[field(word, at + 2, at)] * step;
      out[y * 4 + x] = is_signed ? static_cast<float>(std::clamp(value, -1023, 1023)) / 1023.0f
                                 : static_cast<float>(std::clamp(value, 0, 2047)) / 2047.0f;
    }
}

}  // namespace softgen::surface::blocks
