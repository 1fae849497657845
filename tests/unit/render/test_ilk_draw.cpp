// SPDX-License-Identifier: GPL-2.0-or-later
// Ironlake's pipeline from packets to pixels, with kernels that do what clients' do. Expected pixels are computed here, from the vertices.
#include <algorithm>
#include <cmath>
#include <random>

#include "hw/base/failure_log.h"
#include "hw/defs/registers/registers.h"
#include "hw/surface/surface.h"
#include "tests/catch.h"
#include "tests/quiet_log.h"
#include "tests/unit/render/ilk_scene.h"

using namespace softgen;
using namespace softgen::render;
using namespace softgen::render::ilk;
using namespace softgen::render::ilk::test;
using Topologies = gen5::PrimitiveTopologyType;

namespace {

/// Clip coordinates of a place in pixels, with w.
std::array<float, 4> at(float x, float y, float z = 0, float w = 1) { return {(x / 32 - 1) * w, (y / 32 - 1) * w, z * w, w}; }

struct Expected {
  bool inside = false, near_edge = false;
  std::array<double, 4> color{};
};

/// A triangle's colour at a pixel's centre, interpolated with perspective; corners in pixels.
Expected triangle_at(const std::array<std::array<double, 3>, 3>& corner, const std::array<std::array<double, 4>, 3>& color, uint32_t x,
                     uint32_t y) {
  const double px = x + 0.5, py = y + 0.5;
  const auto cross = [](double ax, double ay, double bx, double by) { return ax * by - ay * bx; };
  const double area =
      cross(corner[1][0] - corner[0][0], corner[1][1] - corner[0][1], corner[2][0] - corner[0][0], corner[2][1] - corner[0][1]);
  std::array<double, 3> weight;
  Expected out{.inside = true};
  double sum = 0;
  for (unsigned i = 0; i < 3; ++i) {
    const auto &a = corner[(i + 1) % 3], &b = corner[(i + 2) % 3];
    const double share = cross(a[0] - px, a[1] - py, b[0] - px, b[1] - py) / area;
    const double length = std::hypot(b[0] - a[0], b[1] - a[1]);
    out.inside = out.inside && share > 0;
    out.near_edge = out.near_edge || std::abs(share * area) / length < 0.02;
    weight[i] = share / corner[i][2];
    sum += weight[i];
  }
  for (unsigned i = 0; i < 3; ++i)
    for (unsigned c = 0; c < 4; ++c) out.color[c] += color[i][c] * weight[i] / sum;
  return out;
}

bool close(uint32_t pixel, const std::array<double, 4>& color) {
  for (unsigned c = 0; c < 4; ++c)
    if (std::abs((pixel >> 8 * c & 0xff) - color[c] * 255) > 1) return false;
  return true;
}

constexpr uint32_t red = 0xff0000ff, green = 0xff00ff00, white = 0xffffffff;
const std::array<float, 4> red_color{1, 0, 0, 1}, green_color{0, 1, 0, 1};

std::vector<SceneVertex> covering(std::array<float, 4> color, float z = 0) {
  return {{at(-70, -10, z), color}, {at(70, -10, z), color}, {at(32, 200, z), color}};
}

/// A rectangle of pixels [x0, x1) x [y0, y1), as blorp and va order it: lower right, lower left, upper left.
std::vector<SceneVertex> rectangle(float x0, float y0, float x1, float y1, std::array<float, 4> color, float z = 0) {
  return {{at(x1, y1, z), color}, {at(x0, y1, z), color}, {at(x0, y0, z), color}};
}

}  // namespace

TEST_CASE("Ironlake draws a triangle with colours in perspective", "[ilk]") {
  const bool narrow = GENERATE(false, true);
  Scene scene;
  if (narrow) scene.wm._16_pixel_dispatch_enable = false, scene.wm._8_pixel_dispatch_enable = true;
  const std::array<std::array<double, 3>, 3> corners{{{5.3, 7.9, 1}, {58.2, 11.4, 3}, {21.7, 60.6, 0.5}}};
  const std::array<std::array<double, 4>, 3> colors{{{1, 0, 0.25, 1}, {0, 1, 0.5, 0.5}, {0.1, 0.2, 1, 0.75}}};
  std::vector<SceneVertex> vertices(3);
  for (unsigned i = 0; i < 3; ++i) {
    vertices[i].position = at(static_cast<float>(corners[i][0]), static_cast<float>(corners[i][1]), 0, static_cast<float>(corners[i][2]));
    for (unsigned c = 0; c < 4; ++c) vertices[i].color[c] = static_cast<float>(colors[i][c]);
  }
  REQUIRE(scene.draw(Topologies::_3DPRIM_TRILIST, vertices) == ExecResult::done);
  size_t checked = 0;
  for (uint32_t y = 0; y < Scene::size; ++y)
    for (uint32_t x = 0; x < Scene::size; ++x) {
      const Expected expected = triangle_at(corners, colors, x, y);
      if (expected.near_edge) continue;
      INFO(x << ", " << y << ": " << std::hex << scene.pixel(x, y));
      if (!expected.inside) REQUIRE(scene.pixel(x, y) == 0);
      else REQUIRE(close(scene.pixel(x, y), expected.color));
      checked += expected.inside;
    }
  CHECK(checked > 1000);
  // One pair and one single vertex.
  const auto vs = scene.runner.of(Unit::vs);
  REQUIRE(vs.size() == 2);
  CHECK(vs[0].dispatch_mask == 0xff);
  CHECK(vs[1].dispatch_mask == 0x0f);
  CHECK(scene.runner.of(Unit::sf).size() == 1);
  for (const auto& run : scene.runner.of(Unit::wm)) REQUIRE(run.channels == (narrow ? 8u : 16u));
}

