// SPDX-License-Identifier: GPL-2.0-or-later
// Strengths of the deblocking filter (bS) sample by sample, as H.264 8.7.1 and 8.7.2.1 have them. Neighbours are found by places in the frame. Apart from
// what is stored of macroblocks, nothing is shared with hw/media/avc/edges.h, against which it is used.
#pragma once

#include <array>
#include <cstdlib>

#include "hw/media/avc/picture.h"

namespace softgen::media::avc::test {

class StandardStrengths {
 public:
  StandardStrengths(const Picture& picture, uint32_t x, uint32_t y) : picture_(picture), x_(x), y_(y), mb_(picture.mb(x, y)) {}

  /// Of row 0 to 15 of the left edge; 0 where it is not filtered.
  unsigned left(unsigned row) const { return x_ && filters(place(0, row), -1, 0) ? strength(place(0, row), -1, 0, true, true) : 0; }
  /// The top edge has two passes, of the fields, where a frame macroblock lies below a pair of field macroblocks.
  bool top_by_field() const { return picture_.params.mbaff && !mb_.field && y_ % 2 == 0 && y_ >= 2 && picture_.mb(x_, y_ - 1).field; }
  /// Of column 0 to 15; `bottom`: of the second pass.
  unsigned top(unsigned column, bool bottom = false) const {
    const bool by_field = top_by_field();
    Place q = place(column, 0);
    q.y += bottom;
    const int step = by_field || (picture_.params.mbaff && mb_.field) ? -2 : -1;
    return q.y + step >= 0 && filters(q, 0, step) ? strength(q, 0, step, false, true) : 0;
  }
  /// Of the edge left of column `at` or above row `at` (4, 8, 12), at row or column `along`.
  unsigned inside(unsigned at, unsigned along, bool vertical) const {
    if (mb_.transform8 && at % 8) return 0;
    const Place q = vertical ? place(at, along) : place(along, at);
    return vertical ? strength(q, -1, 0, true, false) : strength(q, 0, picture_.params.mbaff && mb_.field ? -2 : -1, false, false);
  }

 private:
  struct Place {
    int x, y;  ///< samples of the frame, or of the field of a field picture
  };
  struct Owner {
    const Macroblock* mb;
    unsigned block;  ///< of 4x4 samples
  };
  /// Inverse macroblock scanning (6.4.1).
  Place place(unsigned column, unsigned row) const {
    const int x = static_cast<int>(x_ * 16 + column);
    if (picture_.params.mbaff && mb_.field) return {x, static_cast<int>(y_ / 2 * 32 + y_ % 2 + row * 2)};
    return {x, static_cast<int>(y_ * 16 + row)};
  }
  Owner owner(Place at) const {
    const auto x = static_cast<uint32_t>(at.x), y = static_cast<uint32_t>(at.y);
    uint32_t mb_y = y / 16, row = y % 16;
    if (picture_.params.mbaff && picture_.mb(x / 16, y / 32 * 2).field) mb_y = y / 32 * 2 + y % 2, row = y % 32 / 2;
    return {&picture_.mb(x / 16, mb_y), row / 4 * 4 + x % 16 / 4};
  }
  /// filterLeftMbEdgeFlag, filterTopMbEdgeFlag (8.7) of the edge to the macroblock at q + (dx, dy).
  bool filters(Place q, int dx, int dy) const {
    const Macroblock& other = *owner({q.x + dx, q.y + dy}).mb;
    const unsigned disable = picture_.slices[mb_.slice].disable;
    return disable != 1 && other.slice != Macroblock::no_slice && (disable != 2 || other.slice == mb_.slice);
  }
  static bool has_coefficients(Owner o) {
    if (!o.mb->transform8) return o.mb->coefficients[0][o.block];
    const unsigned first = o.block / 8 * 8 + o.block % 4 / 2 * 2;
    for (const unsigned i : {0u, 1u, 4u, 5u})
      if (o.mb->coefficients[0][first + i]) return true;
    return false;
  }
  /// The pictures and vectors that a block is predicted from.
  struct Motion {
    unsigned count = 0;
    std::array<int, 2> picture{-1, -1};
    std::array<Mv, 2> mv{};
  };
  static Motion motion(Owner o) {
    Motion m;
    const unsigned quarter = o.block / 8 * 2 + o.block % 4 / 2;
    for (unsigned list = 0; list < 2; ++list)
      if (o.mb->picture[list][quarter] >= 0) m.picture[m.count] = o.mb->picture[list][quarter], m.mv[m.count++] = o.mb->mv[list][o.block];
    return m;
  }
  static bool far(Mv a, Mv b, bool field) { return std::abs(a.x - b.x) >= 4 || std::abs(a.y - b.y) >= (field ? 2 : 4); }
  static bool moves_otherwise(const Motion& p, const Motion& q, bool field) {
    if (p.count != q.count) return true;
    if (p.count < 2) return p.picture[0] != q.picture[0] || (p.count && far(p.mv[0], q.mv[0], field));
    // One of the two assignments of pictures to each other that are possible must have near vectors.
    for (const unsigned swap : {0u, 1u})
      if (p.picture[0] == q.picture[swap] && p.picture[1] == q.picture[1 - swap] && !far(p.mv[0], q.mv[swap], field) &&
          !far(p.mv[1], q.mv[1 - swap], field))
        return false;
    return true;
  }
  unsigned strength(Place at_q, int dx, int dy, bool vertical, bool macroblock_edge) const {
    const Owner q = owner(at_q), p = owner({at_q.x + dx, at_q.y + dy});
    const bool mixed = p.mb->field != q.mb->field, fields = p.mb->field || q.mb->field;
    if (p.mb->intra() || q.mb->intra()) return macroblock_edge && (vertical || !fields) ? 4 : 3;
    if (has_coefficients(p) || has_coefficients(q)) return 2;
    return mixed || moves_otherwise(motion(p), motion(q), q.mb->field);
  }

  const Picture& picture_;
  const uint32_t x_, y_;
  const Macroblock& mb_;
};

}  // namespace softgen::media::avc::test
