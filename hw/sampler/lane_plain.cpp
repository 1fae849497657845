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
/// Sixteen channels at once, whose texels all lie in a window of 16x4 of them that is inside the level, once wrapped.
struct Sixteen : Plain<16> {
  using V = Texels<16>;

  /// Vectors from memory: compilers would make them of integer registers each time.
  struct Constants {
    uint32_t far = 32, byte = 255, half = 128, times = 1 | 4 << 16;
    float to_unit = 0x1.01p-8f, to_unit_rest = 0x1.010102p-24f;
    alignas(16) uint8_t column[16] = {0, 1, 2, 3, 16, 17, 18, 19, 32, 33, 34, 35, 48, 49, 50, 51};  ///< where it is in a window
    alignas(16) uint8_t next_column[16] = {1, 2, 3, 16, 17, 18, 19, 32, 33, 34, 35, 48, 49, 50, 51, 0};
    // Of four channels' u in the low half, and their v in the high half; in pairs each wants the next texel, too, anywhere or in the first eight columns.
    alignas(16) uint16_t outside[8] = {0xfff0, 0xfff0, 0xfff0, 0xfff0, 0xfffc, 0xfffc, 0xfffc, 0xfffc};
    alignas(16) uint16_t pairs[8] = {15, 15, 15, 15, 3, 3, 3, 3}, near_pairs[8] = {7, 7, 7, 7, 3, 3, 3, 3};
    // What keeps a window within a row of tiles, and at whole columns: elements 0 and 4.
    alignas(16) uint16_t bound_ends[8] = {0x7fff, 0, 0, 0, 31, 0, 0, 0}, bound_reduced[8] = {0, 0, 0, 0, 3, 0, 0, 0}, aligned[8] = {0xfffc, 0, 0, 0, 0xffff, 0, 0, 0};
    // Orders: a window's place to all channels; u and v of a channel next to each other; a weight to both halves.
    alignas(16) uint8_t spread[16] = {0, 1, 0, 1, 0, 1, 0, 1, 8, 9, 8, 9, 8, 9, 8, 9}, mixed[16] = {0, 255, 8, 255, 2, 255, 10, 255, 4, 255, 12, 255, 6, 255, 14, 255};
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
    return _mm512_shuffle_epi8(_mm512_maskz_broadcast_i32x4(0xffff, _mm_load_si128(reinterpret_cast<const __m128i*>(table))), index);
  }
  [[gnu::always_inline]] static inline __m512i shuffled(__m512i v, const uint8_t (&order)[16]) {
    return _mm512_shuffle_epi8(v, _mm512_maskz_broadcast_i32x4(0xffff, _mm_load_si128(reinterpret_cast<const __m128i*>(order))));
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

  /// In a Y tile four rows of four words are 64 bytes, and the next columns of four follow each other 512 bytes apart, from tile to tile.
  struct Window {
    __m512i from;         ///< where the channels' texels are in it, as 16 bits: u of four channels and then v
    const std::byte* at;
    bool found;           ///< all of it is inside the level
  };
  template <typename T>
  [[gnu::always_inline]] static inline __m128i eight_of(const T& table) { return _mm_load_si128(reinterpret_cast<const __m128i*>(table)); }
  /// From the lesser of the first and the last channel's texels on. What is beyond 16 bits is nowhere.
  [[gnu::always_inline]] static inline Window window_of(const LanePlain& p, const Constants& k, __m512i x, __m512i y) {
    const __m512i texel = _mm512_packs_epi32(x, y);
    // In elements 0 and 4, within a row of tiles.
    const I words = reinterpret_cast<I>(texel);
    const auto low = reinterpret_cast<__m128i>(__builtin_shufflevector(words, words, 0, 1, 2, 3)), high = reinterpret_cast<__m128i>(__builtin_shufflevector(words, words, 12, 13, 14, 15));
    const __m128i least = _mm_min_epi16(low, _mm_bsrli_si128(high, 6));
    const __m128i bound = _mm_sub_epi16(_mm_or_si128(least, eight_of(k.bound_ends)), eight_of(k.bound_reduced));
    const __m128i first = _mm_and_si128(_mm_min_epi16(least, bound), eight_of(k.aligned));
    const int32_t x_at = static_cast<int16_t>(_mm_cvtsi128_si32(first)), y_at = static_cast<int16_t>(_mm_extract_epi16(first, 4));
    const auto ends = [](int32_t at) { return static_cast<uint32_t>(at + INT16_MAX) > UINT16_MAX - 17u; };
    const uint32_t first_x = static_cast<uint32_t>(x_at & p.mask[0]), first_y = static_cast<uint32_t>(y_at & p.mask[1]);
    Window w;
    w.found = first_x <= p.inside[0] && first_y <= p.inside[1] && !ends(x_at) && !ends(y_at);
    w.at = p.memory + first_x * size_t{128} + size_t{first_y & ~31u} * p.pitch + ((first_y & 31u) << 4);
    w.from = _mm512_sub_epi16(texel, _mm512_maskz_broadcast_i32x4(0xffff, _mm_shuffle_epi8(first, eight_of(k.spread))));
    return w;
  }
  [[gnu::always_inline]] static inline __m512i part(const Window& w, unsigned n) { return _mm512_loadu_si512(w.at + 512 * n); }

  template <bool whole>
  [[gnu::always_inline]] static inline bool nearest(const LanePlain& p, uint32_t* registers, uint32_t mask) {
    const Constants& k = constants();
    const F u = V::get(floats_of(registers, p.u)) * p.size[0], v = V::get(floats_of(registers, p.v)) * p.size[1];
    const Window w = window_of(p, k, reinterpret_cast<__m512i>(V::floored(u)), reinterpret_cast<__m512i>(V::floored(v)));
    if (!w.found || _mm512_test_epi16_mask(w.from, _mm512_maskz_broadcast_i32x4(0xffff, eight_of(k.outside)))) return false;
    const __m512i place = looked_up(k.column, shuffled(w.from, k.mixed)), index = _mm512_madd_epi16(place, all(k.times));
    const __m512i near = _mm512_permutex2var_epi32(part(w, 0), index, part(w, 1)), away = _mm512_permutex2var_epi32(part(w, 2), index, part(w, 3));
    const U texels = reinterpret_cast<U>(_mm512_mask_blend_epi32(_mm512_test_epi32_mask(place, all(k.far)), near, away)), byte = reinterpret_cast<U>(all(k.byte));
    const F scale = V::template splat<F>(k.to_unit), rest = V::template splat<F>(k.to_unit_rest);
    const auto answer = [&](unsigned n, U code) {
      const F value = V::floats(code);
      put<whole>(registers, n, V::fused(value, rest, value * scale), mask);
    };
    if (p.to[0] != LanePlain::nowhere) answer(p.to[0], texels & byte);
    if (p.to[1] != LanePlain::nowhere) answer(p.to[1], texels >> 8 & byte);
    if (p.to[2] != LanePlain::nowhere) answer(p.to[2], texels >> 16 & byte);
    if (p.to[3] != LanePlain::nowhere) answer(p.to[3], texels >> 24);
    if (p.ones != LanePlain::nowhere) put<whole>(registers, p.ones, V::template splat<F>(1.0f), mask);
    return true;
  }

  template <bool whole>
  [[gnu::always_inline]] static inline bool linear(const LanePlain& p, uint32_t* registers, uint32_t mask) {
    const Constants& k = constants();
    const auto fixed = [&](unsigned n, unsigned number) {
      const F texels = V::get(floats_of(registers, number)) * p.scale[n] + p.added[n];
      return _mm512_sub_epi32(reinterpret_cast<__m512i>(V::floored(texels)), all(k.half));
    };
    const __m512i x = fixed(0, p.u), y = fixed(1, p.v);
    const Window w = window_of(p, k, _mm512_maskz_srai_epi32(0xffff, x, 8), _mm512_maskz_srai_epi32(0xffff, y, 8));
    if (!w.found || _mm512_cmpge_epu16_mask(w.from, _mm512_maskz_broadcast_i32x4(0xffff, eight_of(k.pairs)))) return false;
    const __m512i mixed = shuffled(w.from, k.mixed), left = looked_up(k.column, mixed), right = looked_up(k.next_column, mixed);
    const __m512i top = _mm512_maskz_srli_epi32(0xffff, left, 14), bottom = _mm512_maskz_srli_epi32(0xffff, right, 14);
    const __m512i index[4] = {_mm512_or_si512(left, top), _mm512_or_si512(right, top), _mm512_or_si512(left, bottom), _mm512_or_si512(right, bottom)};
    U texels[4];
    const __m512i first = part(w, 0), second = part(w, 1);
    for (unsigned i = 0; i < 4; ++i) texels[i] = reinterpret_cast<U>(_mm512_permutex2var_epi32(first, index[i], second));
    if (_mm512_cmpge_epu16_mask(w.from, _mm512_maskz_broadcast_i32x4(0xffff, eight_of(k.near_pairs)))) {
      const __m512i third = part(w, 2), fourth = part(w, 3);
      const __mmask16 far[2] = {_mm512_test_epi32_mask(left, all(k.far)), _mm512_test_epi32_mask(right, all(k.far))};
      for (unsigned i = 0; i < 4; ++i)
        texels[i] = reinterpret_cast<U>(_mm512_mask_blend_epi32(far[i & 1], reinterpret_cast<__m512i>(texels[i]), _mm512_permutex2var_epi32(third, index[i], fourth)));
    }
    F colors[4];
    const auto weight = reinterpret_cast<typename VectorTypes<16>::H>(shuffled(x, k.twice));
    V::bytes_filtered(texels, weight, V::floats(reinterpret_cast<U>(_mm512_and_si512(y, all(k.byte)))) * (1.0f / 256), colors);
    answer<whole>(p, registers, colors, mask);
    return true;
  }
};
#endif

template <bool linear>
bool eight(const void* plain, uint32_t* registers, uint32_t mask) {
  const auto& p = *static_cast<const LanePlain*>(plain);
  using C = Plain<8>;
  C::sample<linear>(p, C::get(C::floats_of(registers, p.u)), C::get(C::floats_of(registers, p.v)), registers, 0, mask);
  return true;
}

/// The response may lie over the coordinates: they are read before it is written.
template <bool linear>
bool sixteen(const void* plain, uint32_t* registers, uint32_t mask) {
  const auto& p = *static_cast<const LanePlain*>(plain);
#ifdef __AVX512F__
  if (!p.has_inside) return false;
  if constexpr (linear) return mask == 0xffff ? Sixteen::linear<true>(p, registers, mask) : Sixteen::linear<false>(p, registers, mask);
  else return mask == 0xffff ? Sixteen::nearest<true>(p, registers, mask) : Sixteen::nearest<false>(p, registers, mask);
#else
  using C = Plain<8>;
  using F = C::F;
  const F u[2] = {C::get(C::floats_of(registers, p.u)), C::get(C::floats_of(registers, p.u + 1u))};
  const F v[2] = {C::get(C::floats_of(registers, p.v)), C::get(C::floats_of(registers, p.v + 1u))};
  for (unsigned part = 0; part < 2; ++part) C::sample<linear>(p, u[part], v[part], registers, part, mask);
  return true;
#endif
}

}  // namespace

extern const LanePlainKernels LANE_PLAIN;
const LanePlainKernels LANE_PLAIN{{{eight<false>, eight<true>}, {sixteen<false>, sixteen<true>}}};

}  // namespace softgen::sampler
