// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/avc/deblock.h"

#include <array>

#include "hw/media/avc/edge_filter.h"
#include "hw/media/avc/edges.h"

namespace softgen::media::avc {
namespace {

class Filter {
 public:
  Filter(Picture& picture, uint32_t x, uint32_t y) : picture_(picture), x_(x), y_(y), mb_(picture.mb(x, y)), edges_(picture, x, y) {
    const bool split = picture.params.mbaff && mb_.field;
    luma_stride_ = static_cast<ptrdiff_t>(picture.frame.luma.stride()) << split;
    chroma_stride_ = static_cast<ptrdiff_t>(picture.frame.chroma.stride()) << split;
    luma_ = picture.frame.luma.at(x * 16, split ? y / 2 * 32 + y % 2 : y * 16);
    chroma_ = picture.frame.chroma.at(x * 16, split ? y / 2 * 16 + y % 2 : y * 8);
  }
  void run() {
    if (!edges_.any()) return;
    if (x_ > 0) left_edge();
    for (unsigned edge = 1; edge < 4; ++edge) internal(edge, true);
    top_edge();
    for (unsigned edge = 1; edge < 4; ++edge) internal(edge, false);
  }

 private:
  void internal(unsigned edge, bool vertical) {
    const Strengths strengths = edges_.internal(edge, vertical);
    if (strengths == Strengths{}) return;
    luma(luma_ + edge * 4 * (vertical ? 1 : luma_stride_), luma_stride_, vertical, strengths, mb_);
    if (edge == 2) chroma(chroma_ + 4 * (vertical ? 2 : chroma_stride_), chroma_stride_, vertical, strengths, mb_);
  }
  void luma(uint8_t* at, ptrdiff_t stride, bool vertical, const Strengths& strengths, const Macroblock& p) const {
    const Thresholds t(edges_.slice(), mb_.qp, p.qp);
    if (!t.alpha || strengths == Strengths{}) return;
    if (vertical) filter_luma_columns(at, stride, strengths, t);
    else filter_luma_rows(at, stride, strengths, t);
  }
  void chroma(uint8_t* at, ptrdiff_t stride, bool vertical, const Strengths& strengths, const Macroblock& p) const {
    if (picture_.params.monochrome || strengths == Strengths{}) return;
    const std::array<Thresholds, 2> t{Thresholds(edges_.slice(), mb_.chroma_qp[0], p.chroma_qp[0]),
                                      Thresholds(edges_.slice(), mb_.chroma_qp[1], p.chroma_qp[1])};
    if (!t[0].alpha && !t[1].alpha) return;
    if (vertical) filter_chroma_columns(at, stride, strengths, t);
    else filter_chroma_rows(at, stride, strengths, t);
  }
  void left_edge() {
    if (edges_.mixed_left()) return mixed_left_edge();
    const Macroblock& p = picture_.mb(x_ - 1, y_);
    if (!edges_.filtered_with(p)) return;
    const Strengths strengths = edges_.boundary(p, true);
    luma(luma_, luma_stride_, true, strengths, p);
    chroma(chroma_, chroma_stride_, true, strengths, p);
  }
  void mixed_left_edge() {
    for (unsigned i = 0; i < 16; ++i) {
      const auto [p, row] = edges_.beside(i, 16);
      if (!edges_.filtered_with(*p)) return;
      const unsigned s = edges_.mixed_strength(*p, row / 4 * 4 + 3, i / 4 * 4);
      if (s) filter_luma_sample(luma_ + i * luma_stride_, 1, s, {edges_.slice(), mb_.qp, p->qp});
    }
    if (picture_.params.monochrome) return;
    for (unsigned i = 0; i < 8; ++i) {
      const auto [p, row] = edges_.beside(i, 8);
      const unsigned s = edges_.mixed_strength(*p, row / 2 * 4 + 3, i / 2 * 4);
      for (unsigned plane = 0; plane < 2 && s; ++plane)
        filter_chroma_sample(chroma_ + i * chroma_stride_ + plane, 2, s, {edges_.slice(), mb_.chroma_qp[plane], p->chroma_qp[plane]});
    }
  }
  void top_edge() {
    const MacroblockEdges::Above above = edges_.above();
    for (unsigned parity = 0; parity < 2; ++parity)
      if (const Macroblock* const p = above.mbs[parity]) top_edge_with(*p, parity, above.by_field);
  }
  void top_edge_with(const Macroblock& p, unsigned parity, bool by_field) {
    if (!edges_.filtered_with(p)) return;
    const Strengths strengths = edges_.boundary(p, false);
    luma(luma_ + parity * luma_stride_, luma_stride_ << by_field, false, strengths, p);
    chroma(chroma_ + parity * chroma_stride_, chroma_stride_ << by_field, false, strengths, p);
  }

  Picture& picture_;
  const uint32_t x_, y_;
  const Macroblock& mb_;
  const MacroblockEdges edges_;
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
