// SPDX-License-Identifier: GPL-2.0-or-later
// Coarse pixel shading on Ice Lake, from packets to pixels. A picture has a letter for each pixel: the column (or row) of the coarse pixel that gave it
// its colour, as that one's payload says.
#include <algorithm>
#include <bit>
#include <cmath>
#include <random>

#include "hw/defs/gen11/all.h"
#include "hw/render/coarse_pixels.h"
#include "tests/catch.h"
#include "tests/quiet_log.h"
#include "tests/unit/render/scene.h"

using namespace softgen;
using render::coarse_size;
using render::CoarseCoverage;
using render::CoarseMode;
using render::CoarseQuad;
using render::CoarseSize;
using render::CoarseSizes;
using namespace softgen::render::test;
namespace gen11 = defs::gen11;
using Topology = gen9::PrimitiveTopologyType;
using Picture = std::vector<std::string>;
using eu::Opcode;
using eu::RegType;
using eu::test::grf;
using eu::test::scalar;
using Mode = gen11::_3DSTATE_CPS::CoarsePixelShadingMode;

namespace {

constexpr unsigned columns = 40, rows = 42, scratch = 44;  // registers

eu::Instruction everywhere(eu::Instruction i) {
  i.no_mask = true;
  return i;
}
eu::Instruction scaled_copy(unsigned width, unsigned to, const eu::Operand& from, float factor) {
  return everywhere(eu::test::op_imm(Opcode::mul, width, grf(to, RegType::f), from, RegType::f, std::bit_cast<uint32_t>(factor)));
}

/// Where the upper left pixels of coarse pixels of this size are, from the subspans in r1.
Code find_places(unsigned width, unsigned extent_x, unsigned extent_y) {
  Code code;
  for (unsigned i = 0; i < width; ++i)
    for (unsigned axis = 0; axis < 2; ++axis) {
      const eu::Operand to = scalar((axis ? rows : columns) + i / 8, RegType::f, i % 8);
      code.push_back(everywhere(eu::test::op(Opcode::mov, 1, to, scalar(1, RegType::uw, 4 + i / 4 * 2 + axis))));
      const auto step = static_cast<float>(axis ? (i >> 1 & 1) * extent_y : (i & 1) * extent_x);
      code.push_back(everywhere(eu::test::op_imm(Opcode::add, 1, to, to, RegType::f, std::bit_cast<uint32_t>(step))));
    }
  return code;
}

/// Red and green are the place, blue is the size that the payload says: its width and 16 times its height.
Code paint_places(unsigned width, unsigned extent_x, unsigned extent_y) {
  const unsigned registers = width / 8;
  Code code = find_places(width, extent_x, extent_y);
  for (unsigned axis = 0; axis < 2; ++axis)
    code.push_back(everywhere(eu::test::op(Opcode::mov, 1, scalar(scratch, RegType::f, axis), scalar(1, RegType::ub, axis))));
  code.push_back(everywhere(eu::test::op_imm(Opcode::mul, 1, scalar(scratch, RegType::f, 1), scalar(scratch, RegType::f, 1), RegType::f,
                                             std::bit_cast<uint32_t>(16.0f))));
  code.push_back(
      everywhere(eu::test::op(Opcode::add, 1, scalar(scratch, RegType::f), scalar(scratch, RegType::f), scalar(scratch, RegType::f, 1))));
  code.push_back(scaled_copy(width, message, grf(columns, RegType::f), 1 / 255.f));
  code.push_back(scaled_copy(width, message + registers, grf(rows, RegType::f), 1 / 255.f));
  code.push_back(scaled_copy(width, message + 2 * registers, scalar(scratch, RegType::f), 1 / 255.f));
  code.push_back(eu::test::mov_imm(width, grf(message + 3 * registers, RegType::f), RegType::f, std::bit_cast<uint32_t>(1.0f)));
  return code;
}

struct CoarseScene : Scene {
  gen11::_3DSTATE_PS_EXTRA extra;
  gen11::_3DSTATE_CPS cps;

