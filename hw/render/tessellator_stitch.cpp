// SPDX-License-Identifier: GPL-2.0-or-later
// Direct3D 11 functional specification, "Tessellator": how rows are connected.
#include "hw/render/tessellator_stitch.h"

#include <algorithm>
#include <bit>

namespace softgen::render {
namespace {

constexpr unsigned split_positions = 33;

/// When a half edge grows point by point, where the `i`th position from the corner comes in: the ruler function's order. Position 0 is there
/// from the first, 1 comes last; those between are the nodes of a balanced tree, numbered from its root.
unsigned split_order(unsigned i) {
  if (i < 2) return i * 32;
  const unsigned node = i - 1, level = static_cast<unsigned>(std::countr_zero(node));
  return (32u >> (level + 1)) + (node >> (level + 1));
}

/// Two rows being walked along together.
class Walk {
 public:
  Walk(Stitcher& stitcher, const Row& outside, const Row& inside) : stitcher_(stitcher), outside_(outside), inside_(inside) {}

  void advance_outside() { stitcher_.triangle(out(0), out(1), in(0)), ++o_; }
  void advance_inside() { stitcher_.triangle(in(0), out(0), in(1)), ++i_; }
  /// A quad, cut from its near inside to its far outside corner, or from its near outside to its far inside corner.
  void quad_forward() { stitcher_.triangle(in(0), out(0), out(1)), stitcher_.triangle(in(0), out(1), in(1)), next(); }
  void quad_backward() { stitcher_.triangle(out(0), in(1), in(0)), stitcher_.triangle(out(0), out(1), in(1)), next(); }
  void quad_forward_outside_first() { stitcher_.triangle(out(0), out(1), in(0)), stitcher_.triangle(in(0), out(1), in(1)), next(); }
  void quad_middle() { stitcher_.triangle(in(0), out(0), in(1)), stitcher_.triangle(in(1), out(0), out(1)), next(); }
  void triangle_to_inside() { stitcher_.triangle(in(0), out(0), out(1)), ++o_; }

 private:
  uint16_t out(size_t ahead) const { return outside_[std::min(o_ + ahead, outside_.size() - 1)]; }
  uint16_t in(size_t ahead) const { return inside_[std::min(i_ + ahead, inside_.size() - 1)]; }
  void next() { ++o_, ++i_; }

  Stitcher& stitcher_;
  const Row& outside_;
  const Row& inside_;
  size_t o_ = 0, i_ = 0;
};

}  // namespace

void Stitcher::triangle(uint16_t a, uint16_t b, uint16_t c) {
  indices_.insert(indices_.end(), {a, clockwise_ ? b : c, clockwise_ ? c : b});
}

void Stitcher::regular(const Row& outside, const Row& inside, bool trapezoid, Diagonals diagonals) {
  Walk walk(*this, outside, inside);
  if (trapezoid) walk.advance_outside();
  const size_t quads = inside.size() - 1, half = inside.size() / 2;
  for (size_t p = 0; p < quads; ++p) {
    switch (diagonals) {
      case Diagonals::forward: walk.quad_forward(); break;
      case Diagonals::mirrored: p < half ? walk.quad_backward() : walk.quad_forward(); break;
      case Diagonals::backward_but_middle: p + 1 == half ? walk.quad_backward() : walk.quad_forward_outside_first(); break;
    }
  }
  if (trapezoid) walk.advance_outside();
}

void Stitcher::transition(const Row& outside, unsigned outside_half, bool outside_odd, const Row& inside, unsigned inside_half,
                          bool inside_odd) {
  Walk walk(*this, outside, inside);
  // The point next to the middle segment of an odd division belongs to that segment.
  outside_half -= outside_odd;
  inside_half -= inside_odd;
  if (outside_half > 0) walk.advance_outside();
  for (unsigned i = 1; i < split_positions; ++i) {
    if (split_order(i) < inside_half) walk.advance_inside();
    if (split_order(i) < outside_half) walk.advance_outside();
  }
  if (inside_odd && outside_odd) walk.quad_middle();
  else if (outside_odd) walk.triangle_to_inside();
  else if (inside_odd) walk.advance_inside();
  for (unsigned i = split_positions; i-- > 1;) {
    if (split_order(i) < outside_half) walk.advance_outside();
    if (split_order(i) < inside_half) walk.advance_inside();
  }
  if (outside_half > 0) walk.advance_outside();
}

}  // namespace softgen::render
