// SPDX-License-Identifier: GPL-2.0-or-later
// Which edges of a macroblock the deblocking filter (H.264 8.7) has, their neighbours and their strengths: for the filter, and for the units that only say so.
#pragma once

#include <array>
#include <cstdlib>
#include <utility>

#include "hw/media/avc/edge_filter.h"
#include "hw/media/avc/picture.h"
#include "hw/media/frame/lanes.h"

namespace softgen::media::avc {

/// A bit for each luma block whose transform block has coefficients.
inline unsigned coded_blocks(const Macroblock& mb) {
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

/// 8.7.2.1, of blocks without coefficients in macroblocks of the same kind.
inline bool motion_differs(const Macroblock& p, unsigned pb, const Macroblock& q, unsigned qb) {
  const unsigned pq = pb / 8 * 2 + pb % 4 / 2, qq = qb / 8 * 2 + qb % 4 / 2;
  const int limit = q.field ? 2 : 4;
  const int8_t p0 = p.picture[0][pq], p1 = p.picture[1][pq], q0 = q.picture[0][qq], q1 = q.picture[1][qq];
  if (!((p0 == q0 && p1 == q1) || (p0 == q1 && p1 == q0))) return true;
  const auto differ = [&](unsigned list_p, unsigned list_q) {
    const Mv a = p.mv[list_p][pb], b = q.mv[list_q][qb];
    return p.picture[list_p][pq] >= 0 && (std::abs(a.x - b.x) >= 4 || std::abs(a.y - b.y) >= limit);
  };
  const bool straight = differ(0, 0) || differ(1, 1), crossed = differ(0, 1) || differ(1, 0);
  if (p0 == p1) return straight && crossed;
  return p0 == q0 ? straight : crossed;
}

class MacroblockEdges {
 public:
  MacroblockEdges(const Picture& picture, uint32_t x, uint32_t y)
      : picture_(picture), x_(x), y_(y), mb_(picture.mb(x, y)), slice_(slice_of(mb_)), coded_(coded_blocks(mb_)) {}

  const FilterParams& slice() const { return slice_; }
  /// False: none of its edges is filtered.
  bool any() const { return mb_.slice != Macroblock::no_slice && slice_.disable != 1; }
  bool filtered_with(const Macroblock& other) const {
    return other.slice != Macroblock::no_slice && (slice_.disable != 2 || other.slice == mb_.slice);
  }
  /// Of the edge left of column `edge` of blocks, or above that row: 1 to 3.
  Strengths internal(unsigned edge, bool vertical) const {
    if (mb_.transform8 && edge % 2) return {};
    if (mb_.intra()) return {3, 3, 3, 3};
    if (mb_.uniform && !coded_) return {};
    Strengths strengths;
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned q = vertical ? i * 4 + edge : edge * 4 + i, p = q - (vertical ? 1 : 4);
      strengths[i] = (coded_ >> p | coded_ >> q) & 1 ? 2 : !mb_.uniform && motion_differs(mb_, p, mb_, q);
    }
    return strengths;
  }
  /// Of the left or top edge with `p`; the left one only where it is not mixed.
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

  /// The left pair is of fields and this one of frames, or the other way: each row has its own neighbour, which is that next to it. Not in the first column.
  bool mixed_left() const { return picture_.params.mbaff && picture_.mb(x_ - 1, y_ / 2 * 2).field != mb_.field; }
  /// The macroblock and row of the left pair that lie next to row `i` of this one; `height`: rows of a macroblock.
  std::pair<const Macroblock*, unsigned> beside(unsigned i, unsigned height) const {
    const uint32_t pair = y_ / 2 * 2;
    const unsigned row = mb_.field ? i * 2 + y_ % 2 : y_ % 2 * height + i;
    if (mb_.field) return {&picture_.mb(x_ - 1, pair + row / height), row % height};
    return {&picture_.mb(x_ - 1, pair + row % 2), row / 2};
  }
  /// Of blocks of a mixed edge.
  uint8_t mixed_strength(const Macroblock& p, unsigned pb, unsigned qb) const {
    if (p.intra() || mb_.intra()) return 4;
    return (coded_blocks(p) >> pb | coded_ >> qb) & 1 ? 2 : 1;
  }

  /// The neighbours of the top edge: none, one, or, of a frame macroblock below a pair of fields, the top and the bottom field's.
  struct Above {
    std::array<const Macroblock*, 2> mbs{};
    bool by_field = false;  ///< two: fields are filtered one after the other
  };
  Above above() const {
    if (!picture_.params.mbaff) return {{y_ ? &picture_.mb(x_, y_ - 1) : nullptr, nullptr}, false};
    const uint32_t pair = y_ / 2 * 2;
    if (!mb_.field && y_ % 2) return {{&picture_.mb(x_, y_ - 1), nullptr}, false};
    if (!pair) return {};
    const bool above_is_field = picture_.mb(x_, pair - 1).field;
    if (mb_.field) return {{&picture_.mb(x_, above_is_field && y_ % 2 == 0 ? pair - 2 : pair - 1), nullptr}, false};
    if (!above_is_field) return {{&picture_.mb(x_, pair - 1), nullptr}, false};
    return {{&picture_.mb(x_, pair - 2), &picture_.mb(x_, pair - 1)}, true};
  }

 private:
  FilterParams slice_of(const Macroblock& mb) const {
    return mb.slice < picture_.slices.size() ? picture_.slices[mb.slice] : FilterParams{1, 0, 0};
  }

  const Picture& picture_;
  const uint32_t x_, y_;
  const Macroblock& mb_;
  const FilterParams slice_;
  const unsigned coded_;
};

}  // namespace softgen::media::avc