// Broadwater PRM vol 2, 3DSTATE_PIPELINED_POINTERS, SF_STATE, CLIP_STATE, COLOR_CALC_STATE: offsets from General State Base Address. IGT's
// rendercopy_gen4.c has its batch there; crocus and i965-va-driver have 0.
TEST_CASE("unit states and viewports of Ironlake are offsets from General State Base Address", "[ilk]") {
  Scene s;
  s.general_base = Scene::states - 0x1000;
  gen5::STATE_BASE_ADDRESS bases;
  bases.general_state_base_address = s.general_base, bases.general_state_base_address_modify_enable = true;
  s.set(bases);
  Scene other;
  s.clip_enable = other.clip_enable = true;
  for (Scene* each : {&s, &other}) REQUIRE(each->draw(Topologies::_3DPRIM_TRILIST, covering(red_color)) == ExecResult::done);
  CHECK(s.pixel(1, 1) == red);
  CHECK(s.painted() == other.painted());
}

TEST_CASE("setup threads of Ironlake get a rectangle's upper left corner first, as va's kernel expects it", "[ilk]") {
  Scene scene;
  // No vertex shader, clipper, nor viewport: i965-va-driver's (u, v, 1, 1), (x, y, 1, 1), of which setup reads from register 0 on.
  scene.vs.enable = false, scene.sf.viewport_transform_enable = false;
  scene.sf.vertex_urb_entry_read_offset = 0;
  scene.wm.setup_urb_entry_read_length = 1;
  struct VaVertex {
    float u, v, one = 1, two = 1, x, y, three = 1, four = 1;
  };
  const std::vector<VaVertex> vertices{
      {.u = 1, .v = 1, .x = 40, .y = 30}, {.u = 0, .v = 1, .x = 8, .y = 30}, {.u = 0, .v = 0, .x = 8, .y = 10}};
  scene.view.write(Scene::vertex_data, vertices.data(), vertices.size() * sizeof(VaVertex));
  scene.set_vertices({});
  gen5::VERTEX_BUFFER_STATE buffer;
  buffer.buffer_pitch = sizeof(VaVertex), buffer.buffer_starting_address = Scene::vertex_data;
  buffer.end_address = static_cast<uint32_t>(Scene::vertex_data + vertices.size() * sizeof(VaVertex) - 1);
  std::vector<uint32_t> packet{0x78080003};
  for (const uint32_t dw : buffer.pack()) packet.push_back(dw);
  scene.execute(packet);
  // exa_sf.g4a: dx of what is in V1 - V2, dy of V2 - V0.
  scene.runner.kernels[Scene::sf_kernel] = [](const ThreadJob& job, UnitMessages& messages) {
    const auto& r = job.payload;
    std::vector<Grf> message(4);
    message[0] = r[0];
    for (unsigned c = 0; c < 4; ++c) {
      const auto f = [&](unsigned reg) { return as_float(r[reg].dw[c]); };
      message[1].dw[c] = as_word((f(4) - f(5)) / as_float(r[1].dw[3]));
      message[2].dw[c] = as_word((f(5) - f(3)) / as_float(r[1].dw[5]));
      message[3].dw[c] = r[3].dw[c];
    }
    return messages.urb({.swizzle = UrbMessage::Swizzle::transpose, .complete = true}, message, {}) ? ThreadEnd::finished
                                                                                                    : ThreadEnd::failed;
  };
  scene.runner.kernels[Scene::wm_kernel] = [](const ThreadJob& job, UnitMessages& messages) {
    const auto& r = job.payload;
    std::vector<Grf> message(10);
    message[0] = r[0], message[1] = r[1];
    for (unsigned i = 0; i < 16; ++i) {
      const uint32_t quad = r[1].dw[2 + i / 4];
      const float x = static_cast<float>((quad & 0xffff) + (i & 1)) - as_float(r[1].dw[0]);
      const float y = static_cast<float>((quad >> 16) + (i >> 1 & 1)) - as_float(r[1].dw[1]);
      for (unsigned c = 0; c < 2; ++c) {
        const auto at = [&](unsigned k) { return as_float(r[2].dw[4 * c + k]); };
        message[2 + c + 4 * (i / 8)].dw[i % 8] = as_word(at(0) * x + at(1) * y + at(3));
      }
      message[2 + 3 + 4 * (i / 8)].dw[i % 8] = as_word(1);
    }
    return messages.target_write({.form = TargetMessage::Form::simd16}, message) ? ThreadEnd::finished : ThreadEnd::failed;
  };
  REQUIRE(scene.draw(Topologies::_3DPRIM_RECTLIST, 3) == ExecResult::done);
  for (uint32_t y = 0; y < Scene::size; ++y)
    for (uint32_t x = 0; x < Scene::size; ++x) {
      INFO(x << ", " << y << ": " << std::hex << scene.pixel(x, y));
      if (x < 8 || x >= 40 || y < 10 || y >= 30) REQUIRE(scene.pixel(x, y) == 0);
      else REQUIRE(close(scene.pixel(x, y), {(x + 0.5 - 8) / 32, (y + 0.5 - 10) / 20, 0, 1}));
    }
  const auto sf = scene.runner.of(Unit::sf);
  REQUIRE(sf.size() == 1);
  CHECK(as_float(sf[0].payload[1].dw[3]) == 32);
  CHECK(as_float(sf[0].payload[1].dw[5]) == 20);
  CHECK(sf[0].payload[1].dw[0] == 15);
}

