// SPDX-License-Identifier: GPL-2.0-or-later
// Scenes with objects of each kind, of which some are not seen for each of the reasons that there are: with position-only shading they equal the same
// scenes without it.
#include "tests/catch.h"
#include "tests/posh/runner.h"

using namespace softgen;
using namespace softgen::posh::test;

namespace {

using Raster = gen11::_3DSTATE_RASTER;

/// Around a pixel; seen from the front when `front`.
std::vector<Vertex> triangle(const Scene& scene, float x, float y, unsigned color = 0, bool front = true, float size = 20) {
  std::vector<Vertex> corners{scene.at(x, y - size, color), scene.at(x + size, y + size, color), scene.at(x - size, y + size, color)};
  if (!front) std::swap(corners[1], corners[2]);
  return corners;
}

std::vector<Vertex> join(std::initializer_list<std::vector<Vertex>> lists) {
  std::vector<Vertex> all;
  for (const auto& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

}  // namespace

TEST_CASE("objects that are all seen") {
  Scene scene;
  scene.draw(Topology::_3DPRIM_TRILIST, join({triangle(scene, 40, 40, 0), triangle(scene, 50, 50, 1), triangle(scene, 90, 90, 2)}));
  check_same(scene, 3, 0);
}

TEST_CASE("back faces") {
  Scene scene;
  scene.raster.cull_mode = Raster::CullMode::CULLMODE_BACK;
  scene.raster.front_winding = Raster::FrontWinding::CLOCKWISE;
  scene.add(scene.raster);
  scene.draw(Topology::_3DPRIM_TRILIST, join({triangle(scene, 40, 40, 0), triangle(scene, 50, 50, 1, false), triangle(scene, 90, 90, 2),
                                              triangle(scene, 90, 40, 3, false)}));
  check_same(scene, 4, 2);
}

TEST_CASE("objects outside the frustum") {
  Scene scene;
  std::vector<Vertex> list = join({triangle(scene, -60, 64), triangle(scene, 64, 64, 1), triangle(scene, 200, 64), triangle(scene, 64, -60),
                                   triangle(scene, 64, 190), triangle(scene, 30, 30, 2), triangle(scene, 30, 90, 3)});
  for (size_t i = 15; i < 18; ++i) list[i].z = -1.5f;  // in front of the near plane, which OpenGL has at -w
  for (size_t i = 18; i < 21; ++i) list[i].z = 1.5f;   // behind the far one
  scene.draw(Topology::_3DPRIM_TRILIST, list);
  check_same(scene, 7, 6);
}

TEST_CASE("objects that planes of the frustum cut, and the eye's plane") {
  Scene scene;
  std::vector<Vertex> list =
      join({triangle(scene, 0, 64, 0), triangle(scene, 128, 128, 1), triangle(scene, 64, 64, 2), triangle(scene, 64, 64, 3)});
  list[6].y = -0.9f, list[6].w = -1;               // one corner behind the eye
  for (size_t i = 9; i < 12; ++i) list[i].w = -2;  // all of them
  list[0].z = -0.25f;
  scene.draw(Topology::_3DPRIM_TRILIST, list);
  check_same(scene, 4, 1);
}

TEST_CASE("a scissor rectangle") {
  Scene scene;
  scene.scissor(60, 60, 110, 110);
  scene.draw(Topology::_3DPRIM_TRILIST, join({triangle(scene, 30, 30, 0), triangle(scene, 80, 80, 1), triangle(scene, 60, 60, 2)}));
  check_same(scene, 3, 1);
}

TEST_CASE("objects of no area") {
  Scene scene;
  std::vector<Vertex> list = join({triangle(scene, 40, 40, 0), triangle(scene, 60, 60, 1), triangle(scene, 80, 80, 2)});
  list[4] = list[3];              // two corners are one
  list[8] = scene.at(80, 60, 2);  // on a line
  list[7] = scene.at(80, 100, 2);
  scene.draw(Topology::_3DPRIM_TRILIST, list);
  check_same(scene, 3, 2);
}

TEST_CASE("objects between samples") {
  Scene scene;
  std::vector<Vertex> list;
  for (unsigned i = 0; i < 64; ++i) {
    const auto corner = triangle(scene, 10 + static_cast<float>(i) * 1.53f, 20 + static_cast<float>(i) * 1.31f, i, true, 0.3f);
    list.insert(list.end(), corner.begin(), corner.end());
  }
  scene.draw(Topology::_3DPRIM_TRILIST, list);
  CHECK(check_same(scene).recorded == 64);
}

TEST_CASE("lines") {
  Scene scene;
  scene.draw(Topology::_3DPRIM_LINELIST, {scene.at(10, 10, 0), scene.at(100, 30, 0), scene.at(-90, 10, 1), scene.at(-10, 30, 1),
                                          scene.at(-20, 64, 2), scene.at(140, 70, 2), scene.at(10, 140, 3), scene.at(90, 150, 3)});
  scene.setup.line_width = 5;
  scene.add(scene.setup);
  scene.draw(Topology::_3DPRIM_LINESTRIP, {scene.at(20, 100, 1), scene.at(60, 120, 2), scene.at(60, 180, 3), scene.at(90, 180, 4),
                                           scene.at(100, 100, 5), scene.at(110, 90, 0)});
  scene.draw(Topology::_3DPRIM_LINELOOP, {scene.at(50, 50, 0), scene.at(70, 50, 1), scene.at(60, 70, 2)});
  check_same(scene, 4 + 5 + 3, 3);
}

TEST_CASE("points") {
  Scene scene;
  scene.setup.point_width = 9;
  scene.add(scene.setup);
  std::vector<Vertex> list;
  for (unsigned i = 0; i < 40; ++i) list.push_back(scene.at(static_cast<float>(i) * 7 - 40.5f, 50 + static_cast<float>(i % 3) * 10, i));
  scene.draw(Topology::_3DPRIM_POINTLIST, list);
  const Counts counts = check_same(scene);
  CHECK(counts.recorded == 40);
  CHECK(counts.skipped >= 10);
}

TEST_CASE("outlines and corners of triangles") {
  Scene scene;
  scene.raster.front_face_fill_mode = Raster::FrontFaceFillMode::FILL_MODE_WIREFRAME;
  scene.raster.back_face_fill_mode = Raster::BackFaceFillMode::FILL_MODE_POINT;
  scene.raster.front_winding = Raster::FrontWinding::CLOCKWISE;
  scene.setup.point_width = 4;
  scene.add(scene.setup);
  scene.add(scene.raster);
  scene.draw(Topology::_3DPRIM_TRILIST, join({triangle(scene, 40, 40, 0), triangle(scene, 80, 50, 1, false), triangle(scene, 200, 90, 2),
                                              triangle(scene, 90, 200, 3, false), triangle(scene, 128, 64, 4)}));
  check_same(scene, 5, 2);
}

TEST_CASE("fans, quads, polygons and rectangles") {
  Scene scene;
  scene.draw(Topology::_3DPRIM_TRIFAN, {scene.at(30, 30, 0), scene.at(60, 30, 1), scene.at(60, 60, 2), scene.at(30, 200, 3),
                                        scene.at(-90, 200, 4), scene.at(-90, 30, 5)});
  scene.draw(Topology::_3DPRIM_QUADLIST, {scene.at(70, 10, 0), scene.at(120, 10, 0), scene.at(120, 40, 0), scene.at(70, 40, 0),
                                          scene.at(270, 10, 0), scene.at(320, 10, 0), scene.at(320, 40, 0), scene.at(270, 40, 0)});
  scene.draw(Topology::_3DPRIM_QUADSTRIP, {scene.at(70, 50, 0), scene.at(70, 60, 0), scene.at(90, 50, 1), scene.at(90, 60, 1),
                                           scene.at(290, 50, 2), scene.at(290, 60, 2), scene.at(390, 50, 2), scene.at(390, 60, 2)});
  scene.draw(Topology::_3DPRIM_POLYGON, {scene.at(80, 70, 0), scene.at(100, 75, 1), scene.at(110, 90, 2), scene.at(90, 110, 3)});
  scene.draw(Topology::_3DPRIM_RECTLIST, {scene.at(120, 120, 4), scene.at(100, 120, 4), scene.at(100, 112, 4), scene.at(220, 120, 4),
                                          scene.at(200, 120, 4), scene.at(200, 112, 4)});
  const Counts counts = check_same(scene);
  CHECK(counts.skipped >= 3);
}

TEST_CASE("objects with adjacent vertices, which nothing reads") {
  Scene scene;
  std::vector<Vertex> list;
  for (const auto& corners : {triangle(scene, 40, 40, 0), triangle(scene, 240, 40, 1), triangle(scene, 90, 90, 2)})
    for (const Vertex& corner : corners) list.push_back(corner), list.push_back(scene.at(500, 500));
  scene.draw(Topology::_3DPRIM_TRILIST_ADJ, list);
  scene.draw(Topology::_3DPRIM_LINESTRIP_ADJ,
             {scene.at(0, 0), scene.at(10, 100, 0), scene.at(60, 120, 1), scene.at(70, 200, 2), scene.at(90, 220, 3), scene.at(0, 0)});
  scene.draw(Topology::_3DPRIM_TRISTRIP_REVERSE, {scene.at(100, 10, 0), scene.at(120, 10, 1), scene.at(100, 30, 2), scene.at(120, 30, 3),
                                                  scene.at(300, 50, 4), scene.at(320, 50, 5), scene.at(300, 70, 0)});
  const Counts counts = check_same(scene);
  CHECK(counts.recorded == 3 + 3 + 5);
  CHECK(counts.skipped >= 3);
}

TEST_CASE("stippled lines: where the pattern stands depends on all of them") {
  Scene scene;
  gen11::_3DSTATE_LINE_STIPPLE pattern;
  pattern.line_stipple_pattern = 0x0f33;
  pattern.line_stipple_repeat_count = 1;
  pattern.line_stipple_inverse_repeat_count = 1;
  scene.add(pattern);
  gen11::_3DSTATE_WM wm;
  wm.line_stipple_enable = wm.statistics_enable = true;
  scene.add(wm);
  scene.draw(Topology::_3DPRIM_LINESTRIP, {scene.at(10, 100, 0), scene.at(60, 120, 1), scene.at(60, 193, 2), scene.at(97, 180, 3),
                                           scene.at(100, 100, 4), scene.at(110, 20, 5)});
  check_same(scene, 5, 0);
}

TEST_CASE("instances") {
  Scene scene;
  std::vector<std::array<float, 4>> places;
  for (int i = 0; i < 24; ++i) places.push_back({static_cast<float>(i - 12) * 0.2f, static_cast<float>(i % 4) * 0.3f - 0.5f, 0, 0});
  scene.offsets(places);
  scene.vertices(join({triangle(scene, 64, 64, 0, true, 8), triangle(scene, 64, 70, 1, true, 8)}));
  scene.topology(Topology::_3DPRIM_TRILIST);
  scene.draw({.count = 6, .instances = 24});
  const Counts counts = check_same(scene);
  CHECK(counts.recorded == 48);
  CHECK(counts.skipped >= 20);
  CHECK(counts.skipped < 48);
}

TEST_CASE("strips with cuts, of more than one instance") {
  Scene scene;
  scene.raster.cull_mode = Raster::CullMode::CULLMODE_BACK;
  scene.raster.front_winding = Raster::FrontWinding::CLOCKWISE;
  scene.add(scene.raster);
  std::vector<Vertex> grid;
  for (unsigned i = 0; i < 20; ++i) grid.push_back(scene.at(static_cast<float>(i / 2) * 20 - 30, i % 2 ? 40.f : 60.f, i));
  scene.vertices(grid);
  scene.indices({0, 1, 2, 3, 4, 0xffff, 0xffff, 5, 6, 7, 8, 9, 10, 11, 0xffff, 12, 0xffff, 13, 14, 0xffff, 19, 18, 17, 16, 15, 14, 13});
  scene.offsets({{0, 0, 0, 0}, {0, 0.5f, 0, 0}, {0, 3, 0, 0}});
  scene.topology(Topology::_3DPRIM_TRISTRIP);
  scene.draw({.count = 27, .instances = 3, .indexed = true});
  const Counts counts = check_same(scene);
  CHECK(counts.recorded == 3 * (3 + 5 + 5));
  CHECK(counts.skipped >= 13);
  CHECK(counts.skipped < 39);
}

TEST_CASE("indirect draws") {
  Scene scene;
  scene.vertices(join({triangle(scene, 40, 40, 0), triangle(scene, 200, 40, 1), triangle(scene, 90, 90, 2), triangle(scene, 40, 90, 3)}));
  scene.topology(Topology::_3DPRIM_TRILIST);
  const std::array<uint32_t, 2> parameters{9, 3};  // vertices from the second triangle on
  const uint64_t at = scene.data(std::as_bytes(std::span(parameters)));
  const std::pair<uint32_t, uint64_t> loads[] = {{reg::PRIM_VERTEX_COUNT, at}, {reg::PRIM_START_VERTEX, at + 4}};
  for (const auto& [offset, address] : loads) {
    gen11::MI_LOAD_REGISTER_MEM load;
    load.register_address = offset;
    load.memory_address = address;
    scene.add(load);
  }
  for (const auto& [offset, value] : {std::pair{reg::PRIM_INSTANCE_COUNT, 1u}, {reg::PRIM_START_INSTANCE, 0u}, {reg::PRIM_BASE_VERTEX, 0u}})
    scene.copy(std::array{gen11::MI_LOAD_REGISTER_IMM::match | 1, offset, value});
  scene.draw({.indirect = true});
  check_same(scene, 3, 1);
}

TEST_CASE("predicated draws") {
  Scene scene;
  scene.topology(Topology::_3DPRIM_TRILIST);
  const auto predicate = [&](uint32_t value) {
    const std::pair<uint32_t, uint32_t> sources[] = {
        {reg::MI_PREDICATE_SRC0, value}, {reg::MI_PREDICATE_SRC0_UDW, 0}, {reg::MI_PREDICATE_SRC1, 1}, {reg::MI_PREDICATE_SRC1_UDW, 0}};
    for (const auto& [relative, load] : sources) scene.copy(std::array{gen11::MI_LOAD_REGISTER_IMM::match | 1, 0x2000 + relative, load});
    gen11::MI_PREDICATE equal;
    equal.load_operation = gen11::MI_PREDICATE::LoadOperation::LOAD_LOAD;
    equal.combine_operation = gen11::MI_PREDICATE::CombineOperation::COMBINE_SET;
    equal.compare_operation = gen11::MI_PREDICATE::CompareOperation::COMPARE_SRCS_EQUAL;
    scene.add(equal);
  };
  scene.vertices(join({triangle(scene, 40, 40, 0), triangle(scene, 200, 40, 1), triangle(scene, 90, 90, 2)}));
  predicate(0);
  scene.draw({.count = 9, .predicated = true});  // not drawn
  predicate(1);
  scene.draw({.count = 6, .start = 3, .predicated = true});
  check_same(scene, 2, 1);
}

TEST_CASE("four samples a pixel") {
  Scene scene({.samples = 4});
  scene.raster.cull_mode = Raster::CullMode::CULLMODE_BACK;
  scene.raster.front_winding = Raster::FrontWinding::CLOCKWISE;
  scene.add(scene.raster);
  scene.draw(Topology::_3DPRIM_TRILIST, join({triangle(scene, 40, 40, 0), triangle(scene, 55, 50, 1, false), triangle(scene, 90, 90, 2),
                                              triangle(scene, 64, 20, 3, true, 0.4f), triangle(scene, 300, 20, 3)}));
  const Counts counts = check_same(scene);
  CHECK(counts.recorded == 5);
  CHECK(counts.skipped >= 2);
}

TEST_CASE("blending: the order of what is left stays") {
  Scene scene;
  scene.blending();
  std::vector<Vertex> list;
  for (unsigned i = 0; i < 90; ++i) {
    const float x = static_cast<float>(i * 37 % 200) - 30, y = static_cast<float>(i * 53 % 180) - 20;
    const auto corners = triangle(scene, x, y, 5, true, 15);
    list.insert(list.end(), corners.begin(), corners.end());
  }
  scene.draw(Topology::_3DPRIM_TRILIST, list);
  const Counts counts = check_same(scene);
  CHECK(counts.recorded == 90);
  CHECK(counts.skipped >= 5);
  CHECK(counts.skipped <= 60);
}

TEST_CASE("depth") {
  Scene scene({.depth = true});
  std::vector<Vertex> list = join({triangle(scene, 60, 60, 0, true, 40), triangle(scene, 64, 64, 1, true, 30), triangle(scene, 200, 64, 2),
                                   triangle(scene, 50, 70, 3, true, 30)});
  list[1].z = 0.1f, list[2].z = 0.9f;
  for (size_t i = 3; i < 6; ++i) list[i].z = 0.6f;
  scene.draw(Topology::_3DPRIM_TRILIST, list);
  check_same(scene, 4, 1);
}
