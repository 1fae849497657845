// SPDX-License-Identifier: GPL-2.0-or-later
// The fast path of the most common samples (LanePlain, LanePlainLevels). Compiled once per instruction set (LANE_PLAIN names the table); all else is local to
// the file.
#include "hw/sampler/lane_quads.h"
#include "hw/sampler/lane_texels.h"

namespace softgen::sampler {
namespace {

enum class Way : uint8_t { nearest, linear, nearest24 };

template <unsigned W>
struct Plain : Texels<W> {
  using V = Texels<W>;
  using F = typename VectorTypes<W>::F;
  using I = typename VectorTypes<W>::I;
  using U = typename VectorTypes<W>::U;

  [[gnu::always_inline]] static inline const float* floats_of(const uint32_t* registers, int32_t place) {
    return reinterpret_cast<const float*>(registers + place);
  }

  /// A coordinate in 1/256 texels.
  [[gnu::always_inline]] static inline I fixed(const LanePlain& p, unsigned n, F coordinate) {
    const F texels = coordinate * p.scale[n] + p.added[n];
    return V::floored(V::larger(V::smaller(texels, V::template splat<F>(p.max[n])), V::template splat<F>(p.min[n])));
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
      const U row = V::template row<LaneTiling::y>(y[below] + p.top, p.pitch);
      for (unsigned right = 0; right < (linear ? 2 : 1); ++right)
        texels[2 * below + right] = V::gather(p.memory, V::template column<LaneTiling::y>(x[right], 2) + row);
    }
  }