TEST_CASE("Ironlake's pixel threads know a front by the sign of a word that is never zero", "[ilk]") {
  // Mesa's emit_frontfacing_interpolation shifts the sign of -r1.6 down; dEQP-GLES2's builtin_variable.frontfacing draws both sides.
  const bool front = GENERATE(false, true);
  Scene scene;
  scene.sf.front_winding = front ? gen5::SF_STATE::FrontWinding::FRONTWINDING_CW : gen5::SF_STATE::FrontWinding::FRONTWINDING_CCW;
  scene.draw(Topologies::_3DPRIM_TRILIST, {{at(8, 8), red_color}, {at(40, 8), red_color}, {at(8, 40), red_color}});
  const auto threads = scene.runner.of(Unit::wm);
  REQUIRE(!threads.empty());
  for (const auto& run : threads) {
    const uint32_t facing = run.payload[1].dw[6];
    CHECK((static_cast<int32_t>(facing) < 0) == !front);
    CHECK((static_cast<int32_t>(0 - facing) < 0) == front);
  }
}

TEST_CASE("Ironlake's strips, fans and indices cover what their triangles cover", "[ilk]") {
  Scene scene;
  SECTION("a strip covers its pixels once") {
    // Two triangles with opposite turns, drawn with culling: both face the same way.
    scene.sf.cull_mode = gen5::SF_STATE::CullMode::BACK;
    scene.sf.front_winding = gen5::SF_STATE::FrontWinding::FRONTWINDING_CW;
    scene.draw(Topologies::_3DPRIM_TRISTRIP,
               {{at(8, 8), red_color}, {at(40, 8), red_color}, {at(8, 40), red_color}, {at(40, 40), red_color}});
    CHECK(scene.painted() == 32 * 32);
    for (const auto& run : scene.runner.of(Unit::sf)) CHECK(as_float(run.payload[1].dw[2]) > 0);  // the determinant
  }
  SECTION("culled the other way there is nothing") {
    scene.sf.cull_mode = gen5::SF_STATE::CullMode::FRONT;
    scene.sf.front_winding = gen5::SF_STATE::FrontWinding::FRONTWINDING_CW;
    scene.draw(Topologies::_3DPRIM_TRISTRIP,
               {{at(8, 8), red_color}, {at(40, 8), red_color}, {at(8, 40), red_color}, {at(40, 40), red_color}});
    CHECK(scene.painted() == 0);
    CHECK(scene.runner.of(Unit::sf).empty());
  }
  SECTION("16-bit indices with a cut") {
    gen5::_3DSTATE_INDEX_BUFFER indices;
    indices.cut_index_enable = true, indices.index_format = decltype(indices.index_format)::WORD;
    const uint16_t values[] = {0, 1, 2, 0xffff, 1, 2, 3};
    indices.buffer_starting_address = Scene::index_data, indices.buffer_ending_address = Scene::index_data + sizeof values - 1;
    scene.view.write(Scene::index_data, values, sizeof values);
    scene.set(indices);
    scene.set_vertices({{at(8, 8), red_color}, {at(40, 8), red_color}, {at(8, 40), red_color}, {at(40, 40), red_color}});
    scene.draw(Topologies::_3DPRIM_TRISTRIP, 7, true);
    CHECK(scene.painted() == 32 * 32);
    CHECK(scene.runner.of(Unit::vs).size() == 2);  // each vertex once
  }
}

TEST_CASE("Ironlake's GS gets quads whole, and what it writes is drawn", "[ilk]") {
  Scene scene;
  scene.gs_enable = true;
  SECTION("a list") {
    scene.draw(Topologies::_3DPRIM_QUADLIST,
               {{at(8, 8), red_color}, {at(40, 8), red_color}, {at(40, 40), red_color}, {at(8, 40), red_color}});
  }
  SECTION("a strip") {
    scene.draw(Topologies::_3DPRIM_QUADSTRIP,
               {{at(8, 8), red_color}, {at(40, 8), red_color}, {at(8, 40), red_color}, {at(40, 40), red_color}});
  }
  CHECK(scene.painted() == 32 * 32);
  CHECK(scene.pixel(8, 8) == red);
  CHECK(scene.pixel(39, 39) == red);
  const auto gs = scene.runner.of(Unit::gs);
  REQUIRE(gs.size() == 1);
  CHECK(gs[0].payload.size() == 1 + 4 * 2);
  CHECK((gs[0].payload[0].dw[2] & 0x1f) >= 7);
}