  explicit CoarseScene(unsigned extent_x, unsigned extent_y, unsigned width = 8, uint32_t size = 8, unsigned threads = 0)
      : Scene(size, threads, gen11_scenes) {
    extra.pixel_shader_valid = extra.attribute_enable = extra.pixel_shader_is_per_coarse_pixel = true;
    set(extra);
    cps.coarse_pixel_shading_mode = Mode::CPS_MODE_CONSTANT;
    cps.min_cp_size_x = static_cast<float>(extent_x), cps.min_cp_size_y = static_cast<float>(extent_y);
    cps.statistics_enable = true;
    set(cps);
    pixel_shader(width, paint_places(width, extent_x, extent_y) + Code{write_target(width, true)});
  }

  Picture letters(unsigned channel, unsigned sample = 0) {
    Picture result;
    const auto all = pixels(sample);
    const auto side = static_cast<size_t>(std::lround(std::sqrt(all.size())));
    for (size_t i = 0; i < all.size(); ++i) {
      if (i % side == 0) result.emplace_back();
      result.back() += all[i] == 0 ? '.' : static_cast<char>('a' + (all[i] >> 8 * channel & 0xff));
    }
    return result;
  }
  Picture columns_of(unsigned sample = 0) { return letters(0, sample); }
  Picture rows_of(unsigned sample = 0) { return letters(1, sample); }
  /// Only the first columns are drawn.
  void set_columns(uint32_t number) {
    gen9::_3DSTATE_DRAWING_RECTANGLE rectangle;
    rectangle.clipped_drawing_rectangle_x_max = number - 1, rectangle.clipped_drawing_rectangle_y_max = 7;
    set(rectangle);
  }
  uint64_t invocations() { return count(reg::PS_INVOCATION_COUNT(0)); }
  uint64_t coarse_invocations() { return count(reg::CPS_INVOCATION_COUNT(0)); }
};

/// Of RECTLIST.
std::vector<SceneVertex> rectangle(float x0, float y0, float x1, float y1) { return {red(x1, y1), red(x0, y1), red(x0, y0)}; }

Code with_coarse_write(Code code, unsigned width) {
  code.back() = write_target(width, true);
  return code;
}

}  // namespace

TEST_CASE("coarse pixels are shaded once each, and all of their pixels have the colour") {
  struct Row {
    unsigned x, y;
    std::string columns;
    std::string rows;
  };
  for (const unsigned width : {8u, 16u})
    for (const Row& row : {Row{2, 2, "aacceegg", "aacceegg"}, Row{4, 4, "aaaaeeee", "aaaaeeee"}, Row{1, 2, "abcdefgh", "aacceegg"},
                           Row{4, 1, "aaaaeeee", "abcdefgh"}, Row{1, 1, "abcdefgh", "abcdefgh"}}) {
      CAPTURE(width, row.x, row.y);
      CoarseScene scene(row.x, row.y, width);
      scene.draw(Topology::_3DPRIM_RECTLIST, rectangle(0, 0, 8, 8));
      CHECK(scene.columns_of() == Picture(8, row.columns));
      Picture expected;
      for (const char c : row.rows) expected.push_back(std::string(8, c));
      CHECK(scene.rows_of() == expected);
      CHECK((scene.pixel(3, 3) >> 16 & 0xff) == row.x + 16 * row.y);  // r1.0
      CHECK(scene.invocations() == 64 / (row.x * row.y));
      CHECK(scene.coarse_invocations() == 64 / (row.x * row.y));
    }
}

TEST_CASE("requested sizes are rounded down to 1, 2 or 4") {
  const auto extents = [](float x, float y) {
    const CoarseSize size = coarse_size({.mode = CoarseMode::constant, .min = {x, y}}, 0, 0);
    CHECK(size.requested == std::array<float, 2>{x, y});
    return std::array<uint32_t, 2>{size.width(), size.height()};
  };
  CHECK(extents(1.5f, 2.5f) == std::array<uint32_t, 2>{1, 2});
  CHECK(extents(3.99f, 7.9f) == std::array<uint32_t, 2>{2, 4});
  CHECK(extents(-4, 0) == std::array<uint32_t, 2>{1, 1});
}

TEST_CASE("a coarse pixel colours only the pixels that are covered") {
  CoarseScene scene(4, 2);
  scene.draw(Topology::_3DPRIM_TRILIST, {red(1, 0), red(8, 0), red(1, 7)});
  CHECK(scene.columns_of() == Picture{".aaaeee.",    //
                                      ".aaaee..",    //
                                      ".aaae...",    //
                                      ".aaa....",    //
                                      ".aa.....",    //
                                      ".a......",    //
                                      "........",    //
                                      "........"});  //
  CHECK(scene.rows_of()[5] == ".e......");
  CHECK(scene.coarse_invocations() == 5);
  CHECK(scene.count(reg::PS_DEPTH_COUNT(0)) == 21);
}

