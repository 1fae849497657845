// SPDX-License-Identifier: GPL-2.0-or-later
#include <cmath>
#include <limits>
#include <random>
#include <set>

#include "hw/render/tessellator.h"
#include "tests/catch.h"

using namespace softgen::render;
using Te = TessellationState;
using Domain = TessellationDomain;
using Partitioning = TessellationPartitioning;
using Output = TessellationOutput;

namespace {

Te state(Domain domain, Partitioning partitioning, Output output = Output::triangle_clockwise) {
  Te te;
  te.domain = domain;
  te.partitioning = partitioning;
  te.output = output;
  te.max_factor_odd = 63;
  te.max_factor_not_odd = 64;
  return te;
}

Tessellation run(const Te& te, const TessellationFactors& factors) {
  Tessellation out;
  tessellate(te, factors, out);
  return out;
}

/// Twice the area, positive when it turns clockwise with v pointing down.
int64_t doubled_area(const DomainPoint& a, const DomainPoint& b, const DomainPoint& c) {
  const auto d = [](uint32_t x, uint32_t y) { return int64_t{x} - int64_t{y}; };
  return d(b.u, a.u) * d(c.v, a.v) - d(b.v, a.v) * d(c.u, a.u);
}

constexpr int64_t square = int64_t{DomainPoint::one} * DomainPoint::one;

}  // namespace

TEST_CASE("triangles tile their domain: none is reversed, their areas add up, every inner edge is shared") {
  std::mt19937 rng(20240601);
  std::uniform_real_distribution<float> factor(0.5f, 66.0f);
  for (const auto domain : {Domain::quad, Domain::triangle})
    for (const auto partitioning : {Partitioning::integer, Partitioning::odd_fractional, Partitioning::even_fractional})
      for (unsigned round = 0; round < 60; ++round) {
        TessellationFactors factors;
        for (float& f : factors.outside) f = round % 3 ? factor(rng) : std::floor(factor(rng) / 8);
        for (float& f : factors.inside) f = round % 5 ? factor(rng) : std::floor(factor(rng) / 16);
        for (float& f : factors.outside) f = std::max(f, 0.5f);
        const Tessellation t = run(state(domain, partitioning), factors);
        int64_t sum = 0;
        bool turned = false;
        std::set<std::pair<uint16_t, uint16_t>> edges;
        for (size_t i = 0; i < t.indices.size(); i += 3) {
          const int64_t area = doubled_area(t.points[t.indices[i]], t.points[t.indices[i + 1]], t.points[t.indices[i + 2]]);
          // Thin triangles next to an edge of the triangle domain may lose a unit to rounding.
          turned |= area < -int64_t{DomainPoint::one} * 2;
          sum += area;
          for (unsigned e = 0; e < 3; ++e) edges.emplace(t.indices[i + e], t.indices[i + (e + 1) % 3]);
        }
        CHECK_FALSE(turned);
        CHECK(std::abs(sum - (domain == Domain::quad ? 2 : 1) * square) <= 512);
        CHECK(edges.size() == t.indices.size());  // no edge is walked twice in one direction
      }
}

TEST_CASE("factors of one give the plain patch, and winding follows the output topology") {
  const TessellationFactors ones{{1, 1, 1, 1}, {1, 1}};
  const Tessellation quad = run(state(Domain::quad, Partitioning::integer), ones);
  CHECK(quad.points.size() == 4);
  CHECK(quad.indices == std::vector<uint16_t>{0, 1, 3, 1, 2, 3});
  const Tessellation turned = run(state(Domain::triangle, Partitioning::odd_fractional, Output::triangle_counterclockwise), ones);
  CHECK(turned.indices == std::vector<uint16_t>{0, 2, 1});
  CHECK(turned.points[2] == DomainPoint{DomainPoint::one, 0});
}

