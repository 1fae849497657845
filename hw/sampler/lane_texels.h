// SPDX-License-Identifier: GPL-2.0-or-later
// Texels of W channels: their addresses, and conversion of their codes. Local to the files that are compiled once per instruction set.
#pragma once

#include "hw/sampler/lane_kernels.h"
#include "hw/sampler/lane_vectors.h"
#include "hw/surface/unorm8.h"

namespace softgen::sampler {
namespace {

template <unsigned W>
struct Texels : Vectors<W> {
  using V = Vectors<W>;
  using F = typename VectorTypes<W>::F;
  using I = typename VectorTypes<W>::I;
  using U = typename VectorTypes<W>::U;
  using H = typename VectorTypes<W>::H;

  [[gnu::always_inline]] static inline U words(I v) { return reinterpret_cast<U>(v); }

  [[gnu::always_inline]] static inline void store(float* to, F v, uint32_t enabled) {
    constexpr uint32_t all = (1u << W) - 1;
    if (enabled == all) return V::put(to, v);
    U bit{};
    for (unsigned i = 0; i < W; ++i) bit[i] = 1u << i;
    V::put(to, (bit & enabled) != 0 ? v : V::get(to));
  }

  /// The parts of an element's offset that depend on x and on y; the offset is their sum (surface::offset_x, offset_y; Yf: page_column,
  /// page_row).
  template <LaneTiling tiling>
  [[gnu::always_inline]] static inline U column(U x, unsigned shift) {
    const U byte = shift == 2 ? x << 2 : x << shift;
    switch (tiling) {
      case LaneTiling::y: return ((byte & ~15u) << 5) + (byte & 15u);  // bits 4 to 6 to 9, the tile's number to 12
      case LaneTiling::yf:
        return ((byte & ~63u) << 5) + ((byte & 32u) << 4) + ((byte & 16u) << 3) + (byte & 15u);  // bits 4, 5, 6 to 7, 9, 11
      case LaneTiling::x: return ((byte & ~511u) << 3) + (byte & 511u);
      case LaneTiling::linear: break;
    }
    return byte;
  }
  template <LaneTiling tiling>
  [[gnu::always_inline]] static inline U row(U y, uint32_t pitch) {
    switch (tiling) {
      case LaneTiling::y: return (y & ~31u) * pitch + ((y & 31u) << 4);
      case LaneTiling::yf: return (y & ~31u) * pitch + ((y & 16u) << 6) + ((y & 8u) << 5) + ((y & 7u) << 4);
      case LaneTiling::x: return (y & ~7u) * pitch + ((y & 7u) << 9);
      case LaneTiling::linear: break;
    }
    return y * pitch;
  }

#ifdef __AVX512F__
  /// Takes the texels of all enabled channels from a window of 12x8 texels; false if they do not fit in. Neighbouring pixels mostly sample
  /// neighbouring texels. In Y tiles four rows of four dwords are 64 bytes, and consecutive columns of four are 512 bytes apart, also
  /// across tiles.
  template <bool linear>
  [[gnu::always_inline]] static inline bool window(const std::byte* memory, uint32_t pitch, uint32_t enabled, const U (&x)[2],
                                                   const U (&y)[2], U* texels) {
    constexpr uint32_t columns = 12, rows = 8, line = 4, tile_rows = 32;
    const U first = reinterpret_cast<U>(_mm512_packus_epi32(reinterpret_cast<__m512i>(x[0]), reinterpret_cast<__m512i>(y[0])));
    const auto two = [](U v) {
      return _mm256_min_epu16(reinterpret_cast<__m256i>(__builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7)),
                              reinterpret_cast<__m256i>(__builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15)));
    };
    const __m256i half = two(first);
    __m128i min = _mm_min_epu16(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
    min = _mm_min_epu16(min, _mm_srli_epi64(min, 32));
    min = _mm_min_epu16(min, _mm_srli_epi64(min, 16));  // in elements 0 and 4
    // The window stays inside the row of tiles. Where its eight rows would leave the tile it starts at a multiple of four rows.
    const uint32_t max_x = pitch / 4 - columns, min_x = static_cast<uint32_t>(_mm_extract_epi16(min, 0)) & ~(line - 1);
    const uint32_t first_x = min_x < max_x ? min_x : max_x, min_y = static_cast<uint32_t>(_mm_extract_epi16(min, 4));
    const uint32_t first_y = (min_y & (tile_rows - 1)) > tile_rows - rows ? min_y & ~(line - 1) : min_y;
    const U dx[2] = {x[0] - first_x, x[1] - first_x}, dy[2] = {y[0] - first_y, y[1] - first_y};
    const auto beyond = [](U v, uint32_t max) {
      return _mm512_cmpge_epu32_mask(reinterpret_cast<__m512i>(v), _mm512_set1_epi32(static_cast<int>(max)));
    };
    const auto any_beyond = [&](const U(&d)[2], uint32_t max) -> uint32_t {
      return enabled & (linear ? beyond(d[0], max) | beyond(d[1], max) : beyond(d[0], max));
    };
    if (any_beyond(dx, columns) | any_beyond(dy, rows)) return false;
    const auto row = [&](uint32_t at) { return size_t{at & ~(tile_rows - 1)} * pitch + ((at & (tile_rows - 1)) << 4); };
    const std::byte* const column = memory + size_t{first_x} * 128;
    // The lower lines are loaded only if a channel uses them.
    const std::byte *const upper = column + row(first_y), *const lower = any_beyond(dy, line) ? column + row(first_y + line) : upper;
    __m512i part[3][2];
    for (unsigned i = 0; i < 3; ++i) part[i][0] = _mm512_loadu_si512(upper + 512 * i), part[i][1] = _mm512_loadu_si512(lower + 512 * i);
    for (unsigned right = 0; right < (linear ? 2 : 1); ++right) {
      const auto tested = [&](uint32_t bit) {
        return _mm512_test_epi32_mask(reinterpret_cast<__m512i>(dx[right]), _mm512_set1_epi32(static_cast<int>(bit)));
      };
      const __mmask16 second = tested(line), third = tested(2 * line);
      for (unsigned below = 0; below < (linear ? 2 : 1); ++below) {
        const auto index = reinterpret_cast<__m512i>((dx[right] & 3u) | dy[below] << 2);
        const auto of = [&](unsigned i) { return _mm512_permutex2var_epi32(part[i][0], index, part[i][1]); };
        const __m512i left = _mm512_mask_blend_epi32(second, of(0), of(1));
        texels[2 * below + right] = reinterpret_cast<U>(_mm512_mask_blend_epi32(third, left, of(2)));
      }
    }
    return true;
  }
#endif

