// SPDX-License-Identifier: GPL-2.0-or-later
// Draws through geometry shaders of eight objects, or instances of one object, a thread. Payloads: SKL PRM vol 7, "Geometry Shader (GS) Stage".
#include <algorithm>
#include <random>

#include "tests/catch.h"
#include "tests/unit/render/scene.h"

using namespace softgen;
using namespace softgen::render::test;
using eu::Opcode;
using eu::RegType;
using eu::test::grf;
using Topology = gen9::PrimitiveTopologyType;
using Picture = std::vector<std::string>;

namespace {

// Registers: the entries that vertices are written to; the inputs, a register a dword of header, position and attribute; then what is free.
constexpr unsigned entries = 1, inputs = 2, input_step = 16, position_at = 4, attribute_at = 8, moved = 60, scratch = 70;
constexpr unsigned input_hwords = 2;

gen9::_3DSTATE_GS geometry(Topology output) {
  gen9::_3DSTATE_GS gs;
  gs.enable = gs.statistics_enable = true;
  gs.dispatch_mode = gen9::_3DSTATE_GS::DispatchMode::DISPATCH_MODE_SIMD8;
  gs.dispatch_grf_start_register_for_urb_data = inputs;
  gs.vertex_urb_entry_read_length = input_hwords;
  gs.output_topology = output;
  gs.output_vertex_size = vertex_owords - 1;
  return gs;
}

void set_geometry(Scene& scene, gen9::_3DSTATE_GS gs, const Code& code) {
  gs.kernel_start_pointer = scene.kernel(code + Code{eu::test::end()});
  scene.set(gs);
  gen9::_3DSTATE_URB_GS urb;
  urb.gs_urb_entry_allocation_size = 7;  // 512 bytes
  scene.set(urb);
}

/// Writes input vertex `from`, moved by so many pixels, as output vertex `number`; `first`: where vertices begin, in owords.
Code emit(const Scene& scene, unsigned from, float x, float y, unsigned number, unsigned first = 0) {
  const unsigned position = inputs + from * input_step + position_at;
  return scaled(moved, position, 1, scene.distance(x)) + scaled(moved + 1, position + 1, 1, scene.distance(y)) +
         Code{copy(moved + 2, position + 2), copy(moved + 3, position + 3)} +
         write_vertex(entries, moved, inputs + from * input_step + attribute_at, first + number * vertex_owords);
}

/// A square of two triangles whose upper left corner is the point.
void points_to_squares(Scene& scene, float side) {
  gen9::_3DSTATE_GS gs = geometry(Topology::_3DPRIM_TRISTRIP);
  gs.static_output = true;
  gs.static_output_vertex_count = 4;
  set_geometry(scene, gs,
               emit(scene, 0, 0, 0, 0) + emit(scene, 0, side, 0, 1) + emit(scene, 0, 0, side, 2) + emit(scene, 0, side, side, 3));
}

}  // namespace

TEST_CASE("a geometry shader makes two triangles of a point") {
  Scene scene(8);
  points_to_squares(scene, 4);
  scene.draw(Topology::_3DPRIM_POINTLIST, {green(2, 3)});
  CHECK(scene.picture() == Picture{"........",    //
                                   "........",    //
                                   "........",    //
                                   "..GGGG..",    //
                                   "..GGGG..",    //
                                   "..GGGG..",    //
                                   "..GGGG..",    //
                                   "........"});  //
  CHECK(scene.count(reg::IA_PRIMITIVES_COUNT(0)) == 1);
  CHECK(scene.count(reg::GS_INVOCATION_COUNT(0)) == 1);
  CHECK(scene.count(reg::GS_PRIMITIVES_COUNT(0)) == 2);
  CHECK(scene.count(reg::CL_INVOCATION_COUNT(0)) == 2);
}

TEST_CASE("more points than a thread of a geometry shader takes") {
  Scene scene;
  points_to_squares(scene, 1);
  std::vector<SceneVertex> points;
  for (unsigned i = 0; i < 13; ++i)
    points.push_back(i % 2 ? red(static_cast<float>(i), static_cast<float>(i)) : blue(static_cast<float>(i), 2));
  scene.draw(Topology::_3DPRIM_POINTLIST, points);
  Picture expected(16, std::string(16, '.'));
  for (unsigned i = 0; i < 13; ++i) expected[i % 2 ? i : 2][i] = i % 2 ? 'R' : 'B';
  CHECK(scene.picture() == expected);
  CHECK(scene.count(reg::GS_INVOCATION_COUNT(0)) == 13);
  CHECK(scene.count(reg::GS_PRIMITIVES_COUNT(0)) == 26);
}