TEST_CASE("Ironlake's clipper accepts, rejects, or starts a thread", "[ilk]") {
  Scene scene;
  scene.clip_enable = true;
  SECTION("inside: no thread") {
    scene.draw(Topologies::_3DPRIM_TRILIST, {{at(8, 8), red_color}, {at(40, 8), red_color}, {at(8, 40), red_color}});
    CHECK(scene.runner.of(Unit::clip).empty());
    CHECK(scene.painted() > 400);
  }
  SECTION("outside of one plane: nothing") {
    scene.draw(Topologies::_3DPRIM_TRILIST, {{at(-8, 8), red_color}, {at(-40, 8), red_color}, {at(-8, 40), red_color}});
    CHECK(scene.runner.of(Unit::clip).empty());
    CHECK(scene.painted() == 0);
  }
  SECTION("across an edge: the thread's polygon covers what is inside") {
    scene.draw(Topologies::_3DPRIM_TRILIST, covering(red_color));
    const auto clip = scene.runner.of(Unit::clip);
    REQUIRE(clip.size() == 1);
    CHECK(clip[0].payload[0].dw[2] >> 26 == 0b111100);  // x and y, on both sides
    CHECK((clip[0].payload[0].dw[2] & 0x1f) == 4);
    CHECK(scene.painted() > 3000);
    const size_t with = scene.painted();
    Scene other;
    other.draw(Topologies::_3DPRIM_TRILIST, covering(red_color));
    CHECK(other.painted() == with);
  }
  SECTION("within the guard band: no thread") {
    scene.clip.guardband_cliptest_enable = true;
    scene.draw(Topologies::_3DPRIM_TRILIST, covering(red_color));
    CHECK(scene.runner.of(Unit::clip).empty());
    CHECK(scene.painted() > 3000);
  }
  SECTION("bounds of screen space count for their draw alone") {
    scene.clip.vertex_position_space = gen5::CLIP_STATE::VertexPositionSpace::SCREENSPACE;
    scene.clip.screen_space_viewport_x_min = scene.clip.screen_space_viewport_y_min = 2;
    scene.clip.screen_space_viewport_x_max = scene.clip.screen_space_viewport_y_max = 3;
    const std::vector<SceneVertex> vertices{{at(8, 8), red_color}, {at(40, 8), red_color}, {at(8, 40), red_color}};
    scene.draw(Topologies::_3DPRIM_TRILIST, vertices);
    CHECK(scene.painted() == 0);
    scene.clip.vertex_position_space = gen5::CLIP_STATE::VertexPositionSpace::NDCSPACE;
    scene.draw(Topologies::_3DPRIM_TRILIST, vertices);
    CHECK(scene.painted() > 400);
    CHECK(scene.runner.of(Unit::clip).empty());
  }
  SECTION("behind the eye") {
    // The third vertex has a negative W: the part in front of it is drawn.
    std::vector<SceneVertex> vertices{{{-0.5f, -0.5f, 0, 1}, red_color}, {{0.5f, -0.5f, 0, 1}, red_color}, {{0, 1.5f, 0, -1}, red_color}};
    scene.draw(Topologies::_3DPRIM_TRILIST, vertices);
    REQUIRE(scene.runner.of(Unit::clip).size() == 1);
    CHECK(scene.painted() > 100);
  }
  SECTION("a polygon's first and last triangle have an edge that those between have not") {
    scene.clip.clip_mode = gen5::CLIP_STATE::ClipMode::ALL;
    scene.draw(Topologies::_3DPRIM_POLYGON,
               {{at(8, 8), red_color}, {at(40, 8), red_color}, {at(50, 20), red_color}, {at(40, 40), red_color}, {at(8, 40), red_color}});
    const auto clip = scene.runner.of(Unit::clip);
    REQUIRE(clip.size() == 3);
    const uint32_t edges[3] = {1, 0, 2};
    for (unsigned i = 0; i < 3; ++i) CHECK((clip[i].payload[0].dw[2] >> 8 & 3) == edges[i]);
  }
  SECTION("modes") {
    using Mode = gen5::CLIP_STATE::ClipMode;
    const Mode mode = GENERATE(Mode::REJECT_ALL, Mode::ACCEPT_ALL, Mode::ALL, Mode::CLIP_NON_REJECTED, Mode::KERNEL_CLIP);
    scene.clip.clip_mode = mode;
    scene.draw(Topologies::_3DPRIM_TRILIST, {{at(8, 8), red_color}, {at(40, 8), red_color}, {at(8, 40), red_color}});
    CHECK((scene.painted() == 0) == (mode == Mode::REJECT_ALL));
    CHECK(scene.runner.of(Unit::clip).size() == (mode == Mode::ALL || mode == Mode::CLIP_NON_REJECTED ? 1 : 0));
  }
}

TEST_CASE("Ironlake's packed depth and stencil", "[ilk]") {
  using Compare = gen5::CompareFunction;
  using Format = gen5::_3DSTATE_DEPTH_BUFFER::SurfaceFormat;
  Scene scene;
  const Format format = GENERATE(Format::D24_UNORM_S8_UINT, Format::D32_FLOAT_S8X24_UINT);
  scene.use_depth(format);
  gen5::_3DSTATE_DEPTH_BUFFER packet;
  packet.surface_type = decltype(packet.surface_type)::SURFTYPE_2D, packet.surface_format = format;
  packet.tiled_surface = true, packet.tile_walk = decltype(packet.tile_walk)::TILEWALK_YMAJOR, packet.surface_pitch = 511;
  packet.surface_base_address = Scene::depth_data, packet.width = packet.height = 63;
  const auto buffer = surface::decode_depth_buffer<defs::Gen5>(packet.pack(), 1);
  const surface::Level level(buffer, 0);
  const bool wide = format == Format::D32_FLOAT_S8X24_UINT;
  const auto stored_depth = [&](uint32_t x, uint32_t y) {
    const auto word = scene.view.load<uint32_t>(level.address(x, y, 0));
    return wide ? as_float(word) : static_cast<float>((word & 0xffffff) / 16777215.0);
  };
  const auto stored_stencil = [&](uint32_t x, uint32_t y) { return scene.view.load<uint8_t>(level.address(x, y, 0) + (wide ? 4 : 3)); };
  scene.cc.depth_test_enable = scene.cc.depth_buffer_write_enable = true;
  scene.cc.depth_test_function = Compare::COMPAREFUNCTION_ALWAYS;
  scene.cc.stencil_test_enable = scene.cc.stencil_buffer_write_enable = true;
  scene.cc.stencil_test_function = Compare::COMPAREFUNCTION_ALWAYS;
  scene.cc.stencil_pass_depth_pass_op = gen5::StencilOperation::STENCILOP_REPLACE;
  scene.cc.stencil_reference_value = 0x5a, scene.cc.stencil_test_mask = scene.cc.stencil_write_mask = 0xff;
  scene.draw(Topologies::_3DPRIM_RECTLIST, rectangle(0, 0, 64, 64, red_color, 0));
  for (const auto& [x, y] : {std::pair{0u, 0u}, {17u, 40u}, {63u, 63u}}) {
    CHECK(std::abs(stored_depth(x, y) - 0.5f) < 1e-6f);
    CHECK(stored_stencil(x, y) == 0x5a);
  }
  // Nearer on the left: red stays on the right.
  scene.cc.depth_test_function = Compare::COMPAREFUNCTION_LESS;
  scene.cc.stencil_pass_depth_pass_op = gen5::StencilOperation::STENCILOP_INCR;
  scene.cc.stencil_pass_depth_fail_op = gen5::StencilOperation::STENCILOP_DECR;
  scene.draw(Topologies::_3DPRIM_RECTLIST, rectangle(0, 0, 32, 64, green_color, -0.5f));
  scene.draw(Topologies::_3DPRIM_RECTLIST, rectangle(32, 0, 64, 64, green_color, 0.5f));
  CHECK(scene.pixel(10, 10) == green);
  CHECK(scene.pixel(50, 10) == red);
  CHECK(stored_stencil(10, 10) == 0x5b);
  CHECK(stored_stencil(50, 10) == 0x59);
  CHECK(std::abs(stored_depth(10, 10) - 0.25f) < 1e-6f);
  CHECK(std::abs(stored_depth(50, 10) - 0.5f) < 1e-6f);
  // By stencil alone.
  scene.cc.depth_test_enable = false;
  scene.cc.stencil_test_function = Compare::COMPAREFUNCTION_EQUAL, scene.cc.stencil_reference_value = 0x59;
  scene.draw(Topologies::_3DPRIM_RECTLIST, rectangle(0, 0, 64, 64, {1, 1, 1, 1}));
  CHECK(scene.pixel(10, 10) == green);
  CHECK(scene.pixel(50, 10) == white);
}

