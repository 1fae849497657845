// SPDX-License-Identifier: GPL-2.0-or-later
// Draws from vertices to pixels, through a vertex and a pixel shader. Pictures are worked out by hand: a pixel belongs to the triangle that holds its
// centre, or has it on a top or left edge (SKL PRM vol 7, "Rasterization Rules").
#include <algorithm>
#include <random>

#include "tests/catch.h"
#include "tests/unit/render/scene.h"

using namespace softgen;
using namespace softgen::render::test;
using Topology = gen9::PrimitiveTopologyType;
using Picture = std::vector<std::string>;

namespace {

/// Half of a square of 8x8, whose diagonal passes through pixel centres that are not its own.
const std::vector<SceneVertex> corner = {red(0, 0), green(8, 0), blue(0, 8)};

Picture corner_in(char c) {
  Picture rows;
  for (unsigned covered = 8; covered-- > 0;) rows.push_back(std::string(covered, c) + std::string(8 - covered, '.'));
  return rows;
}

std::vector<SceneVertex> random_vertices(size_t count, float extent) {
  std::mt19937 random(31);
  std::uniform_real_distribution<float> place(-extent / 4, extent * 5 / 4), channel(0, 1);
  std::vector<SceneVertex> result(count);
  for (SceneVertex& v : result) v = {place(random), place(random), channel(random), channel(random), channel(random)};
  return result;
}

}  // namespace

TEST_CASE("a triangle covers the pixels whose centres it holds, in the colour of its provoking vertex") {
  for (const unsigned width : {8u, 16u}) {
    Scene scene(8);
    scene.pixel_shader(width, paint_attribute(width));
    scene.draw(Topology::_3DPRIM_TRILIST, corner);
    CHECK(scene.picture() == corner_in('R'));
    scene.setup.triangle_strip_list_provoking_vertex_select = 2;
    scene.set(scene.setup);
    scene.draw(Topology::_3DPRIM_TRILIST, corner);
    CHECK(scene.picture() == corner_in('B'));
    scene.pixel_shader(width, paint(width, 0, 1, 0));
    scene.draw(Topology::_3DPRIM_TRILIST, corner);
    CHECK(scene.picture() == corner_in('G'));
  }
}

TEST_CASE("statistics of a draw") {
  Scene scene(8);
  scene.draw(Topology::_3DPRIM_TRISTRIP, {red(0, 0), red(8, 0), red(0, 8), red(8, 8)});
  scene.finish();
  CHECK(scene.count(reg::IA_VERTICES_COUNT(0)) == 4);
  CHECK(scene.count(reg::IA_PRIMITIVES_COUNT(0)) == 2);
  CHECK(scene.count(reg::VS_INVOCATION_COUNT(0)) == 4);
  CHECK(scene.count(reg::CL_INVOCATION_COUNT(0)) == 2);
  CHECK(scene.count(reg::CL_PRIMITIVES_COUNT(0)) == 2);
  CHECK(scene.count(reg::GS_INVOCATION_COUNT(0)) == 0);
  CHECK(scene.count(reg::PS_DEPTH_COUNT(0)) == 64);
}

TEST_CASE("of a whole draw, triangles that share edges cover each pixel once") {
  Scene scene(8);
  scene.count_coverage();
  const SceneVertex middle = red(4.3f, 3.6f), corners[] = {red(0, 0), red(8, 0), red(8, 8), red(0, 8)};
  std::vector<SceneVertex> fan;
  for (unsigned i = 0; i < 4; ++i) fan.insert(fan.end(), {middle, corners[i], corners[(i + 1) % 4]});
  scene.draw(Topology::_3DPRIM_TRILIST, fan);
  CHECK(std::ranges::count(scene.pixels(), 0xff000001u) == 64);
  scene.draw(Topology::_3DPRIM_TRISTRIP, {corners[0], corners[1], corners[3], corners[2]});
  CHECK(std::ranges::count(scene.pixels(), 0xff000002u) == 64);
}

TEST_CASE("points and lines") {
  Scene scene(8);
  scene.draw(Topology::_3DPRIM_POINTLIST, {green(0.5f, 6.5f)});
  // Diamond exit: a line's last pixel is left to the next line.
  scene.draw(Topology::_3DPRIM_LINELIST, {red(1.5f, 1.5f), red(6.5f, 1.5f), blue(7.5f, 7.5f), blue(7.5f, 3.5f)});
  scene.setup.point_width = 3;
  scene.set(scene.setup);
  scene.draw(Topology::_3DPRIM_POINTLIST, {green(4.5f, 5.5f)});
  CHECK(scene.picture() == Picture{"........",    //
                                   ".RRRRR..",    //
                                   "........",    //
                                   "........",    //
                                   "...GGG.B",    //
                                   "...GGG.B",    //
                                   "G..GGG.B",    //
                                   ".......B"});  //
}

