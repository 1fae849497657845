// SPDX-License-Identifier: GPL-2.0-or-later
// One-dimensional inverse DCTs and ADSTs, on vectors whose lanes are transforms of their own: VP9 specification, 8.7.1.2 to 8.7.1.9. Sums and products wrap:
// legal streams never come near (8.7.2). All is local to each file: it is compiled once per instruction set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace softgen::media::vp9 {
namespace {

/// cos(i * pi / 64) * 16384, rounded.
constexpr int cosines[32] = {16384, 16364, 16305, 16207, 16069, 15893, 15679, 15426, 15137, 14811, 14449, 14053, 13623, 13160, 12665, 12140,
                             11585, 11003, 10394, 9760,  9102,  8423,  7723,  7005,  6270,  5520,  4756,  3981,  3196,  2404,  1606,  804};

template <typename Element, unsigned lanes>
struct VectorOf {
  typedef Element Type __attribute__((vector_size(lanes * sizeof(Element))));
};

/// `Element`: int32_t for 8 bits per sample, int64_t for more.
template <typename Element, unsigned lanes>
struct Lanes {
  typedef Element Signed __attribute__((vector_size(lanes * sizeof(Element))));
  typedef std::make_unsigned_t<Element> Unsigned __attribute__((vector_size(lanes * sizeof(Element))));
  Signed v;

