// SPDX-License-Identifier: GPL-2.0-or-later
// Samples from registers to registers (LanePlain) of one level: of any channels one by one, and with AVX-512 of sixteen from a window. Local to
// lane_plain.cpp.
#pragma once

#include "hw/sampler/lane_texels.h"
#include "hw/sampler/lane_window.h"

namespace softgen::sampler {
namespace {

enum class Way : uint8_t { nearest, linear, nearest_srgb, linear_srgb, nearest24 };
constexpr bool filters(Way way) { return way == Way::linear || way == Way::linear_srgb; }
constexpr bool is_srgb(Way way) { return way == Way::nearest_srgb || way == Way::linear_srgb; }

template <unsigned W, LaneTiling tiling>
struct Plain : Texels<W> {
  using V = Texels<W>;
  using F = typename VectorTypes<W>::F;
  using I = typename VectorTypes<W>::I;
  using U = typename VectorTypes<W>::U;

  [[gnu::always_inline]] static inline const float* floats_of(const uint32_t* registers, int32_t place) {
    return reinterpret_cast<const float*>(registers + place);
  }

  /// A coordinate in 1/256 texels.
  [[gnu::always_inline]] static inline I fixed(const LanePlain::Axis& a, F coordinate) {
    const F texels = coordinate * a.scale + a.added;
    return V::floored(V::larger(V::smaller(texels, V::template splat<F>(a.max)), V::template splat<F>(a.min)));
  }

  struct Axis {
    U texel[2]{};
    I weight{};
  };
  template <bool linear>
  [[gnu::always_inline]] static inline Axis axis(const LanePlain::Axis& a, F coordinate) {
    const I at = fixed(a, coordinate), texels = V::template splat<I>(a.fold.texels);
    const auto folded = [&](I i) { return V::wrapped(a.fold.mode, i, texels, false); };
    Axis axis;
    if constexpr (!linear) {
      axis.texel[0] = V::words(a.fold.needed ? folded(at >> 8) : at >> 8 & a.mask);
      return axis;
    }
    const I shifted = at - 128, low = shifted >> 8, high = low + 1;
    axis.weight = shifted & 255;
    if (a.fold.needed) {
      const I wrapped = folded(low);
      axis.texel[0] = V::words(wrapped), axis.texel[1] = V::words(V::next(a.fold.mode, low, wrapped, texels, false));
      return axis;
    }
    const I first = V::template splat<I>(a.first), last = V::template splat<I>(a.last);
    axis.texel[0] = V::words((low > first ? low : first) & a.mask);
    axis.texel[1] = V::words((high < last ? high : last) & a.mask);
    return axis;
  }

  template <bool linear>
  [[gnu::always_inline]] static inline void gathered(const LanePlain& p, const U (&x)[2], const U (&y)[2], U* texels) {
    for (unsigned below = 0; below < (linear ? 2 : 1); ++below) {
      const U row = V::template row<tiling>(y[below] + p.within[1], p.pitch);
      for (unsigned right = 0; right < (linear ? 2 : 1); ++right)
        texels[2 * below + right] = V::gather(p.memory, V::template column<tiling>(x[right] + p.within[0], 2) + row);
    }
  }

  [[gnu::always_inline]] static inline F srgb_component(const LanePlain& p, U texel, unsigned c) {
    const U code = V::byte_of(texel, c);
    return c == 3 ? V::unorm8(code) : V::srgb8(p.srgb, code);
  }
  /// Of the components that are wanted. Weights: of the right and of the lower texels.
  [[gnu::always_inline]] static inline void srgb_filtered(const LanePlain& p, const U* texels, F u, F v, F (&out)[4]) {
    for (unsigned c = 0; c < 4; ++c) {
      out[c] = F{};
      if (p.to[c] < 0) continue;
      F values[4];
      for (unsigned i = 0; i < 4; ++i) values[i] = srgb_component(p, texels[i], c);
      out[c] = V::template bilinear<false>(values, u, v);
    }
  }

