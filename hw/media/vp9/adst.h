// SPDX-License-Identifier: GPL-2.0-or-later
// One-dimensional inverse ADSTs: VP9 specification, 8.7.1.6 to 8.7.1.9.
#pragma once

#include "hw/media/vp9/dct.h"

namespace softgen::media::vp9 {
namespace {

/// Sums and differences of two products each, rounded afterwards: p +- q.
template <typename V>
void cross(V p, V q, V& sum, V& difference) {
  sum = (p + q).rounded(14), difference = (p - q).rounded(14);
}

template <typename V>
void inverse_adst_4(const V* in, V* out) {
  constexpr int sines[4] = {5283, 9929, 13377, 15212};  // sin(i * pi / 9) * 16384 * sqrt(8) / 3
  const V a = in[0] * sines[0] + in[2] * sines[3] + in[3] * sines[1];
  const V b = in[0] * sines[1] - in[2] * sines[0] - in[3] * sines[3];
  const V c = in[1] * sines[2];
  const V d = (in[0] - in[2] + in[3]) * sines[2];
  out[0] = (a + c).rounded(14);
  out[1] = (b + c).rounded(14);
  out[2] = d.rounded(14);
  out[3] = (a + b - c).rounded(14);
}

template <typename V>
void inverse_adst_8(const V* in, V* out) {
  const auto c = [](V v, unsigned i) { return v * cosines[i]; };
  V x[8], y[8];
  const V s0 = c(in[7], 2) + c(in[0], 30), s1 = c(in[7], 30) - c(in[0], 2), s2 = c(in[5], 10) + c(in[2], 22),
          s3 = c(in[5], 22) - c(in[2], 10);
  const V s4 = c(in[3], 18) + c(in[4], 14), s5 = c(in[3], 14) - c(in[4], 18), s6 = c(in[1], 26) + c(in[6], 6),
          s7 = c(in[1], 6) - c(in[6], 26);
  cross(s0, s4, x[0], x[4]), cross(s1, s5, x[1], x[5]), cross(s2, s6, x[2], x[6]), cross(s3, s7, x[3], x[7]);
  y[0] = x[0] + x[2], y[1] = x[1] + x[3], y[2] = x[0] - x[2], y[3] = x[1] - x[3];
  cross(c(x[4], 8) + c(x[5], 24), c(x[7], 8) - c(x[6], 24), y[4], y[6]);
  cross(c(x[4], 24) - c(x[5], 8), c(x[6], 8) + c(x[7], 24), y[5], y[7]);
  out[0] = y[0], out[1] = -y[4];
  out[2] = half_root(y[6] + y[7]), out[3] = -half_root(y[2] + y[3]);
  out[4] = half_root(y[2] - y[3]), out[5] = -half_root(y[6] - y[7]);
  out[6] = y[5], out[7] = -y[1];
}

/// The part of a 16-point ADST behind its first stage.
template <typename V>
void adst_16_tail(const V (&x)[16], V* out) {
  const auto c = [](V v, unsigned i) { return v * cosines[i]; };
  V y[16], z[16];
  for (unsigned i = 0; i < 4; ++i) y[i] = x[i] + x[i + 4], y[i + 4] = x[i] - x[i + 4];
  cross(c(x[8], 4) + c(x[9], 28), c(x[13], 4) - c(x[12], 28), y[8], y[12]);
  cross(c(x[8], 28) - c(x[9], 4), c(x[12], 4) + c(x[13], 28), y[9], y[13]);
  cross(c(x[10], 20) + c(x[11], 12), c(x[15], 20) - c(x[14], 12), y[10], y[14]);
  cross(c(x[10], 12) - c(x[11], 20), c(x[14], 20) + c(x[15], 12), y[11], y[15]);
  for (const unsigned i : {0u, 8u}) {
    z[i] = y[i] + y[i + 2], z[i + 1] = y[i + 1] + y[i + 3], z[i + 2] = y[i] - y[i + 2], z[i + 3] = y[i + 1] - y[i + 3];
    cross(c(y[i + 4], 8) + c(y[i + 5], 24), c(y[i + 7], 8) - c(y[i + 6], 24), z[i + 4], z[i + 6]);
    cross(c(y[i + 4], 24) - c(y[i + 5], 8), c(y[i + 6], 8) + c(y[i + 7], 24), z[i + 5], z[i + 7]);
  }
  out[0] = z[0], out[1] = -z[8], out[2] = z[12], out[3] = -z[4];
  out[4] = half_root(z[6] + z[7]);
  out[5] = ((z[14] + z[15]) * -cosines[16]).rounded(14);
  out[6] = half_root(z[10] + z[11]);
  out[7] = ((z[2] + z[3]) * -cosines[16]).rounded(14);
  out[8] = half_root(z[2] - z[3]);
  out[9] = half_root(z[11] - z[10]);
  out[10] = half_root(z[14] - z[15]);
  out[11] = half_root(z[7] - z[6]);
  out[12] = z[5], out[13] = -z[13], out[14] = z[9], out[15] = -z[1];
}

template <typename V>
void inverse_adst_16(const V* in, V* out) {
  V x[16];
  // Pairs i and i + 4 of products, turned by odd multiples of pi / 64.
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned k = 4 * i + 1, l = k + 16;
    const V &a = in[15 - 2 * i], &b = in[2 * i], &d = in[7 - 2 * i], &e = in[8 + 2 * i];
    cross(a * cosines[k] + b * cosines[32 - k], d * cosines[l] + e * cosines[32 - l], x[2 * i], x[2 * i + 8]);
    cross(a * cosines[32 - k] - b * cosines[k], d * cosines[32 - l] - e * cosines[l], x[2 * i + 1], x[2 * i + 9]);
  }
  adst_16_tail(x, out);
}

}  // namespace
}  // namespace softgen::media::vp9
