// SPDX-License-Identifier: GPL-2.0-or-later
// The shortest way to the commonest samples. Compiled once for each instruction set (LANE_PLAIN names the table); all else is local to the file.
#include "hw/sampler/lane_texels.h"

namespace softgen::sampler {
namespace {

template <unsigned W>
struct Plain : Texels<W> {
  using V = Texels<W>;
  using F = typename VectorTypes<W>::F;
  using I = typename VectorTypes<W>::I;
  using U = typename VectorTypes<W>::U;

  [[gnu::always_inline]] static inline const float* floats_of(const uint32_t* registers, unsigned number) { return reinterpret_cast<const float*>(registers + 8 * number); }

  /// In 1/256 texels.
  [[gnu::always_inline]] static inline I fixed(const LanePlain& p, unsigned n, F coordinate) {
    const F texels = coordinate * p.scale[n] + p.added[n];
    return V::floored(V::larger(V::smaller(texels, V::template splat<F>(p.most[n])), V::template splat<F>(p.least[n])));
  }

  struct Axis {
    U texel[2]{};
    I weight{};
  };
  template <bool linear>
  [[gnu::always_inline]] static inline Axis axis(const LanePlain& p, unsigned n, F coordinate) {
    const I at = fixed(p, n, coordinate);
    Axis axis;
    if constexpr (!linear) {
      axis.texel[0] = V::words(at >> 8 & p.mask[n]);
      return axis;
    }
    const I shifted = at - 128, low = shifted >> 8, high = low + 1;
    const I first = V::template splat<I>(p.first[n]), last = V::template splat<I>(p.last[n]);
    axis.texel[0] = V::words((low > first ? low : first) & p.mask[n]);
    axis.texel[1] = V::words((high < last ? high : last) & p.mask[n]);
    axis.weight = shifted & 255;
    return axis;
  }

  template <bool linear>
  [[gnu::always_inline]] static inline void gathered(const LanePlain& p, const U (&x)[2], const U (&y)[2], U* texels) {
    for (unsigned below = 0; below < (linear ? 2 : 1); ++below) {
      const U row = V::template row<LaneTiling::y>(y[below], p.pitch);
      for (unsigned right = 0; right < (linear ? 2 : 1); ++right) texels[2 * below + right] = V::gather(p.memory, V::template column<LaneTiling::y>(x[right], 2) + row);
    }
  }

  /// The channels from 8 * part on.
  template <bool linear>
  [[gnu::always_inline]] static inline void sample(const LanePlain& p, F u_at, F v_at, uint32_t* registers, unsigned part, uint32_t mask) {
    const uint32_t lit = mask >> 8 * part & ((1u << W) - 1);
    const Axis u = axis<linear>(p, 0, u_at), v = axis<linear>(p, 1, v_at);
    U texels[4];
    gathered<linear>(p, u.texel, v.texel, texels);
    F bytes[4];
    if constexpr (linear) V::bytes_filtered(texels, u.weight, v.weight, bytes);
    const auto to = [&](unsigned number) { return reinterpret_cast<float*>(registers + 8 * (number + part)); };
    for (unsigned c = 0; c < 4; ++c) {
      if (p.to[c] == LanePlain::nowhere) continue;
      if constexpr (!linear) bytes[c] = V::unorm8(V::byte_of(texels[0], c));
      V::store(to(p.to[c]), bytes[c], lit);
    }
    if (p.ones != LanePlain::nowhere) V::store(to(p.ones), V::template splat<F>(1.0f), lit);
  }
};

#ifdef __AVX512F__
/// Sixteen channels at once. A channel's texel is a dword, u in its low half and v in its high one.
struct Sixteen : Plain<16> {
  using V = Texels<16>;

  /// Vectors from memory: compilers would make them of integer registers each time.
  struct Constants {
    uint32_t upper = 0xffff0000, beyond = 0xfffcfff0, left = 0xfffffffc, ends = 0x001fffff, far = 32, byte = 255, half = 128, last = 15, one = 0x00010001;
    float to_unit = 0x1.01p-8f, to_unit_rest = 0x1.010102p-24f;
    alignas(16) uint8_t column[16] = {0, 1, 2, 3, 16, 17, 18, 19, 32, 33, 34, 35, 48, 49, 50, 51};  ///< where it is in a window
    alignas(16) uint8_t twice[16] = {0, 255, 0, 255, 4, 255, 4, 255, 8, 255, 8, 255, 12, 255, 12, 255};
  };
  [[gnu::always_inline]] static inline const Constants& constants() {
    static constexpr Constants all;
    const Constants* hidden = &all;
    asm("" : "+r"(hidden));
    return *hidden;
  }
  [[gnu::always_inline]] static inline __m512i all(uint32_t v) { return _mm512_set1_epi32(static_cast<int>(v)); }
  [[gnu::always_inline]] static inline __m512i looked_up(const uint8_t (&table)[16], __m512i index) {
    return _mm512_shuffle_epi8(_mm512_broadcast_i32x4(_mm_load_si128(reinterpret_cast<const __m128i*>(table))), index);
  }
  [[gnu::always_inline]] static inline __m512i shuffled(__m512i v, const uint8_t (&order)[16]) {
    return _mm512_shuffle_epi8(v, _mm512_broadcast_i32x4(_mm_load_si128(reinterpret_cast<const __m128i*>(order))));
  }
  [[gnu::always_inline]] static inline __m512i in_halves(const Constants& k, __m512i low, __m512i high) { return _mm512_ternarylogic_epi32(all(k.upper), high, low, 0xca); }

