// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/render/tessellator.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "hw/render/tessellator_stitch.h"

namespace softgen::render {
namespace {

using Te = TessellationState;
using Partitioning = TessellationPartitioning;
using Domain = TessellationDomain;
using Output = TessellationOutput;

// 16.16 fixed point.
constexpr uint32_t one = DomainPoint::one, half = one / 2, third = one / 3, two_thirds = 2 * one / 3, fraction_mask = one - 1;
constexpr float max_even = 64, max_odd = 63;
constexpr float smallest_fraction = 1.0f / one;

uint32_t to_fixed(float value) { return static_cast<uint32_t>(std::nearbyint(static_cast<double>(value) * one)); }
uint32_t ceil_fixed(uint32_t value) { return (value + fraction_mask) & ~fraction_mask; }
uint32_t multiply(uint32_t a, uint32_t b) { return (a * b + half) >> 16; }

/// A stretch of 0 to 1 divided by one factor.
class Division {
 public:
  Division() = default;
  Division(float factor, bool odd) : odd_(odd) {
    const uint32_t fixed = to_fixed(factor), half_factor = (fixed + 1) / 2;
    points_ = odd ? ceil_fixed(half + half_factor) * 2 >> 16 : (ceil_fixed(half_factor) * 2 >> 16) + 1;
    // The division is between two with whole numbers of segments: their points and how near it is to the second.
    const uint32_t halves = odd || half_factor == half ? half_factor + half : half_factor;
    const uint32_t low = halves & ~fraction_mask, high = ceil_fixed(halves);
    fraction_ = halves - low;
    half_points_ = high >> 16;
    split_ = half_points_ + 1;  // no point is new
    if (low != high) {
      const uint32_t whole = (low >> 16) - odd;
      split_ = odd && low == one ? 0 : (whole & ~std::bit_floor(whole)) * 2 + 1;
    }
    low_step_ = reciprocal((low * 2 >> 16) - odd);
    high_step_ = reciprocal((high * 2 >> 16) - odd);
  }

  bool odd() const { return odd_; }
  uint32_t points() const { return points_; }
  uint32_t half_points() const { return half_points_; }
  /// So that there is always a ring inside.
  void ensure_ring() { points_ = std::max(points_, odd_ ? 4u : 3u); }

  uint32_t at(uint32_t point) const {
    const bool beyond = point >= half_points_;
    if (beyond) point = half_points_ * 2 - point - odd_;
    if (point == half_points_) return half;
    const uint32_t low = point > split_ ? point - 1 : point;
    const uint32_t place = (low * low_step_ * (one - fraction_) + point * high_step_ * fraction_ + half) >> 16;
    return beyond ? one - place : place;
  }

 private:
  static uint32_t reciprocal(uint32_t segments) { return segments ? (one + segments / 2) / segments : 0; }

  bool odd_ = false;
  uint32_t points_ = 0, half_points_ = 0, fraction_ = 0, split_ = 0, low_step_ = 0, high_step_ = 0;
};

/// Clamping and rounding, by partitioning.
struct Rules {
  explicit Rules(const Te& te) : integer(te.partitioning == Partitioning::integer), odd(te.partitioning == Partitioning::odd_fractional) {
    lowest = te.partitioning == Partitioning::even_fractional ? 2 : 1;
    highest = odd ? std::min(te.max_factor_odd, max_odd) : std::min(te.max_factor_not_odd, max_even);
    if (!(highest >= lowest)) highest = lowest;
  }
  /// NaN becomes the lowest.
  float clamp(float factor) const {
    const float value = factor > lowest ? std::min(factor, highest) : lowest;
    return integer ? std::ceil(value) : value;
  }
  bool is_odd(float factor) const { return integer ? static_cast<int>(factor) % 2 == 1 : odd; }
  Division outside(float factor) const { return {factor, is_odd(factor)}; }
  /// A single segment counts as even: its ring shrinks to the middle.
  Division inside(float factor) const {
    Division division(factor, is_odd(factor) && !(integer && factor == 1));
    division.ensure_ring();
    return division;
  }
  /// With fractional odd factors, a ring must be there as soon as one factor exceeds 1.
  void keep_ring(float factor) {
    if (odd && factor > 1 + smallest_fraction / 2) lowest = 1 + smallest_fraction;
  }

