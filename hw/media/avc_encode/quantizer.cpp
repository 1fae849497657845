// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/avc_encode/quantizer.h"

#include <algorithm>
#include <cstdlib>

#include "hw/base/core_transform.h"
#include "hw/media/frame/lanes.h"

namespace softgen::media::avc {
namespace {

/// Eight times the basis of the 8x8 transform (8.5.13, as a matrix), and squares of the rows' lengths.
constexpr int32_t basis8[8][8] = {{8, 8, 8, 8, 8, 8, 8, 8},         {12, 10, 6, 3, -3, -6, -10, -12}, {8, 4, -4, -8, -8, -4, 4, 8},
                                  {10, -3, -12, -6, 6, 12, 3, -10}, {8, -8, -8, 8, 8, -8, -8, 8},     {6, -12, 3, 10, -10, -3, 12, -6},
                                  {4, -8, 8, -4, -4, 8, -8, 4},     {3, -6, 10, -12, 12, -10, 6, -3}};
constexpr int64_t lengths8[8] = {512, 578, 320, 578, 512, 578, 320, 578};

int difference(const Block& a, const Block& b, int x, int y) { return a.at[y * a.stride + x * a.step] - b.at[y * b.stride + x * b.step]; }

void hadamard(int32_t* v, unsigned step) {
  const int32_t a = v[0] + v[step], b = v[0] - v[step], c = v[2 * step] + v[3 * step], d = v[2 * step] - v[3 * step];
  v[0] = a + c, v[step] = a - c, v[2 * step] = b - d, v[3 * step] = b + d;
}

uint32_t satd4(const Block& source, const Block& prediction) {
  int32_t v[16];
  for (int i = 0; i < 16; ++i) v[i] = difference(source, prediction, i % 4, i / 4);
  for (unsigned i = 0; i < 4; ++i) hadamard(v + i * 4, 1);
  for (unsigned i = 0; i < 4; ++i) hadamard(v + i, 4);
  uint32_t sum = 0;
  for (const int32_t value : v) sum += static_cast<uint32_t>(std::abs(value));
  return sum;
}

I16x8 lower(I16x8 a, I16x8 b) { return reinterpret_cast<I16x8>(low64(reinterpret_cast<U64x2>(a), reinterpret_cast<U64x2>(b))); }
I16x8 upper(I16x8 a, I16x8 b) { return reinterpret_cast<I16x8>(high64(reinterpret_cast<U64x2>(a), reinterpret_cast<U64x2>(b))); }

void hadamard(I16x8 (&v)[4]) {
  const I16x8 a = v[0] + v[1], b = v[0] - v[1], c = v[2] + v[3], d = v[2] - v[3];
  v[0] = a + c, v[1] = a - c, v[2] = b - d, v[3] = b + d;
}

/// Two blocks side by side, or one and zeros, of samples that lie together. All values have 13 bits.
template <bool pair>
uint32_t satd_together(const Block& source, const Block& prediction) {
  I16x8 v[4];
  for (int y = 0; y < 4; ++y) {
    const uint8_t *const a = source.at + y * source.stride, *const b = prediction.at + y * prediction.stride;
    v[y] = pair ? widen(a) - widen(b) : widen_low(load4(a)) - widen_low(load4(b));
  }
  hadamard(v);
  const I16x8 even_a = low16(v[0], v[2]), odd_a = low16(v[1], v[3]), even_b = high16(v[0], v[2]), odd_b = high16(v[1], v[3]);
  const I16x8 a01 = low16(even_a, odd_a), a23 = high16(even_a, odd_a), b01 = low16(even_b, odd_b), b23 = high16(even_b, odd_b);
  v[0] = lower(a01, b01), v[1] = upper(a01, b01), v[2] = lower(a23, b23), v[3] = upper(a23, b23);
  hadamard(v);
  const I32x4 sum = products(magnitude(v[0]) + magnitude(v[1]) + magnitude(v[2]) + magnitude(v[3]), splat16(1));
  return static_cast<uint32_t>(sum[0] + sum[1] + sum[2] + sum[3]);
}

/// All values have 15 bits.
void hadamard(I16x8 (&v)[8]) {
  for (unsigned step = 1; step < 8; step *= 2)
    for (unsigned i = 0; i < 8; ++i) {
      if (i & step) continue;
      const I16x8 a = v[i], b = v[i + step];
      v[i] = a + b, v[i + step] = a - b;
    }
}

uint32_t transformed8(const Block& source, const Block& prediction) {
  I16x8 v[8];
  for (int y = 0; y < 8; ++y) v[y] = widen(source.at + y * source.stride) - widen(prediction.at + y * prediction.stride);
  hadamard(v);
  transpose8x8(v);
  hadamard(v);
  I32x4 sum{};
  for (const I16x8 row : v) sum += products(magnitude(row), splat16(1));
  return static_cast<uint32_t>(sum[0] + sum[1] + sum[2] + sum[3]);
}

}  // namespace

void forward4(const Block& source, const Block& prediction, std::array<int32_t, 16>& to) {
  for (int i = 0; i < 16; ++i) to[static_cast<size_t>(i)] = difference(source, prediction, i % 4, i / 4);
  forward_core_transform(to);
}

void forward8(const Block& source, const Block& prediction, std::array<int32_t, 64>& to) {
  int32_t rows[8][8], values[8][8];
  for (int y = 0; y < 8; ++y)
    for (int x = 0; x < 8; ++x) values[y][x] = difference(source, prediction, x, y);
  for (unsigned y = 0; y < 8; ++y)
    for (unsigned i = 0; i < 8; ++i) {
      rows[y][i] = 0;
      for (unsigned x = 0; x < 8; ++x) rows[y][i] += basis8[i][x] * values[y][x];
    }
  for (unsigned i = 0; i < 8; ++i)
    for (unsigned x = 0; x < 8; ++x) {
      int32_t sum = 0;
      for (unsigned y = 0; y < 8; ++y) sum += basis8[i][y] * rows[y][x];
      to[i * 8 + x] = sum;
    }
}

void forward_luma_dc(std::array<int32_t, 16>& dc) {
  for (unsigned i = 0; i < 4; ++i) hadamard(dc.data() + i * 4, 1);
  for (unsigned i = 0; i < 4; ++i) hadamard(dc.data() + i, 4);
}

void forward_chroma_dc(std::array<int32_t, 4>& dc) {
  const int32_t a = dc[0] + dc[1], b = dc[0] - dc[1], c = dc[2] + dc[3], d = dc[2] - dc[3];
  dc = {a + c, b + d, a - c, b - d};
}

uint32_t satd(const Block& source, const Block& prediction, unsigned width, unsigned height) {
  uint32_t sum = 0;
  if (source.step == 1 && prediction.step == 1) {
    if (width == 4 && height == 4) return satd_together<false>(source, prediction) / 2;
    for (unsigned y = 0; y < height; y += 4)
      for (unsigned x = 0; x < width; x += 8)
        sum += satd_together<true>({source.at + y * source.stride + x, source.stride},
                                   {prediction.at + y * prediction.stride + x, prediction.stride});
    return sum / 2;
  }
  for (unsigned y = 0; y < height; y += 4)
    for (unsigned x = 0; x < width; x += 4)
      sum += satd4({source.at + y * source.stride + x * source.step, source.stride, source.step},
                   {prediction.at + y * prediction.stride + x * prediction.step, prediction.stride, prediction.step});
  return sum / 2;
}

uint32_t satd8(const Block& source, const Block& prediction, unsigned width, unsigned height) {
  uint32_t sum = 0;
  for (unsigned y = 0; y < height; y += 8)
    for (unsigned x = 0; x < width; x += 8)
      sum +=
          transformed8({source.at + y * source.stride + x, source.stride}, {prediction.at + y * prediction.stride + x, prediction.stride});
  return sum / 4;
}

// A coefficient of 4x4 is its level times LevelScale * 2^(QP / 6) / 16, and a decoder's basis functions are 64 times what they add. With the forward
// transform's gain of 16, 20 or 25: level = coefficient * {64, 51.2, 40.96} / (LevelScale * 2^(QP / 6)). 8x8: alike, by the rows' lengths.
void Quantizer::set(const LevelScale& scale) {
  for (unsigned list = 0; list < 6; ++list)
    for (unsigned rest = 0; rest < 6; ++rest)
      for (unsigned i = 0; i < 16; ++i) {
        const unsigned odd = i / 4 % 2 + i % 2;
        const int64_t hundredths = odd == 0 ? 6400 : odd == 1 ? 5120 : 4096, divisor = std::max(scale.by4[list][rest][i], 1);
        by4_[list][rest][i] = ((hundredths << bits4) / 100 + divisor / 2) / divisor;
      }
  for (unsigned list = 0; list < 2; ++list)
    for (unsigned rest = 0; rest < 6; ++rest)
      for (unsigned i = 0; i < 64; ++i) {
        const int64_t divisor = std::max(scale.by8[list][rest][i], 1) * lengths8[i / 8] * lengths8[i % 8];
        by8_[list][rest][i] = ((int64_t{64 * 64 * 64} << bits8) + divisor / 2) / divisor;
      }
}

}  // namespace softgen::media::avc