  friend Lanes operator+(Lanes a, Lanes b) {
    return {reinterpret_cast<Signed>(reinterpret_cast<Unsigned>(a.v) + reinterpret_cast<Unsigned>(b.v))};
  }
  friend Lanes operator-(Lanes a, Lanes b) {
    return {reinterpret_cast<Signed>(reinterpret_cast<Unsigned>(a.v) - reinterpret_cast<Unsigned>(b.v))};
  }
  friend Lanes operator-(Lanes a) { return Lanes{Signed{}} - a; }
  friend Lanes operator*(Lanes a, int b) {
    return {
        reinterpret_cast<Signed>(reinterpret_cast<Unsigned>(a.v) * static_cast<std::make_unsigned_t<Element>>(static_cast<Element>(b)))};
  }
  Lanes rounded(unsigned bits) const {
    const Lanes half{Signed{} + (Element{1} << (bits - 1))};
    return {(*this + half).v >> static_cast<int>(bits)};
  }
};

/// a * ca + b * cb, back at the scale of a and b.
template <typename V>
V mix(V a, int ca, V b, int cb) {
  return (a * ca + b * cb).rounded(14);
}
template <typename V>
V half_root(V a) {
  return (a * cosines[16]).rounded(14);
}
/// a and b turned: a * c - b * s and a * s + b * c, by indices of cosines.
template <typename V>
void turn(V a, V b, unsigned c, unsigned s, V& x, V& y) {
  x = mix(a, cosines[c], b, -cosines[s]);
  y = mix(a, cosines[s], b, cosines[c]);
}

/// The upper half of a DCT's butterflies: `in` are the odd inputs of a transform of 2 * n, `step` apart.
template <unsigned n, typename V>
void odd_half(const V* in, size_t step, V* o) {
  if constexpr (n == 2) {
    turn(in[0], in[step], 24, 8, o[0], o[1]);
  } else if constexpr (n == 4) {
    V a[4];
    turn(in[0], in[3 * step], 28, 4, a[0], a[3]);
    turn(in[2 * step], in[step], 12, 20, a[1], a[2]);
    o[0] = a[0] + a[1], o[3] = a[3] + a[2];
    const V x = a[0] - a[1], y = a[3] - a[2];
    o[1] = half_root(y - x), o[2] = half_root(x + y);
  } else if constexpr (n == 8) {
    V a[8], b[8];
    turn(in[0], in[7 * step], 30, 2, a[0], a[7]);
    turn(in[4 * step], in[3 * step], 14, 18, a[1], a[6]);
    turn(in[2 * step], in[5 * step], 22, 10, a[2], a[5]);
    turn(in[6 * step], in[step], 6, 26, a[3], a[4]);
    b[0] = a[0] + a[1], b[1] = a[0] - a[1], b[2] = a[3] - a[2], b[3] = a[2] + a[3];
    b[4] = a[4] + a[5], b[5] = a[4] - a[5], b[6] = a[7] - a[6], b[7] = a[6] + a[7];
    a[1] = mix(b[1], -cosines[8], b[6], cosines[24]), a[6] = mix(b[1], cosines[24], b[6], cosines[8]);
    a[2] = mix(b[2], -cosines[24], b[5], -cosines[8]), a[5] = mix(b[2], -cosines[8], b[5], cosines[24]);
    o[0] = b[0] + b[3], o[1] = a[1] + a[2], o[6] = a[5] + a[6], o[7] = b[4] + b[7];
    const V p = a[1] - a[2], q = b[0] - b[3], r = b[7] - b[4], s = a[6] - a[5];
    o[2] = half_root(s - p), o[5] = half_root(p + s);
    o[3] = half_root(r - q), o[4] = half_root(q + r);
  } else {
    static_assert(n == 16);
    odd_half_16(in, step, o);
  }
}

/// A butterfly's inner turns, of places 1, 2 and their mirror images.
template <typename V>
void turn_pair(const V& a, const V& b, unsigned c, unsigned s, V& x, V& y) {
  x = mix(a, -cosines[s], b, cosines[c]);
  y = mix(a, cosines[c], b, cosines[s]);
}
template <typename V>
void turn_pair_negative(const V& a, const V& b, unsigned c, unsigned s, V& x, V& y) {
  x = mix(a, -cosines[c], b, -cosines[s]);
  y = mix(a, -cosines[s], b, cosines[c]);
}

template <typename V>
void odd_half_16(const V* in, size_t step, V* o) {
  V a[16], b[16];
  turn(in[0], in[15 * step], 31, 1, a[0], a[15]);
  turn(in[8 * step], in[7 * step], 15, 17, a[1], a[14]);
  turn(in[4 * step], in[11 * step], 23, 9, a[2], a[13]);
  turn(in[12 * step], in[3 * step], 7, 25, a[3], a[12]);
  turn(in[2 * step], in[13 * step], 27, 5, a[4], a[11]);
  turn(in[10 * step], in[5 * step], 11, 21, a[5], a[10]);
  turn(in[6 * step], in[9 * step], 19, 13, a[6], a[9]);
  turn(in[14 * step], in[step], 3, 29, a[7], a[8]);
  for (unsigned i = 0; i < 16; i += 4) {
    b[i] = a[i] + a[i + 1], b[i + 1] = a[i] - a[i + 1];
    b[i + 2] = a[i + 3] - a[i + 2], b[i + 3] = a[i + 2] + a[i + 3];
  }
  turn_pair(b[1], b[14], 28, 4, a[1], a[14]);
  turn_pair_negative(b[2], b[13], 28, 4, a[2], a[13]);
  turn_pair(b[5], b[10], 12, 20, a[5], a[10]);
  turn_pair_negative(b[6], b[9], 12, 20, a[6], a[9]);
  for (const unsigned i : {0u, 3u, 4u, 7u, 8u, 11u, 12u, 15u}) a[i] = b[i];
  for (const unsigned i : {0u, 8u}) {
    b[i] = a[i] + a[i + 3], b[i + 1] = a[i + 1] + a[i + 2], b[i + 2] = a[i + 1] - a[i + 2], b[i + 3] = a[i] - a[i + 3];
    b[i + 4] = a[i + 7] - a[i + 4], b[i + 5] = a[i + 6] - a[i + 5], b[i + 6] = a[i + 5] + a[i + 6], b[i + 7] = a[i + 4] + a[i + 7];
  }
  turn_pair(b[2], b[13], 24, 8, a[2], a[13]);
  turn_pair(b[3], b[12], 24, 8, a[3], a[12]);
  turn_pair_negative(b[4], b[11], 24, 8, a[4], a[11]);
  turn_pair_negative(b[5], b[10], 24, 8, a[5], a[10]);
  for (const unsigned i : {0u, 1u, 6u, 7u, 8u, 9u, 14u, 15u}) a[i] = b[i];
  for (unsigned i = 0; i < 4; ++i) {
    o[i] = a[i] + a[7 - i], b[7 - i] = a[i] - a[7 - i];
    o[15 - i] = a[15 - i] + a[8 + i], b[8 + i] = a[15 - i] - a[8 + i];
  }
  for (unsigned i = 4; i < 8; ++i) o[i] = half_root(b[15 - i] - b[i]), o[15 - i] = half_root(b[i] + b[15 - i]);
}

/// `in` is read `step` apart.
template <unsigned n, typename V>
void inverse_dct(const V* in, size_t step, V* out) {
  V even[n / 2], odd[n / 2];
  if constexpr (n == 4) {
    even[0] = half_root(in[0] + in[2 * step]), even[1] = half_root(in[0] - in[2 * step]);
  } else {
    inverse_dct<n / 2>(in, 2 * step, even);
  }
  odd_half<n / 2>(in + step, 2 * step, odd);
  for (unsigned i = 0; i < n / 2; ++i) {
    out[i] = even[i] + odd[n / 2 - 1 - i];
    out[n - 1 - i] = even[i] - odd[n / 2 - 1 - i];
  }
}

}  // namespace
}  // namespace softgen::media::vp9
