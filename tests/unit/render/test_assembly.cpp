// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <set>
#include <vector>

#include "hw/render/assembly.h"
#include "tests/catch.h"

using namespace softgen::render;

namespace {

struct Out {
  std::vector<uint32_t> vertices;
  unsigned provoking;
  bool reversed;
  uint32_t id;
};

constexpr uint32_t cut = ~0u;

std::vector<Out> assemble(Topology topology, std::vector<uint32_t> stream, Provoking provoking = {2, 1, 2}) {
  std::vector<Out> out;
  Assembler assembler(topology, provoking, [&](const Object& o) {
    out.push_back({{o.vertices.begin(), o.vertices.begin() + o.count}, o.provoking, o.reversed, o.primitive_id});
  });
  for (uint32_t v : stream) v == cut ? assembler.cut() : assembler.vertex(v);
  assembler.cut();
  return out;
}

std::vector<std::vector<uint32_t>> shapes(const std::vector<Out>& out) {
  std::vector<std::vector<uint32_t>> result;
  for (const Out& o : out) result.push_back(o.vertices);
  return result;
}

using Shapes = std::vector<std::vector<uint32_t>>;

}  // namespace

TEST_CASE("lists drop incomplete primitives, and a cut starts a new one") {
  CHECK(shapes(assemble(Topology::triangle_list, {0, 1, 2, 3, 4, cut, 5, 6, 7})) == Shapes{{0, 1, 2}, {5, 6, 7}});
  CHECK(shapes(assemble(Topology::line_list, {0, 1, 2})) == Shapes{{0, 1}});
  CHECK(shapes(assemble(static_cast<Topology>(static_cast<unsigned>(Topology::patch_list_1) + 3), {0, 1, 2, 3, 4, 5, 6, 7})) ==
        Shapes{{0, 1, 2, 3}, {4, 5, 6, 7}});
}

TEST_CASE("every other triangle of a strip is reversed") {
  const auto out = assemble(Topology::triangle_strip, {0, 1, 2, 3, 4, cut, 5, 6, 7});
  CHECK(shapes(out) == Shapes{{0, 1, 2}, {1, 2, 3}, {2, 3, 4}, {5, 6, 7}});
  CHECK(out[0].reversed == false);
  CHECK(out[1].reversed == true);
  CHECK(out[3].reversed == false);
  CHECK(out[3].id == 3);
}

TEST_CASE("fans keep their first vertex, loops close") {
  CHECK(shapes(assemble(Topology::triangle_fan, {9, 1, 2, 3})) == Shapes{{9, 1, 2}, {9, 2, 3}});
  CHECK(shapes(assemble(Topology::line_loop, {0, 1, 2, cut, 3, 4, cut, 5})) == Shapes{{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 3}});
  CHECK(shapes(assemble(Topology::line_strip, {0, 1, 2})) == Shapes{{0, 1}, {1, 2}});
}

TEST_CASE("both halves of a quad have its last vertex as the provoking one, whatever the provoking vertex selects") {
  for (unsigned first : {0u, 2u}) {
    for (const Out& o : assemble(Topology::quad_list, {0, 1, 2, 3}, {static_cast<uint8_t>(first), 1, 2}))
      CHECK(o.vertices[o.provoking] == 3u);
    for (const Out& o : assemble(Topology::quad_strip, {0, 1, 2, 3}, {static_cast<uint8_t>(first), 1, 2}))
      CHECK(o.vertices[o.provoking] == 3u);
  }
}

TEST_CASE("edges of quads and polygons are their sides, once each") {
  using Sides = std::multiset<std::pair<uint32_t, uint32_t>>;
  const auto sides = [](Topology topology, std::initializer_list<uint32_t> vertices) {
    Sides result;
    Assembler assembler(topology, {}, [&](const Object& o) {
      for (unsigned i = 0; i < 3; ++i)
        if (o.edges >> i & 1)
          result.emplace(std::min(o.vertices[i], o.vertices[(i + 1) % 3]), std::max(o.vertices[i], o.vertices[(i + 1) % 3]));
    });
    for (const uint32_t v : vertices) assembler.vertex(v);
    assembler.cut();
    return result;
  };
  CHECK(sides(Topology::quad_list, {0, 1, 2, 3}) == Sides{{0, 1}, {1, 2}, {2, 3}, {0, 3}});
  CHECK(sides(Topology::quad_strip, {0, 1, 2, 3}) == Sides{{0, 1}, {1, 3}, {2, 3}, {0, 2}});
  CHECK(sides(Topology::polygon, {0, 1, 2}) == Sides{{0, 1}, {1, 2}, {0, 2}});
  CHECK(sides(Topology::polygon, {0, 1, 2, 3, 4}) == Sides{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {0, 4}});
  CHECK(sides(Topology::triangle_strip, {0, 1, 2}) == Sides{{0, 1}, {1, 2}, {0, 2}});
}

TEST_CASE("a strip with adjacency gives OpenGL's six vertices") {
  // OpenGL 4.6, table 10.1, with zero-based numbers.
  CHECK(shapes(assemble(Topology::triangle_strip_adjacency, {0, 1, 2, 3, 4, 5})) == Shapes{{0, 1, 2, 5, 4, 3}});
  CHECK(shapes(assemble(Topology::triangle_strip_adjacency, {0, 1, 2, 3, 4, 5, 6})) == Shapes{{0, 1, 2, 5, 4, 3}});
  const auto out = assemble(Topology::triangle_strip_adjacency, {0, 1, 2, 3, 4, 5, 6, 7});
  REQUIRE(out.size() == 2);
  CHECK(out[0].vertices == std::vector<uint32_t>{0, 1, 2, 6, 4, 3});
  CHECK(out[1].reversed);
}

TEST_CASE("reversed triangles are rotated so that the leading or the trailing vertices stay in order") {
  std::vector<Object> objects;
  Assembler assembler(Topology::triangle_strip_adjacency, {2, 1, 2}, [&](const Object& o) { objects.push_back(o); });
  for (uint32_t v = 0; v < 8; ++v) assembler.vertex(v);
  assembler.cut();
  REQUIRE(objects.size() == 2);
  const auto six = [](const Object& o) { return std::vector<uint32_t>(o.vertices.begin(), o.vertices.begin() + o.count); };
  // OpenGL 4.6, table 10.1, last triangle, i even.
  const Object trailing = reordered(objects[1], Reorder::trailing);
  CHECK(six(trailing) == std::vector<uint32_t>{4, 0, 2, 5, 6, 7});
  CHECK(trailing.vertices[trailing.provoking] == 6);
  CHECK_FALSE(trailing.reversed);
  CHECK(six(primary_vertices(trailing, ObjectType::triangle_adjacency)) == std::vector<uint32_t>{4, 2, 6});
  CHECK(six(primary_vertices(reordered(objects[1], Reorder::leading), ObjectType::triangle_adjacency)) == std::vector<uint32_t>{2, 6, 4});
  CHECK(six(reordered(objects[0], Reorder::leading)) == six(objects[0]));
}
