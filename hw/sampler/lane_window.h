// SPDX-License-Identifier: GPL-2.0-or-later
// Windows of 12x8 texels for sixteen channels (LanePlain). Local to lane_plain.cpp, with AVX-512.
#pragma once

#include <type_traits>

#include "hw/sampler/lane_kernels.h"
#include "hw/sampler/lane_vectors.h"

#ifdef __AVX512F__
namespace softgen::sampler {
namespace {

struct WindowVectors {
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
    alignas(16) uint16_t lines[8] = {0xfffc, 0, 0, 0, 0xffff, 0, 0, 0}, in_tile[8] = {0, 0, 0, 0, 31, 0, 0, 0};
    alignas(16) uint16_t last_row[8] = {24, 24, 24, 24, 24, 24, 24, 24}, rows[8] = {3, 3, 3, 3, 3, 3, 3, 3};
    // Positions of the packed u and v of the four corners of 4x4 pixels: channels 0, 5, 10 and 15.
    alignas(16) uint16_t corners[8] = {0, 9, 18, 27, 4, 13, 22, 31};
    // Byte shuffles: a window's position to all channels; u and v of a channel side by side; a weight to both halves.
    alignas(16) uint8_t spread[16] = {0, 1, 0, 1, 0, 1, 0, 1, 8, 9, 8, 9, 8, 9, 8, 9};
    alignas(16) uint8_t mixed[16] = {0, 255, 8, 255, 2, 255, 10, 255, 4, 255, 12, 255, 6, 255, 14, 255};
    alignas(16) uint8_t twice[16] = {0, 255, 0, 255, 4, 255, 4, 255, 8, 255, 8, 255, 12, 255, 12, 255};
    alignas(64) uint32_t counted[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
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
};

/// The lines of 64 bytes, four rows of four texels each, that a window in Y tiles consists of. Consecutive lines of a column are consecutive
/// in memory, so a window may begin at any row; consecutive columns are 512 bytes apart, also across tiles.
struct LinesInY {
  static constexpr bool any_row = false;  ///< a window must not cross a tile's lower edge

  const std::byte *upper_row, *lower_row;

  [[gnu::always_inline]] inline void find(const LanePlain& p, uint32_t x, uint32_t y) {
    const auto row = [&](uint32_t at) { return size_t{at} * 16 + size_t{at / 32} * p.tile_step; };
    const std::byte* const column = p.memory + x * size_t{128};
    upper_row = column + row(y), lower_row = column + row(y + 4);
  }
  [[gnu::always_inline]] inline __m512i upper(unsigned column) const { return _mm512_loadu_si512(upper_row + 512 * column); }
  [[gnu::always_inline]] inline __m512i lower(unsigned column) const { return _mm512_loadu_si512(lower_row + 512 * column); }
  /// The same message of the next pixels, usually the next 4x4, will need the texels as far on as these are from the last ones.
  [[gnu::always_inline]] inline void fetch_next(const LanePlain& p, uint32_t, uint32_t) const {
    const auto here = reinterpret_cast<uintptr_t>(upper_row), next = here + (here - p.before);
    p.before = here;
    for (unsigned column = 0; column < 1024; column += 512)
      for (unsigned line = 0; line < 128; line += 64) _mm_prefetch(reinterpret_cast<const char*>(next + column + line), _MM_HINT_T0);
  }
};

/// The same in Yf tiles, where the numbers of columns and lines are interleaved. Of each column up to three lines have the window's rows.
struct LinesInYf {
  static constexpr bool any_row = true;

  const std::byte* row[3];
  uint32_t column[3];
  uint32_t first;  ///< the window's first row in the upper line