  /// Four rows of 16 texels.
  struct Window {
    __m512i first, part[4];
    const std::byte* at;
  };
  /// From the lesser of the first and the last channel's texels on, as far as a row of tiles has so many: in a Y tile four rows of four words are
  /// 64 bytes, and the next columns of four follow each other 512 bytes apart, from tile to tile.
  [[gnu::always_inline]] static inline Window window_at(const LanePlain& p, const Constants& k, __m512i texel) {
    Window w;
    const __m512i least = _mm512_min_epu16(_mm512_broadcastd_epi32(_mm512_castsi512_si128(texel)), _mm512_permutexvar_epi32(all(k.last), texel));
    const __m512i last = _mm512_sub_epi16(_mm512_or_si512(least, all(k.ends)), all(p.window_reduced));
    w.first = _mm512_and_si512(_mm512_min_epu16(least, last), all(k.left));
    const auto first = static_cast<uint32_t>(_mm_cvtsi128_si32(_mm512_castsi512_si128(w.first)));
    const uint32_t y = first >> 16;
    w.at = p.memory + (first & 0xffffu) * size_t{128} + size_t{y & ~31u} * p.pitch + ((y & 31u) << 4);
    return w;
  }
  [[gnu::always_inline]] static inline void load(Window& w) {
    for (unsigned i = 0; i < 4; ++i) w.part[i] = _mm512_loadu_si512(w.at + 512 * i);
  }
  [[gnu::always_inline]] static inline U texel(const Window& w, __m512i index, __mmask16 far) {
    const __m512i near = _mm512_permutex2var_epi32(w.part[0], index, w.part[1]), away = _mm512_permutex2var_epi32(w.part[2], index, w.part[3]);
    return reinterpret_cast<U>(_mm512_mask_blend_epi32(far, near, away));
  }

  template <bool whole>
  [[gnu::always_inline]] static inline void put(uint32_t* registers, unsigned number, F v, uint32_t mask) {
    if constexpr (whole) _mm512_storeu_ps(registers + 8 * number, reinterpret_cast<__m512>(v));
    else _mm512_mask_storeu_ps(registers + 8 * number, static_cast<__mmask16>(mask), reinterpret_cast<__m512>(v));
  }
  template <bool whole>
  [[gnu::always_inline]] static inline void answer(const LanePlain& p, uint32_t* registers, const F (&colors)[4], uint32_t mask) {
    for (unsigned c = 0; c < 4; ++c)
      if (p.to[c] != LanePlain::nowhere) put<whole>(registers, p.to[c], colors[c], mask);
    if (p.ones != LanePlain::nowhere) put<whole>(registers, p.ones, V::template splat<F>(1.0f), mask);
  }

  [[gnu::always_inline]] static inline __m512i fixed_at(const LanePlain& p, unsigned n, const uint32_t* registers, unsigned number) {
    return reinterpret_cast<__m512i>(fixed(p, n, V::get(floats_of(registers, number))));
  }

  [[gnu::noinline]] static void gathered_all(const LanePlain& p, __m512i low, __m512i high, U* texels) {
    const U x[2] = {reinterpret_cast<U>(low) & 0xffffu, reinterpret_cast<U>(high) & 0xffffu}, y[2] = {reinterpret_cast<U>(low) >> 16, reinterpret_cast<U>(high) >> 16};
    gathered<true>(p, x, y, texels);
  }
  [[gnu::noinline]] static U gathered_one(const LanePlain& p, __m512i texel) {
    const U x[2] = {reinterpret_cast<U>(texel) & 0xffffu}, y[2] = {reinterpret_cast<U>(texel) >> 16};
    U found[1];
    gathered<false>(p, x, y, found);
    return found[0];
  }