TEST_CASE("a strip of as many vertices as the shader counts, cut where its control data say so") {
  Scene scene(8);
  gen9::_3DSTATE_GS gs = geometry(Topology::_3DPRIM_TRISTRIP);
  gs.control_data_header_size = 1;
  constexpr unsigned control = 2, vertices = 4;  // owords: behind the count's and the control data's hwords
  const float places[][2] = {{0, 0}, {4, 0}, {0, 4}, {8, 4}, {8, 8}, {4, 8}, {0, 8}};
  Code code;
  for (unsigned i = 0; i < 7; ++i) code = code + emit(scene, 0, places[i][0], places[i][1], i, vertices);
  code = code +
         Code{copy(message, entries), load_dword(message + 1, 1u << 2), urb_write(1, control), load_dword(message + 1, 6), urb_write(1, 0)};
  set_geometry(scene, gs, code);
  scene.draw(Topology::_3DPRIM_POINTLIST, {red(0, 0)});
  CHECK(scene.picture() == Picture{"RRR.....",    //
                                   "RR......",    //
                                   "R.......",    //
                                   "........",    //
                                   ".......R",    //
                                   "......RR",    //
                                   ".....RRR",    //
                                   "....RRRR"});  // the diagonal is this triangle's left edge
  CHECK(scene.count(reg::GS_PRIMITIVES_COUNT(0)) == 2);
}

TEST_CASE("a geometry shader turns triangles into points") {
  Scene scene(8);
  gen9::_3DSTATE_GS gs = geometry(Topology::_3DPRIM_POINTLIST);
  gs.static_output = true;
  gs.static_output_vertex_count = 3;
  set_geometry(scene, gs, emit(scene, 0, 0, 0, 0) + emit(scene, 1, 0, 0, 1) + emit(scene, 2, 0, 0, 2));
  scene.draw(Topology::_3DPRIM_TRILIST, {red(0.5f, 0.5f), green(6.5f, 1.5f), blue(2.5f, 7.5f)});
  CHECK(scene.picture() == Picture{"R.......",    //
                                   "......G.",    //
                                   "........",    //
                                   "........",    //
                                   "........",    //
                                   "........",    //
                                   "........",    //
                                   "..B....."});  //
  CHECK(scene.count(reg::CL_INVOCATION_COUNT(0)) == 3);
}

TEST_CASE("instances of a geometry shader know their number") {
  Scene scene;
  gen9::_3DSTATE_GS gs = geometry(Topology::_3DPRIM_POINTLIST);
  gs.static_output = true;
  gs.static_output_vertex_count = 1;
  gs.instance_control = 10;  // eleven of them: two threads an object
  const unsigned position = inputs + position_at;
  const auto f = [](unsigned reg) { return grf(reg, RegType::f); };
  Code code{eu::test::op_imm(Opcode::shr, 8, grf(scratch, RegType::ud), grf(entries, RegType::ud), RegType::ud, 27),
            eu::test::op(Opcode::mov, 8, f(scratch + 1), grf(scratch, RegType::ud))};
  code = code + scaled(scratch + 1, scratch + 1, scene.distance(1), 0) +
         Code{eu::test::op(Opcode::add, 8, f(position), f(position), f(scratch + 1))} + emit(scene, 0, 0, 0, 0);
  set_geometry(scene, gs, code);
  scene.draw(Topology::_3DPRIM_POINTLIST, {red(1.5f, 2.5f), green(3.5f, 5.5f)});
  Picture expected(16, std::string(16, '.'));
  expected[2].replace(1, 11, 11, 'R');
  expected[5].replace(3, 11, 11, 'G');
  CHECK(scene.picture() == expected);
  CHECK(scene.count(reg::GS_INVOCATION_COUNT(0)) == 22);
}

TEST_CASE("any number of threads draws the same bits behind a geometry shader") {
  constexpr uint32_t size = 256;
  std::mt19937 random(5);
  std::uniform_real_distribution<float> place(-10, size), channel(0, 1);
  std::vector<SceneVertex> points(5000);
  for (SceneVertex& v : points) v = {place(random), place(random), channel(random), channel(random), channel(random)};
  const auto picture = [&](unsigned threads) {
    Scene scene(size, threads);
    points_to_squares(scene, 9.5f);
    scene.draw(Topology::_3DPRIM_POINTLIST, points);
    return scene.pixels();
  };
  const auto expected = picture(0);
  CHECK(std::ranges::count(expected, 0u) < size * size / 10);
  CHECK(picture(2) == expected);
}
