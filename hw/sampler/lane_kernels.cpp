// SPDX-License-Identifier: GPL-2.0-or-later
// Compiled once for each instruction set (LANE_KERNELS names the table, LANE_LODS its function); everything else is local to the file.
#include "hw/sampler/lane_kernels.h"

#include <type_traits>

#include "hw/sampler/lane_vectors.h"
#include "hw/surface/unorm8.h"

namespace softgen::sampler {
namespace {

constexpr int32_t one_texel = 256;  // eight bits of fraction
constexpr float far = 1 << 22;      // texels, as in Filter::axis: 256 times that are within 32 bits
constexpr float least = 0x1p-64f;

/// W channels of a message, from channel `first`.
template <unsigned W>
struct Channels : Vectors<W> {
  using V = Vectors<W>;
  using F = typename VectorTypes<W>::F;
  using I = typename VectorTypes<W>::I;
  using U = typename VectorTypes<W>::U;
  using H = typename VectorTypes<W>::H;

  template <typename T>
  using Of = std::conditional_t<std::is_same_v<T, float>, F, std::conditional_t<std::is_same_v<T, int32_t>, I, U>>;

  [[gnu::always_inline]] static inline U words(I v) { return reinterpret_cast<U>(v); }

  /// A value for each quad.
  template <typename T>
  [[gnu::always_inline]] static inline auto by_quad(const T* q) {
    using R = Of<T>;
    if constexpr (W == 16)
      return R{q[0], q[0], q[0], q[0], q[1], q[1], q[1], q[1], q[2], q[2], q[2], q[2], q[3], q[3], q[3], q[3]};
    else return R{q[0], q[0], q[0], q[0], q[1], q[1], q[1], q[1]};
  }
  /// A field of the levels that the channels look at.
  template <typename T>
  [[gnu::always_inline]] static inline auto of_level(const LaneTap& tap, unsigned first, T LaneLevel::*field) {
    using R = Of<T>;
    if (tap.one_level) return V::template splat<R>(tap.level[0]->*field);
    T q[W / 4];
    for (unsigned i = 0; i < W / 4; ++i) q[i] = tap.level[first / 4 + i]->*field;
    return by_quad(q);
  }

  [[gnu::always_inline]] static inline void store(float* to, F v, uint32_t lit) {
    constexpr uint32_t all = (1u << W) - 1;
    if (lit == all) return V::put(to, v);
    U bit{};
    for (unsigned i = 0; i < W; ++i) bit[i] = 1u << i;
    V::put(to, (bit & lit) != 0 ? v : V::get(to));
  }