TEST_CASE("two triangles each shade the coarse pixel that they share") {
  CoarseScene scene(4, 4);
  scene.pixel_shader(8, with_coarse_write(paint_attribute(8), 8));
  scene.draw(Topology::_3DPRIM_TRILIST, {red(0, 0), red(8, 0), red(0, 8), green(8, 0), green(8, 8), green(0, 8)});
  CHECK(scene.picture() == Picture{"RRRRRRRG",    //
                                   "RRRRRRGG",    //
                                   "RRRRRGGG",    //
                                   "RRRRGGGG",    //
                                   "RRRGGGGG",    //
                                   "RRGGGGGG",    //
                                   "RGGGGGGG",    //
                                   "GGGGGGGG"});  //
  CHECK(scene.coarse_invocations() == 6);         // those on the diagonal twice
}

TEST_CASE("parts of one object share a coarse pixel") {
  CoarseCoverage coverage;
  coverage.begin({3, 9, 20, 30});
  coverage.add(18, 22, {1, 0, 3, 0}, {1, 0, 3, 0});
  coverage.add(18, 22, {2, 1, 0, 0}, {2, 1, 0, 4});
  unsigned blocks = 0;
  coverage.each([&](uint32_t x, uint32_t y, const CoarseCoverage::Block& block) {
    ++blocks;
    CHECK((x == 16 && y == 16));
    CoarseQuad quad;
    CHECK_FALSE(block.quad(4, 4, {.log2_width = 1, .log2_height = 1}, quad));
    REQUIRE(block.quad(0, 4, {.log2_width = 1, .log2_height = 1}, quad));
    CHECK(quad.live() == 1);
    CHECK((quad.samples[3][0] == 3 && quad.samples[3][1] == 1 && quad.samples[3][2] == 3 && quad.samples[3][3] == 0));
    CHECK(quad.coverage[3][3] == 4);
    return true;
  });
  CHECK(blocks == 1);
}

TEST_CASE("each sample of a coarse pixel is covered by itself") {
  CoarseScene scene(2, 2);
  scene.multisample();
  scene.draw(Topology::_3DPRIM_RECTLIST, rectangle(2.5f, 0, 5.5f, 4));
  // Samples 0 and 2 lie in the left half of a pixel, 1 and 3 in the right one.
  for (const unsigned sample : {0u, 1u, 2u, 3u}) {
    CAPTURE(sample);
    const Picture there = scene.columns_of(sample);
    for (size_t row = 0; row < 4; ++row) CHECK(there[row] == (sample % 2 ? "..cce..." : "...cee.."));
    CHECK(there[4] == "........");
  }
  CHECK(scene.coarse_invocations() == 4);
  CHECK(scene.count(reg::PS_DEPTH_COUNT(0)) == 3 * 4 * 4);
}

TEST_CASE("a discarded coarse pixel writes neither colour nor depth") {
  CoarseScene scene(2, 2);
  scene.extra.pixel_shader_kills_pixel = true;
  scene.set(scene.extra);
  scene.depth_test(gen9::CompareFunction::COMPAREFUNCTION_LESS);
  // Places from column 2 on are discarded.
  eu::Instruction keep =
      eu::test::op_imm(Opcode::cmp, 8, eu::test::null(RegType::f), grf(columns, RegType::f), RegType::f, std::bit_cast<uint32_t>(2.0f));
  keep.cond_mod = 5;  // less
  eu::Instruction write = write_target(8, true);
  write.pred_control = 1;
  scene.pixel_shader(8, paint_places(8, 2, 2) + Code{keep, write});
  scene.draw(Topology::_3DPRIM_RECTLIST, rectangle(1, 0, 5, 3));
  CHECK(scene.columns_of() == Picture{".a......", ".a......", ".a......", "........", "........", "........", "........", "........"});
  CHECK(scene.coarse_invocations() == 6);
  CHECK(scene.count(reg::PS_DEPTH_COUNT(0)) == 3);
}

