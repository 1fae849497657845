// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/avc/transform.h"

#include <algorithm>
#include <cstring>

#include "hw/media/avc/tables.h"
#include "hw/media/frame/lanes.h"

namespace softgen::media::avc {
namespace {

/// Of DC levels, so that their sums do not overflow.
constexpr int32_t level_limit = 1 << 20;

int32_t limited(int64_t value, int32_t limit) { return static_cast<int32_t>(std::clamp<int64_t>(value, -limit - 1, limit)); }

int16_t shifted(int64_t product, unsigned qp, unsigned bits) {
  const unsigned up = qp / 6;
  if (up >= bits) product <<= up - bits;
  else product = (product + (int64_t{1} << (bits - 1 - up))) >> (bits - up);
  return static_cast<int16_t>(limited(product, 32767));
}

// One dimension of 8.5.13.
void butterfly8(I16x8 (&v)[8]) {
  const I16x8 a0 = plus(v[0], v[4]), a2 = minus(v[0], v[4]), a4 = minus(v[2] >> 1, v[6]), a6 = plus(v[2], v[6] >> 1);
  const I16x8 b0 = plus(a0, a6), b2 = plus(a2, a4), b4 = minus(a2, a4), b6 = minus(a0, a6);
  const I16x8 a1 = minus(minus(v[5], v[3]), plus(v[7], v[7] >> 1)), a3 = minus(plus(v[1], v[7]), plus(v[3], v[3] >> 1));
  const I16x8 a5 = plus(minus(v[7], v[1]), plus(v[5], v[5] >> 1)), a7 = plus(plus(v[3], v[5]), plus(v[1], v[1] >> 1));
  const I16x8 b1 = plus(a1, a7 >> 2), b7 = minus(a7, a1 >> 2), b3 = plus(a3, a5 >> 2), b5 = minus(a3 >> 2, a5);
  v[0] = plus(b0, b7), v[1] = plus(b2, b5), v[2] = plus(b4, b3), v[3] = plus(b6, b1);
  v[4] = minus(b6, b1), v[5] = minus(b4, b3), v[6] = minus(b2, b5), v[7] = minus(b0, b7);
}

/// Four rows of four values, two in a vector.
struct Rows4 {
  I16x8 first, second;
};

I16x8 halves_swapped(I16x8 v) { return __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3); }
I16x8 lower(I16x8 a, I16x8 b) { return reinterpret_cast<I16x8>(low64(reinterpret_cast<U64x2>(a), reinterpret_cast<U64x2>(b))); }
I16x8 upper(I16x8 a, I16x8 b) { return reinterpret_cast<I16x8>(high64(reinterpret_cast<U64x2>(a), reinterpret_cast<U64x2>(b))); }

Rows4 transposed(Rows4 v) {
  const I16x8 even = low16(v.first, v.second), odd = high16(v.first, v.second);
  return {low16(even, odd), high16(even, odd)};
}

// One dimension of 8.5.12.2: rows 0 and 1, and 2 and 3.
Rows4 butterfly4(Rows4 v) {
  const I16x8 sums = lower(plus(v.first, v.second), minus(v.first, v.second));
  const I16x8 odd = upper(plus(v.first, v.second >> 1), minus(v.first >> 1, v.second));
  return {plus(sums, odd), halves_swapped(minus(sums, odd))};
}

/// Takes the coefficients away.
Rows4 residual4(int16_t* c) {
  Rows4 v;
  std::memcpy(&v, c, sizeof v);
  std::memset(c, 0, sizeof v);
  v = butterfly4(transposed(butterfly4(transposed(v))));
  return {plus(v.first, splat16(32)) >> 6, plus(v.second, splat16(32)) >> 6};
}

struct Rows8 {
  I16x8 rows[8];
};

/// The same.
Rows8 residual8(int16_t* c) {
  Rows8 v;
  std::memcpy(&v, c, sizeof v);
  std::memset(c, 0, sizeof v);
  transpose8x8(v.rows);
  butterfly8(v.rows);
  transpose8x8(v.rows);
  butterfly8(v.rows);
  for (I16x8& row : v.rows) row = plus(row, splat16(32)) >> 6;
  return v;
}

/// Residuals have 10 bits.
U8x16 sum(I16x8 residual, U8x16 samples) {
  const I16x8 v = plus(widen_low(samples), residual);
  return narrow(v, v);
}

void hadamard4(int32_t* v, unsigned step) {
  const int32_t a = v[0] + v[step], b = v[0] - v[step], c = v[2 * step] + v[3 * step], d = v[2 * step] - v[3 * step];
  v[0] = a + c, v[step] = a - c, v[2 * step] = b - d, v[3 * step] = b + d;
}

}  // namespace

