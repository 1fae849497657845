// SPDX-License-Identifier: GPL-2.0-or-later
// FXT1 (GL_3DFX_texture_compression_FXT1): blocks of 8x4 texels, 128 bits, in one of four modes.
#include <cstring>

#include "hw/surface/block.h"

namespace softgen::surface::blocks {
namespace {

constexpr unsigned width = 8, height = 4, half = 16;  // texels; the left 4x4 have the first half of the indices
constexpr Rgba8 clear{0, 0, 0, 0};

/// The 128 bits of a block.
struct Bits {
  uint64_t words[2];
  unsigned at(unsigned first, unsigned count) const {
    uint64_t value = words[first / 64] >> (first % 64);
    if (first % 64 + count > 64) value |= words[1] << (64 - first % 64);
    return static_cast<unsigned>(value & ((uint64_t{1} << count) - 1));
  }
};

/// 8 bits a channel.
struct Color {
  unsigned red, green, blue, alpha;
};

unsigned widen(unsigned value, unsigned most) { return (value * 255 + most / 2) / most; }
unsigned five(unsigned value) { return widen(value, 31); }

/// Blue, green and red of 5 bits from `first` on.
Color color_at(const Bits& bits, unsigned first) {
  return {five(bits.at(first + 10, 5)), five(bits.at(first + 5, 5)), five(bits.at(first, 5)), 255};
}
/// Green gets a sixth bit.
Color with_green_bit(Color color, const Bits& bits, unsigned first, unsigned low) {
  color.green = widen(bits.at(first + 5, 5) << 1 | low, 63);
  return color;
}

Rgba8 texel(const Color& c) {
  return {static_cast<uint8_t>(c.red), static_cast<uint8_t>(c.green), static_cast<uint8_t>(c.blue), static_cast<uint8_t>(c.alpha)};
}
/// `part` of `parts` on the way from a to b.
Rgba8 between(const Color& a, const Color& b, unsigned part, unsigned parts) {
  const auto mix = [&](unsigned x, unsigned y) { return ((parts - part) * x + part * y + parts / 2) / parts; };
  return texel({mix(a.red, b.red), mix(a.green, b.green), mix(a.blue, b.blue), mix(a.alpha, b.alpha)});
}

/// CC_HI: two colours, five between them, and clear.
Rgba8 high(const Bits& bits, unsigned n) {
  const unsigned index = bits.at(3 * n, 3);
  return index == 7 ? clear : between(color_at(bits, 96), color_at(bits, 111), index, 6);
}

/// CC_CHROMA: four colours.
Rgba8 chroma(const Bits& bits, unsigned n) { return texel(color_at(bits, 64 + 15 * bits.at(2 * n, 2))); }

/// CC_MIXED: two colours for each half, whose greens have six bits.
Rgba8 mixed(const Bits& bits, unsigned n) {
  const bool right = n >= half, with_clear = bits.at(124, 1);
  const unsigned first = right ? 94 : 64, second = first + 15, index = bits.at(2 * n, 2);
  // The first green's low bit: that of the second one, changed by the first texel's index.
  const unsigned low = bits.at(right ? 126 : 125, 1), other_low = low ^ bits.at(right ? 33 : 1, 1);
  const Color b = with_green_bit(color_at(bits, second), bits, second, low);
  if (!with_clear) return between(with_green_bit(color_at(bits, first), bits, first, other_low), b, index, 3);
  const Color a = color_at(bits, first);
  if (index == 3) return clear;
  if (index != 1) return texel(index == 0 ? a : b);
  return texel({(a.red + b.red) / 2, (a.green + b.green) / 2, (a.blue + b.blue) / 2, 255});
}

/// CC_ALPHA: three colours with alpha and clear; or one for each half and a third for both, with two between.
Rgba8 alpha(const Bits& bits, unsigned n) {
  const unsigned index = bits.at(2 * n, 2);
  const auto color = [&](unsigned i) {
    Color c = color_at(bits, 64 + 15 * i);
    c.alpha = five(bits.at(109 + 5 * i, 5));
    return c;
  };
  if (!bits.at(124, 1)) return index == 3 ? clear : texel(color(index));
  return between(color(n >= half ? 2 : 0), color(1), index, 3);
}

}  // namespace

void decode_fxt1(const uint8_t* block, std::array<Rgba8, 32>& out) {
  Bits bits;
  std::memcpy(bits.words, block, sizeof bits.words);
  const unsigned mode = bits.at(125, 3);
  for (unsigned y = 0; y < height; ++y)
    for (unsigned x = 0; x < width; ++x) {
      const unsigned n = x / 4 * half + 4 * y + x % 4;
      out[width * y + x] = mode >= 4 ? mixed(bits, n) : mode == 3 ? alpha(bits, n) : mode == 2 ? chroma(bits, n) : high(bits, n);
    }
}

}  // namespace softgen::surface::blocks
