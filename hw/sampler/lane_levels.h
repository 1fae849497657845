// SPDX-License-Identifier: GPL-2.0-or-later
// Samples from registers to registers of mip levels (LanePlainLevels), also anisotropic ones. Local to lane_plain.cpp, with AVX-512.
#pragma once

#include "hw/sampler/lane_quads.h"
#include "hw/sampler/lane_sixteen.h"

#ifdef __AVX512F__
namespace softgen::sampler {
namespace {

/// `way`: of each level.
template <LaneTiling tiling, Way way>
struct Levels : Sixteen<tiling> {
  using S = Sixteen<tiling>;
  using V = Texels<16>;
  using F = VectorTypes<16>::F;

  /// Colours in memory, so that a function can be called.
  struct Colors {
    F of[4];
  };
  /// Where isotropic filters sample.
  struct Point {
    F u, v;
  };
  /// The taps of anisotropic filters, as Filter::taps() has them: each 4x4 pixels' longer axes along their rows, more or less.
  struct Footprint {
    F u, v, taps, step_u, step_v;  ///< by pixel; steps: from one end of the axis to the other
    float max_taps;                ///< of all pixels
    bool turned;                   ///< rows and columns of pixels are exchanged; only with several taps
  };

  [[gnu::always_inline]] static inline F permuted(__m512i index, F v) {
    return reinterpret_cast<F>(_mm512_maskz_permutexvar_ps(0xffff, index, reinterpret_cast<__m512>(v)));
  }
  [[gnu::always_inline]] static inline F by_quad(F4 quads) {
    const __m512i quad = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
    return permuted(quad, reinterpret_cast<F>(_mm512_maskz_broadcast_f32x4(0xffff, reinterpret_cast<__m128>(quads))));
  }

  [[gnu::noinline]] static void scattered_colors(const LanePlain& p, F u, F v, Colors& out) {
    S::template colors<way>(p, u, v, out.of);
  }
  [[gnu::always_inline]] static inline void level_colors(const LanePlain& p, const Point& at, F (&out)[4]) {
    if (p.has_window && S::template linear_colors<true, way>(p, at.u, at.v, out)) return;
    Colors colors;
    scattered_colors(p, at.u, at.v, colors);
    for (unsigned c = 0; c < 4; ++c) out[c] = colors.of[c];
  }

  /// Exchanges rows and columns of 4x4 pixels.
  [[gnu::always_inline]] static inline F turned(F v) {
    return permuted(_mm512_setr_epi32(0, 2, 1, 3, 8, 10, 9, 11, 4, 6, 5, 7, 12, 14, 13, 15), v);
  }
  /// The pixels of a column in each of the columns.
  [[gnu::always_inline]] static inline F of_column(unsigned x, F v) {
    const __m512i rows = _mm512_setr_epi32(0, 0, 2, 2, 0, 0, 2, 2, 8, 8, 10, 10, 8, 8, 10, 10);
    return permuted(_mm512_or_si512(rows, _mm512_set1_epi32(static_cast<int>((x & 1) | (x & 2) << 1))), v);
  }
  /// Exchanges columns of 4x4 pixels with vectors.
  [[gnu::always_inline]] static inline void transpose(F (&v)[4]) {
    const auto odd_columns = [](F& a, F& b) {
      const auto x = reinterpret_cast<__m512>(a), y = reinterpret_cast<__m512>(b);
      a = reinterpret_cast<F>(_mm512_mask_moveldup_ps(x, 0xaaaa, y)), b = reinterpret_cast<F>(_mm512_mask_movehdup_ps(y, 0x5555, x));
    };
    const auto right_quads = [](F& a, F& b) {
      const auto x = reinterpret_cast<__m512>(a), y = reinterpret_cast<__m512>(b);
      a = reinterpret_cast<F>(_mm512_mask_shuffle_f32x4(x, 0xf0f0, y, y, 0xa0)),
      b = reinterpret_cast<F>(_mm512_mask_shuffle_f32x4(y, 0x0f0f, x, x, 0xf5));
    };
    odd_columns(v[0], v[1]), odd_columns(v[2], v[3]);
    right_quads(v[0], v[2]), right_quads(v[1], v[3]);
  }