  [[gnu::always_inline]] static inline I modulo(I i, I size, bool power) {
    if (power) return i & (size - 1);
    // Exact: the quotient is an integer or at least 1 / size away from one, and |i| < 2^23.
    return i - V::floored(V::floats(i) / V::floats(size)) * size;
  }
  [[gnu::always_inline]] static inline I wrapped(Wrap mode, I i, I size, bool power) {
    switch (mode) {
      case Wrap::wrap: return modulo(i, size, power);
      case Wrap::mirror: {
        const I m = modulo(i, 2 * size, power);
        return m < size ? m : 2 * size - 1 - m;
      }
      case Wrap::clamp: break;
    }
    const I last = size - 1;
    i = i < 0 ? I{} : i;
    return i > last ? last : i;
  }
  /// wrapped(i + 1), where `low` is wrapped(i).
  [[gnu::always_inline]] static inline I next(Wrap mode, I i, I low, I size, bool power) {
    if (mode != Wrap::wrap || power) return wrapped(mode, i + 1, size, power);
    return low + 1 == size ? I{} : low + 1;
  }

  [[gnu::always_inline]] static inline U byte_of(U texel, unsigned n) { return n == 3 ? texel >> 24 : texel >> 8 * n & 255u; }

  /// code / 255, rounded once.
  [[gnu::always_inline]] static inline F unorm8(U code) {
#ifdef __FMA__
    // The same bits with one instruction less (a unit test has all codes).
    const F value = V::floats(code);
    return V::fused(value, V::template splat<F>(0x1.010102p-24f), value * 0x1.01p-8f);
#else
    return surface::unorm8(V::floats(code));
#endif
  }

  /// The values of codes up to 255 in a table.
  [[gnu::always_inline]] static inline F srgb8(const float* table, U code) {
#ifdef __AVX512F__
    // Permutes of 32 entries are faster than gather instructions.
    if constexpr (W == 16) {
      const __m512i codes = reinterpret_cast<__m512i>(code);
      const auto has = [&](int bit) { return _mm512_test_epi32_mask(codes, _mm512_set1_epi32(bit)); };
      const auto of = [&](unsigned part) {
        return _mm512_permutex2var_ps(_mm512_loadu_ps(table + 32 * part), codes, _mm512_loadu_ps(table + 32 * part + 16));
      };
      const auto two = [&](unsigned part) { return _mm512_mask_blend_ps(has(32), of(part), of(part + 1)); };
      const auto four = [&](unsigned part) { return _mm512_mask_blend_ps(has(64), two(part), two(part + 2)); };
      return reinterpret_cast<F>(_mm512_mask_blend_ps(has(128), four(0), four(4)));
    }
#endif
    return reinterpret_cast<F>(V::gather(reinterpret_cast<const std::byte*>(table), code * 4u));
  }