void LevelScale::set(const PictureParams& params) {
  for (unsigned list = 0; list < 6; ++list)
    for (unsigned rest = 0; rest < 6; ++rest)
      for (unsigned i = 0; i < 16; ++i) {
        const unsigned odd = i / 4 % 2 + i % 2;
        by4[list][rest][i] = params.scaling4[list][i] * norm4[rest][odd == 0 ? 0 : odd == 2 ? 1 : 2];
      }
  for (unsigned list = 0; list < 2; ++list)
    for (unsigned rest = 0; rest < 6; ++rest)
      for (unsigned i = 0; i < 64; ++i) {
        const unsigned x = i % 8, y = i / 8;
        unsigned kind = 5;
        if (x % 4 == 0 && y % 4 == 0) kind = 0;
        else if (x % 2 && y % 2) kind = 1;
        else if (x % 4 == 2 && y % 4 == 2) kind = 2;
        else if ((x % 4 == 0 && y % 2) || (x % 2 && y % 4 == 0)) kind = 3;
        else if ((x % 4 == 0 && y % 4 == 2) || (x % 4 == 2 && y % 4 == 0)) kind = 4;
        by8[list][rest][i] = params.scaling8[list][i] * norm8[rest][kind];
      }
}

int16_t scale4(int32_t level, int32_t scale, unsigned qp) { return shifted(int64_t{level} * scale, qp, 4); }
int16_t scale8(int32_t level, int32_t scale, unsigned qp) { return shifted(int64_t{level} * scale, qp, 6); }

void luma_dc(std::array<int32_t, 16>& dc, int32_t scale, unsigned qp) {
  for (int32_t& value : dc) value = limited(value, level_limit);
  for (unsigned i = 0; i < 4; ++i) hadamard4(dc.data() + i * 4, 1);
  for (unsigned i = 0; i < 4; ++i) hadamard4(dc.data() + i, 4);
  for (int32_t& value : dc) value = shifted(int64_t{value} * scale, qp, 6);
}

void chroma_dc(std::array<int32_t, 4>& dc, int32_t scale, unsigned qp) {
  for (int32_t& value : dc) value = limited(value, level_limit);
  const int32_t a = dc[0] + dc[1], b = dc[0] - dc[1], c = dc[2] + dc[3], d = dc[2] - dc[3];
  dc = {a + c, b + d, a - c, b - d};
  for (int32_t& value : dc) value = limited((int64_t{value} * scale << qp / 6) >> 5, 32767);
}

void add4(int16_t* c, uint8_t* to, ptrdiff_t stride) {
  const Rows4 v = residual4(c);
  store4(sum(v.first, load4(to)), to);
  store4(sum(halves_swapped(v.first), load4(to + stride)), to + stride);
  store4(sum(v.second, load4(to + 2 * stride)), to + 2 * stride);
  store4(sum(halves_swapped(v.second), load4(to + 3 * stride)), to + 3 * stride);
}

void add4(int16_t* first, int16_t* second, uint8_t* to, ptrdiff_t stride) {
  const Rows4 a = residual4(first), b = residual4(second);
  store8(sum(low16(a.first, b.first), load8(to)), to);
  store8(sum(high16(a.first, b.first), load8(to + stride)), to + stride);
  store8(sum(low16(a.second, b.second), load8(to + 2 * stride)), to + 2 * stride);
  store8(sum(high16(a.second, b.second), load8(to + 3 * stride)), to + 3 * stride);
}

void add8(int16_t* c, uint8_t* to, ptrdiff_t stride) {
  const Rows8 v = residual8(c);
  for (const I16x8& row : v.rows) store8(sum(row, load8(to)), to), to += stride;
}

void inverse4(int16_t* c, int16_t* to, size_t stride) {
  const Rows4 v = residual4(c);
  for (unsigned y = 0; y < 4; ++y)
    for (unsigned x = 0; x < 4; ++x) to[y * stride + x] = (y < 2 ? v.first : v.second)[y % 2 * 4 + x];
}

void inverse8(int16_t* c, int16_t* to, size_t stride) {
  const Rows8 v = residual8(c);
  for (const I16x8& row : v.rows) std::memcpy(to, &row, sizeof row), to += stride;
}

}  // namespace softgen::media::avc
