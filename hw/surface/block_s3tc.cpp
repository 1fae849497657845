// SPDX-License-Identifier: GPL-2.0-or-later
// BC1 to BC5 (EXT_texture_compression_s3tc, ARB_texture_compression_rgtc).
#include <algorithm>

#include "hw/surface/block.h"

namespace softgen::surface::blocks {
namespace {

Rgba8 expand_565(unsigned c) {
  const unsigned r = c >> 11, g = c >> 5 & 63, b = c & 31;
  return {static_cast<uint8_t>(r << 3 | r >> 2), static_cast<uint8_t>(g << 2 | g >> 4), static_cast<uint8_t>(b << 3 | b >> 2), 255};
}

// (a * wa + b * wb) / (wa + wb), to nearest.
Rgba8 mix(const Rgba8& a, unsigned wa, const Rgba8& b, unsigned wb) {
  Rgba8 out{0, 0, 0, 255};
  const unsigned sum = wa + wb;
  for (size_t i = 0; i < 3; ++i) out[i] = static_cast<uint8_t>((a[i] * wa + b[i] * wb + sum / 2) / sum);
  return out;
}

// `three`: whether an inverted order of the end points means three colours and black.
void decode_colors(const uint8_t* block, bool three, bool black_is_clear, Texels8& out) {
  const unsigned c0 = block[0] | block[1] << 8u, c1 = block[2] | block[3] << 8u;
  Rgba8 color[4] = {expand_565(c0), expand_565(c1)};
  if (c0 > c1 || !three) {
    color[2] = mix(color[0], 2, color[1], 1), color[3] = mix(color[0], 1, color[1], 2);
  } else {
    color[2] = mix(color[0], 1, color[1], 1);
    color[3] = {0, 0, 0, static_cast<uint8_t>(black_is_clear ? 0 : 255)};
  }
  for (unsigned i = 0; i < 16; ++i) out[i] = color[block[4 + i / 4] >> i % 4 * 2 & 3];
}

uint64_t index_bits(const uint8_t* block) {
  uint64_t bits = 0;
  for (unsigned i = 0; i < 6; ++i) bits |= uint64_t{block[2 + i]} << i * 8;
  return bits;
}

}  // namespace

void decode_bc1(const uint8_t* block, bool with_alpha, Texels8& out) { decode_colors(block, true, with_alpha, out); }

void decode_bc2(const uint8_t* block, Texels8& out) {
  decode_colors(block + 8, false, false, out);
  for (unsigned i = 0; i < 16; ++i) out[i][3] = static_cast<uint8_t>((block[i / 2] >> i % 2 * 4 & 15) * 17);
}

void decode_bc3(const uint8_t* block, Texels8& out) {
  decode_colors(block + 8, false, false, out);
  const unsigned a0 = block[0], a1 = block[1];
  const uint64_t indices = index_bits(block);
  for (unsigned i = 0; i < 16; ++i) {
    const unsigned k = indices >> i * 3 & 7;
    unsigned a;
    if (k < 2) a = k ? a1 : a0;
    else if (a0 > a1) a = (a0 * (8 - k) + a1 * (k - 1) + 3) / 7;
    else a = k == 6 ? 0 : k == 7 ? 255 : (a0 * (6 - k) + a1 * (k - 1) + 2) / 5;
    out[i][3] = static_cast<uint8_t>(a);
  }
}

void decode_rgtc(const uint8_t* block, bool is_signed, std::array<float, 16>& out) {
  const float low = is_signed ? -1.0f : 0.0f;
  const int e0 = is_signed ? static_cast<int8_t>(block[0]) : block[0], e1 = is_signed ? static_cast<int8_t>(block[1]) : block[1];
  const auto value = [&](int e) { return is_signed ? std::max(static_cast<float>(e) / 127.0f, -1.0f) : static_cast<float>(e) / 255.0f; };
  const double v0 = value(e0), v1 = value(e1);
  const uint64_t indices = index_bits(block);
  for (unsigned i = 0; i < 16; ++i) {
    const int k = static_cast<int>(indices >> i * 3 & 7);
    if (k < 2) out[i] = static_cast<float>(k ? v1 : v0);
    else if (e0 > e1) out[i] = static_cast<float>((v0 * (8 - k) + v1 * (k - 1)) / 7);
    else out[i] = k == 6 ? low : k == 7 ? 1.0f : static_cast<float>((v0 * (6 - k) + v1 * (k - 1)) / 5);
  }
}

}  // namespace softgen::surface::blocks