  /// Bits of an address, as surface::page_column() and page_row() have them: a column's, with the tile's number, and a line's in its tile.
  static constexpr uint32_t column_bits = 0xfffffa80, line_bits = 0x540;
  [[gnu::always_inline]] static inline uint32_t column_at(uint32_t n) { return _pdep_u32(n, column_bits); }
  [[gnu::always_inline]] static inline size_t line_at(const LanePlain& p, uint32_t n) {
    return _pdep_u32(n, line_bits) + size_t{n / 8} * 32 * p.pitch;
  }
  [[gnu::always_inline]] inline void find(const LanePlain& p, uint32_t x, uint32_t y) {
    for (uint32_t i = 0; i < 3; ++i) column[i] = column_at(x / 4 + i);
    row[0] = p.memory + line_at(p, y / 4), row[1] = p.memory + line_at(p, y / 4 + 1), row[2] = p.memory + line_at(p, (y + 7) / 4);
    first = y % 4;
  }
  [[gnu::always_inline]] inline __m512i joined(const std::byte* upper, const std::byte* lower) const {
    const __m512i from = _mm512_add_epi32(_mm512_load_si512(WindowVectors::constants().counted), WindowVectors::all(4 * first));
    return _mm512_permutex2var_epi32(_mm512_loadu_si512(upper), from, _mm512_loadu_si512(lower));
  }
  [[gnu::always_inline]] inline __m512i upper(unsigned n) const { return joined(row[0] + column[n], row[1] + column[n]); }
  [[gnu::always_inline]] inline __m512i lower(unsigned n) const { return joined(row[1] + column[n], row[2] + column[n]); }
  [[gnu::always_inline]] inline void fetch_next(const LanePlain& p, uint32_t x, uint32_t y) const {
    const auto before_x = static_cast<uint32_t>(p.before), before_y = static_cast<uint32_t>(p.before >> 32);
    const uint32_t across = (2 * x - before_x) / 4, down = (2 * y - before_y) / 4;
    p.before = x | uint64_t{y} << 32;
    for (uint32_t i = 0; i < 2; ++i)
      for (uint32_t k = 0; k < 2; ++k)
        _mm_prefetch(reinterpret_cast<const char*>(reinterpret_cast<uintptr_t>(p.memory) + column_at(across + i) + line_at(p, down + k)),
                     _MM_HINT_T0);
  }
};

template <LaneTiling tiling>
struct Windows : WindowVectors {
  using Lines = std::conditional_t<tiling == LaneTiling::y, LinesInY, LinesInYf>;
  using I = VectorTypes<16>::I;
  using U = VectorTypes<16>::U;

  /// Three columns of two lines, which begin at the window's first row.
  struct Window {
    __m512i from;  ///< positions of the channels' texels in it, 16 bits each: u of four channels, then their v
    Lines lines;
    bool found;  ///< all of it is inside the level
  };
  /// The window starts at the minimum of the corner channels' texels, or before it to align with a line, a tile or the level's end. Mostly
  /// all other texels follow that. Texels beyond 16 bits are in no window. `tops`: the level may begin within a tile.
  template <bool tops = false>
  [[gnu::always_inline]] static inline Window window_of(const LanePlain& p, const Constants& k, __m512i x, __m512i y) {
    const __m512i texel = _mm512_packs_epi32(x, y);
    const I corners = reinterpret_cast<I>(_mm512_maskz_permutexvar_epi16(0xff, _mm512_zextsi128_si512(eight_of(k.corners)), texel));
    __m128i min = reinterpret_cast<__m128i>(__builtin_shufflevector(corners, corners, 0, 1, 2, 3));
    min = _mm_min_epi16(min, _mm_srli_epi64(min, 32));
    min = _mm_min_epi16(min, _mm_srli_epi64(min, 16));  // in elements 0 and 4
    const __m128i line = _mm_and_si128(min, eight_of(k.lines)), wrapped = _mm_and_si128(line, eight_of(p.window.mask));
    const __m128i inside = _mm_min_epi16(wrapped, eight_of(p.window.last));
    __m128i first = inside;
    if constexpr (!Lines::any_row) {
      const __m128i in_surface = tops ? _mm_add_epi16(inside, eight_of(p.window.top)) : inside;
      const __m128i crosses = _mm_cmpgt_epi16(_mm_and_si128(in_surface, eight_of(k.in_tile)), eight_of(k.last_row));
      first = _mm_sub_epi16(inside, _mm_and_si128(_mm_and_si128(inside, eight_of(k.rows)), crosses));
    }
    const __m128i base = _mm_sub_epi16(line, _mm_sub_epi16(wrapped, first));
    constexpr int32_t far = 0x7fc0;  // no difference of two positions within this wraps around into the window
    const auto ends = [](int32_t at) { return at < -far || at > far; };
    const int32_t first_x = static_cast<int16_t>(_mm_extract_epi16(first, 0)), first_y = static_cast<int16_t>(_mm_extract_epi16(first, 4));
    Window w;
    // Tested by branches, which no texel waits for.
    w.found = (first_x | first_y) >= 0 && !ends(static_cast<int16_t>(_mm_extract_epi16(min, 0))) &&
              !ends(static_cast<int16_t>(_mm_extract_epi16(min, 4)));
    const uint32_t left = static_cast<uint32_t>(first_x) + (tops ? p.within[0] : 0),
                   top = static_cast<uint32_t>(first_y) + (tops ? p.within[1] : 0);
    w.lines.find(p, left, top);
    w.lines.fetch_next(p, left, top);
    w.from = _mm512_sub_epi16(texel, _mm512_maskz_broadcast_i32x4(0xffff, _mm_shuffle_epi8(base, eight_of(k.spread))));
    return w;
  }
  struct Contents {
    __m512i upper[3], lower[3];
    [[gnu::always_inline]] explicit inline Contents(const Window& w) {
      for (unsigned i = 0; i < 3; ++i) upper[i] = w.lines.upper(i), lower[i] = w.lines.lower(i);
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
};

}  // namespace
}  // namespace softgen::sampler
#endif
