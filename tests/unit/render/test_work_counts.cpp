// SPDX-License-Identifier: GPL-2.0-or-later
// What draws add to the counts of hw/base/work.h: threads, samples by outcome, bytes of vertices.
#include <bit>
#include <random>

#include "hw/base/work.h"
#include "hw/render/raster.h"
#include "hw/render/thread_count.h"
#include "tests/catch.h"
#include "tests/unit/render/scene.h"

using namespace softgen;
using namespace softgen::render::test;
using Topology = gen9::PrimitiveTopologyType;
using eu::Opcode;
using eu::RegType;
using eu::test::grf;

namespace {

std::vector<SceneVertex> rectangle(float x0, float y0, float x1, float y1) { return {red(x1, y1), red(x0, y1), red(x0, y0)}; }

/// The same colour as paint(), by a kernel whose colour is not detected as uniform: it adds zero to its first channel.
Code paint_singly(unsigned width) {
  Code code = paint(width, 0, 1, 0);
  code.insert(code.end() - 1, eu::test::op_imm(Opcode::add, width, grf(message, RegType::f), grf(message, RegType::f), RegType::f, 0));
  return code;
}

struct CountedScene : Scene {
  using Scene::Scene;

  /// The work of the draw.
  WorkCounts drawn(Topology topology, const std::vector<SceneVertex>& vertices, const Way& way = {}) {
    const WorkCounts before = work_counts();
    draw(topology, vertices, way);
    finish();
    return work_between(before, work_counts());
  }
  WorkCounts rectangle_drawn(float x0, float y0, float x1, float y1) {
    return drawn(Topology::_3DPRIM_RECTLIST, rectangle(x0, y0, x1, y1));
  }
};

}  // namespace

TEST_CASE("a rectangle of one colour counts one written sample per pixel, whether it is filled or shaded") {
  for (const unsigned width : {8u, 16u})
    for (const bool fills : {true, false}) {
      CAPTURE(width, fills);
      CountedScene scene(32);
      scene.pixel_shader(width, fills ? paint(width, 0, 1, 0) : paint_singly(width));
      const WorkCounts work = scene.rectangle_drawn(3, 5, 24, 29);
      constexpr uint64_t pixels = 21 * 24;
      CHECK(work.of(Path::pixels_filled) == (fills ? pixels : 0));
      CHECK(work.of(Work::samples_rasterized) == pixels);
      CHECK(work.of(Work::samples_written) == pixels);
      CHECK(work.of(Work::samples_failed_early) == 0);
      CHECK(work.of(Work::samples_failed_late) == 0);
      CHECK(work.of(Work::pixels_killed) == 0);
      CHECK(work.of(Work::samples_blended) == 0);
      // 13 rows of 11 quads; 5 rows of 5 squares, whose 100 quads are 25 threads of 16.
      CHECK(work.of(Work::ps_threads) == (width == 8 ? (11 * 13 + 1) / 2 : 25 + (11 * 13 - 100 + 3) / 4));
      CHECK(work.of(Work::vs_threads) == 1);
      CHECK(work.of(Work::gs_threads) == 0);
    }
}

TEST_CASE("fills count the threads that shading would start") {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> place(-8, 72);
  for (unsigned round = 0; round < 40; ++round) {
    CAPTURE(round);
    std::vector<SceneVertex> vertices(3 * (1 + random() % 3));
    for (SceneVertex& v : vertices) v = green(place(random), place(random));
    const unsigned width = random() % 2 ? 16 : 8;
    CountedScene filled(64), shaded(64);
    filled.pixel_shader(width, paint(width, 0, 1, 0));
    shaded.pixel_shader(width, paint_singly(width));
    const WorkCounts a = filled.drawn(Topology::_3DPRIM_TRILIST, vertices), b = shaded.drawn(Topology::_3DPRIM_TRILIST, vertices);
    CHECK(a.of(Path::pixels_filled) == b.of(Work::samples_written));
    CHECK(b.of(Path::pixels_filled) == 0);
    for (const Work work : {Work::ps_threads, Work::samples_rasterized, Work::samples_written}) CHECK(a.of(work) == b.of(work));
    CHECK(b.of(Work::alu_instructions) - a.of(Work::alu_instructions) == b.of(Work::ps_threads));  // the addition
  }
}

TEST_CASE("counted: samples that fail depth tests before or after the shader, and pixels that it discards") {
  for (const bool late : {false, true}) {
    CAPTURE(late);
    CountedScene scene(16);
    gen9::_3DSTATE_PS_EXTRA extra;
    extra.pixel_shader_valid = true;
    extra.pixel_shader_kills_pixel = late;
    scene.set(extra);
    scene.depth_test(gen9::CompareFunction::COMPAREFUNCTION_LESS);
    scene.pixel_shader(8, paint(8, 1, 0, 0));
    scene.rectangle_drawn(0, 0, 6, 16);
    // Of each quad the left pixels are kept: channels 0 and 2, 4 and 6.
    Code code = paint_singly(8);
    if (late) code.back().pred_control = 1;
    code.insert(code.begin(), eu::test::mov_imm(1, eu::test::arf(eu::Arf::flag, RegType::uw), RegType::uw, 0x55));
    scene.pixel_shader(8, code);
    const WorkCounts work = scene.rectangle_drawn(0, 0, 16, 16);
    CHECK(work.of(Work::samples_rasterized) == 16 * 16);
    CHECK(work.of(Work::samples_failed_early) == (late ? 0 : 6 * 16));
    CHECK(work.of(Work::pixels_killed) == (late ? 8 * 16 : 0));
    CHECK(work.of(Work::samples_failed_late) == (late ? 3 * 16 : 0));
    CHECK(work.of(Work::samples_written) == (late ? 5 * 16 : 10 * 16));
  }
}