  template <Way way>
  [[gnu::always_inline]] static inline void colors(const LanePlain& p, F u_at, F v_at, F (&out)[4]) {
    constexpr bool linear = way == Way::linear;
    const Axis u = axis<linear>(p, 0, u_at), v = axis<linear>(p, 1, v_at);
    U texels[4];
    gathered<linear>(p, u.texel, v.texel, texels);
    if constexpr (linear) V::bytes_filtered(texels, u.weight, v.weight, out);
    for (unsigned c = 0; c < 4; ++c) {
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
struct Sixteen : Plain<16> {
  using V = Texels<16>;

  /// Constants that are loaded from memory; otherwise compilers build these vectors from integer registers at each use.
  struct Constants {
    uint32_t in_line = 3, line = 4, two_lines = 8, byte = 255, half = 128;
    float to_unit = 0x1.01p-8f, to_unit_rest = 0x1.010102p-24f;
    // Four channels' u in the low half, their v in the high half. The lowest positions outside the window; `pairs`: where each texel's
    // successor is needed, too.
    alignas(16) uint16_t outside[8] = {12, 12, 12, 12, 8, 8, 8, 8}, pairs_outside[8] = {11, 11, 11, 11, 7, 7, 7, 7};
    // The lowest positions outside the two upper left lines or, for pairs, outside the four left lines.
    alignas(16) uint16_t beyond_two[8] = {8, 8, 8, 8, 4, 4, 4, 4}, pairs_beyond_four[8] = {7, 7, 7, 7, 7, 7, 7, 7};
    // In elements 0 and 4: mask of whole lines, a row's position in its tile, the last position with eight rows before the tile's end, rows
    // of a line.
    alignas(16) uint16_t lines[8] = {0xfffc, 0, 0, 0, 0xffff, 0, 0, 0}, in_tile[8] = {0, 0, 0, 0, 31, 0, 0, 0}, last_row[8] = {24, 24, 24,
                                                                                                                               24, 24, 24,
                                                                                                                               24, 24};
    alignas(16) uint16_t rows[8] = {3, 3, 3, 3, 3, 3, 3, 3};
    // Positions of the packed u and v of the four corners of 4x4 pixels: channels 0, 5, 10 and 15.
    alignas(16) uint16_t corners[8] = {0, 9, 18, 27, 4, 13, 22, 31};
    // Byte shuffles: a window's position to all channels; u and v of a channel side by side; a weight to both halves.
    alignas(16) uint8_t spread[16] = {0, 1, 0, 1, 0, 1, 0, 1, 8, 9, 8, 9, 8, 9, 8, 9}, mixed[16] = {0, 255, 8,  255, 2, 255, 10, 255,
                                                                                                    4, 255, 12, 255, 6, 255, 14, 255};
    alignas(16) uint8_t twice[16] = {0, 255, 0, 255, 4, 255, 4, 255, 8, 255, 8, 255, 12, 255, 12, 255};
  };
  [[gnu::always_inline]] static inline const Constants& constants() {
    static constexpr Constants all;
    const Constants* hidden = &all;
    asm("" : "+r"(hidden));
    return *hidden;
  }
  [[gnu::always_inline]] static inline __m512i all(uint32_t v) { return _mm512_set1_epi32(static_cast<int>(v)); }
  template <typename T>
  [[gnu::always_inline]] static inline __m128i eight_of(const T& table) {
    return _mm_load_si128(reinterpret_cast<const __m128i*>(table));
  }
  template <typename T>
  [[gnu::always_inline]] static inline __m512i everywhere(const T& table) {
    return _mm512_maskz_broadcast_i32x4(0xffff, eight_of(table));
  }
  [[gnu::always_inline]] static inline __m512i shuffled(__m512i v, const uint8_t (&order)[16]) {
    return _mm512_shuffle_epi8(v, everywhere(order));
  }
  template <Form form>
  [[gnu::always_inline]] static inline F coordinates(const uint32_t* registers, int32_t place) {
    const float* from = floats_of(registers, place);
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

  /// Six lines of 64 bytes. In Y tiles a line is four rows of four dwords, and consecutive columns of four are 512 bytes apart, also across
  /// tiles.
  struct Window {
    __m512i from;  ///< positions of the channels' texels in it, 16 bits each: u of four channels, then their v
    const std::byte *upper, *lower;
    bool found;  ///< all of it is inside the level
  };
  /// The same message of the next pixels, usually the next 4x4, will need the texels as far on as these are from the last ones.
  [[gnu::always_inline]] static inline void fetch_next(const LanePlain& p, const std::byte* upper) {
    const auto here = reinterpret_cast<uintptr_t>(upper), next = here + (here - p.before);
    p.before = here;
    for (unsigned column = 0; column < 1024; column += 512)
      for (unsigned line = 0; line < 128; line += 64) _mm_prefetch(reinterpret_cast<const char*>(next + column + line), _MM_HINT_T0);
  }
  /// The window starts at the minimum of the corner channels' texels, or before it to align with a line, a tile or the level's end. Mostly
  /// all other texels follow that. Texels beyond 16 bits are in no window. `tops`: the level may begin within a tile.
  template <bool tops = false>
  [[gnu::always_inline]] static inline Window window_of(const LanePlain& p, const Constants& k, __m512i x, __m512i y) {
    const __m512i texel = _mm512_packs_epi32(x, y);
    const I corners = reinterpret_cast<I>(_mm512_maskz_permutexvar_epi16(0xff, _mm512_zextsi128_si512(eight_of(k.corners)), texel));
    __m128i min = reinterpret_cast<__m128i>(__builtin_shufflevector(corners, corners, 0, 1, 2, 3));
    min = _mm_min_epi16(min, _mm_srli_epi64(min, 32));
    min = _mm_min_epi16(min, _mm_srli_epi64(min, 16));  // in elements 0 and 4
    const __m128i line = _mm_and_si128(min, eight_of(k.lines)), wrapped = _mm_and_si128(line, eight_of(p.window_mask));
    const __m128i inside = _mm_min_epi16(wrapped, eight_of(p.window_last));
    const __m128i in_surface = tops ? _mm_add_epi16(inside, eight_of(p.window_top)) : inside;
    const __m128i crosses = _mm_cmpgt_epi16(_mm_and_si128(in_surface, eight_of(k.in_tile)), eight_of(k.last_row));
    const __m128i first = _mm_sub_epi16(inside, _mm_and_si128(_mm_and_si128(inside, eight_of(k.rows)), crosses));
    const __m128i base = _mm_sub_epi16(line, _mm_sub_epi16(wrapped, first));
    constexpr int32_t far = 0x7fc0;  // no difference of two positions within this wraps around into the window
    const auto ends = [](int32_t at) { return at < -far || at > far; };
    const int32_t first_x = static_cast<int16_t>(_mm_extract_epi16(first, 0)), first_y = static_cast<int16_t>(_mm_extract_epi16(first, 4));
    Window w;
    // Tested by branches, which no texel waits for.
    w.found = (first_x | first_y) >= 0 && !ends(static_cast<int16_t>(_mm_extract_epi16(min, 0))) &&
              !ends(static_cast<int16_t>(_mm_extract_epi16(min, 4)));
    const uint32_t top = static_cast<uint32_t>(first_y) + (tops ? p.top : 0);
    const auto row = [&](uint32_t at) { return size_t{at} * 16 + size_t{at / 32} * p.tile_step; };
    const std::byte* const column = p.memory + static_cast<uint32_t>(first_x) * size_t{128};
    w.upper = column + row(top), w.lower = column + row(top + 4);
    fetch_next(p, w.upper);
    w.from = _mm512_sub_epi16(texel, _mm512_maskz_broadcast_i32x4(0xffff, _mm_shuffle_epi8(base, eight_of(k.spread))));
    return w;
  }
  struct Lines {
    __m512i upper[3], lower[3];
    [[gnu::always_inline]] explicit inline Lines(const Window& w) {
      for (unsigned i = 0; i < 3; ++i) upper[i] = _mm512_loadu_si512(w.upper + 512 * i), lower[i] = _mm512_loadu_si512(w.lower + 512 * i);
    }
    /// The texels at columns (low halves of `x`) and rows (times four). `right`: they may be in the right lines.
    template <bool right>
    [[gnu::always_inline]] inline U texels(const Constants& k, __m512i x, __m512i rows) const {
      const __m512i index = _mm512_or_si512(_mm512_and_si512(x, all(k.in_line)), rows);
      const auto of = [&](unsigned i) { return _mm512_permutex2var_epi32(upper[i], index, lower[i]); };
      const __m512i two = _mm512_mask_blend_epi32(_mm512_test_epi32_mask(x, all(k.line)), of(0), of(1));
      if constexpr (!right) return reinterpret_cast<U>(two);
      return reinterpret_cast<U>(_mm512_mask_blend_epi32(_mm512_test_epi32_mask(x, all(k.two_lines)), two, of(2)));
    }
    template <bool right>
    [[gnu::always_inline]] inline void pairs(const Constants& k, __m512i x, U (&out)[4]) const {
      const __m512i next = _mm512_sub_epi32(x, all(~uint32_t{0}));
      const __m512i top = _mm512_maskz_srli_epi32(0xffff, x, 14), bottom = _mm512_add_epi32(top, all(k.line));
      out[0] = texels<right>(k, x, top), out[1] = texels<right>(k, next, top);
      out[2] = texels<right>(k, x, bottom), out[3] = texels<right>(k, next, bottom);
    }
  };

  template <Form form, bool bits24>
  [[gnu::always_inline]] static inline bool nearest(const LanePlain& p, uint32_t* registers, uint32_t mask) {
    const Constants& k = constants();
    const F u = coordinates<form>(registers, p.u) * p.size[0], v = coordinates<form>(registers, p.v) * p.size[1];
    const Window w = window_of(p, k, reinterpret_cast<__m512i>(V::floored(u)), reinterpret_cast<__m512i>(V::floored(v)));
    if (!w.found || _mm512_cmpge_epu16_mask(w.from, everywhere(k.outside))) return false;
    const __m512i place = shuffled(w.from, k.mixed);
    const __m512i rows = _mm512_maskz_srli_epi32(0xffff, place, 14);
    U texels;
    if (_mm512_cmpge_epu16_mask(w.from, everywhere(k.beyond_two))) {
      texels = Lines(w).template texels<true>(k, place, rows);
    } else {
      // The index into two lines: bits 0 and 1 of the column, and its bit 2 moved to bit 4.
      const __m512i column = _mm512_or_si512(_mm512_and_si512(place, all(k.in_line)),
                                             _mm512_maskz_slli_epi32(0xffff, _mm512_and_si512(place, all(k.line)), 2));
      texels = reinterpret_cast<U>(
          _mm512_permutex2var_epi32(_mm512_loadu_si512(w.upper), _mm512_or_si512(column, rows), _mm512_loadu_si512(w.upper + 512)));
    }
    if constexpr (bits24) {
      const F value = V::unorm24(texels);
      for (const int32_t place : p.to) put<form>(registers, place, value, mask);
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

  template <bool tops>
  [[gnu::always_inline]] static inline bool linear_colors(const LanePlain& p, F u, F v, F (&colors)[4]) {
    const Constants& k = constants();
    const auto fixed = [&](unsigned n, F coordinate) {
      const F texels = coordinate * p.scale[n] + p.added[n];
      return _mm512_sub_epi32(reinterpret_cast<__m512i>(V::floored(texels)), all(k.half));
    };
    const __m512i x = fixed(0, u), y = fixed(1, v);
    const Window w = window_of<tops>(p, k, _mm512_maskz_srai_epi32(0xffff, x, 8), _mm512_maskz_srai_epi32(0xffff, y, 8));
    const __m512i place = shuffled(w.from, k.mixed);
    U texels[4];
    if (!w.found || _mm512_cmpge_epu16_mask(w.from, everywhere(k.pairs_outside))) return false;
    if (_mm512_cmpge_epu16_mask(w.from, everywhere(k.pairs_beyond_four))) Lines(w).template pairs<true>(k, place, texels);
    else Lines(w).template pairs<false>(k, place, texels);
    const auto weight = reinterpret_cast<typename VectorTypes<16>::H>(shuffled(x, k.twice));
    V::bytes_filtered(texels, weight, V::floats(reinterpret_cast<U>(_mm512_and_si512(y, all(k.byte)))) * (1.0f / 256), colors);
    return true;
  }
  template <Form form>
  [[gnu::always_inline]] static inline bool linear(const LanePlain& p, uint32_t* registers, uint32_t mask) {
    F colors[4];
    if (!linear_colors<false>(p, coordinates<form>(registers, p.u), coordinates<form>(registers, p.v), colors)) return false;
    answer<form>(p, registers, colors, mask);
    return true;
  }

  /// The texels are loaded one by one.
  template <Way way>
  [[gnu::noinline]] static bool scattered(const LanePlain& p, uint32_t* registers, uint32_t mask) {
    sample<way>(p, V::get(floats_of(registers, p.u)), V::get(floats_of(registers, p.v)), registers, 0, mask);
    return true;
  }

  /// Colours in memory, so that a function can be called.
  struct Colors {
    F of[4];
  };
  [[gnu::noinline]] static void scattered_colors(const LanePlain& p, F u, F v, Colors& out) { colors<Way::linear>(p, u, v, out.of); }
  [[gnu::always_inline]] static inline void level_colors(const LanePlain& p, F u, F v, F (&out)[4]) {
    if (p.has_window && linear_colors<true>(p, u, v, out)) return;
    Colors colors;
    scattered_colors(p, u, v, colors);
    for (unsigned c = 0; c < 4; ++c) out[c] = colors.of[c];
  }
  /// Of levels n and n + 1.
  [[gnu::always_inline]] static inline void two_levels(const LanePlain* level, F4 weights, bool mixed, F u, F v, F (&out)[4]) {
    level_colors(level[0], u, v, out);
    if (!mixed) return;
    const __m512i quads = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
    const __m512 spread = _mm512_maskz_broadcast_f32x4(0xffff, reinterpret_cast<__m128>(weights));
    const auto weight = reinterpret_cast<F>(_mm512_maskz_permutexvar_ps(0xffff, quads, spread));
    F more[4];
    level_colors(level[1], u, v, more);
    for (unsigned c = 0; c < 4; ++c) out[c] = V::between<false>(out[c], more[c], weight);
  }
  static uint32_t quads_of(uint32_t mask) {
    const uint32_t pairs = mask | mask >> 1, quads = (pairs | pairs >> 2) & 0x1111;
    return (quads | quads >> 3 | quads >> 6 | quads >> 9) & 15;
  }
  static uint32_t channels_of(uint32_t quads) { return ((quads | quads << 3 | quads << 6 | quads << 9) & 0x1111) * 15; }
  /// The quads in `needed` are of several levels, or not of the likely one.
  [[gnu::noinline]] static void several(const LanePlainLevels& p, const Quads::Lods& lods, uint32_t needed, F u, F v, Colors& out) {
    for (uint32_t left = needed; left;) {
      const int32_t n = lods.level[__builtin_ctz(left)];
      const uint32_t same = Quads::bits_of(lods.level == Quads::splat(n)) & left;
      F colors[4];
      two_levels(p.level + n, lods.weight, Quads::bits_of(lods.weight != 0) & same, u, v, colors);
      const auto channels = static_cast<__mmask16>(channels_of(same));
      for (unsigned c = 0; c < 4; ++c)
        out.of[c] =
            reinterpret_cast<F>(_mm512_mask_blend_ps(channels, reinterpret_cast<__m512>(out.of[c]), reinterpret_cast<__m512>(colors[c])));
      p.likely = n, left &= ~same;
    }
  }
  template <Form form>
  [[gnu::always_inline]] static inline void levels(const LanePlainLevels& p, uint32_t* registers, uint32_t mask) {
    const LanePlain& first = p.level[0];
    const F u = coordinates<form>(registers, first.u), v = coordinates<form>(registers, first.v);
    const auto differences = [](F of) { return Quads::differences(reinterpret_cast<__m512>(of)); };
    const Quads::Lods lods = Quads::finished(p.detail, Quads::plane(p.detail, differences(u), differences(v)) + p.detail.bias);
    const uint32_t needed = quads_of(mask);
    // The branch is predicted, so that the texels of the likely level are worked on before the level of detail is known.
    const int32_t n = p.likely;
    F colors[4];
    if (!(needed & ~Quads::bits_of(lods.level == Quads::splat(n)))) [[likely]] {
      two_levels(p.level + n, lods.weight, Quads::bits_of(lods.weight != 0) & needed, u, v, colors);
    } else {
      Colors mixed{};
      several(p, lods, needed, u, v, mixed);
      for (unsigned c = 0; c < 4; ++c) colors[c] = mixed.of[c];
    }
    answer<form>(first, registers, colors, mask);
  }
  template <Way way, Form form>
  [[gnu::always_inline]] static inline bool windowed(const LanePlain& p, uint32_t* registers, uint32_t mask) {
    if (!p.has_window) return false;
    if constexpr (way == Way::linear) return linear<form>(p, registers, mask);
    return nearest < form, way == Way::nearest24 > (p, registers, mask);
  }
};
#endif

template <Way way>
bool eight(const void* plain, uint32_t* registers, uint32_t mask) {
  const auto& p = *static_cast<const LanePlain*>(plain);
#ifdef __AVX512F__
  if (mask == 0xff ? Sixteen::windowed<way, Form::whole_half>(p, registers, mask)
                   : Sixteen::windowed<way, Form::part_half>(p, registers, mask))
    return true;
#endif
  using C = Plain<8>;
  C::sample<way>(p, C::get(C::floats_of(registers, p.u)), C::get(C::floats_of(registers, p.v)), registers, 0, mask);
  return true;
}

/// The response may overlap the coordinates, so all of these are read before it is written.
template <Way way>
bool sixteen(const void* plain, uint32_t* registers, uint32_t mask) {
  const auto& p = *static_cast<const LanePlain*>(plain);
#ifdef __AVX512F__
  if (mask == 0xffff ? Sixteen::windowed<way, Form::whole>(p, registers, mask) : Sixteen::windowed<way, Form::part>(p, registers, mask))
    return true;
  return Sixteen::scattered<way>(p, registers, mask);
#else
  using C = Plain<8>;
  using F = C::F;
  const F u[2] = {C::get(C::floats_of(registers, p.u)), C::get(C::floats_of(registers, p.u + 8))};
  const F v[2] = {C::get(C::floats_of(registers, p.v)), C::get(C::floats_of(registers, p.v + 8))};
  for (unsigned part = 0; part < 2; ++part) C::sample<way>(p, u[part], v[part], registers, part, mask);
  return true;
#endif
}

#ifdef __AVX512F__
template <bool half>
bool levels(const void* levels, uint32_t* registers, uint32_t mask) {
  const auto& p = *static_cast<const LanePlainLevels*>(levels);
  if (mask == (half ? 0xff : 0xffff)) Sixteen::levels<half ? Form::whole_half : Form::whole>(p, registers, mask);
  else Sixteen::levels<half ? Form::part_half : Form::part>(p, registers, mask);
  return true;
}
constexpr LanePlainSample of_levels[2] = {levels<true>, levels<false>};
#else
constexpr LanePlainSample of_levels[2] = {};
#endif

}  // namespace

extern const LanePlainKernels LANE_PLAIN;
const LanePlainKernels LANE_PLAIN{{{eight<Way::nearest>, eight<Way::linear>}, {sixteen<Way::nearest>, sixteen<Way::linear>}},
                                  {eight<Way::nearest24>, sixteen<Way::nearest24>},
                                  {of_levels[0], of_levels[1]}};

}  // namespace softgen::sampler
