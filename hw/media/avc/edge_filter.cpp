// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/avc/edge_filter.h"

#include <algorithm>
#include <cstdlib>

#include "hw/defs/avc_loop_filter.h"
#include "hw/media/frame/lanes.h"

namespace softgen::media::avc {
namespace {

using defs::avc::alphas, defs::avc::betas, defs::avc::clips;

uint8_t clip_sample(int value) { return static_cast<uint8_t>(std::clamp(value, 0, 255)); }

I16x8 select(I16x8 mask, I16x8 yes, I16x8 no) { return (mask & yes) | (~mask & no); }

/// Eight places of an edge: alpha, beta, and of strengths below 4 the clip value; `active`: which are filtered at all.
struct Limits {
  I16x8 alpha, beta, clip, active;
  I16x8 mask(I16x8 p1, I16x8 p0, I16x8 q0, I16x8 q1) const {
    return active & (magnitude(p0 - q0) < alpha) & (magnitude(p1 - p0) < beta) & (magnitude(q1 - q0) < beta);
  }
};

/// `half`: 0 or 1, of the edge; `t`: of even and odd places.
Limits limits(const Strengths& strengths, unsigned half, const Thresholds& t0, const Thresholds& t1) {
  const unsigned a = strengths[half * 2], b = strengths[half * 2 + 1];
  const auto clip = [](const Thresholds& t, unsigned s) { return static_cast<int16_t>(s && s < 4 ? t.clip[s - 1] : 0); };
  const auto in_turns = [](int even, int odd) { return low16(splat16(even), splat16(odd)); };
  const int16_t a0 = clip(t0, a), a1 = clip(t1, a), b0 = clip(t0, b), b1 = clip(t1, b);
  const int16_t on_a = a ? -1 : 0, on_b = b ? -1 : 0;
  return {in_turns(t0.alpha, t1.alpha), in_turns(t0.beta, t1.beta), I16x8{a0, a1, a0, a1, b0, b1, b0, b1},
          I16x8{on_a, on_a, on_a, on_a, on_b, on_b, on_b, on_b}};
}

/// `v`: p3, p2, p1, p0, q0, q1, q2, q3.
void weak_luma(I16x8 (&v)[8], const Limits& t) {
  const I16x8 p2 = v[1], p1 = v[2], p0 = v[3], q0 = v[4], q1 = v[5], q2 = v[6];
  const I16x8 mask = t.mask(p1, p0, q0, q1);
  if (!any(mask)) return;
  const I16x8 flat_p = mask & (magnitude(p2 - p0) < t.beta), flat_q = mask & (magnitude(q2 - q0) < t.beta);
  const I16x8 delta = within(((q0 - p0) * 4 + (p1 - q1) + 4) >> 3, t.clip - flat_p - flat_q) & mask, middle = (p0 + q0 + 1) >> 1;
  v[2] = p1 + (within((p2 + middle - p1 * 2) >> 1, t.clip) & flat_p);
  v[3] = p0 + delta;
  v[4] = q0 - delta;
  v[5] = q1 + (within((q2 + middle - q1 * 2) >> 1, t.clip) & flat_q);
}

void strong_luma(I16x8 (&v)[8], const Limits& t) {
  const I16x8 p3 = v[0], p2 = v[1], p1 = v[2], p0 = v[3], q0 = v[4], q1 = v[5], q2 = v[6], q3 = v[7];
  const I16x8 mask = t.mask(p1, p0, q0, q1);
  if (!any(mask)) return;
  const I16x8 small = mask & (magnitude(p0 - q0) < (t.alpha >> 2) + 2);
  const I16x8 flat_p = small & (magnitude(p2 - p0) < t.beta), flat_q = small & (magnitude(q2 - q0) < t.beta), sum = p0 + q0;
  v[1] = select(flat_p, (p3 * 2 + p2 * 3 + p1 + sum + 4) >> 3, p2);
  v[2] = select(flat_p, (p2 + p1 + sum + 2) >> 2, p1);
  v[3] = select(flat_p, (p2 + p1 * 2 + sum * 2 + q1 + 4) >> 3, select(mask, (p1 * 2 + p0 + q1 + 2) >> 2, p0));
  v[4] = select(flat_q, (p1 + sum * 2 + q1 * 2 + q2 + 4) >> 3, select(mask, (q1 * 2 + q0 + p1 + 2) >> 2, q0));
  v[5] = select(flat_q, (sum + q1 + q2 + 2) >> 2, q1);
  v[6] = select(flat_q, (q3 * 2 + q2 * 3 + q1 + sum + 4) >> 3, q2);
}

void luma_places(U8x16 (&v)[8], const Strengths& strengths, const Thresholds& t) {
  I16x8 low[8], high[8];
  for (unsigned i = 0; i < 8; ++i) low[i] = widen_low(v[i]), high[i] = widen_high(v[i]);
  const Limits first = limits(strengths, 0, t, t), second = limits(strengths, 1, t, t);
  if (strengths[0] == 4) strong_luma(low, first), strong_luma(high, second);
  else weak_luma(low, first), weak_luma(high, second);
  for (unsigned i = 1; i < 7; ++i) v[i] = narrow(low[i], high[i]);
}

/// p0 and q0 of p1, p0, q0, q1.
void chroma_half(I16x8 p1, I16x8& p0, I16x8& q0, I16x8 q1, bool strong, const Limits& t) {
  const I16x8 mask = t.mask(p1, p0, q0, q1), p = p0, q = q0;
  if (strong) {
    p0 = select(mask, (p1 * 2 + p + q1 + 2) >> 2, p);
    q0 = select(mask, (q1 * 2 + q + p1 + 2) >> 2, q);
    return;
  }
  const I16x8 delta = within(((q - p) * 4 + (p1 - q1) + 4) >> 3, t.clip + 1) & mask;
  p0 = p + delta, q0 = q - delta;
}

void chroma_places(U8x16 p1, U8x16& p0, U8x16& q0, U8x16 q1, const Strengths& strengths, const std::array<Thresholds, 2>& t) {
  const bool strong = strengths[0] == 4;
  I16x8 p_low = widen_low(p0), p_high = widen_high(p0), q_low = widen_low(q0), q_high = widen_high(q0);
  chroma_half(widen_low(p1), p_low, q_low, widen_low(q1), strong, limits(strengths, 0, t[0], t[1]));
  chroma_half(widen_high(p1), p_high, q_high, widen_high(q1), strong, limits(strengths, 1, t[0], t[1]));
  p0 = narrow(p_low, p_high), q0 = narrow(q_low, q_high);
}

I16x8 pairs(U8x16 v) { return reinterpret_cast<I16x8>(v); }
I32x4 quads(I16x8 v) { return reinterpret_cast<I32x4>(v); }

}  // namespace

ThresholdIndexes ThresholdIndexes::of(const FilterParams& slice, int qp, int other) {
  const int average = (qp + other + 1) >> 1;
  return {static_cast<uint8_t>(std::clamp(average + slice.alpha_offset, 0, 51)),
          static_cast<uint8_t>(std::clamp(average + slice.beta_offset, 0, 51))};
}

Thresholds::Thresholds(ThresholdIndexes indexes) : alpha(alphas[indexes.a]), beta(betas[indexes.b]), clip(clips[indexes.a]) {}

void filter_luma_rows(uint8_t* at, ptrdiff_t stride, const Strengths& strengths, const Thresholds& t) {
  U8x16 v[8];
  for (ptrdiff_t i = 0; i < 8; ++i) v[i] = load16(at + (i - 4) * stride);
  luma_places(v, strengths, t);
  for (ptrdiff_t i = 1; i < 7; ++i) store16(v[i], at + (i - 4) * stride);
}

void filter_luma_columns(uint8_t* at, ptrdiff_t stride, const Strengths& strengths, const Thresholds& t) {
  U8x16 a[8], b[8], v[8];
  at -= 4;
  for (ptrdiff_t i = 0; i < 8; ++i) a[i] = low8(load8(at + i * stride), load8(at + (i + 8) * stride));
  for (unsigned i = 0; i < 4; ++i) b[2 * i] = low8(a[i], a[i + 4]), b[2 * i + 1] = high8(a[i], a[i + 4]);
  for (unsigned i = 0; i < 4; ++i) a[2 * i] = low8(b[i], b[i + 4]), a[2 * i + 1] = high8(b[i], b[i + 4]);
  for (unsigned i = 0; i < 4; ++i) v[2 * i] = low8(a[i], a[i + 4]), v[2 * i + 1] = high8(a[i], a[i + 4]);
  luma_places(v, strengths, t);
  for (unsigned half = 0; half < 2; ++half) {
    I16x8 two[4];
    for (unsigned i = 0; i < 4; ++i) two[i] = pairs(half ? high8(v[2 * i], v[2 * i + 1]) : low8(v[2 * i], v[2 * i + 1]));
    const I32x4 left0 = quads(low16(two[0], two[1])), left1 = quads(high16(two[0], two[1]));
    const I32x4 right0 = quads(low16(two[2], two[3])), right1 = quads(high16(two[2], two[3]));
    const I32x4 rows[4] = {low32(left0, right0), high32(left0, right0), low32(left1, right1), high32(left1, right1)};
    for (const I32x4& both : rows) {
      std::memcpy(at, &both, 8);
      std::memcpy(at + stride, reinterpret_cast<const uint8_t*>(&both) + 8, 8);
      at += 2 * stride;
    }
  }
}

void filter_chroma_rows(uint8_t* at, ptrdiff_t stride, const Strengths& strengths, const std::array<Thresholds, 2>& t) {
  U8x16 p0 = load16(at - stride), q0 = load16(at);
  chroma_places(load16(at - 2 * stride), p0, q0, load16(at + stride), strengths, t);
  store16(p0, at - stride), store16(q0, at);
}

void filter_chroma_columns(uint8_t* at, ptrdiff_t stride, const Strengths& strengths, const std::array<Thresholds, 2>& t) {
  I16x8 a[4], b[4];
  at -= 4;
  for (ptrdiff_t i = 0; i < 4; ++i) a[i] = low16(pairs(load8(at + i * stride)), pairs(load8(at + (i + 4) * stride)));
  for (unsigned i = 0; i < 2; ++i) b[2 * i] = low16(a[i], a[i + 2]), b[2 * i + 1] = high16(a[i], a[i + 2]);
  const auto bytes = [](I16x8 v) { return reinterpret_cast<U8x16>(v); };
  const U8x16 p1 = bytes(low16(b[0], b[2])), q1 = bytes(high16(b[1], b[3]));
  U8x16 p0 = bytes(high16(b[0], b[2])), q0 = bytes(low16(b[1], b[3]));
  chroma_places(p1, p0, q0, q1, strengths, t);
  at += 2;
  const I16x8 rows[2] = {low16(pairs(p0), pairs(q0)), high16(pairs(p0), pairs(q0))};
  for (unsigned i = 0; i < 8; ++i, at += stride) std::memcpy(at, reinterpret_cast<const uint8_t*>(rows) + i * 4, 4);
}

void filter_luma_sample(uint8_t* at, ptrdiff_t step, unsigned strength, const Thresholds& t) {
  const int p0 = at[-step], p1 = at[-2 * step], q0 = at[0], q1 = at[step];
  if (std::abs(p0 - q0) >= t.alpha || std::abs(p1 - p0) >= t.beta || std::abs(q1 - q0) >= t.beta) return;
  const int p2 = at[-3 * step], q2 = at[2 * step];
  const bool flat_p = std::abs(p2 - p0) < t.beta, flat_q = std::abs(q2 - q0) < t.beta;
  if (strength < 4) {
    const int limit = t.clip[strength - 1], all = limit + flat_p + flat_q;
    const int delta = std::clamp((((q0 - p0) * 4) + (p1 - q1) + 4) >> 3, -all, all);
    if (flat_p) at[-2 * step] = static_cast<uint8_t>(p1 + std::clamp((p2 + ((p0 + q0 + 1) >> 1) - p1 * 2) >> 1, -limit, limit));
    if (flat_q) at[step] = static_cast<uint8_t>(q1 + std::clamp((q2 + ((p0 + q0 + 1) >> 1) - q1 * 2) >> 1, -limit, limit));
    at[-step] = clip_sample(p0 + delta), at[0] = clip_sample(q0 - delta);
    return;
  }
  const bool small = std::abs(p0 - q0) < (t.alpha >> 2) + 2;
  if (small && flat_p) {
    const int p3 = at[-4 * step];
    at[-step] = static_cast<uint8_t>((p2 + 2 * p1 + 2 * p0 + 2 * q0 + q1 + 4) >> 3);
    at[-2 * step] = static_cast<uint8_t>((p2 + p1 + p0 + q0 + 2) >> 2);
    at[-3 * step] = static_cast<uint8_t>((2 * p3 + 3 * p2 + p1 + p0 + q0 + 4) >> 3);
  } else {
    at[-step] = static_cast<uint8_t>((2 * p1 + p0 + q1 + 2) >> 2);
  }
  if (small && flat_q) {
    const int q3 = at[3 * step];
    at[0] = static_cast<uint8_t>((p1 + 2 * p0 + 2 * q0 + 2 * q1 + q2 + 4) >> 3);
    at[step] = static_cast<uint8_t>((p0 + q0 + q1 + q2 + 2) >> 2);
    at[2 * step] = static_cast<uint8_t>((2 * q3 + 3 * q2 + q1 + q0 + p0 + 4) >> 3);
  } else {
    at[0] = static_cast<uint8_t>((2 * q1 + q0 + p1 + 2) >> 2);
  }
}

void filter_chroma_sample(uint8_t* at, ptrdiff_t step, unsigned strength, const Thresholds& t) {
  const int p0 = at[-step], p1 = at[-2 * step], q0 = at[0], q1 = at[step];
  if (std::abs(p0 - q0) >= t.alpha || std::abs(p1 - p0) >= t.beta || std::abs(q1 - q0) >= t.beta) return;
  if (strength < 4) {
    const int limit = t.clip[strength - 1] + 1, delta = std::clamp((((q0 - p0) * 4) + (p1 - q1) + 4) >> 3, -limit, limit);
    at[-step] = clip_sample(p0 + delta), at[0] = clip_sample(q0 - delta);
    return;
  }
  at[-step] = static_cast<uint8_t>((2 * p1 + p0 + q1 + 2) >> 2);
  at[0] = static_cast<uint8_t>((2 * q1 + q0 + p1 + 2) >> 2);
}

}  // namespace softgen::media::avc