  [[gnu::always_inline]] static inline Footprint footprint(const Quads::Footprints& f, const Point& at, uint32_t needed, bool turn) {
    const F4 taps = (I4{1, 2, 4, 8} & static_cast<int32_t>(needed)) != 0 ? f.taps : Quads::splat(1.0f);
    float max_taps = 1;
    for (unsigned q = 0; q < max_quads; ++q) max_taps = taps[q] > max_taps ? taps[q] : max_taps;
    turn = turn && max_taps > 1;
    const auto placed = [turn](F v) { return turn ? turned(v) : v; };
    return {placed(at.u), placed(at.v), placed(by_quad(taps)), placed(by_quad(f.step_u)), placed(by_quad(f.step_v)), max_taps, turn};
  }
  /// Where a tap is on the axis of a footprint of `taps` taps, from -1/2 to 1/2. Beyond the last one: there, which is not far from the others.
  [[gnu::always_inline]] static inline F on_axis(F number, F taps) { return (V::smaller(number, taps - 1.0f) + 0.5f) / taps - 0.5f; }
  /// Taps of the pixels in column x, in each of the columns.
  [[gnu::always_inline]] static inline Point taps_of_column(const Footprint& f, F number, unsigned x) {
    const F t = on_axis(number, of_column(x, f.taps));
    return {of_column(x, f.u) + of_column(x, f.step_u) * t, of_column(x, f.v) + of_column(x, f.step_v) * t};
  }
  [[gnu::always_inline]] static inline void add(F (&sum)[4], const F (&color)[4], const Footprint& f, float number) {
    for (unsigned c = 0; c < 4; ++c) sum[c] = V::template splat<F>(number) < f.taps ? sum[c] + color[c] : sum[c];
  }
  /// Four taps of all pixels, from `first` on. They are sampled for one column of pixels at a time: pixels that are neighbours across their longer
  /// axes, with consecutive taps along them, mostly lie in a window, which one tap of all 4x4 pixels does not.
  [[gnu::always_inline]] static inline void add_four(const LanePlain& p, const Footprint& f, float first, F (&sum)[4]) {
    const F number = F{0, 1, 0, 1, 2, 3, 2, 3, 0, 1, 0, 1, 2, 3, 2, 3} + first;
    F colors[4][4];  // by component and column; then by component and tap
    for (unsigned x = 0; x < 4; ++x) {
      F of_taps[4];
      level_colors(p, taps_of_column(f, number, x), of_taps);
      for (unsigned c = 0; c < 4; ++c) colors[c][x] = of_taps[c];
    }
    for (auto& component : colors) transpose(component);
    for (unsigned t = 0; t < 4; ++t) add(sum, {colors[0][t], colors[1][t], colors[2][t], colors[3][t]}, f, first + static_cast<float>(t));
  }
  /// One tap of all pixels at once.
  [[gnu::always_inline]] static inline void add_one(const LanePlain& p, const Footprint& f, float number, F (&sum)[4]) {
    const F t = on_axis(V::template splat<F>(number), f.taps);
    Colors colors;
    scattered_colors(p, f.u + f.step_u * t, f.v + f.step_v * t, colors);
    add(sum, colors.of, f, number);
  }
  [[gnu::noinline]] static void footprint_colors(const LanePlain& p, const Footprint& f, Colors& out) {
    F sum[4] = {};
    float number = 0;
    for (; f.max_taps - number > 1; number += 4) add_four(p, f, number, sum);
    if (f.max_taps - number == 1) add_one(p, f, number, sum);
    for (unsigned c = 0; c < 4; ++c) out.of[c] = f.turned ? turned(sum[c] / f.taps) : sum[c] / f.taps;
  }
  [[gnu::always_inline]] static inline void level_colors(const LanePlain& p, const Footprint& f, F (&out)[4]) {
    if (f.max_taps == 1) {
      level_colors(p, Point{f.u, f.v}, out);
      return;
    }
    Colors colors;
    footprint_colors(p, f, colors);
    for (unsigned c = 0; c < 4; ++c) out[c] = colors.of[c];
  }