TEST_CASE("integer factors divide evenly; with fractional ones the newest segments grow") {
  const Te isolines = state(Domain::isoline, Partitioning::integer, Output::line);
  const Tessellation lines = run(isolines, {{3, 4, 0, 0}, {}});
  CHECK(lines.points.size() == 3 * 5);
  CHECK(lines.indices.size() == 3 * 4 * 2);
  CHECK(lines.points[1] == DomainPoint{0x4000, 0});
  CHECK(lines.points[5].v == 0x5555);
  const Te odd = state(Domain::isoline, Partitioning::odd_fractional, Output::point);
  const Tessellation points = run(odd, {{1, 1.5f, 0, 0}, {}});
  REQUIRE(points.points.size() == 4);
  CHECK(points.indices.size() == 4);
  // A quarter of the way from one segment to three thirds.
  CHECK(points.points[1].u == 0x1555);
  CHECK(points.points[2].u == DomainPoint::one - points.points[1].u);
}

TEST_CASE("neighbouring patches meet: an edge is divided by its own factor only") {
  const Te te = state(Domain::quad, Partitioning::even_fractional);
  const auto edge = [](const Tessellation& t) {
    std::set<uint32_t> v;
    for (const DomainPoint& p : t.points)
      if (p.u == 0) v.insert(p.v);
    return v;
  };
  const auto a = edge(run(te, {{5.3f, 2, 7, 64}, {9, 1}})), b = edge(run(te, {{5.3f, 33, 1, 2}, {3, 20.5f}}));
  CHECK(a == b);
  CHECK(a.size() == 7);
}

TEST_CASE("a factor of zero, below zero or NaN culls the patch; an inside factor does not") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Te tri = state(Domain::triangle, Partitioning::integer);
  for (float f : {0.0f, -1.0f, nan}) {
    CHECK(run(tri, {{2, f, 2, 0}, {2, 0}}).points.empty());
    CHECK_FALSE(run(tri, {{2, 2, 2, 0}, {f, 0}}).points.empty());
  }
  CHECK_FALSE(run(tri, {{2, 2, 2, nan}, {2, 0}}).points.empty());
  CHECK(run(tri, {{1e30f, 1e30f, 1e30f, 0}, {1e30f, 0}}).points.size() == run(tri, {{64, 64, 64, 0}, {64, 0}}).points.size());
}

TEST_CASE("the patch header's layout follows the domain") {
  std::array<uint32_t, 8> header;
  for (uint32_t i = 0; i < 8; ++i) header[i] = std::bit_cast<uint32_t>(static_cast<float>(i));
  const auto quad = patch_factors(state(Domain::quad, Partitioning::integer), header);
  CHECK(quad.outside == std::array<float, 4>{7, 6, 5, 4});
  CHECK(quad.inside == std::array<float, 2>{3, 2});
  CHECK(patch_factors(state(Domain::triangle, Partitioning::integer), header).inside[0] == 4);
  CHECK(patch_factors(state(Domain::isoline, Partitioning::integer), header).outside[0] == 6);
}

// As Mesa 26.2's hull shaders write them on Tiger Lake (piglit, vs-tcs-tes-tessinner-tessouter-inputs-*, isoline).
TEST_CASE("ascending tessellation factors start at dword 0") {
  std::array<uint32_t, 8> header;
  for (uint32_t i = 0; i < 8; ++i) header[i] = std::bit_cast<uint32_t>(static_cast<float>(i));
  const auto factors = [&](Domain domain, bool inside_separate = false) {
    Te te = state(domain, Partitioning::integer);
    te.factors_ascend = true;
    te.inside_separate = inside_separate;
    return patch_factors(te, header);
  };
  CHECK(factors(Domain::quad).outside == std::array<float, 4>{0, 1, 2, 3});
  CHECK(factors(Domain::quad).inside == std::array<float, 2>{4, 5});
  CHECK(factors(Domain::triangle, true).outside == std::array<float, 4>{0, 1, 2, 0});
  CHECK(factors(Domain::triangle, true).inside[0] == 4);
  CHECK(factors(Domain::triangle, false).inside[0] == 3);
  CHECK(factors(Domain::isoline).outside[0] == 1);
  CHECK(factors(Domain::isoline).outside[1] == 0);
}