  template <Way way>
  [[gnu::always_inline]] static inline void colors(const LanePlain& p, F u_at, F v_at, F (&out)[4]) {
    constexpr bool linear = filters(way);
    const Axis u = axis<linear>(p.axes[0], u_at), v = axis<linear>(p.axes[1], v_at);
    U texels[4];
    gathered<linear>(p, u.texel, v.texel, texels);
    if constexpr (way == Way::linear) V::bytes_filtered(texels, u.weight, v.weight, out);
    if constexpr (way == Way::linear_srgb)
      srgb_filtered(p, texels, V::floats(u.weight) * (1.0f / 256), V::floats(v.weight) * (1.0f / 256), out);
    for (unsigned c = 0; c < 4; ++c) {
      if constexpr (way == Way::nearest_srgb) out[c] = srgb_component(p, texels[0], c);
      if constexpr (way == Way::nearest) out[c] = V::unorm8(V::byte_of(texels[0], c));
      if constexpr (way == Way::nearest24) out[c] = V::unorm24(texels[0]);
    }
  }
  /// Samples the channels from 8 * part on.
  template <Way way>
  [[gnu::always_inline]] static inline void sample(const LanePlain& p, F u, F v, uint32_t* registers, unsigned part, uint32_t mask) {
    const uint32_t enabled = mask >> 8 * part & ((1u << W) - 1);
    F color[4];
    colors<way>(p, u, v, color);
    const auto put = [&](int32_t place, F value) {
      if (place >= 0) V::store(reinterpret_cast<float*>(registers + place) + 8 * part, value, enabled);
    };
    for (unsigned c = 0; c < 4; ++c) put(p.to[c], color[c]);
    put(p.ones, V::template splat<F>(1.0f));
    put(p.zeros, F{});
  }
};

#ifdef __AVX512F__
/// Which channels a message has, and whether all of them are enabled.
enum class Form : uint8_t { whole, part, whole_half, part_half };

/// Sixteen channels at once, or eight twice, whose texels, once wrapped, all lie in a window of 12x8 texels inside the level.
template <LaneTiling tiling>
struct Sixteen : Plain<16, tiling>, Windows<tiling> {
  using Base = Plain<16, tiling>;
  using V = Texels<16>;
  using F = VectorTypes<16>::F;
  using U = VectorTypes<16>::U;
  using Constants = WindowVectors::Constants;
  using Window = typename Windows<tiling>::Window;
  using Contents = typename Windows<tiling>::Contents;
  using WindowVectors::all, WindowVectors::everywhere, WindowVectors::shuffled;

  template <Form form>
  [[gnu::always_inline]] static inline F coordinates(const uint32_t* registers, int32_t place) {
    const float* from = Base::floats_of(registers, place);
    if constexpr (form == Form::whole || form == Form::part) return V::get(from);
    return reinterpret_cast<F>(_mm512_maskz_broadcast_f32x8(0xffff, _mm256_loadu_ps(from)));
  }
  template <Form form>
  [[gnu::always_inline]] static inline void put(uint32_t* registers, int32_t place, F v, uint32_t mask) {
    if (place < 0) return;
    const auto half = reinterpret_cast<__m256>(__builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7));
    float* const to = reinterpret_cast<float*>(registers + place);
    if constexpr (form == Form::whole) _mm512_storeu_ps(to, reinterpret_cast<__m512>(v));
    if constexpr (form == Form::part) _mm512_mask_storeu_ps(to, static_cast<__mmask16>(mask), reinterpret_cast<__m512>(v));
    if constexpr (form == Form::whole_half) _mm256_storeu_ps(to, half);
    if constexpr (form == Form::part_half) _mm256_mask_storeu_ps(to, static_cast<__mmask8>(mask), half);
  }
  template <Form form>
  [[gnu::always_inline]] static inline void answer(const LanePlain& p, uint32_t* registers, const F (&colors)[4], uint32_t mask) {
    for (unsigned c = 0; c < 4; ++c) put<form>(registers, p.to[c], colors[c], mask);
    constants<form>(p, registers, mask);
  }
  template <Form form>
  [[gnu::always_inline]] static inline void constants(const LanePlain& p, uint32_t* registers, uint32_t mask) {
    if ((p.ones & p.zeros) == LanePlain::nowhere) return;
    put<form>(registers, p.ones, V::template splat<F>(1.0f), mask);
    put<form>(registers, p.zeros, F{}, mask);
  }