namespace {

/// Writes 1 to the even columns of 16 pixels, with the source depth of the payload, and discards the others.
ThreadEnd keep_even_columns(const ThreadJob& job, UnitMessages& messages) {
  std::vector<Grf> message(2 + 8 + 2);
  message[0] = job.payload[0], message[1] = job.payload[1];
  message[0].dw[0] &= 0x5555;
  for (unsigned i = 0; i < 8; ++i) std::ranges::fill(message[2 + i].dw, as_word(1));
  message[10] = job.payload[2], message[11] = job.payload[3];
  return messages.target_write({.form = TargetMessage::Form::simd16}, message) ? ThreadEnd::finished : ThreadEnd::failed;
}

}  // namespace

TEST_CASE("tests after Ironlake's threads use what the thread sends", "[ilk]") {
  Scene scene;
  scene.use_depth(gen5::_3DSTATE_DEPTH_BUFFER::SurfaceFormat::D24_UNORM_X8_UINT);
  scene.cc.depth_test_enable = scene.cc.depth_buffer_write_enable = true;
  scene.cc.depth_test_function = gen5::CompareFunction::COMPAREFUNCTION_ALWAYS;
  SECTION("a thread that kills: depth and colour only of what is left") {
    scene.wm.pixel_shader_kills_pixel = true;
    scene.wm.dispatch_grf_start_register_for_constant_setup_data_0 = 4;  // source depth is in the payload
    scene.runner.kernels[Scene::wm_kernel] = keep_even_columns;
    scene.draw(Topologies::_3DPRIM_RECTLIST, rectangle(0, 0, 64, 64, red_color, 0));
    CHECK(scene.pixel(10, 10) == white);
    CHECK(scene.pixel(11, 10) == 0);
    CHECK(scene.painted() == 64 * 32);
    const auto wm = scene.runner.of(Unit::wm);
    CHECK(as_float(wm[0].payload[2].dw[3]) == 0.5f);
  }
  SECTION("a thread that computes depth") {
    scene.wm.pixel_shader_computed_depth = true;
    scene.cc.depth_test_function = gen5::CompareFunction::COMPAREFUNCTION_GREATER;
    scene.wm.dispatch_grf_start_register_for_constant_setup_data_0 = 4;  // the stored depth is in the payload
    float sent = 0.75f;
    scene.runner.kernels[Scene::wm_kernel] = [&](const ThreadJob& job, UnitMessages& messages) {
      std::vector<Grf> message(2 + 8 + 2 + 2);
      message[0] = job.payload[0], message[1] = job.payload[1];
      for (unsigned i = 0; i < 8; ++i) std::ranges::fill(message[2 + i].dw, as_word(sent));
      std::ranges::fill(message[10].dw, as_word(sent)), std::ranges::fill(message[11].dw, as_word(sent));
      return messages.target_write({.form = TargetMessage::Form::simd16}, message) ? ThreadEnd::finished : ThreadEnd::failed;
    };
    scene.draw(Topologies::_3DPRIM_RECTLIST, rectangle(0, 0, 64, 64, red_color, 0));
    CHECK(scene.pixel(10, 10) == 0xbfbfbfbf);
    sent = 0.5f;
    scene.draw(Topologies::_3DPRIM_RECTLIST, rectangle(0, 0, 64, 64, red_color, 0));
    CHECK(scene.pixel(10, 10) == 0xbfbfbfbf);
    CHECK(scene.runner.of(Unit::wm).size() == 2 * 256);
    CHECK(std::abs(as_float(scene.runner.runs.back().payload[2].dw[0]) - 0.75f) < 1e-6f);
  }
  CHECK(scene.registers.peek64(reg::PS_DEPTH_COUNT(0)) == 0);
}