  /// Of levels n and n + 1. `Place`: a Point or a Footprint.
  template <typename Place>
  [[gnu::always_inline]] static inline void two_levels(const LanePlain* level, F4 weights, bool mixed, const Place& at, F (&out)[4]) {
    level_colors(level[0], at, out);
    if (!mixed) return;
    F more[4];
    level_colors(level[1], at, more);
    for (unsigned c = 0; c < 4; ++c) out[c] = V::template between<false>(out[c], more[c], by_quad(weights));
  }
  static uint32_t quads_of(uint32_t mask) {
    const uint32_t pairs = mask | mask >> 1, quads = (pairs | pairs >> 2) & 0x1111;
    return (quads | quads >> 3 | quads >> 6 | quads >> 9) & 15;
  }
  static uint32_t channels_of(uint32_t quads) { return ((quads | quads << 3 | quads << 6 | quads << 9) & 0x1111) * 15; }
  /// The quads in `needed` are of several levels, or not of the likely one.
  template <typename Place>
  [[gnu::noinline]] static void several(const LanePlainLevels& p, const Quads::Lods& lods, uint32_t needed, const Place& at, Colors& out) {
    for (uint32_t left = needed; left;) {
      const int32_t n = lods.level[__builtin_ctz(left)];
      const uint32_t same = Quads::bits_of(lods.level == Quads::splat(n)) & left;
      F colors[4];
      two_levels(p.level + n, lods.weight, Quads::bits_of(lods.weight != 0) & same, at, colors);
      const auto channels = static_cast<__mmask16>(channels_of(same));
      for (unsigned c = 0; c < 4; ++c)
        out.of[c] =
            reinterpret_cast<F>(_mm512_mask_blend_ps(channels, reinterpret_cast<__m512>(out.of[c]), reinterpret_cast<__m512>(colors[c])));
      p.likely = n, left &= ~same;
    }
  }
  template <typename Place>
  [[gnu::always_inline]] static inline void colors_of(const LanePlainLevels& p, const Quads::Lods& lods, uint32_t needed, const Place& at,
                                                      F (&out)[4]) {
    // The branch is predicted, so that the texels of the likely level are worked on before the level of detail is known.
    const int32_t n = p.likely;
    if (!(needed & ~Quads::bits_of(lods.level == Quads::splat(n)))) [[likely]] {
      two_levels(p.level + n, lods.weight, Quads::bits_of(lods.weight != 0) & needed, at, out);
      return;
    }
    Colors mixed{};
    several(p, lods, needed, at, mixed);
    for (unsigned c = 0; c < 4; ++c) out[c] = mixed.of[c];
  }
  template <Form form, bool anisotropic>
  [[gnu::always_inline]] static inline void levels(const LanePlainLevels& p, uint32_t* registers, uint32_t mask) {
    const LanePlain& first = p.level[0];
    const Point at{S::template coordinates<form>(registers, first.u), S::template coordinates<form>(registers, first.v)};
    const auto u = Quads::differences(reinterpret_cast<__m512>(at.u)), v = Quads::differences(reinterpret_cast<__m512>(at.v));
    const uint32_t needed = quads_of(mask);
    F colors[4];
    if constexpr (anisotropic) {
      const Quads::Footprints f = Quads::footprints(p.detail, u, v, p.max_taps);
      const bool turn = Quads::bits_of(Quads::across(p.detail, u, v) < Quads::down(p.detail, u, v)) & (needed & -needed);
      colors_of(p, Quads::finished(p.detail, f.lod + p.detail.bias), needed, footprint(f, at, needed, turn), colors);
    } else {
      colors_of(p, Quads::finished(p.detail, Quads::plane(p.detail, u, v) + p.detail.bias), needed, at, colors);
    }
    S::template answer<form>(first, registers, colors, mask);
  }
};

}  // namespace
}  // namespace softgen::sampler
#endif
