// SPDX-License-Identifier: GPL-2.0-or-later
// Compiled once per instruction set (LANE_KERNELS names the table, LANE_LODS and LANE_FOOTPRINTS its functions, LANE_PLAIN another table);
// all else is local to the file.
#include "hw/sampler/lane_kernels.h"

#include <type_traits>

#include "hw/sampler/lane_texels.h"

namespace softgen::sampler {
namespace {

constexpr int32_t one_texel = 256;  // eight bits of fraction

/// Operations on W channels of a message, from channel `first`.
template <unsigned W>
struct Channels : Texels<W> {
  using V = Texels<W>;
  using F = typename VectorTypes<W>::F;
  using I = typename VectorTypes<W>::I;
  using U = typename VectorTypes<W>::U;

  template <typename T>
  using Of = std::conditional_t<std::is_same_v<T, float>, F, std::conditional_t<std::is_same_v<T, int32_t>, I, U>>;

  /// Copies one value per quad to its four channels.
  template <typename T>
  [[gnu::always_inline]] static inline auto by_quad(const T* q) {
    using R = Of<T>;
    if constexpr (W == 16) return R{q[0], q[0], q[0], q[0], q[1], q[1], q[1], q[1], q[2], q[2], q[2], q[2], q[3], q[3], q[3], q[3]};
    else return R{q[0], q[0], q[0], q[0], q[1], q[1], q[1], q[1]};
  }
  /// A field of the levels that the channels sample.
  template <typename T>
  [[gnu::always_inline]] static inline auto of_level(const LaneTap& tap, unsigned first, T LaneLevel::* field) {
    using R = Of<T>;
    if (tap.one_level) return V::template splat<R>(tap.level[0]->*field);
    T q[W / 4];
    for (unsigned i = 0; i < W / 4; ++i) q[i] = tap.level[first / 4 + i]->*field;
    return by_quad(q);
  }