TEST_CASE("depth is tested for each pixel of a coarse pixel, before the shader or after it") {
  for (const bool late : {false, true}) {
    CAPTURE(late);
    CoarseScene scene(4, 4);
    scene.depth_test(gen9::CompareFunction::COMPAREFUNCTION_LESS);
    const gen11::_3DSTATE_PS_EXTRA coarse = scene.extra;
    scene.extra.pixel_shader_is_per_coarse_pixel = false;
    scene.set(scene.extra);
    scene.pixel_shader(8, paint(8, 25 / 255.f, 25 / 255.f, 0));
    scene.draw(Topology::_3DPRIM_RECTLIST, rectangle(0, 0, 5, 4));
    scene.extra = coarse;
    scene.extra.pixel_shader_kills_pixel = late;
    scene.set(scene.extra);
    scene.pixel_shader(8, paint_places(8, 4, 4) + Code{write_target(8, true)});
    scene.draw(Topology::_3DPRIM_RECTLIST, rectangle(0, 0, 8, 8));
    CHECK(scene.columns_of() == Picture{"zzzzzeee",    //
                                        "zzzzzeee",    //
                                        "zzzzzeee",    //
                                        "zzzzzeee",    //
                                        "aaaaeeee",    //
                                        "aaaaeeee",    //
                                        "aaaaeeee",    //
                                        "aaaaeeee"});  //
    CHECK(scene.coarse_invocations() == (late ? 4 : 3));
    CHECK(scene.count(reg::PS_DEPTH_COUNT(0)) == 64);
  }
}

TEST_CASE("any number of threads draws the same bits of coarse pixels") {
  constexpr uint32_t size = 128;
  std::mt19937 random(7);
  std::uniform_real_distribution<float> place(-32, 160);
  std::vector<SceneVertex> vertices(600);
  for (SceneVertex& v : vertices) v = red(place(random), place(random));
  const auto picture = [&](unsigned threads, unsigned width, bool defer) {
    CoarseScene scene(4, 2, width, size, threads);
    if (!defer) scene.engine().set_minimum_run(std::chrono::nanoseconds(0));
    scene.draw(Topology::_3DPRIM_TRILIST, vertices);
    scene.cps.min_cp_size_x = 1;  // what the shader calls a place is another, but the same for all
    scene.set(scene.cps);
    scene.draw(Topology::_3DPRIM_LINESTRIP, {vertices.begin(), vertices.begin() + 60});
    auto result = scene.pixels();
    result.push_back(static_cast<uint32_t>(scene.coarse_invocations()));
    return result;
  };
  const auto expected = picture(0, 8, false);
  CHECK(expected.back() > 1000);
  CHECK(picture(2, 8, false) == expected);
  CHECK(picture(2, 8, true) == expected);
  CHECK(picture(2, 16, false) == expected);
}

TEST_CASE("radial sizes grow with the distance of an 8x8 block from the focal point") {
  const CoarseSizes state{.mode = CoarseMode::radial, .min = {1, 1}, .max = {4, 2}, .focal = {4, 4}, .slope = {0.25f, 1}, .min_radius = 2};
  CHECK(coarse_size(state, 0, 0).requested == std::array<float, 2>{1, 1});
  CHECK(coarse_size(state, 8, 0).requested == std::array<float, 2>{2.5f, 2});
  CHECK(coarse_size(state, 0, 64).requested == std::array<float, 2>{4, 2});
  CoarseSizes stretched = state;
  stretched.aspect = 0.5f;
  CHECK(coarse_size(stretched, 8, 0).requested == std::array<float, 2>{1.5f, 2});
  stretched.scales_y = true;
  CHECK(coarse_size(stretched, 8, 0).requested == std::array<float, 2>{2.5f, 2});
  CoarseSizes endless = state;
  endless.slope = {INFINITY, NAN};
  CHECK(coarse_size(endless, 0, 0).requested == std::array<float, 2>{1, 1});
  CHECK(coarse_size(endless, 8, 0).requested == std::array<float, 2>{4, 1});

  CoarseScene scene(1, 1, 16, 16);
  scene.cps.coarse_pixel_shading_mode = Mode::CPS_MODE_RADIAL;
  scene.cps.max_cp_size_x = scene.cps.max_cp_size_y = 4;
  scene.cps.m_x = scene.cps.m_y = 0.25f, scene.cps.aspect = 1;
  scene.set(scene.cps);
  scene.draw(Topology::_3DPRIM_RECTLIST, rectangle(0, 0, 16, 16));
  scene.finish();
  const auto size_at = [&](uint32_t x, uint32_t y) { return scene.pixel(x, y) >> 16 & 0xff; };
  CHECK((size_at(1, 1) == 0x22 && size_at(7, 7) == 0x22 && size_at(8, 0) == 0x44 && size_at(15, 15) == 0x44));
  CHECK(scene.coarse_invocations() == 16 + 3 * 4);
}