TEST_CASE("every sample of a pixel is counted, blended ones as written and as blended") {
  CountedScene scene(16);
  scene.count_coverage();
  WorkCounts work = scene.rectangle_drawn(1, 1, 12, 8);
  CHECK(work.of(Work::samples_written) == 11 * 7);
  CHECK(work.of(Work::samples_blended) == 11 * 7);
  scene.multisample();
  work = scene.rectangle_drawn(2, 1, 12, 8);
  CHECK(work.of(Work::samples_rasterized) == 4 * 10 * 7);
  CHECK(work.of(Work::samples_written) == 4 * 10 * 7);
  CHECK(work.of(Work::samples_blended) == 4 * 10 * 7);
}

TEST_CASE("per-sample shading has one channel of a thread per sample") {
  CountedScene scene(16);
  scene.multisample();
  gen9::_3DSTATE_PS_EXTRA extra;
  extra.pixel_shader_valid = true;
  extra.pixel_shader_is_per_sample = true;
  scene.set(extra);
  scene.pixel_shader(8, paint_singly(8));
  const WorkCounts work = scene.rectangle_drawn(2, 2, 12, 8);
  CHECK(work.of(Work::pixels) == 4 * 10 * 6);
  CHECK(work.of(Work::samples_written) == 4 * 10 * 6);
  CHECK(work.of(Work::ps_threads) == 4 * ((5 * 3 + 1) / 2));
}

TEST_CASE("vertex fetch counts the elements of the vertices that it reads, and indices") {
  CountedScene scene(16);
  const std::vector<SceneVertex> corners = {red(0, 0), red(8, 0), red(0, 8), red(8, 8)};
  constexpr uint64_t elements = 2 * sizeof(float) + 3 * sizeof(float);
  WorkCounts work = scene.drawn(Topology::_3DPRIM_TRISTRIP, corners);
  CHECK(work.of(Work::vertex_bytes) == 4 * elements);
  work = scene.drawn(Topology::_3DPRIM_TRILIST, corners, {.indices = {0, 1, 2, 1, 2, 3}, .instances = 2});
  CHECK(work.of(Work::vertex_bytes) == 2 * (4 * elements + 6 * sizeof(uint16_t)));
  CHECK(work.of(Work::vs_threads) == 1);
  // The last vertex is not in the buffer.
  work = scene.drawn(Topology::_3DPRIM_TRILIST, corners, {.indices = {0, 1, 2, 0, 1, 9}});
  CHECK(work.of(Work::vertex_bytes) == 3 * elements + 6 * sizeof(uint16_t));
}

TEST_CASE("the number of threads for the pixels of a block") {
  using render::WholeSquares;
  constexpr auto none = WholeSquares::none, full = WholeSquares::full, touched = WholeSquares::touched;
  const auto threads = [](unsigned simd, WholeSquares squares, uint64_t block) {
    render::ThreadCount count(simd, squares);
    count.add_block(block);
    return count.threads();
  };
  CHECK(threads(16, full, ~uint64_t{0}) == 4);
  CHECK(threads(8, none, ~uint64_t{0}) == 8);
  CHECK(threads(32, none, ~uint64_t{0}) == 2);
  CHECK(threads(16, full, 1) == 1);
  CHECK(threads(16, full, 0x0f0f0f0f) == 1);               // a square
  CHECK(threads(16, full, 0x1e1e1e1e) == 2);               // six quads
  CHECK(threads(16, full, 0x0f0f0f0f | 1ull << 63) == 2);  // a square and a quad
  CHECK(threads(16, touched, 0x0f0e0f0f | 1ull << 63) == 2);
  CHECK(threads(16, touched, 0x0c0f0f) == 1);  // three quads
}

TEST_CASE("threads for a rectangle are those of its blocks") {
  for (const auto squares : {render::WholeSquares::none, render::WholeSquares::full, render::WholeSquares::touched})
    for (int32_t x0 = 0; x0 < 8; ++x0)
      for (int32_t x1 = x0 + 1; x1 <= 16; ++x1)
        for (int32_t y0 = 0; y0 < 5; ++y0)
          for (int32_t y1 = y0 + 1; y1 <= 8; ++y1) {
            const render::PixelRect rect{x0, y0, x1, y1};
            render::ThreadCount whole(16, squares), blocks(16, squares);
            whole.add_rect(rect);
            for (int32_t x = 0; x < 16; x += 8)
              if (x1 > x && x0 < x + 8) blocks.add_block(render::PartRaster::within(rect, x, 0));
            INFO(x0 << " " << x1 << " " << y0 << " " << y1);
            REQUIRE(whole.threads() == blocks.threads());
          }
}