  struct Axis {
    I low, high;  ///< texels; equal without linear filtering
    I weight;     ///< of high
  };
  template <bool linear>
  [[gnu::always_inline]] static inline Axis axis(const LaneSurface& s, const LaneTap& tap, unsigned n, unsigned first, I size) {
    F texels = V::get((n ? tap.v : tap.u) + first);
    if (s.normalized) texels *= V::floats(size);
    texels = V::larger(V::smaller(texels, V::template splat<F>(lane_far)), V::template splat<F>(-lane_far));
    const I fixed = V::floored(V::fused(texels, V::template splat<F>(static_cast<float>(one_texel)),
                                        V::template splat<F>(tap.rounded[n] ? lane_rounding : lane_least))) +
                    (tap.offset[n] * one_texel - (linear ? one_texel / 2 : 0));
    const I i = fixed >> 8;
    const I low = V::wrapped(s.wrap[n], i, size, s.powers);
    if constexpr (!linear) return {low, low, I{}};
    return {low, V::next(s.wrap[n], i, low, size, s.powers), fixed & (one_texel - 1)};
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

  template <LaneCodes codes>
  [[gnu::always_inline]] static inline F component(const LaneDecode& d, unsigned n, U texel) {
    switch (codes) {
      case LaneCodes::unorm8: return V::unorm8(V::byte_of(texel, n));
      case LaneCodes::srgb8: return n == d.linear_component ? V::unorm8(V::byte_of(texel, n)) : V::srgb8(d.srgb, V::byte_of(texel, n));
      case LaneCodes::unorm24: return V::unorm24(texel);
      case LaneCodes::float32: break;
    }
    return reinterpret_cast<F>(texel);
  }

  template <LaneCodes codes>
  [[gnu::always_inline]] static inline F bilinear(const LaneDecode& d, unsigned n, const U* texels, F u, F v) {
    F values[4];
    for (unsigned i = 0; i < 4; ++i) values[i] = component<codes>(d, n, texels[i]);
    return V::template bilinear < codes == LaneCodes::float32 > (values, u, v);
  }

  /// A component of the channels in `enabled`.
  [[gnu::always_inline]] static inline void give(float* to, F color, const float* weight, unsigned first, uint32_t enabled) {
    V::store(to + first, weight ? V::template between<true>(V::get(to + first), color, by_quad(weight + first / 4)) : color, enabled);
  }
  template <LaneCodes codes, bool linear>
  [[gnu::always_inline]] static inline void colors(const LaneDecode& d, const U* texels, const Axis& u, const Axis& v, const LaneTap& tap,
                                                   unsigned first, uint32_t enabled, float* const (&out)[4]) {
    F bytes[4];
    if constexpr (codes == LaneCodes::unorm8 && linear) V::bytes_filtered(texels, u.weight, v.weight, bytes);
    for (unsigned c = 0; c < 4; ++c) {
      if (!out[c]) continue;
      const unsigned n = d.from[c];
      F color;
      if (n >= LaneDecode::zero) color = V::template splat<F>(n == LaneDecode::one ? 1.0f : 0.0f);
      else if constexpr (codes == LaneCodes::unorm8 && linear) color = n == 0 ? bytes[0] : n == 1 ? bytes[1] : n == 2 ? bytes[2] : bytes[3];
      else if constexpr (linear)
        color = bilinear<codes>(d, n, texels, V::floats(u.weight) * (1.0f / one_texel), V::floats(v.weight) * (1.0f / one_texel));
      else color = component<codes>(d, n, texels[0]);
      give(out[c], color, tap.weight, first, enabled);
    }
  }

  template <LaneCodes codes, LaneTiling tiling, bool linear>
  [[gnu::always_inline]] static inline void sample(const LaneSurface& s, const LaneTap& tap, unsigned first, float* const (&out)[4]) {
    const uint32_t enabled = tap.mask >> first & ((1u << W) - 1);
    if (!enabled) return;
    const Axis u = axis<linear>(s, tap, 0, first, of_level(tap, first, &LaneLevel::width));
    const Axis v = axis<linear>(s, tap, 1, first, of_level(tap, first, &LaneLevel::height));
    const U x = of_level(tap, first, &LaneLevel::x), y = of_level(tap, first, &LaneLevel::y);
    const U columns[2] = {V::words(u.low) + x, V::words(u.high) + x}, rows[2] = {V::words(v.low) + y, V::words(v.high) + y};
    U texels[4];
#ifdef __AVX512F__
    if constexpr (W == 16 && tiling == LaneTiling::y)
      if (s.shift == 2 && tap.memory && tap.one_level && V::template window<linear>(tap.memory, s.pitch, enabled, columns, rows, texels))
        return colors<codes, linear>(s.decode, texels, u, v, tap, first, enabled, out);
#endif
    constexpr unsigned corners = linear ? 4 : 1;
    U offsets[corners];
    const U left = V::template column<tiling>(columns[0], s.shift), top = V::template row<tiling>(rows[0], s.pitch);
    offsets[0] = left + top;
    if constexpr (linear) {
      const U right = V::template column<tiling>(columns[1], s.shift), bottom = V::template row<tiling>(rows[1], s.pitch);
      offsets[1] = right + top, offsets[2] = left + bottom, offsets[3] = right + bottom;
    }
    fetch(s, tap, corners, offsets, texels);
    colors<codes, linear>(s.decode, texels, u, v, tap, first, enabled, out);
  }

  /// Where tap number `i` is: at the channel's own place if it is the only one.
  [[gnu::always_inline]] static inline void place(const LaneTap& own, const LaneFootprints& f, float i, unsigned first, float* u,
                                                  float* v) {
    const F taps = by_quad(f.taps + first / 4);
    const F t = taps == 1 ? F{} : (i + 0.5f) / taps - 0.5f;
    V::put(u + first, V::get(own.u + first) + by_quad(f.step_u + first / 4) * t);
    V::put(v + first, V::get(own.v + first) + by_quad(f.step_v + first / 4) * t);
  }
  [[gnu::always_inline]] static inline void add(float* sum, const float* one, const LaneFootprints& f, float i, unsigned first) {
    const F taps = by_quad(f.taps + first / 4), own = V::get(one + first), before = V::get(sum + first);
    V::put(sum + first, i < taps ? (taps == 1 ? own : before + own) : before);
  }
  static void taps(LaneSample sample, const LaneSurface& s, const LaneTap& own, const LaneFootprints& f, float* const (&out)[4]) {
    alignas(64) float u[max_lanes] = {}, v[max_lanes] = {}, one[4][max_lanes] = {}, sum[4][max_lanes] = {};
    float* parts[4];
    for (unsigned c = 0; c < 4; ++c) parts[c] = out[c] ? one[c] : nullptr;
    LaneTap tap = own;
    tap.u = u, tap.v = v, tap.weight = nullptr;
    float max_taps = 0;
    for (const float taps : f.taps) max_taps = taps > max_taps ? taps : max_taps;
    for (float i = 0; i < max_taps; ++i) {
      tap.mask = 0;
      for (unsigned q = 0; q < own.channels / 4; ++q) tap.mask |= i < f.taps[q] ? own.mask & 15u << 4 * q : 0;
      if (!tap.mask) continue;
      for (unsigned first = 0; first < own.channels; first += W) place(own, f, i, first, u, v);
      sample(s, tap, parts);
      for (unsigned c = 0; c < 4; ++c)
        for (unsigned first = 0; parts[c] && first < own.channels; first += W) add(sum[c], one[c], f, i, first);
    }
    for (unsigned c = 0; c < 4; ++c)
      for (unsigned first = 0; out[c] && first < own.channels; first += W)
        give(out[c], V::get(sum[c] + first) / by_quad(f.taps + first / 4), own.weight, first, own.mask >> first & ((1u << W) - 1));
  }
};

template <LaneCodes codes, LaneTiling tiling, bool linear>
void sample(const LaneSurface& s, const LaneTap& tap, float* const (&out)[4]) {
#ifdef __AVX512F__
  if (tap.channels == 16) return Channels<16>::sample<codes, tiling, linear>(s, tap, 0, out);
#endif
  for (unsigned first = 0; first < tap.channels; first += 8) Channels<8>::sample<codes, tiling, linear>(s, tap, first, out);
}

void taps(LaneSample sample, const LaneSurface& s, const LaneTap& tap, const LaneFootprints& footprints, float* const (&out)[4]) {
#ifdef __AVX512F__
  if (tap.channels == 16) return Channels<16>::taps(sample, s, tap, footprints, out);
#endif
  Channels<8>::taps(sample, s, tap, footprints, out);
}

void copy(float* to, const float* from) {
  typedef float Unaligned __attribute__((vector_size(32), aligned(4), may_alias));
  for (unsigned i = 0; i < 16; i += 8) *reinterpret_cast<Unaligned*>(to + i) = *reinterpret_cast<const Unaligned*>(from + i);
}

}  // namespace

void LANE_LODS(const LaneDetail& d, const float* u, const float* v, const float* given, const float* bias, LaneLods& out);
void LANE_FOOTPRINTS(const LaneDetail& d, const float* u, const float* v, unsigned max_taps, LaneFootprints& out, float* lod);
extern const LanePlainKernels LANE_PLAIN[2];
extern const LaneKernels LANE_KERNELS;
#define SAMPLE_OF(codes, tiling) {sample<LaneCodes::codes, LaneTiling::tiling, false>, sample<LaneCodes::codes, LaneTiling::tiling, true>}
#define SAMPLES_OF(codes) {SAMPLE_OF(codes, linear), SAMPLE_OF(codes, x), SAMPLE_OF(codes, y), SAMPLE_OF(codes, yf)}
const LaneKernels LANE_KERNELS{
    copy, LANE_LODS, LANE_FOOTPRINTS, {SAMPLES_OF(unorm8), SAMPLES_OF(srgb8), SAMPLES_OF(unorm24), SAMPLES_OF(float32)}, taps, LANE_PLAIN};

}  // namespace softgen::sampler
