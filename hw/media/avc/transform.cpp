// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/avc/transform.h"

#include <algorithm>
#include <cstring>

#include "hw/media/avc/tables.h"

namespace softgen::media::avc {
namespace {

int32_t limited(int64_t value) { return static_cast<int32_t>(std::clamp<int64_t>(value, -coefficient_limit, coefficient_limit)); }

uint8_t clip(int32_t value) { return static_cast<uint8_t>(std::clamp(value, 0, 255)); }

int32_t shifted(int64_t product, unsigned qp, unsigned bits) {
  const unsigned up = qp / 6;
  if (up >= bits) return limited(product << (up - bits));
  return limited((product + (int64_t{1} << (bits - 1 - up))) >> (bits - up));
}

// One dimension of 8.5.13, of values `step` apart.
void butterfly8(int32_t* v, unsigned step) {
  const auto at = [&](unsigned i) -> int32_t& { return v[i * step]; };
  const int32_t a0 = at(0) + at(4), a2 = at(0) - at(4), a4 = (at(2) >> 1) - at(6), a6 = at(2) + (at(6) >> 1);
  const int32_t b0 = a0 + a6, b2 = a2 + a4, b4 = a2 - a4, b6 = a0 - a6;
  const int32_t a1 = -at(3) + at(5) - at(7) - (at(7) >> 1), a3 = at(1) + at(7) - at(3) - (at(3) >> 1);
  const int32_t a5 = -at(1) + at(7) + at(5) + (at(5) >> 1), a7 = at(3) + at(5) + at(1) + (at(1) >> 1);
  const int32_t b1 = a1 + (a7 >> 2), b7 = a7 - (a1 >> 2), b3 = a3 + (a5 >> 2), b5 = (a3 >> 2) - a5;
  at(0) = b0 + b7, at(1) = b2 + b5, at(2) = b4 + b3, at(3) = b6 + b1;
  at(4) = b6 - b1, at(5) = b4 - b3, at(6) = b2 - b5, at(7) = b0 - b7;
}

void butterfly4(int32_t* v, unsigned step) {
  const int32_t e0 = v[0] + v[2 * step], e1 = v[0] - v[2 * step];
  const int32_t e2 = (v[step] >> 1) - v[3 * step], e3 = v[step] + (v[3 * step] >> 1);
  v[0] = e0 + e3, v[step] = e1 + e2, v[2 * step] = e1 - e2, v[3 * step] = e0 - e3;
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

int32_t scale4(int32_t level, int32_t scale, unsigned qp) { return shifted(int64_t{level} * scale, qp, 4); }
int32_t scale8(int32_t level, int32_t scale, unsigned qp) { return shifted(int64_t{level} * scale, qp, 6); }

void luma_dc(std::array<int32_t, 16>& dc, int32_t scale, unsigned qp) {
  for (int32_t& value : dc) value = limited(value);
  for (unsigned i = 0; i < 4; ++i) hadamard4(dc.data() + i * 4, 1);
  for (unsigned i = 0; i < 4; ++i) hadamard4(dc.data() + i, 4);
  for (int32_t& value : dc) value = shifted(int64_t{value} * scale, qp, 6);
}

void chroma_dc(std::array<int32_t, 4>& dc, int32_t scale, unsigned qp) {
  for (int32_t& value : dc) value = limited(value);
  const int32_t a = dc[0] + dc[1], b = dc[0] - dc[1], c = dc[2] + dc[3], d = dc[2] - dc[3];
  dc = {a + c, b + d, a - c, b - d};
  for (int32_t& value : dc) value = limited((int64_t{value} * scale << qp / 6) >> 5);
}

void add4(int32_t* c, uint8_t* to, ptrdiff_t stride, ptrdiff_t step) {
  for (unsigned i = 0; i < 4; ++i) butterfly4(c + i * 4, 1);
  for (unsigned i = 0; i < 4; ++i) butterfly4(c + i, 4);
  for (unsigned y = 0; y < 4; ++y, to += stride)
    for (unsigned x = 0; x < 4; ++x)
      to[static_cast<ptrdiff_t>(x) * step] = clip(to[static_cast<ptrdiff_t>(x) * step] + ((c[y * 4 + x] + 32) >> 6));
  std::memset(c, 0, 16 * sizeof *c);
}

void add8(int32_t* c, uint8_t* to, ptrdiff_t stride) {
  for (unsigned i = 0; i < 8; ++i) butterfly8(c + i * 8, 1);
  for (unsigned i = 0; i < 8; ++i) butterfly8(c + i, 8);
  for (unsigned y = 0; y < 8; ++y, to += stride)
    for (unsigned x = 0; x < 8; ++x) to[x] = clip(to[x] + ((c[y * 8 + x] + 32) >> 6));
  std::memset(c, 0, 64 * sizeof *c);
}

}  // namespace softgen::media::avc
