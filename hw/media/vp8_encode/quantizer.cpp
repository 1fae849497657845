// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/vp8_encode/quantizer.h"

#include <algorithm>
#include <cstdlib>

#include "hw/media/vp8/token_tables.h"

namespace softgen::media::vp8 {
namespace {

/// By quantizer index (RFC 6386, 14.1).
constexpr int16_t dc_factors[128] = {
    4,   5,   6,   7,   8,   9,   10,  10,  11,  12,  13,  14,  15,  16,  17,  17,  18,  19,  20,  20,  21,  21,  22,  22,  23,  23,
    24,  25,  25,  26,  27,  28,  29,  30,  31,  32,  33,  34,  35,  36,  37,  37,  38,  39,  40,  41,  42,  43,  44,  45,  46,  46,
    47,  48,  49,  50,  51,  52,  53,  54,  55,  56,  57,  58,  59,  60,  61,  62,  63,  64,  65,  66,  67,  68,  69,  70,  71,  72,
    73,  74,  75,  76,  76,  77,  78,  79,  80,  81,  82,  83,  84,  85,  86,  87,  88,  89,  91,  93,  95,  96,  98,  100, 101, 102,
    104, 106, 108, 110, 112, 114, 116, 118, 122, 124, 126, 128, 130, 132, 134, 136, 138, 140, 143, 145, 148, 151, 154, 157};
constexpr int16_t ac_factors[128] = {
    4,   5,   6,   7,   8,   9,   10,  11,  12,  13,  14,  15,  16,  17,  18,  19,  20,  21,  22,  23,  24,  25,  26,  27,  28,  29,
    30,  31,  32,  33,  34,  35,  36,  37,  38,  39,  40,  41,  42,  43,  44,  45,  46,  47,  48,  49,  50,  51,  52,  53,  54,  55,
    56,  57,  58,  60,  62,  64,  66,  68,  70,  72,  74,  76,  78,  80,  82,  84,  86,  88,  90,  92,  94,  96,  98,  100, 102, 104,
    106, 108, 110, 112, 114, 116, 119, 122, 125, 128, 131, 134, 137, 140, 143, 146, 149, 152, 155, 158, 161, 164, 167, 170, 173, 177,
    181, 185, 189, 193, 197, 201, 205, 209, 213, 217, 221, 225, 229, 234, 239, 245, 249, 254, 259, 264, 269, 274, 279, 284};

// cos(pi / 8) and sin(pi / 8), times sqrt(2) * 2^10: the inverse transform's base vectors (14.3).
constexpr unsigned fraction = 10;
constexpr int32_t wide = 1338, narrow = 554;

/// The products of 4 values with the base vectors, times 2^10.
void project(const int64_t* in, size_t step, int64_t* out) {
  const int64_t a = in[0] + in[3 * step], b = in[step] + in[2 * step], c = in[0] - in[3 * step], d = in[step] - in[2 * step];
  out[0] = (a + b) << fraction, out[2 * step] = (a - b) << fraction;
  out[step] = c * wide + d * narrow, out[3 * step] = c * narrow - d * wide;
}

}  // namespace

Quantizer quantizer_of(int index, const IndexDeltas& delta) {
  const auto factor = [index](const int16_t* table, int by) { return table[std::clamp(index + by, 0, max_index)]; };
  Quantizer out;
  out.y1 = {factor(dc_factors, delta.y1_dc), factor(ac_factors, 0)};
  out.y2 = {static_cast<int16_t>(factor(dc_factors, delta.y2_dc) * 2),
            static_cast<int16_t>(std::max(factor(ac_factors, delta.y2_ac) * 155 / 100, 8))};
  out.uv = {std::min<int16_t>(factor(dc_factors, delta.uv_dc), 132), factor(ac_factors, delta.uv_ac)};
  return out;
}

void forward_transform(const std::array<int16_t, 16>& in, std::array<int16_t, 16>& out) {
  int64_t line[16], mid[16], all[16];
  std::copy(in.begin(), in.end(), line);
  for (size_t y = 0; y < 4; ++y) project(line + 4 * y, 1, mid + 4 * y);
  for (size_t x = 0; x < 4; ++x) project(mid + x, 4, all + x);
  // The base vectors' lengths are 2, and the inverse transform divides by 8: a half.
  constexpr unsigned shift = 2 * fraction + 1;
  for (size_t i = 0; i < 16; ++i) out[i] = static_cast<int16_t>((all[i] + (int64_t{1} << (shift - 1))) >> shift);
}

void forward_walsh(const std::array<int16_t, 16>& in, std::array<int16_t, 16>& out) {
  int mid[16];
  const auto turn = [](const auto* from, size_t step, int* to) {
    const int a = from[0] + from[step], b = from[2 * step] + from[3 * step], c = from[0] - from[step], d = from[2 * step] - from[3 * step];
    to[0] = a + b, to[step] = a - b, to[2 * step] = c - d, to[3 * step] = c + d;
  };
  for (size_t y = 0; y < 4; ++y) turn(in.data() + 4 * y, 1, mid + 4 * y);
  int all[16];
  for (size_t x = 0; x < 4; ++x) turn(mid + x, 4, all + x);
  for (size_t i = 0; i < 16; ++i) out[i] = static_cast<int16_t>((all[i] + (all[i] > 0)) >> 1);
}

unsigned quantize(const std::array<int16_t, 16>& in, const std::array<int16_t, 2>& factor, unsigned first, Levels& to) {
  unsigned end = 0;
  to.fill(0);
  for (unsigned i = first; i < 16; ++i) {
    const int value = in[zigzag[i]], by = factor[i > 0], magnitude = std::min((std::abs(value) + by * 3 / 8) / by, max_level);
    to[i] = static_cast<int16_t>(value < 0 ? -magnitude : magnitude);
    if (magnitude) end = i + 1;
  }
  return end;
}

void dequantize(const Levels& levels, const std::array<int16_t, 2>& factor, std::array<int16_t, 16>& to) {
  for (unsigned i = 0; i < 16; ++i)
    if (levels[i]) to[zigzag[i]] = static_cast<int16_t>(levels[i] * factor[i > 0]);
}

}  // namespace softgen::media::vp8