TEST_CASE("Ironlake counts pixels that pass, and blends as CC and surface state say", "[ilk]") {
  Scene scene;
  scene.wm.statistics_enable = true;
  scene.draw(Topologies::_3DPRIM_RECTLIST, rectangle(0, 0, 16, 16, red_color));
  CHECK(scene.registers.peek64(reg::PS_DEPTH_COUNT(0)) == 256);
  // COLOR_CALC_STATE's bit alone counts nothing: crocus leaves it on in its clears.
  scene.wm.statistics_enable = false, scene.cc.statistics_enable = true;
  scene.draw(Topologies::_3DPRIM_RECTLIST, rectangle(0, 0, 16, 16, red_color));
  CHECK(scene.registers.peek64(reg::PS_DEPTH_COUNT(0)) == 256);
  scene.cc.color_buffer_blend_enable = true;
  scene.cc.color_blend_function = gen5::BlendFunction::BLENDFUNCTION_ADD;
  scene.cc.source_blend_factor = gen5::BlendFactor::BLENDFACTOR_ONE, scene.cc.destination_blend_factor = gen5::BlendFactor::BLENDFACTOR_ONE;
  scene.surface.color_blend_enable = true;
  scene.draw(Topologies::_3DPRIM_RECTLIST, rectangle(0, 0, 8, 16, green_color));
  CHECK(scene.pixel(4, 4) == 0xff00ffff);
  scene.surface.color_blend_enable = false;
  scene.surface.color_buffer_component_write_disables =
      static_cast<gen5::RENDER_SURFACE_STATE::ColorBufferComponentWriteDisables>(4);  // red
  scene.draw(Topologies::_3DPRIM_RECTLIST, rectangle(8, 0, 16, 16, green_color));
  CHECK(scene.pixel(12, 4) == 0xff00ffff);
}

// Mesa's kernels make gl_FrontFacing of r1.6 by `asr -r1.6 31`, which gives no mask for a front face whose dword is zero (brw_fs.cpp,
// emit_frontfacing_interpolation; brw_fs_nir.cpp, optimize_frontfacing_ternary: "bits 0:4 will surely be TRIANGLES").
TEST_CASE("Ironlake's pixel threads tell the face also by the negated dword", "[ilk]") {
  const bool back = GENERATE(false, true);
  Scene scene;
  scene.sf.front_winding = back ? gen5::SF_STATE::FrontWinding::FRONTWINDING_CW : gen5::SF_STATE::FrontWinding::FRONTWINDING_CCW;
  scene.draw(Topologies::_3DPRIM_TRILIST, covering(red_color));
  const auto threads = scene.runner.of(Unit::wm);
  REQUIRE(!threads.empty());
  const uint32_t dword = threads[0].payload[1].dw[6];
  CHECK((0u - dword) >> 31 == (dword >> 31 ? 0 : 1));
  CHECK((dword & 0x1f) == static_cast<uint32_t>(Topologies::_3DPRIM_TRILIST));
}

// crocus sets neither clamp of COLOR_CALC_STATE (crocus_state.c), and its kernels leave colours of fixed-point targets unclamped; piglit's
// arb_color_buffer_float-render GL_RGBA8 passes on the chip.
TEST_CASE("Ironlake clamps source and constant to a fixed-point target's range before it blends", "[ilk]") {
  Scene scene;
  scene.draw(Topologies::_3DPRIM_RECTLIST, rectangle(0, 0, 16, 16, {0.5f, 0.5f, 0.5f, 0.5f}));
  gen5::_3DSTATE_CONSTANT_COLOR constant;
  constant.blend_constant_color_red = constant.blend_constant_color_green = constant.blend_constant_color_blue =
      constant.blend_constant_color_alpha = 2;
  scene.set(constant);
  scene.cc.color_buffer_blend_enable = scene.surface.color_blend_enable = true;
  scene.cc.color_blend_function = gen5::BlendFunction::BLENDFUNCTION_ADD;
  scene.cc.source_blend_factor = gen5::BlendFactor::BLENDFACTOR_CONST_COLOR;
  scene.cc.destination_blend_factor = gen5::BlendFactor::BLENDFACTOR_ZERO;
  const std::array<float, 4> beyond{1.5f, -0.5f, -0.25f, 0.75f};
  scene.draw(Topologies::_3DPRIM_RECTLIST, rectangle(0, 0, 8, 16, beyond));
  CHECK(scene.pixel(4, 4) == 0xbf0000ff);
  scene.cc.source_blend_factor = scene.cc.destination_blend_factor = gen5::BlendFactor::BLENDFACTOR_ONE;
  scene.draw(Topologies::_3DPRIM_RECTLIST, rectangle(8, 0, 16, 16, beyond));
  CHECK(scene.pixel(12, 4) == 0xff8080ff);
}

TEST_CASE("Ironlake counts no pixels that a thread has discarded", "[ilk]") {
  Scene scene;
  scene.wm.statistics_enable = scene.wm.pixel_shader_kills_pixel = true;
  scene.wm.dispatch_grf_start_register_for_constant_setup_data_0 = 4;  // source depth is in the payload
  scene.runner.kernels[Scene::wm_kernel] = keep_even_columns;
  scene.draw(Topologies::_3DPRIM_RECTLIST, rectangle(0, 0, 16, 16, red_color));
  CHECK(scene.painted() == 128);
  CHECK(scene.registers.peek64(reg::PS_DEPTH_COUNT(0)) == 128);
}