  static void nearest(const LanePlain& p, uint32_t* registers, uint32_t mask) {
    const Constants& k = constants();
    const __m512i x = fixed_at(p, 0, registers, p.u), y = fixed_at(p, 1, registers, p.v);
    const __m512i at = _mm512_and_si512(in_halves(k, _mm512_srli_epi32(x, 8), _mm512_slli_epi32(y, 8)), all(p.masks));
    Window w = window_at(p, k, at);
    const __m512i from = _mm512_sub_epi16(at, w.first);
    U texels;
    if (!(_mm512_test_epi32_mask(from, all(k.beyond)) & mask)) [[likely]] {
      load(w);
      const __m512i place = looked_up(k.column, from), index = _mm512_or_si512(place, _mm512_srli_epi32(place, 14));
      texels = texel(w, index, _mm512_test_epi32_mask(place, all(k.far)));
    } else {
      texels = gathered_one(p, at);
    }
    const U byte = reinterpret_cast<U>(all(k.byte));
    const auto unit = [&](U code) {
      const F value = V::floats(code);
      return V::fused(value, V::template splat<F>(k.to_unit_rest), value * V::template splat<F>(k.to_unit));
    };
    const F colors[4] = {unit(texels & byte), unit(texels >> 8 & byte), unit(texels >> 16 & byte), unit(texels >> 24)};
    if (mask == 0xffff) [[likely]] answer<true>(p, registers, colors, mask);
    else answer<false>(p, registers, colors, mask);
  }

  static void linear(const LanePlain& p, uint32_t* registers, uint32_t mask) {
    const Constants& k = constants();
    const __m512i half = all(k.half);
    const __m512i x = _mm512_sub_epi32(fixed_at(p, 0, registers, p.u), half), y = _mm512_sub_epi32(fixed_at(p, 1, registers, p.v), half);
    const __m512i at = in_halves(k, _mm512_srli_epi32(x, 8), _mm512_slli_epi32(y, 8));
    const __m512i low = _mm512_and_si512(_mm512_max_epi16(at, all(p.firsts)), all(p.masks));
    const __m512i high = _mm512_and_si512(_mm512_min_epi16(_mm512_add_epi16(at, all(k.one)), all(p.lasts)), all(p.masks));
    Window w = window_at(p, k, low);
    const __m512i from = _mm512_sub_epi16(low, w.first), to = _mm512_sub_epi16(high, w.first);
    U texels[4];
    if (!(_mm512_test_epi32_mask(_mm512_or_si512(from, to), all(k.beyond)) & mask)) [[likely]] {
      load(w);
      const __m512i left = looked_up(k.column, from), right = looked_up(k.column, to), top = _mm512_srli_epi32(left, 14), bottom = _mm512_srli_epi32(right, 14);
      const __mmask16 left_far = _mm512_test_epi32_mask(left, all(k.far)), right_far = _mm512_test_epi32_mask(right, all(k.far));
      texels[0] = texel(w, _mm512_or_si512(left, top), left_far), texels[1] = texel(w, _mm512_or_si512(right, top), right_far);
      texels[2] = texel(w, _mm512_or_si512(left, bottom), left_far), texels[3] = texel(w, _mm512_or_si512(right, bottom), right_far);
    } else {
      U found[4];
      gathered_all(p, low, high, found);
      for (unsigned i = 0; i < 4; ++i) texels[i] = found[i];
    }
    F colors[4];
    const auto weight = reinterpret_cast<typename VectorTypes<16>::H>(shuffled(x, k.twice));
    const F vertical = V::floats(reinterpret_cast<U>(_mm512_and_si512(y, all(k.byte)))) * (1.0f / 256);
    V::bytes_filtered(texels, weight, vertical, colors);
    if (mask == 0xffff) [[likely]] answer<true>(p, registers, colors, mask);
    else answer<false>(p, registers, colors, mask);
  }
};
#endif

template <bool linear>
void eight(const LanePlain& p, uint32_t* registers, uint32_t mask) {
  using C = Plain<8>;
  C::sample<linear>(p, C::get(C::floats_of(registers, p.u)), C::get(C::floats_of(registers, p.v)), registers, 0, mask);
}

/// The response may lie over the coordinates: they are read before it is written.
template <bool linear>
void sixteen(const LanePlain& p, uint32_t* registers, uint32_t mask) {
#ifdef __AVX512F__
  if constexpr (linear) Sixteen::linear(p, registers, mask);
  else Sixteen::nearest(p, registers, mask);
#else
  using C = Plain<8>;
  using F = C::F;
  const F u[2] = {C::get(C::floats_of(registers, p.u)), C::get(C::floats_of(registers, p.u + 1u))};
  const F v[2] = {C::get(C::floats_of(registers, p.v)), C::get(C::floats_of(registers, p.v + 1u))};
  for (unsigned part = 0; part < 2; ++part) C::sample<linear>(p, u[part], v[part], registers, part, mask);
#endif
}

}  // namespace

extern const LanePlainKernels LANE_PLAIN;
const LanePlainKernels LANE_PLAIN{{{eight<false>, eight<true>}, {sixteen<false>, sixteen<true>}}};

}  // namespace softgen::sampler