TEST_CASE("sample shading excludes coarse pixels") {
  quiet_log();
  CoarseScene scene(2, 2);
  scene.extra.pixel_shader_is_per_sample = true;
  scene.set(scene.extra);
  scene.pixel_shader(8, paint(8, 1, 0, 0));
  scene.draw(Topology::_3DPRIM_RECTLIST, rectangle(0, 0, 8, 8));
  CHECK(scene.picture() == Picture(8, "RRRRRRRR"));
  CHECK(scene.coarse_invocations() == 0);
  CHECK(scene.invocations() == 64);
}

TEST_CASE("payloads end with the coefficients that the shader asks for") {
  struct Row {
    unsigned reg, element;
    RegType type;
    float factor;
    uint32_t byte;
  };
  const RegType f = RegType::f, b = RegType::ub;
  // r1: where planes start; r2: requested size; r3: depth and W; r4, r5: barycentrics with perspective and without; r6: sample offsets.
  for (const Row& row : {Row{1, 1, f, 1, 2}, Row{1, 6, f, 1, 1}, Row{2, 0, f, 10, 15}, Row{2, 4, f, 10, 30}, Row{3, 2, f, 1, 2},
                         Row{3, 6, f, 1, 1}, Row{3, 7, f, 50, 50}, Row{3, 5, f, 50, 0}, Row{4, 1, f, 160, 10}, Row{4, 0, f, 160, 0},
                         Row{4, 4, f, 160, 10}, Row{4, 3, f, 160, 0}, Row{5, 1, f, 160, 10}, Row{6, 0, b, 1, 8}, Row{6, 16, b, 1, 8}}) {
    CAPTURE(row.reg, row.element);
    CoarseScene scene(1, 2);
    scene.cps.min_cp_size_x = 1.5f, scene.cps.min_cp_size_y = 3;
    scene.set(scene.cps);
    auto& e = scene.extra;
    e.pixel_shader_requires_requested_coarse_pixel_shading_size = e.pixel_shader_requires_source_depth_and_or_w_plane_coefficients =
        e.pixel_shader_requires_perspective_bary_plane_coefficients = e.pixel_shader_requires_non_perspective_bary_plane_coefficients =
            e.pixel_shader_requires_subpixel_sample_offsets = true;
    scene.set(e);
    Code code{everywhere(eu::test::op(Opcode::mov, 1, scalar(scratch, f), scalar(row.reg, row.type, row.element))),
              scaled_copy(8, message, scalar(scratch, f), row.factor / 255)};
    for (unsigned i = 1; i < 4; ++i) code.push_back(load(message + i, 1));
    code.push_back(write_target(8, true));
    scene.pixel_shader(8, code, 7);
    scene.draw(Topology::_3DPRIM_TRILIST, {red(2, 1), red(18, 1), red(2, 17)});
    scene.finish();
    CHECK((scene.pixel(3, 3) & 0xff) == row.byte);
  }
}

TEST_CASE("the coverage mask of a coarse pixel has its pixels' samples one after the other") {
  for (const bool samples : {false, true}) {
    CoarseScene scene(2, 2);
    if (samples) scene.multisample();
    scene.extra.input_coverage_mask_state = gen11::_3DSTATE_PS_EXTRA::InputCoverageMaskState::ICMS_NORMAL;
    scene.set(scene.extra);
    // A byte of r2's mask is blue, the lower one red.
    Code code;
    for (unsigned byte = 0; byte < 2; ++byte) {
      code.push_back(everywhere(eu::test::op(Opcode::mov, 8, grf(scratch, RegType::f), grf(2, RegType::ub, byte, 32, 8, 4))));
      code.push_back(scaled_copy(8, message + 2 * byte, grf(scratch, RegType::f), 1 / 255.f));
    }
    code.push_back(load(message + 1, 0));
    code.push_back(load(message + 3, 1));
    code.push_back(write_target(8, true));
    scene.pixel_shader(8, code, 3);
    scene.draw(Topology::_3DPRIM_RECTLIST, rectangle(1, 0, 8, 8));
    scene.finish();
    // The right column of the first one.
    CHECK(scene.pixel(1, 0) == (samples ? 0xfff000f0 : 0xff00000a));
    CHECK(scene.pixel(2, 2) == (samples ? 0xffff00ff : 0xff00000f));
  }
}