TEST_CASE("constants of Ironlake's CURBE are what CONSTANT_BUFFER read", "[ilk]") {
  Scene scene;
  for (uint32_t i = 0; i < 64; ++i) scene.view.store<uint32_t>(Scene::constants + 4 * i, 100 + i);
  gen5::CONSTANT_BUFFER buffer;
  buffer.valid = true, buffer.buffer_starting_address = Scene::constants, buffer.buffer_length = 3;
  scene.set(buffer);
  scene.view.store<uint32_t>(Scene::constants, 0);  // too late
  scene.vs.constant_urb_entry_read_offset = 0, scene.vs.constant_urb_entry_read_length = 1;
  scene.wm.constant_urb_entry_read_offset = 7, scene.wm.constant_urb_entry_read_length = 2;
  scene.draw(Topologies::_3DPRIM_RECTLIST, rectangle(0, 0, 16, 16, red_color));
  const auto vs = scene.runner.of(Unit::vs);
  CHECK(vs[0].payload[1].dw[0] == 100);
  const auto wm = scene.runner.of(Unit::wm);
  CHECK(wm[0].payload[2].dw[7] == 163);
  CHECK(wm[0].payload[3].dw[0] == 0);  // behind what was read
  CHECK(scene.pixel(4, 4) == red);
  // A context that is restored reads them again.
  std::vector<std::byte> image(scene.engine.context_size());
  scene.engine.save_context(image);
  scene.engine.reset_context();
  scene.engine.restore_context(image);
  scene.runner.runs.clear();
  scene.draw(Topologies::_3DPRIM_RECTLIST, rectangle(0, 0, 16, 16, green_color));
  CHECK(scene.runner.of(Unit::wm)[0].payload[2].dw[7] == 163);
  CHECK(scene.pixel(4, 4) == green);
}

TEST_CASE("points and lines of Ironlake", "[ilk]") {
  Scene scene;
  SECTION("points of the state's width") {
    scene.sf.point_width_source = gen5::SF_STATE::PointWidthSource::STATE, scene.sf.point_width = 4;
    scene.sf.sprite_point_enable = true;
    scene.draw(Topologies::_3DPRIM_POINTLIST, {{at(10, 10), red_color}});
    CHECK(scene.painted() == 16);
    CHECK(scene.pixel(8, 8) == red);
    const auto sf = scene.runner.of(Unit::sf);
    CHECK(sf[0].payload[1].dw[0] == (1u | 1u << 16));
    CHECK(as_float(sf[0].payload[1].dw[3]) == 4);
    // Sprite coordinates are 0 at the upper left corner, half a pixel before where pixel 8 is sampled.
    const auto wm = scene.runner.of(Unit::wm);
    CHECK(as_float(wm[0].payload[1].dw[0]) == 7.5f);
    CHECK(as_float(wm[0].payload[1].dw[1]) == 7.5f);
  }
  SECTION("a horizontal line") {
    scene.sf.line_width = 1;
    scene.draw(Topologies::_3DPRIM_LINELIST, {{at(10.5f, 20.5f), red_color}, {at(30.5f, 20.5f), red_color}});
    CHECK(scene.painted() == 20);
    CHECK(scene.pixel(15, 20) == red);
  }
}

TEST_CASE("a tiled target of Ironlake has swizzled addresses", "[ilk]") {
  Scene scene;
  scene.surface.tiled_surface = 1, scene.surface.surface_pitch = 511;
  scene.draw(Topologies::_3DPRIM_RECTLIST, rectangle(0, 1, 1, 2, red_color));
  CHECK(scene.view.load<uint32_t>(Scene::target + 512 + 64) == red);
  CHECK(scene.view.load<uint32_t>(Scene::target + 512) == 0);
}

TEST_CASE("a stop flag ends a draw of Ironlake", "[ilk]") {
  Scene scene;
  scene.set_vertices(covering(red_color));
  scene.stop.request(StopFlag::reset);
  CHECK(scene.draw(Topologies::_3DPRIM_TRILIST, 0xffffffff, false, 0xffffffff) == ExecResult::aborted);
}

/// As a device does that is paused wherever it can be: each time the state goes through a context's image.
ExecResult preempted_draw(Scene& scene, uint32_t count, unsigned& times) {
  scene.set_units();
  gen5::_3DPRIMITIVE p;
  p.primitive_topology_type = Topologies::_3DPRIM_TRILIST, p.vertex_count_per_instance = count, p.instance_count = 1;
  p.vertex_access_type = decltype(p.vertex_access_type)::RANDOM;
  std::vector<std::byte> image(scene.engine.context_size());
  for (times = 0;; ++times) {
    scene.stop.request(StopFlag::pause);
    const ExecResult result = scene.execute(p.pack());
    scene.stop.clear(StopFlag::pause);
    if (result != ExecResult::preempted) return result;
    scene.engine.save_context(image);
    scene.engine.reset_context();
    scene.engine.restore_context(image);
  }
}