TEST_CASE("what is outside the viewport is clipped, what is not stays") {
  Scene scene(8);
  scene.draw(Topology::_3DPRIM_TRILIST, {red(4, -4), red(12, 4), red(4, 12)});
  CHECK(scene.picture() == Picture(8, "....RRRR"));
  scene.draw(Topology::_3DPRIM_TRILIST, {green(-2000, -2000), green(6000, -2000), green(-2000, 6000)});  // beyond the guard band
  CHECK(scene.picture() == Picture(8, "GGGGGGGG"));
  scene.draw(Topology::_3DPRIM_TRILIST, {blue(9, 0), blue(20, 0), blue(9, 20)});
  CHECK(scene.picture() == Picture(8, "GGGGGGGG"));
}

TEST_CASE("faces are culled by their winding on the screen") {
  using Cull = gen9::_3DSTATE_RASTER::CullMode;
  using Winding = gen9::_3DSTATE_RASTER::FrontWinding;
  const auto drawn = [](Cull cull, Winding front) {
    Scene scene(8);
    scene.raster.cull_mode = cull;
    scene.raster.front_winding = front;
    scene.set(scene.raster);
    scene.draw(Topology::_3DPRIM_TRILIST, corner);  // clockwise
    return scene.picture() == corner_in('R');
  };
  CHECK(drawn(Cull::CULLMODE_BACK, Winding::CLOCKWISE));
  CHECK_FALSE(drawn(Cull::CULLMODE_FRONT, Winding::CLOCKWISE));
  CHECK_FALSE(drawn(Cull::CULLMODE_BACK, Winding::COUNTER_CLOCKWISE));
  CHECK(drawn(Cull::CULLMODE_FRONT, Winding::COUNTER_CLOCKWISE));
  CHECK_FALSE(drawn(Cull::CULLMODE_BOTH, Winding::CLOCKWISE));
}

TEST_CASE("small draws are drawn in their order, whether deferred or not") {
  for (const unsigned threads : {0u, 1u, 2u}) {
    const bool defers = threads == 1;
    Scene scene(8, threads);
    if (threads == 2) scene.engine().set_minimum_run(std::chrono::nanoseconds(0));
    scene.draw(Topology::_3DPRIM_TRILIST, corner);
    CHECK((scene.engine().deferred() != nullptr) == defers);
    scene.draw(Topology::_3DPRIM_TRILIST, {green(0, 0), green(4, 0), green(0, 4)});
    scene.draw(Topology::_3DPRIM_POINTLIST, {blue(0.5f, 0.5f)});
    CHECK(scene.picture() == Picture{"BGGRRRR.",    //
                                     "GGRRRR..",    //
                                     "GRRRR...",    //
                                     "RRRR....",    //
                                     "RRR.....",    //
                                     "RR......",    //
                                     "R.......",    //
                                     "........"});  //
    CHECK(scene.engine().deferred() == nullptr);
  }
}

TEST_CASE("any number of threads, and either width of the shader, draws the same bits") {
  constexpr uint32_t size = 256;
  const auto vertices = random_vertices(6000, size);
  const auto picture = [&](unsigned threads, unsigned width, bool defer) {
    Scene scene(size, threads);
    scene.pixel_shader(width, paint_attribute(width));
    if (!defer) scene.engine().set_minimum_run(std::chrono::nanoseconds(0));
    scene.draw(Topology::_3DPRIM_TRISTRIP, vertices);
    scene.draw(Topology::_3DPRIM_TRILIST, vertices);
    scene.draw(Topology::_3DPRIM_LINESTRIP, {vertices.begin(), vertices.begin() + 50});
    return scene.pixels();
  };
  const auto expected = picture(0, 8, false);
  CHECK(std::ranges::count(expected, 0u) == 0);
  CHECK(picture(2, 8, false) == expected);
  CHECK(picture(2, 8, true) == expected);
  CHECK(picture(0, 16, true) == expected);
  CHECK(picture(2, 16, false) == expected);
}