  bool integer, odd;
  float lowest, highest;
};

/// The corner, along the ring's direction, of edge `e` of the outer ring and the points to the next corner.
template <typename Place>
void outer_edge(const Division& division, bool reversed, Tessellation& out, Place place) {
  const uint32_t last = division.points() - 1;
  for (uint32_t p = 0; p < last; ++p) out.points.push_back(place(division.at(reversed ? last - p : p)));
}

/// Rows of a closed ring of points at consecutive places from `first`; the last edge ends where the first begins.
std::vector<Row> rows_of_ring(uint32_t first, std::span<const uint32_t> points_per_edge) {
  std::vector<Row> rows;
  uint32_t at = first;
  for (size_t e = 0; e < points_per_edge.size(); ++e) {
    Row row;
    for (uint32_t p = 0; p < points_per_edge[e]; ++p) row.push_back(static_cast<uint16_t>(at + p));
    at += points_per_edge[e] - 1;
    if (e + 1 == points_per_edge.size()) row.back() = static_cast<uint16_t>(first);
    rows.push_back(std::move(row));
  }
  return rows;
}

// --- Quads. Edges: u = 0 with v falling, v = 0 with u rising, u = 1 with v rising, v = 1 with u falling.

class Quad {
 public:
  Quad(const std::array<Division, 4>& outside, const std::array<Division, 2>& inside, Tessellation& out)
      : outside_(outside), u_(inside[0]), v_(inside[1]), out_(out), grid_(size_t{u_.points()} * v_.points()) {}

  void make_points() {
    outer_edge(outside_[0], true, out_, [](uint32_t p) { return DomainPoint{0, p}; });
    outer_edge(outside_[1], false, out_, [](uint32_t p) { return DomainPoint{p, 0}; });
    outer_edge(outside_[2], false, out_, [](uint32_t p) { return DomainPoint{one, p}; });
    outer_edge(outside_[3], true, out_, [](uint32_t p) { return DomainPoint{p, one}; });
    const uint32_t shorter = std::min(u_.points(), v_.points());
    for (uint32_t ring = 1; ring < shorter / 2; ++ring)
      for (unsigned edge = 0; edge < 4; ++edge) inner_points(ring, edge, false);
    // Where the shorter side is even, the innermost ring is a row.
    if (u_.points() > v_.points() ? !v_.odd() : !u_.odd()) inner_points(shorter / 2, u_.points() > v_.points() ? 1 : 0, true);
  }

  void connect(Stitcher& stitcher) {
    const std::array<uint32_t, 4> counts = {outside_[0].points(), outside_[1].points(), outside_[2].points(), outside_[3].points()};
    const std::vector<Row> outer = rows_of_ring(0, counts);
    const uint32_t rings = (std::min(u_.points(), v_.points()) + 1) / 2;
    for (uint32_t ring = 1; ring < rings; ++ring)
      for (unsigned edge = 0; edge < 4; ++edge) {
        const Division& inside = edge % 2 ? u_ : v_;
        if (ring == 1)
          stitcher.transition(outer[edge], outside_[edge].half_points(), outside_[edge].odd(), row(1, edge), inside.half_points(),
                              inside.odd());
        else stitcher.regular(row(ring - 1, edge), row(ring, edge), true, Stitcher::Diagonals::mirrored);
      }
    connect_middle(stitcher, rings - 1);
  }

 private:
  uint16_t& number(uint32_t i, uint32_t j) { return grid_[size_t{j} * u_.points() + i]; }

  /// Grid places along an edge of a ring, both corners included.
  std::vector<std::array<uint32_t, 2>> places(uint32_t ring, unsigned edge) const {
    const uint32_t u1 = u_.points() - 1 - ring, v1 = v_.points() - 1 - ring;
    std::vector<std::array<uint32_t, 2>> result;
    switch (edge) {
      case 0:
        for (uint32_t j = v1 + 1; j-- > ring;) result.push_back({ring, j});
        break;
      case 1:
        for (uint32_t i = ring; i <= u1; ++i) result.push_back({i, ring});
        break;
      case 2:
        for (uint32_t j = ring; j <= v1; ++j) result.push_back({u1, j});
        break;
      default:
        for (uint32_t i = u1 + 1; i-- > ring;) result.push_back({i, v1});
        break;
    }
    return result;
  }

