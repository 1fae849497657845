// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/avc/deblock.h"

#include <array>
#include <cstdlib>

#include "hw/media/avc/edge_filter.h"
#include "hw/media/frame/lanes.h"

namespace softgen::media::avc {
namespace {

/// A bit for each luma block whose transform block has coefficients.
unsigned coded_blocks(const Macroblock& mb) {
  const U8x16 counts = load16(mb.coefficients[0].data());
#ifdef __SSE2__
  unsigned bits = ~static_cast<unsigned>(_mm_movemask_epi8(reinterpret_cast<__m128i>(counts == 0))) & 0xffff;
#else
  unsigned bits = 0;
  for (unsigned i = 0; i < 16; ++i) bits |= unsigned{counts[i] != 0} << i;
#endif
  if (!mb.transform8) return bits;
  bits = (bits | bits >> 1 | bits >> 4 | bits >> 5) & 0x0505;
  return bits * 0x33;
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
  Filter(Picture& picture, uint32_t x, uint32_t y)
      : picture_(picture), x_(x), y_(y), mb_(picture.mb(x, y)), slice_(slice_of(mb_)), coded_(coded_blocks(mb_)) {
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
  /// Of the left edge, of blocks of which one is in a field.
  uint8_t mixed_strength(const Macroblock& p, unsigned pb, unsigned qb) const {
    if (p.intra() || mb_.intra()) return 4;
    return (coded_blocks(p) >> pb | coded_ >> qb) & 1 ? 2 : 1;
  }
  Strengths boundary(const Macroblock& p, bool vertical) const {
    Strengths strengths;
    if (p.intra() || mb_.intra()) {
      strengths.fill(vertical || (!p.field && !mb_.field) ? 4 : 3);
      return strengths;
    }
    const unsigned of_p = coded_blocks(p);
    const bool alike = p.uniform && mb_.uniform, differs = p.field != mb_.field || (alike && motion_differs(p, 0, mb_, 0));
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned pb = vertical ? i * 4 + 3 : 12 + i, qb = vertical ? i * 4 : i;
      strengths[i] = (of_p >> pb | coded_ >> qb) & 1 ? 2 : differs || (!alike && motion_differs(p, pb, mb_, qb));
    }
    return strengths;
  }
  void internal(unsigned edge, bool vertical) {
    if (mb_.transform8 && edge % 2) return;
    Strengths strengths{3, 3, 3, 3};
    if (!mb_.intra()) {
      if (mb_.uniform && !coded_) return;
      for (unsigned i = 0; i < 4; ++i) {
        const unsigned q = vertical ? i * 4 + edge : edge * 4 + i, p = q - (vertical ? 1 : 4);
        strengths[i] = (coded_ >> p | coded_ >> q) & 1 ? 2 : !mb_.uniform && motion_differs(mb_, p, mb_, q);
      }
    }
    luma(luma_ + edge * 4 * (vertical ? 1 : luma_stride_), luma_stride_, vertical, strengths, mb_);
    if (edge == 2) chroma(chroma_ + 4 * (vertical ? 2 : chroma_stride_), chroma_stride_, vertical, strengths, mb_);
  }
  void luma(uint8_t* at, ptrdiff_t stride, bool vertical, const Strengths& strengths, const Macroblock& p) const {
    const Thresholds t(slice_, mb_.qp, p.qp);
    if (!t.alpha || strengths == Strengths{}) return;
    if (vertical) filter_luma_columns(at, stride, strengths, t);
    else filter_luma_rows(at, stride, strengths, t);
  }
  void chroma(uint8_t* at, ptrdiff_t stride, bool vertical, const Strengths& strengths, const Macroblock& p) const {
    if (picture_.params.monochrome || strengths == Strengths{}) return;
    const std::array<Thresholds, 2> t{Thresholds(slice_, mb_.chroma_qp[0], p.chroma_qp[0]),
                                      Thresholds(slice_, mb_.chroma_qp[1], p.chroma_qp[1])};
    if (!t[0].alpha && !t[1].alpha) return;
    if (vertical) filter_chroma_columns(at, stride, strengths, t);
    else filter_chroma_rows(at, stride, strengths, t);
  }
  void left_edge() {
    const uint32_t pair = y_ / 2 * 2;
    if (picture_.params.mbaff && picture_.mb(x_ - 1, pair).field != mb_.field) return mixed_left_edge(pair);
    const Macroblock& p = picture_.mb(x_ - 1, y_);
    if (!filtered_with(p)) return;
    const Strengths strengths = boundary(p, true);
    luma(luma_, luma_stride_, true, strengths, p);
    chroma(chroma_, chroma_stride_, true, strengths, p);
  }
  // Between a frame and a field pair: each row has its own neighbour, which is that next to it.
  void mixed_left_edge(uint32_t pair) {
    for (unsigned i = 0; i < 16; ++i) {
      const auto [p, row] = beside(pair, i, 16);
      if (!filtered_with(*p)) return;
      const unsigned s = mixed_strength(*p, row / 4 * 4 + 3, i / 4 * 4);
      if (s) filter_luma_sample(luma_ + i * luma_stride_, 1, s, {slice_, mb_.qp, p->qp});
    }
    if (picture_.params.monochrome) return;
    for (unsigned i = 0; i < 8; ++i) {
      const auto [p, row] = beside(pair, i, 8);
      const unsigned s = mixed_strength(*p, row / 2 * 4 + 3, i / 2 * 4);
      for (unsigned plane = 0; plane < 2 && s; ++plane)
        filter_chroma_sample(chroma_ + i * chroma_stride_ + plane, 2, s, {slice_, mb_.chroma_qp[plane], p->chroma_qp[plane]});
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
    const Strengths strengths = boundary(p, false);
    luma(luma_ + parity * luma_stride_, luma_stride_ << by_field, false, strengths, p);
    chroma(chroma_ + parity * chroma_stride_, chroma_stride_ << by_field, false, strengths, p);
  }

  Picture& picture_;
  const uint32_t x_, y_;
  const Macroblock& mb_;
  const FilterParams slice_;
  const unsigned coded_;
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