TEST_CASE("a draw of Ironlake that is preempted behind each tile goes on there", "[ilk]") {
  const unsigned workers = GENERATE(0u, 2u);
  Scene whole, parts(workers);
  // More vertices than a batch has, more objects than a list, and a sum that shows what is drawn twice.
  constexpr unsigned distinct = 400, triangles = 4 * distinct;
  std::vector<SceneVertex> vertices;
  for (unsigned i = 0; i < distinct; ++i) {
    const float x = static_cast<float>(i % 24) * 2, y = static_cast<float>(i / 24) * 3;
    for (const auto& [dx, dy] : {std::pair{1.f, 2.f}, {17.f, 4.f}, {6.f, 15.f}})
      vertices.push_back({at(x + dx / 4, y + dy / 4), {0.004f, 0.008f, 0.012f, 1}});
  }
  for (Scene* scene : {&whole, &parts}) {
    scene->wm.statistics_enable = scene->vs.statistics_enable = true;
    scene->cc.color_buffer_blend_enable = scene->surface.color_blend_enable = true;
    scene->cc.color_blend_function = gen5::BlendFunction::BLENDFUNCTION_ADD;
    scene->cc.source_blend_factor = scene->cc.destination_blend_factor = gen5::BlendFactor::BLENDFACTOR_ONE;
    scene->set_vertices(vertices);
    gen5::_3DSTATE_INDEX_BUFFER indices;
    indices.index_format = decltype(indices.index_format)::WORD;
    std::vector<uint16_t> values(3 * triangles);
    // Batches with as many objects as they may have, of few vertices, then those with as many vertices.
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<uint16_t>(i < values.size() / 2 ? i % 60 : i % vertices.size());
    indices.buffer_starting_address = Scene::index_data;
    indices.buffer_ending_address = static_cast<uint32_t>(Scene::index_data + 2 * values.size() - 1);
    scene->view.write(Scene::index_data, values.data(), 2 * values.size());
    scene->set(indices);
  }
  const auto count = static_cast<uint32_t>(3 * triangles);
  REQUIRE(whole.draw(Topologies::_3DPRIM_TRILIST, count, true) == ExecResult::done);
  unsigned times = 0;
  REQUIRE(preempted_draw(parts, count, times) == ExecResult::done);
  CHECK(times >= 6);
  bool same = true;
  for (uint32_t y = 0; y < Scene::size; ++y)
    for (uint32_t x = 0; x < Scene::size; ++x) same &= whole.pixel(x, y) == parts.pixel(x, y);
  CHECK(same);
  CHECK(whole.painted() > 1000);
  for (const uint32_t counter : {reg::PS_DEPTH_COUNT(0), reg::VS_INVOCATION_COUNT(0), reg::PS_INVOCATION_COUNT(0)})
    CHECK(parts.registers.peek64(counter) == whole.registers.peek64(counter));
  CHECK(parts.registers.peek64(reg::VS_INVOCATION_COUNT(0)) >= distinct);
}

TEST_CASE("random state of Ironlake leaves the engine within its bounds", "[ilk]") {
  quiet_log();
  constexpr unsigned seeds = 400;
  std::array<unsigned, 5> started{};  // threads of each unit, of all seeds
  unsigned writes = 0;                // target writes that were answered
  for (unsigned seed = 1; seed <= seeds; ++seed) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    Scene scene;
    scene.set_vertices(covering(red_color));
    scene.gs_enable = seed % 2, scene.clip_enable = seed % 5;
    scene.set_units();
    // Bits of what units and packets point to, from a few to all.
    const unsigned density = 1 + seed % 16;
    for (uint64_t at = Scene::states; at < Scene::states + 64 * 9; at += 4)
      if (random() % 16 < density) scene.view.store<uint32_t>(at, static_cast<uint32_t>(random()));
    for (unsigned i = 0; i < 8; ++i)
      if (random() % 4 == 0) scene.view.store<uint32_t>(Scene::surfaces + 32 + 4 * (random() % 6), static_cast<uint32_t>(random()));
    if (seed % 3 == 0) scene.execute(std::array{0x60003f01u, static_cast<uint32_t>(random()), static_cast<uint32_t>(random())});
    if (seed % 4 == 0) {
      std::array<uint32_t, 6> depth{0x79050004u};
      for (unsigned i = 1; i < 6; ++i) depth[i] = static_cast<uint32_t>(random());
      depth[1] &= 0x7fffffff;
      scene.execute(depth);
    }
    // Kernels that write what the payload has, wherever it says.
    struct AnyKernel : FakeRunner {
      std::mt19937 random;
      std::array<unsigned, 5>* started = nullptr;
      unsigned writes = 0;
      ThreadEnd run(const ThreadJob& job, UnitMessages& messages, EngineEnv&) override {
        ++(*started)[static_cast<size_t>(job.unit)];
        std::vector<Grf> message(1 + random() % 14), reply(1);
        for (Grf& reg : message)
          for (uint32_t& dw : reg.dw) dw = static_cast<uint32_t>(random());
        if (random() % 2) message[0] = job.payload[0];
        for (unsigned n = random() % 4; n > 0; --n) {
          const UrbMessage how{.sync = random() % 8 == 0,
                               .swizzle = static_cast<UrbMessage::Swizzle>(random() % 3),
                               .offset = static_cast<unsigned>(random() % 64),
                               .allocate = random() % 2 == 0,
                               .complete = random() % 2 == 0};
          messages.urb(how, message, reply);
          writes += messages.target_write({static_cast<TargetMessage::Form>(random() % 5), static_cast<unsigned>(random() % 256)}, message);
        }
        return random() % 16 ? ThreadEnd::finished : ThreadEnd::failed;
      }
    } runner;
    runner.random.seed(seed);
    runner.started = &started;
    RenderEngine engine(gen5::commands, runner);
    std::vector<std::byte> image(engine.context_size());
    scene.engine.save_context(image);
    engine.restore_context(image);
    gen5::_3DPRIMITIVE p;
    p.primitive_topology_type = static_cast<Topologies>(1 + random() % 22), p.vertex_count_per_instance = 1 + random() % 12;
    p.instance_count = 1 + random() % 3;
    const auto dwords = p.pack();
    const auto result = engine.execute({0x1000, gen5::commands.find(defs::EngineClass::render, dwords[0]), dwords}, scene.env);
    CHECK(result == ExecResult::done);
    writes += runner.writes;
  }
  for (const unsigned threads : started) CHECK(threads > 10);
  CHECK(writes > 100);
}
