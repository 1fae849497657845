// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/avc/deblock.h"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace softgen::media::avc {
namespace {

/// Table 8-16.
constexpr uint8_t alphas[52] = {0,  0,  0,  0,  0,  0,  0,   0,   0,   0,   0,   0,   0,   0,   0,   0,  4,  4,
                                5,  6,  7,  8,  9,  10, 12,  13,  15,  17,  20,  22,  25,  28,  32,  36, 40, 45,
                                50, 56, 63, 71, 80, 90, 101, 113, 127, 144, 162, 182, 203, 226, 255, 255};
constexpr uint8_t betas[52] = {0, 0, 0, 0, 0, 0, 0, 0, 0,  0,  0,  0,  0,  0,  0,  0,  2,  2,  2,  3,  3,  3,  3,  4,  4,  4,
                               6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13, 14, 14, 15, 15, 16, 16, 17, 17, 18, 18};
/// Table 8-17, for bS 1 to 3.
constexpr uint8_t clips[52][3] = {{0, 0, 0},   {0, 0, 0},    {0, 0, 0},    {0, 0, 0},   {0, 0, 0},  {0, 0, 0},  {0, 0, 0},   {0, 0, 0},
                                  {0, 0, 0},   {0, 0, 0},    {0, 0, 0},    {0, 0, 0},   {0, 0, 0},  {0, 0, 0},  {0, 0, 0},   {0, 0, 0},
                                  {0, 0, 0},   {0, 0, 1},    {0, 0, 1},    {0, 0, 1},   {0, 0, 1},  {0, 1, 1},  {0, 1, 1},   {1, 1, 1},
                                  {1, 1, 1},   {1, 1, 1},    {1, 1, 1},    {1, 1, 2},   {1, 1, 2},  {1, 1, 2},  {1, 1, 2},   {1, 2, 3},
                                  {1, 2, 3},   {2, 2, 3},    {2, 2, 4},    {2, 3, 4},   {2, 3, 4},  {3, 3, 5},  {3, 4, 6},   {3, 4, 6},
                                  {4, 5, 7},   {4, 5, 8},    {4, 6, 9},    {5, 7, 10},  {6, 8, 11}, {6, 8, 13}, {7, 10, 14}, {8, 11, 16},
                                  {9, 12, 18}, {10, 13, 20}, {11, 15, 23}, {13, 17, 25}};

using Strengths = std::array<uint8_t, 4>;

/// Thresholds of an edge between two quantizers.
struct Thresholds {
  int alpha, beta;
  const uint8_t* clip;
  Thresholds(const FilterParams& slice, int qp, int other) {
    const int average = (qp + other + 1) >> 1, a = std::clamp(average + slice.alpha_offset, 0, 51);
    alpha = alphas[a], beta = betas[std::clamp(average + slice.beta_offset, 0, 51)], clip = clips[a];
  }
};

uint8_t clip_sample(int value) { return static_cast<uint8_t>(std::clamp(value, 0, 255)); }

/// Samples across an edge, `step` apart: q0 is at `at`.
void luma_sample(uint8_t* at, ptrdiff_t step, unsigned strength, const Thresholds& t) {
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

void chroma_sample(uint8_t* at, ptrdiff_t step, unsigned strength, const Thresholds& t) {
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

bool coded(const Macroblock& mb, unsigned block) {
  if (!mb.transform8) return mb.coefficients[0][block] != 0;
  const unsigned first = block / 8 * 8 + block % 4 / 2 * 2;
  const auto& c = mb.coefficients[0];
  return (c[first] | c[first + 1] | c[first + 4] | c[first + 5]) != 0;
}

bool far(Mv a, Mv b, int limit) { return std::abs(a.x - b.x) >= 4 || std::abs(a.y - b.y) >= limit; }

// 8.7.2.1, of blocks without coefficients in macroblocks of the same kind.
bool motion_differs(const Macroblock& p, unsigned pb, const Macroblock& q, unsigned qb) {
  const unsigned pq = pb / 8 * 2 + pb % 4 / 2, qq = qb / 8 * 2 + qb % 4 / 2;
  const int limit = q.field ? 2 : 4;
  const int8_t p0 = p.picture[0][pq], p1 = p.picture[1][pq], q0 = q.picture[0][qq], q1 = q.picture[1][qq];
  if (!((p0 == q0 && p1 == q1) || (p0 == q1 && p1 == q0))) return true;
  const auto differ = [&](unsigned list_p, unsigned list_q) {
    return p.picture[list_p][pq] >= 0 && far(p.mv[list_p][pb], q.mv[list_q][qb], limit);
  };
  const bool straight = differ(0, 0) || differ(1, 1), crossed = differ(0, 1) || differ(1, 0);
  if (p0 == p1) return straight && crossed;
  return p0 == q0 ? straight : crossed;
}

class Filter {
 public:
  Filter(Picture& picture, uint32_t x, uint32_t y) : picture_(picture), x_(x), y_(y), mb_(picture.mb(x, y)), slice_(slice_of(mb_)) {
    const PictureParams& params = picture.params;
    split_ = params.mbaff && mb_.field;
    luma_stride_ = static_cast<ptrdiff_t>(picture.frame.luma.stride()) << split_;
    chroma_stride_ = static_cast<ptrdiff_t>(picture.frame.chroma.stride()) << split_;
    luma_ = picture.frame.luma.at(x * 16, split_ ? y / 2 * 32 + y % 2 : y * 16);
    chroma_ = picture.frame.chroma.at(x * 16, split_ ? y / 2 * 16 + y % 2 : y * 8);
  }
  void run() {
    if (mb_.slice == Macroblock::no_slice || slice_.disable == 1) return;
    if (x_ > 0) left_edge();
    for (unsigned edge = 1; edge < 4; ++edge) internal(edge, true);
    top_edge();
    for (unsigned edge = 1; edge < 4; ++edge) internal(edge, false);
  }

 private:
  FilterParams slice_of(const Macroblock& mb) const {
    return mb.slice < picture_.slices.size() ? picture_.slices[mb.slice] : FilterParams{1, 0, 0};
  }
  bool filtered_with(const Macroblock& other) const {
    return other.slice != Macroblock::no_slice && (slice_.disable != 2 || other.slice == mb_.slice);
  }
  uint8_t strength(const Macroblock& p, unsigned pb, unsigned qb, bool vertical, bool boundary) const {
    const bool mixed = p.field != mb_.field;
    if (p.intra() || mb_.intra()) return boundary && (vertical || (!p.field && !mb_.field)) ? 4 : 3;
    if (coded(p, pb) || coded(mb_, qb)) return 2;
    return mixed || motion_differs(p, pb, mb_, qb);
  }
  void internal(unsigned edge, bool vertical) {
    Strengths strengths;
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned q = vertical ? i * 4 + edge : edge * 4 + i;
      strengths[i] = strength(mb_, q - (vertical ? 1 : 4), q, vertical, false);
    }
    if (!(mb_.transform8 && edge % 2)) luma(luma_ + edge * 4 * (vertical ? 1 : luma_stride_), luma_stride_, vertical, strengths, mb_);
    if (edge == 2) chroma(chroma_ + 4 * (vertical ? 2 : chroma_stride_), chroma_stride_, vertical, strengths, mb_);
  }
  void luma(uint8_t* at, ptrdiff_t stride, bool vertical, const Strengths& strengths, const Macroblock& p) const {
    const Thresholds t(slice_, mb_.qp, p.qp);
    const ptrdiff_t across = vertical ? 1 : stride, along = vertical ? stride : 1;
    if (!t.alpha) return;
    for (unsigned i = 0; i < 16; ++i, at += along)
      if (strengths[i / 4]) luma_sample(at, across, strengths[i / 4], t);
  }
  void chroma(uint8_t* at, ptrdiff_t stride, bool vertical, const Strengths& strengths, const Macroblock& p) const {
    if (picture_.params.monochrome) return;
    const ptrdiff_t across = vertical ? 2 : stride, along = vertical ? stride : 2;
    for (unsigned plane = 0; plane < 2; ++plane) {
      const Thresholds t(slice_, mb_.chroma_qp[plane], p.chroma_qp[plane]);
      uint8_t* to = at + plane;
      for (unsigned i = 0; i < 8; ++i, to += along)
        if (strengths[i / 2]) chroma_sample(to, across, strengths[i / 2], t);
    }
  }
  void left_edge() {
    const uint32_t pair = y_ / 2 * 2;
    if (picture_.params.mbaff && picture_.mb(x_ - 1, pair).field != mb_.field) return mixed_left_edge(pair);
    const Macroblock& p = picture_.mb(x_ - 1, y_);
    if (!filtered_with(p)) return;
    Strengths strengths;
    for (unsigned i = 0; i < 4; ++i) strengths[i] = strength(p, i * 4 + 3, i * 4, true, true);
    luma(luma_, luma_stride_, true, strengths, p);
    chroma(chroma_, chroma_stride_, true, strengths, p);
  }
  // Between a frame and a field pair: each row has its own neighbour, which is that next to it.
  void mixed_left_edge(uint32_t pair) {
    for (unsigned i = 0; i < 16; ++i) {
      const auto [p, row] = beside(pair, i, 16);
      if (!filtered_with(*p)) return;
      const unsigned s = strength(*p, row / 4 * 4 + 3, i / 4 * 4, true, true);
      if (s) luma_sample(luma_ + i * luma_stride_, 1, s, {slice_, mb_.qp, p->qp});
    }
    if (picture_.params.monochrome) return;
    for (unsigned i = 0; i < 8; ++i) {
      const auto [p, row] = beside(pair, i, 8);
      const unsigned s = strength(*p, row / 2 * 4 + 3, i / 2 * 4, true, true);
      for (unsigned plane = 0; plane < 2 && s; ++plane)
        chroma_sample(chroma_ + i * chroma_stride_ + plane, 2, s, {slice_, mb_.chroma_qp[plane], p->chroma_qp[plane]});
    }
  }
  /// The macroblock and row of the left pair that lie next to row `i` of this one; `height`: rows of a macroblock.
  std::pair<const Macroblock*, unsigned> beside(uint32_t pair, unsigned i, unsigned height) const {
    const unsigned row = mb_.field ? i * 2 + y_ % 2 : y_ % 2 * height + i;
    if (mb_.field) return {&picture_.mb(x_ - 1, pair + row / height), row % height};
    return {&picture_.mb(x_ - 1, pair + row % 2), row / 2};
  }
  void top_edge() {
    const bool mbaff = picture_.params.mbaff;
    if (!mbaff) return y_ ? top_edge_with(picture_.mb(x_, y_ - 1), 0, false) : void();
    const uint32_t pair = y_ / 2 * 2;
    if (!mb_.field && y_ % 2) return top_edge_with(picture_.mb(x_, y_ - 1), 0, false);
    if (!pair) return;
    const bool above_is_field = picture_.mb(x_, pair - 1).field;
    if (mb_.field) return top_edge_with(picture_.mb(x_, above_is_field && y_ % 2 == 0 ? pair - 2 : pair - 1), 0, false);
    if (!above_is_field) return top_edge_with(picture_.mb(x_, pair - 1), 0, false);
    // A frame macroblock below a field pair: its fields are filtered one after the other.
    for (unsigned parity = 0; parity < 2; ++parity) top_edge_with(picture_.mb(x_, pair - 2 + parity), parity, true);
  }
  void top_edge_with(const Macroblock& p, unsigned parity, bool by_field) {
    if (!filtered_with(p)) return;
    Strengths strengths;
    for (unsigned i = 0; i < 4; ++i) strengths[i] = strength(p, 12 + i, i, false, true);
    luma(luma_ + parity * luma_stride_, luma_stride_ << by_field, false, strengths, p);
    chroma(chroma_ + parity * chroma_stride_, chroma_stride_ << by_field, false, strengths, p);
  }

  Picture& picture_;
  const uint32_t x_, y_;
  const Macroblock& mb_;
  const FilterParams slice_;
  bool split_ = false;
  ptrdiff_t luma_stride_ = 0, chroma_stride_ = 0;
  uint8_t *luma_ = nullptr, *chroma_ = nullptr;
};

}  // namespace

void deblock_row(Picture& picture, uint32_t row) {
  for (uint32_t x = 0; x < picture.width; ++x) {
    if (!picture.params.mbaff) {
      Filter(picture, x, row).run();
      continue;
    }
    Filter(picture, x, row * 2).run();
    Filter(picture, x, row * 2 + 1).run();
  }
}

}  // namespace softgen::media::avc