TEST_CASE("coverage mask and depth that a shader computes are those of all pixels of a coarse pixel") {
  const auto write = [](unsigned registers) {
    eu::Instruction i = write_target(8, true);
    i.descriptor = (i.descriptor & ~(15u << 25)) | registers << 25;
    return i;
  };
  CoarseScene masked(2, 2);
  masked.multisample();
  masked.extra.omask_present_to_render_target = true;
  masked.set(masked.extra);
  Code code{load_dword(message, 5u << 16 | 5)};  // samples 0 and 2
  for (unsigned i = 0; i < 4; ++i) code.push_back(load(message + 1 + i, i % 3 ? 0 : 1));
  masked.pixel_shader(8, code + Code{write(5)});
  masked.draw(Topology::_3DPRIM_RECTLIST, rectangle(1, 0, 4, 8));
  for (unsigned sample = 0; sample < 4; ++sample) CHECK(std::ranges::count(masked.pixels(sample), 0xff0000ffu) == (sample % 2 ? 0 : 24));

  for (const float depth : {0.5f, 2.0f}) {  // the second is clamped to the buffer's one
    CoarseScene scene(4, 4);
    scene.depth_test(gen9::CompareFunction::COMPAREFUNCTION_LESS);
    scene.extra.pixel_shader_computed_depth_mode = gen11::_3DSTATE_PS_EXTRA::PixelShaderComputedDepthMode::PSCDEPTH_ON;
    scene.set(scene.extra);
    Code deep;
    for (unsigned i = 0; i < 4; ++i) deep.push_back(load(message + i, i % 3 ? 0 : 1));
    deep.push_back(load(message + 4, depth));
    scene.pixel_shader(8, deep + Code{write(5)});
    scene.draw(Topology::_3DPRIM_RECTLIST, rectangle(1, 0, 4, 8));
    CHECK(std::ranges::count(scene.pixels(), 0xff0000ffu) == (depth < 1 ? 24 : 0));
  }
}

TEST_CASE("the pixel interpolator evaluates at places of coarse pixels") {
  constexpr uint32_t coarse = 1u << 15, offset = 0, centroid = 2u << 12, slots = 3u << 12;
  // Four times the x at which barycentrics are evaluated: for the first coarse pixel its centre is at 1.
  const auto at = [&](uint32_t descriptor, uint32_t x, uint32_t columns_covered = 8) {
    CoarseScene scene(2, 2);
    scene.extra.pixel_shader_pulls_bary = true;
    scene.set(scene.extra);
    const uint32_t registers = (descriptor & slots) == slots ? 2 : 1;
    eu::Instruction ask = eu::test::op(Opcode::send, 8, grf(50, RegType::ud), grf(message, RegType::ud), eu::test::imm(RegType::ud));
    ask.cond_mod = static_cast<uint8_t>(Sfid::pixel_interpolator);
    ask.descriptor = descriptor | registers << 25 | 2u << 20;
    ask.no_mask = true;
    Code code{load_dword(message, 4), load_dword(message + 1, 0), ask, scaled_copy(8, message, grf(50, RegType::f), 16 * 4 / 255.f)};
    for (unsigned i = 1; i < 4; ++i) code.push_back(load(message + i, 1));
    code.push_back(write_target(8, true));
    scene.pixel_shader(8, code);
    scene.set_columns(columns_covered);
    scene.draw(Topology::_3DPRIM_TRILIST, {red(0, 0), red(16, 0), red(0, 16)});
    scene.finish();
    return scene.pixel(x, 0) & 0xff;
  };
  CHECK(at(coarse | offset, 0) == 4);
  CHECK(at(coarse | offset | 4, 0) == 6);
  CHECK(at(offset | 4, 0) == 5);
  CHECK(at(coarse | slots, 0) == 6);
  CHECK(at(coarse | centroid, 4) == 20);
  CHECK(at(coarse | centroid, 4, 5) == 18);
}