  /// With `any_value` texels may be infinite: those of weight zero must not contribute.
  template <bool any_value>
  [[gnu::always_inline]] static inline F between(F a, F b, F weight) {
    const F mixed = a + (b - a) * weight;
    if constexpr (any_value) return weight == 0 ? a : mixed;
    return mixed;
  }

  /// Of four texels, by weights of the right and of the lower ones.
  template <bool any_value>
  [[gnu::always_inline]] static inline F bilinear(const F (&texels)[4], F u, F v) {
    return between<any_value>(between<any_value>(texels[0], texels[1], u), between<any_value>(texels[2], texels[3], u), v);
  }

  [[gnu::always_inline]] static inline F unorm24(U code) { return V::floats(code & 0xffffffu) / 16777215.0f; }

  /// 256 a + (b - a) weight of bytes 0 and 2 of the texels, or of 1 and 3; fits into 16 bits.
  template <bool odd>
  [[gnu::always_inline]] static inline H across(U a, U b, H weight) {
    const H left = reinterpret_cast<H>(a), right = reinterpret_cast<H>(b);
    const H low = odd ? left >> 8 : left & 255, high = odd ? right >> 8 : right & 255;
    return (odd ? left & 0xff00 : left << 8) + (high - low) * weight;
  }
  /// Interpolates vertically between 256 times codes and converts to colours. Only the last step rounds.
  [[gnu::always_inline]] static inline F down(F top, F bottom, F weight) {
    const F sum = V::fused(bottom - top, weight, top);
#ifdef __FMA__
    // Correctly rounded: no quotient is nearer to the middle of two floats than 2^-33 (relative), and the second product's rounding error
    // is below 2^-48 (a unit test has all sums).
    return V::fused(sum, V::template splat<F>(byte_sum_unit), sum * byte_sum_rest);
#else
    return sum / 65280.0f;
#endif
  }
#ifdef __AVX512F__
  /// across() with one vector per component. `weights`: of the left texels in the low halves, of the right ones in the high halves.
  [[gnu::always_inline]] static inline void summed(U left, U right, H weights, F (&out)[4]) {
    const auto paired = [](U low, U high) {
      return reinterpret_cast<H>(_mm512_mask_blend_epi16(0xaaaaaaaa, reinterpret_cast<__m512i>(low), reinterpret_cast<__m512i>(high)));
    };
    const auto sum = [&](H pair) {
      return V::floats(reinterpret_cast<I>(_mm512_madd_epi16(reinterpret_cast<__m512i>(pair), reinterpret_cast<__m512i>(weights))));
    };
    const H two = paired(left, right << 16), others = paired(left >> 16, right);
    out[0] = sum(two & 255), out[1] = sum(two >> 8), out[2] = sum(others & 255), out[3] = sum(others >> 8);
  }
#endif
  /// Filters four texels of 8-bit codes with a single rounding. `weight`: of the right ones in 1/256, in both halves; `vertical`: of the
  /// lower ones.
  [[gnu::always_inline]] static inline void bytes_filtered(const U* texels, H weight, F vertical, F (&out)[4]) {
#ifdef __AVX512F__
    if constexpr (W == 16) {
      const __m512i right = reinterpret_cast<__m512i>(weight);
      const auto weights = reinterpret_cast<H>(_mm512_mask_sub_epi16(right, 0x55555555, _mm512_set1_epi16(256), right));
      F top[4], bottom[4];
      summed(texels[0], texels[1], weights, top), summed(texels[2], texels[3], weights, bottom);
      for (unsigned c = 0; c < 4; ++c) out[c] = down(top[c], bottom[c], vertical);
      return;
    }
#endif
    const U even_top = reinterpret_cast<U>(across<false>(texels[0], texels[1], weight)),
            odd_top = reinterpret_cast<U>(across<true>(texels[0], texels[1], weight));
    const U even_bottom = reinterpret_cast<U>(across<false>(texels[2], texels[3], weight)),
            odd_bottom = reinterpret_cast<U>(across<true>(texels[2], texels[3], weight));
    out[0] = down(V::floats(even_top & 0xffffu), V::floats(even_bottom & 0xffffu), vertical);
    out[1] = down(V::floats(odd_top & 0xffffu), V::floats(odd_bottom & 0xffffu), vertical);
    out[2] = down(V::floats(even_top >> 16), V::floats(even_bottom >> 16), vertical);
    out[3] = down(V::floats(odd_top >> 16), V::floats(odd_bottom >> 16), vertical);
  }
  /// The same with both weights in 1/256.
  [[gnu::always_inline]] static inline void bytes_filtered(const U* texels, I u, I v, F (&out)[4]) {
    bytes_filtered(texels, reinterpret_cast<H>(u | u << 16), V::floats(v) * (1.0f / 256), out);
  }
};

}  // namespace
}  // namespace softgen::sampler