  template <Form form, Way way>
  [[gnu::always_inline]] static inline bool nearest(const LanePlain& p, uint32_t* registers, uint32_t mask) {
    const Constants& k = WindowVectors::constants();
    const F u = coordinates<form>(registers, p.u) * p.size[0], v = coordinates<form>(registers, p.v) * p.size[1];
    const Window w =
        Windows<tiling>::template window_of<>(p, k, reinterpret_cast<__m512i>(V::floored(u)), reinterpret_cast<__m512i>(V::floored(v)));
    if (!w.found || _mm512_cmpge_epu16_mask(w.from, everywhere(k.outside))) return false;
    const __m512i place = shuffled(w.from, k.mixed);
    const __m512i rows = _mm512_maskz_srli_epi32(0xffff, place, 14);
    U texels;
    if (_mm512_cmpge_epu16_mask(w.from, everywhere(k.beyond_two))) {
      texels = Contents(w).template texels<true>(k, place, rows);
    } else {
      // The index into two lines: bits 0 and 1 of the column, and its bit 2 moved to bit 4.
      const __m512i column = _mm512_or_si512(_mm512_and_si512(place, all(k.in_line)),
                                             _mm512_maskz_slli_epi32(0xffff, _mm512_and_si512(place, all(k.line)), 2));
      texels = reinterpret_cast<U>(_mm512_permutex2var_epi32(w.lines.upper(0), _mm512_or_si512(column, rows), w.lines.upper(1)));
    }
    if constexpr (way == Way::nearest24) {
      const F value = V::unorm24(texels);
      for (const int32_t place : p.to) put<form>(registers, place, value, mask);
      constants<form>(p, registers, mask);
      return true;
    }
    if constexpr (is_srgb(way)) {
      for (unsigned c = 0; c < 4; ++c)
        if (p.to[c] >= 0) put<form>(registers, p.to[c], Base::srgb_component(p, texels, c), mask);
      constants<form>(p, registers, mask);
      return true;
    }
    const U byte = reinterpret_cast<U>(all(k.byte));
    const F scale = V::template splat<F>(k.to_unit), rest = V::template splat<F>(k.to_unit_rest);
    const auto answer = [&](int32_t place, U code) {
      const F value = V::floats(code);
      put<form>(registers, place, V::fused(value, rest, value * scale), mask);
    };
    answer(p.to[0], texels & byte);
    answer(p.to[1], texels >> 8 & byte);
    answer(p.to[2], texels >> 16 & byte);
    answer(p.to[3], texels >> 24);
    constants<form>(p, registers, mask);
    return true;
  }

  template <bool tops, Way way>
  [[gnu::always_inline]] static inline bool linear_colors(const LanePlain& p, F u, F v, F (&colors)[4]) {
    const Constants& k = WindowVectors::constants();
    const auto fixed = [&](unsigned n, F coordinate) {
      const F texels = coordinate * p.axes[n].scale + p.axes[n].added;
      return _mm512_sub_epi32(reinterpret_cast<__m512i>(V::floored(texels)), all(k.half));
    };
    const __m512i x = fixed(0, u), y = fixed(1, v);
    const Window w =
        Windows<tiling>::template window_of<tops>(p, k, _mm512_maskz_srai_epi32(0xffff, x, 8), _mm512_maskz_srai_epi32(0xffff, y, 8));
    const __m512i place = shuffled(w.from, k.mixed);
    U texels[4];
    if (!w.found || _mm512_cmpge_epu16_mask(w.from, everywhere(k.pairs_outside))) return false;
    if (_mm512_cmpge_epu16_mask(w.from, everywhere(k.pairs_beyond_four))) Contents(w).template pairs<true>(k, place, texels);
    else Contents(w).template pairs<false>(k, place, texels);
    const auto fraction = [&](__m512i fixed) {
      return V::floats(reinterpret_cast<U>(_mm512_and_si512(fixed, all(k.byte)))) * (1.0f / 256);
    };
    if constexpr (is_srgb(way)) {
      Base::srgb_filtered(p, texels, fraction(x), fraction(y), colors);
    } else {
      const auto weight = reinterpret_cast<typename VectorTypes<16>::H>(shuffled(x, k.twice));
      V::bytes_filtered(texels, weight, fraction(y), colors);
    }
    return true;
  }
  template <Form form, Way way>
  [[gnu::always_inline]] static inline bool linear(const LanePlain& p, uint32_t* registers, uint32_t mask) {
    F colors[4];
    if (!linear_colors<false, way>(p, coordinates<form>(registers, p.u), coordinates<form>(registers, p.v), colors)) return false;
    answer<form>(p, registers, colors, mask);
    return true;
  }

  /// The texels are loaded one by one.
  template <Way way>
  [[gnu::noinline]] static bool scattered(const LanePlain& p, uint32_t* registers, uint32_t mask) {
    Base::template sample<way>(p, V::get(Base::floats_of(registers, p.u)), V::get(Base::floats_of(registers, p.v)), registers, 0, mask);
    return true;
  }

  template <Way way, Form form>
  [[gnu::always_inline]] static inline bool windowed(const LanePlain& p, uint32_t* registers, uint32_t mask) {
    if (!p.window.possible) return false;
    if constexpr (filters(way)) return linear<form, way>(p, registers, mask);
    else return nearest<form, way>(p, registers, mask);
  }
};
#endif

}  // namespace
}  // namespace softgen::sampler