  void inner_points(uint32_t ring, unsigned edge, bool whole) {
    auto list = places(ring, edge);
    if (!whole) list.pop_back();  // the next edge begins there
    for (const auto& [i, j] : list) {
      number(i, j) = static_cast<uint16_t>(out_.points.size());
      out_.points.push_back({u_.at(i), v_.at(j)});
    }
  }

  Row row(uint32_t ring, unsigned edge) {
    Row result;
    for (const auto& [i, j] : places(ring, edge)) result.push_back(number(i, j));
    return result;
  }

  /// Two rows are left in the middle where the shorter side is odd.
  void connect_middle(Stitcher& stitcher, uint32_t ring) {
    using Diagonals = Stitcher::Diagonals;
    const bool along_u = u_.points() > v_.points();
    if (!(along_u ? v_ : u_).odd()) return;
    Row far = row(ring, along_u ? 3 : 2);
    std::reverse(far.begin(), far.end());
    stitcher.regular(row(ring, along_u ? 1 : 0), far, false, along_u || !v_.odd() ? Diagonals::forward : Diagonals::backward_but_middle);
  }

  const std::array<Division, 4>& outside_;
  const Division u_, v_;
  Tessellation& out_;
  std::vector<uint16_t> grid_;
};

// --- Triangles. Edges: u = 0 with v falling, v = 0 with u rising, w = 0 with u falling.

void triangle_ring(const Division& inside, uint32_t ring, Tessellation& out) {
  // How far the ring is from its edge, in barycentric measure; positions along the edge shift by half of it.
  const uint32_t depth = multiply(inside.at(ring), two_thirds), shift = (depth + 1) / 2;
  const uint32_t last = inside.points() - 1 - ring;
  for (unsigned edge = 0; edge < 3; ++edge)
    for (uint32_t p = ring; p < last; ++p) {
      const uint32_t along = inside.at(edge == 1 ? p : last - (p - ring)) - shift;
      if (edge == 0) out.points.push_back({depth, along});
      else if (edge == 1) out.points.push_back({along, depth});
      else out.points.push_back({along, one - along - depth});
    }
}

void tessellate_triangle(const std::array<Division, 3>& outside, const Division& inside, Tessellation& out, Stitcher* stitcher) {
  outer_edge(outside[0], true, out, [](uint32_t p) { return DomainPoint{0, p}; });
  outer_edge(outside[1], false, out, [](uint32_t p) { return DomainPoint{p, 0}; });
  outer_edge(outside[2], true, out, [](uint32_t p) { return DomainPoint{p, one - p}; });
  const std::array<uint32_t, 3> counts = {outside[0].points(), outside[1].points(), outside[2].points()};
  std::vector<Row> outer = rows_of_ring(0, counts);
  for (uint32_t ring = 1; ring < (inside.points() + 1) / 2; ++ring) {
    const auto first = static_cast<uint32_t>(out.points.size());
    const uint32_t count = inside.points() - 2 * ring;
    if (count == 1) out.points.push_back({third, third});
    else triangle_ring(inside, ring, out);
    if (!stitcher) continue;
    const std::vector<Row> inner = rows_of_ring(first, std::array{count, count, count});
    for (unsigned e = 0; e < 3; ++e) {
      if (ring == 1)
        stitcher->transition(outer[e], outside[e].half_points(), outside[e].odd(), inner[e], inside.half_points(), inside.odd());
      else stitcher->regular(outer[e], inner[e], true, Stitcher::Diagonals::mirrored);
    }
    outer = inner;
  }
  if (stitcher && inside.odd()) stitcher->triangle(outer[0][0], outer[1][0], outer[2][0]);
}

void tessellate_isolines(const Rules& rules, const TessellationFactors& factors, bool points_only, Tessellation& out) {
  const float lines = std::ceil(factors.outside[0] > 1 ? std::min(factors.outside[0], max_even) : 1.0f);
  const Division density(lines, static_cast<int>(lines) % 2 == 1), detail = rules.outside(rules.clamp(factors.outside[1]));
  // The line at v = 1 belongs to the neighbour.
  for (uint32_t line = 0; line + 1 < density.points(); ++line)
    for (uint32_t p = 0; p < detail.points(); ++p) {
      const auto number = static_cast<uint16_t>(out.points.size());
      out.points.push_back({detail.at(p), density.at(line)});
      if (points_only) out.indices.push_back(number);
      else if (p > 0) out.indices.insert(out.indices.end(), {static_cast<uint16_t>(number - 1), number});
    }
}

void tessellate_quad(Rules rules, const TessellationFactors& factors, Tessellation& out, Stitcher* stitcher) {
  std::array<float, 4> outside;
  std::transform(factors.outside.begin(), factors.outside.end(), outside.begin(), [&](float f) { return rules.clamp(f); });
  for (float f : outside) rules.keep_ring(f);
  for (float f : factors.inside) rules.keep_ring(f);
  const std::array<float, 2> inside = {rules.clamp(factors.inside[0]), rules.clamp(factors.inside[1])};
  const auto is_one = [](float f) { return to_fixed(f) == one; };
  if (std::all_of(outside.begin(), outside.end(), is_one) && is_one(inside[0]) && is_one(inside[1])) {
    out.points = {{0, 0}, {one, 0}, {one, one}, {0, one}};
    if (stitcher) stitcher->triangle(0, 1, 3), stitcher->triangle(1, 2, 3);
    return;
  }
  const std::array divisions = {rules.outside(outside[0]), rules.outside(outside[1]), rules.outside(outside[2]), rules.outside(outside[3])};
  Quad quad(divisions, {rules.inside(inside[0]), rules.inside(inside[1])}, out);
  quad.make_points();
  if (stitcher) quad.connect(*stitcher);
}

void tessellate_tri(Rules rules, const TessellationFactors& factors, Tessellation& out, Stitcher* stitcher) {
  const std::array outside = {rules.clamp(factors.outside[0]), rules.clamp(factors.outside[1]), rules.clamp(factors.outside[2])};
  for (float f : outside) rules.keep_ring(f);
  const float inside = rules.clamp(factors.inside[0]);
  const auto is_one = [](float f) { return to_fixed(f) == one; };
  if (std::all_of(outside.begin(), outside.end(), is_one) && is_one(inside)) {
    out.points = {{0, one}, {0, 0}, {one, 0}};
    if (stitcher) stitcher->triangle(0, 1, 2);
    return;
  }
  tessellate_triangle({rules.outside(outside[0]), rules.outside(outside[1]), rules.outside(outside[2])}, rules.inside(inside), out,
                      stitcher);
}

}  // namespace

TessellationFactors patch_factors(const Te& te, const std::array<uint32_t, 8>& header) {
  const auto f = [&](unsigned place) { return std::bit_cast<float>(header[te.factors_ascend ? place : 7 - place]); };
  switch (te.domain) {
    case Domain::quad: return {{f(0), f(1), f(2), f(3)}, {f(4), f(5)}};
    case Domain::triangle: return {{f(0), f(1), f(2), 0}, {f(te.inside_separate ? 4 : 3), 0}};
    default: return {{f(1), f(0), 0, 0}, {}};
  }
}

void tessellate(const Te& te, const TessellationFactors& factors, Tessellation& out) {
  out.points.clear();
  out.indices.clear();
  const unsigned edges = te.domain == Domain::quad ? 4 : te.domain == Domain::triangle ? 3 : 2;
  for (unsigned e = 0; e < edges; ++e)
    if (!(factors.outside[e] > 0)) return;
  const Rules rules(te);
  const bool points = te.output == Output::point, lines = te.output == Output::line;
  if (edges == 2) return tessellate_isolines(rules, factors, points, out);
  Stitcher stitcher(te.output == Output::triangle_clockwise, out.indices);
  Stitcher* const connect = points || lines ? nullptr : &stitcher;
  if (edges == 4) tessellate_quad(rules, factors, out, connect);
  else tessellate_tri(rules, factors, out, connect);
  for (size_t i = 0; i < out.points.size(); ++i) {
    if (lines && i > 0) out.indices.push_back(static_cast<uint16_t>(i - 1));
    if (points || (lines && i > 0)) out.indices.push_back(static_cast<uint16_t>(i));
  }
}

}  // namespace softgen::render