  [[gnu::always_inline]] static inline I modulo(I i, I size, bool power) {
    if (power) return i & (size - 1);
    // The quotient is a whole number or at least 1 / size from one, and |i| is below 2^23: float has it right.
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

  struct Axis {
    I low, high;  ///< texels; equal without linear filtering
    I weight;     ///< of high
  };
  template <bool linear>
  [[gnu::always_inline]] static inline Axis axis(const LaneSurface& s, const LaneTap& tap, unsigned n, unsigned first, I size) {
    F texels = V::get((n ? tap.v : tap.u) + first);
    if (s.normalized) texels *= V::floats(size);
    texels = V::larger(V::smaller(texels, V::template splat<F>(far)), V::template splat<F>(-far));
    const I fixed = V::floored(V::fused(texels, V::template splat<F>(static_cast<float>(one_texel)), V::template splat<F>(tap.rounded[n] ? 0.5f : least))) +
                    (tap.offset[n] * one_texel - (linear ? one_texel / 2 : 0));
    const I i = fixed >> 8;
    const I low = wrapped(s.wrap[n], i, size, s.powers);
    if constexpr (!linear) return {low, low, I{}};
    return {low, next(s.wrap[n], i, low, size, s.powers), fixed & (one_texel - 1)};
  }

  /// Parts of an element's offset: their sum is its place (surface::offset_x, offset_y).
  template <LaneTiling tiling>
  [[gnu::always_inline]] static inline U column(const LaneSurface& s, U x) {
    const U byte = s.shift == 2 ? x << 2 : x << s.shift;
    switch (tiling) {
      case LaneTiling::y: return ((byte & ~15u) << 5) + (byte & 15u);  // bits 4 to 6 to 9, the tile's number to 12
      case LaneTiling::x: return ((byte & ~511u) << 3) + (byte & 511u);
      case LaneTiling::linear: break;
    }
    return byte;
  }
  template <LaneTiling tiling>
  [[gnu::always_inline]] static inline U row(const LaneSurface& s, U y) {
    switch (tiling) {
      case LaneTiling::y: return (y & ~31u) * s.pitch + ((y & 31u) << 4);
      case LaneTiling::x: return (y & ~7u) * s.pitch + ((y & 7u) << 9);
      case LaneTiling::linear: break;
    }
    return y * s.pitch;
  }

  /// Elements in the low bits of dwords.
  [[gnu::always_inline]] static inline void fetch(const LaneSurface& s, const LaneTap& tap, unsigned count, const U* offsets, U* texels) {
    if (s.shift == 2 && tap.memory) {
      for (unsigned i = 0; i < count; ++i) texels[i] = V::gather(tap.memory, offsets[i]);
      return;
    }
    if (tap.memory) {
      for (unsigned i = 0; i < count; ++i) texels[i] = V::gather(tap.memory, offsets[i] & ~3u);
    } else {
      alignas(64) uint32_t at[4][W];
      const std::byte* places[4][W];
      for (unsigned i = 0; i < count; ++i) V::put(at[i], offsets[i] & ~3u);
      tap.load(tap.context, at[0], count * W, places[0]);
      for (unsigned i = 0; i < count; ++i) {
        alignas(64) uint32_t words[W];
        for (unsigned lane = 0; lane < W; ++lane) std::memcpy(&words[lane], places[i][lane], sizeof(uint32_t));
        std::memcpy(&texels[i], words, sizeof(U));
      }
    }
    if (s.shift < 2)
      for (unsigned i = 0; i < count; ++i) texels[i] >>= (offsets[i] & 3u) * 8u;
  }

#ifdef __AVX512F__
  /// The texels of all lit channels from a window of 16x4 of them: in a Y tile four rows of four words are 64 bytes, and the next columns of four
  /// follow each other 512 bytes apart, from tile to tile. Neighbouring pixels mostly look at neighbouring texels.
  template <bool linear>
  [[gnu::always_inline]] static inline bool window(const LaneSurface& s, const LaneTap& tap, uint32_t lit, const U (&x)[2], const U (&y)[2], U* texels) {
    // Somewhere at the upper left, and within the row of tiles.
    const auto lesser = [](uint32_t a, uint32_t b) { return a < b ? a : b; };
    const uint32_t first_x = lesser(lesser(x[0][0], x[0][15]) & ~3u, s.pitch / 4 - 16);
    uint32_t first_y = lesser(y[0][0], y[0][15]);
    first_y = lesser(first_y, (first_y & ~31u) + 28);
    const U dx[2] = {x[0] - first_x, x[1] - first_x}, dy[2] = {y[0] - first_y, y[1] - first_y};
    const U reach = linear ? (dx[0] | dx[1]) >> 2 | dy[0] | dy[1] : dx[0] >> 2 | dy[0];
    if (lit & _mm512_cmpge_epu32_mask(reinterpret_cast<__m512i>(reach), _mm512_set1_epi32(4))) return false;
    const std::byte* at = tap.memory + size_t{first_x >> 2} * 512 + (first_y & ~31u) * s.pitch + ((first_y & 31u) << 4);
    __m512i part[4];
    for (unsigned i = 0; i < 4; ++i) part[i] = _mm512_loadu_si512(at + 512 * i);
    for (unsigned right = 0; right < (linear ? 2 : 1); ++right) {
      const U column = (dx[right] & 3u) + ((dx[right] & ~3u) << 2);
      const __mmask16 far_half = _mm512_test_epi32_mask(reinterpret_cast<__m512i>(column), _mm512_set1_epi32(32));
      for (unsigned below = 0; below < (linear ? 2 : 1); ++below) {
        const auto index = reinterpret_cast<__m512i>(column + (dy[below] << 2));
        const __m512i near = _mm512_permutex2var_epi32(part[0], index, part[1]), away = _mm512_permutex2var_epi32(part[2], index, part[3]);
        texels[2 * below + right] = reinterpret_cast<U>(_mm512_mask_blend_epi32(far_half, near, away));
      }
    }
    return true;
  }
#endif

  [[gnu::always_inline]] static inline F look_up(const float* table, U code) { return reinterpret_cast<F>(V::gather(reinterpret_cast<const std::byte*>(table), code * 4u)); }

  /// i / 255 and i / (2^24 - 1), rounded once.
  [[gnu::always_inline]] static inline F unorm8(U code) {
#ifdef __FMA__
    // The same bits with an instruction less (a unit test has all codes).
    const F value = V::floats(code);
    return V::fused(value, V::template splat<F>(0x1.010102p-24f), value * 0x1.01p-8f);
#else
    return surface::unorm8(V::floats(code));
#endif
  }
  [[gnu::always_inline]] static inline F unorm24(U code) { return V::floats(code & 0xffffffu) / 16777215.0f; }
  [[gnu::always_inline]] static inline U byte_of(U texel, unsigned n) { return n == 3 ? texel >> 24 : texel >> 8 * n & 255u; }

  template <LaneCodes codes>
  [[gnu::always_inline]] static inline F component(const LaneDecode& d, unsigned n, U texel) {
    switch (codes) {
      case LaneCodes::unorm8: return unorm8(byte_of(texel, n));
      case LaneCodes::srgb8: return n == d.linear_component ? unorm8(byte_of(texel, n)) : look_up(d.srgb, byte_of(texel, n));
      case LaneCodes::unorm24: return unorm24(texel);
      case LaneCodes::float32: break;
    }
    return reinterpret_cast<F>(texel);
  }

  /// Texels may be infinite: what has no weight does not count.
  template <bool any_value>
  [[gnu::always_inline]] static inline F between(F a, F b, F weight) {
    const F mixed = a + (b - a) * weight;
    if constexpr (any_value) return weight == 0 ? a : mixed;
    return mixed;
  }
  template <LaneCodes codes>
  [[gnu::always_inline]] static inline F bilinear(const LaneDecode& d, unsigned n, const U* texels, F u, F v) {
    constexpr bool any_value = codes == LaneCodes::float32;
    const F top = between<any_value>(component<codes>(d, n, texels[0]), component<codes>(d, n, texels[1]), u);
    const F bottom = between<any_value>(component<codes>(d, n, texels[2]), component<codes>(d, n, texels[3]), u);
    return between<any_value>(top, bottom, v);
  }

  /// Bytes 0 and 2 of the texels, or 1 and 3: 256 a + (b - a) weight, which 16 bits hold.
  template <bool odd>
  [[gnu::always_inline]] static inline H across(U a, U b, H weight) {
    const H left = reinterpret_cast<H>(a), right = reinterpret_cast<H>(b);
    const H low = odd ? left >> 8 : left & 255, high = odd ? right >> 8 : right & 255;
    return (odd ? left & 0xff00 : left << 8) + (high - low) * weight;
  }
  /// 256 times codes to colours, rounded once: all but the last step is exact.
  [[gnu::always_inline]] static inline F down(F top, F bottom, F weight) {
    const F sum = V::fused(bottom - top, weight, top);
#ifdef __FMA__
    const F quotient = sum * (1 / 65280.0f), rest = V::fused(quotient, V::template splat<F>(-65280.0f), sum);
    return V::fused(rest, V::template splat<F>(1 / 65280.0f), quotient);
#else
    return sum / 65280.0f;
#endif
  }
  [[gnu::always_inline]] static inline void bytes_filtered(const U* texels, const Axis& u, const Axis& v, F (&out)[4]) {
    const H weight = reinterpret_cast<H>(u.weight | u.weight << 16);
    const F vertical = V::floats(v.weight) * (1.0f / one_texel);
    const U even_top = reinterpret_cast<U>(across<false>(texels[0], texels[1], weight)), odd_top = reinterpret_cast<U>(across<true>(texels[0], texels[1], weight));
    const U even_bottom = reinterpret_cast<U>(across<false>(texels[2], texels[3], weight)),
            odd_bottom = reinterpret_cast<U>(across<true>(texels[2], texels[3], weight));
    out[0] = down(V::floats(even_top & 0xffffu), V::floats(even_bottom & 0xffffu), vertical);
    out[1] = down(V::floats(odd_top & 0xffffu), V::floats(odd_bottom & 0xffffu), vertical);
    out[2] = down(V::floats(even_top >> 16), V::floats(even_bottom >> 16), vertical);
    out[3] = down(V::floats(odd_top >> 16), V::floats(odd_bottom >> 16), vertical);
  }

  template <LaneCodes codes, bool linear>
  [[gnu::always_inline]] static inline void colors(const LaneDecode& d, const U* texels, const Axis& u, const Axis& v, unsigned first, uint32_t lit, float* const (&out)[4]) {
    F bytes[4];
    if constexpr (codes == LaneCodes::unorm8 && linear) bytes_filtered(texels, u, v, bytes);
    for (unsigned c = 0; c < 4; ++c) {
      if (!out[c]) continue;
      const unsigned n = d.from[c];
      F color;
      if (n >= LaneDecode::zero) color = V::template splat<F>(n == LaneDecode::one ? 1.0f : 0.0f);
      else if constexpr (codes == LaneCodes::unorm8 && linear) color = n == 0 ? bytes[0] : n == 1 ? bytes[1] : n == 2 ? bytes[2] : bytes[3];
      else if constexpr (linear) color = bilinear<codes>(d, n, texels, V::floats(u.weight) * (1.0f / one_texel), V::floats(v.weight) * (1.0f / one_texel));
      else color = component<codes>(d, n, texels[0]);
      store(out[c] + first, color, lit);
    }
  }

  template <LaneCodes codes, LaneTiling tiling, bool linear>
  [[gnu::always_inline]] static inline void sample(const LaneSurface& s, const LaneTap& tap, unsigned first, float* const (&out)[4]) {
    const uint32_t lit = tap.mask >> first & ((1u << W) - 1);
    if (!lit) return;
    const Axis u = axis<linear>(s, tap, 0, first, of_level(tap, first, &LaneLevel::width));
    const Axis v = axis<linear>(s, tap, 1, first, of_level(tap, first, &LaneLevel::height));
    const U x = of_level(tap, first, &LaneLevel::x), y = of_level(tap, first, &LaneLevel::y);
    const U columns[2] = {words(u.low) + x, words(u.high) + x}, rows[2] = {words(v.low) + y, words(v.high) + y};
    U texels[4];
#ifdef __AVX512F__
    if constexpr (W == 16 && tiling == LaneTiling::y)
      if (s.shift == 2 && tap.memory && tap.one_level && window<linear>(s, tap, lit, columns, rows, texels))
        return colors<codes, linear>(s.decode, texels, u, v, first, lit, out);
#endif
    constexpr unsigned corners = linear ? 4 : 1;
    U offsets[corners];
    const U left = column<tiling>(s, columns[0]), top = row<tiling>(s, rows[0]);
    offsets[0] = left + top;
    if constexpr (linear) {
      const U right = column<tiling>(s, columns[1]), bottom = row<tiling>(s, rows[1]);
      offsets[1] = right + top, offsets[2] = left + bottom, offsets[3] = right + bottom;
    }
    fetch(s, tap, corners, offsets, texels);
    colors<codes, linear>(s.decode, texels, u, v, first, lit, out);
  }

  [[gnu::always_inline]] static inline void mix(float* const (&a)[4], const float (&b)[4][most_lanes], const float (&weight)[most_quads], unsigned first, uint32_t mask) {
    const F w = by_quad(weight + first / 4);
    for (unsigned c = 0; c < 4; ++c)
      if (a[c]) store(a[c] + first, between<true>(V::get(a[c] + first), V::get(b[c] + first), w), mask >> first & ((1u << W) - 1));
  }
};

template <LaneCodes codes, LaneTiling tiling, bool linear>
void sample(const LaneSurface& s, const LaneTap& tap, float* const (&out)[4]) {
#ifdef __AVX512F__
  if (tap.channels == 16) return Channels<16>::sample<codes, tiling, linear>(s, tap, 0, out);
#endif
  for (unsigned first = 0; first < tap.channels; first += 8) Channels<8>::sample<codes, tiling, linear>(s, tap, first, out);
}

void mix(float* const (&a)[4], const float (&b)[4][most_lanes], const float (&weight)[most_quads], unsigned channels, uint32_t mask) {
#ifdef __AVX512F__
  if (channels == 16) return Channels<16>::mix(a, b, weight, 0, mask);
#endif
  for (unsigned first = 0; first < channels; first += 8) Channels<8>::mix(a, b, weight, first, mask);
}

void copy(float* to, const float* from) {
  typedef float Unaligned __attribute__((vector_size(32), aligned(4), may_alias));
  for (unsigned i = 0; i < 16; i += 8) *reinterpret_cast<Unaligned*>(to + i) = *reinterpret_cast<const Unaligned*>(from + i);
}

}  // namespace

void LANE_LODS(const LaneDetail& d, const float* u, const float* v, const float* given, const float* bias, LaneLods& out);
extern const LaneKernels LANE_KERNELS;
#define SAMPLE_OF(codes, tiling) {sample<LaneCodes::codes, LaneTiling::tiling, false>, sample<LaneCodes::codes, LaneTiling::tiling, true>}
#define SAMPLES_OF(codes) {SAMPLE_OF(codes, linear), SAMPLE_OF(codes, x), SAMPLE_OF(codes, y)}
const LaneKernels LANE_KERNELS{copy, LANE_LODS, {SAMPLES_OF(unorm8), SAMPLES_OF(srgb8), SAMPLES_OF(unorm24), SAMPLES_OF(float32)}, mix};

}  // namespace softgen::sampler
