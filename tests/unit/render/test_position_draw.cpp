// SPDX-License-Identifier: GPL-2.0-or-later
// Draws that skip what the position-only pipe has recorded as not visible: every pixel must be as without a record.
#include <random>

#include "hw/base/log.h"
#include "hw/base/work.h"
#include "tests/catch.h"
#include "tests/quiet_log.h"
#include "tests/unit/render/position_scene.h"

using namespace softgen;
using namespace softgen::render::test;
using Topology = gen9::PrimitiveTopologyType;
using Cull = gen9::_3DSTATE_RASTER::CullMode;
using Fill = gen9::_3DSTATE_RASTER::FrontFaceFillMode;

namespace {

constexpr Tiles four_by_four{4, 4};

/// Groups of `group` vertices near each other, some beyond the edges of the target, some in one place.
std::vector<SceneVertex> groups(size_t count, size_t group, unsigned seed, float reach = 6) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> place(-40, 296), near(-reach, reach), channel(0, 1);
  std::vector<SceneVertex> result;
  float x = 0, y = 0, r = 0;
  for (size_t i = 0; i < count; ++i) {
    if (i % group == 0) x = place(random), y = place(random), r = random() % 8 ? 1.0f : 0.0f;
    result.push_back({x + r * near(random), y + r * near(random), channel(random), channel(random), channel(random)});
  }
  return result;
}

/// What is skipped of the scene's draws, all passes together.
uint64_t skipped_by(PositionScene& scene, std::optional<Tiles> tiles, const std::vector<uint32_t>& expected) {
  scene.record(tiles);
  const WorkCounts before = work_counts();
  CHECK(scene.render(tiles) == expected);
  return work_between(before, work_counts()).of(Work::objects_skipped);
}

/// Draws the scene that `build` makes, with and without a record.
template <typename Build>
void check(Build&& build, bool skips = true) {
  for (const unsigned threads : {0u, 2u})
    for (const bool preempt : {false, true}) {
      PositionScene scene(threads);
      build(scene);
      const auto expected = scene.take();
      CHECK(std::ranges::count(expected, 0u) < 256 * 256);
      scene.preempt = preempt;
      const uint64_t once = skipped_by(scene, std::nullopt, expected);
      const uint64_t tiled = skipped_by(scene, four_by_four, expected);
      CHECK((once > 0) == skips);
      CHECK((tiled > 8 * once) == skips);
    }
}

}  // namespace

TEST_CASE("triangle lists, strips and fans with a record are drawn as without") {
  check([](PositionScene& scene) {
    scene.draw(Topology::_3DPRIM_TRILIST, groups(3000, 3, 1));
    scene.draw(Topology::_3DPRIM_TRISTRIP, groups(1500, 5, 2));
    scene.draw(Topology::_3DPRIM_TRIFAN, groups(80, 80, 3, 200));
    scene.draw(Topology::_3DPRIM_QUADLIST, groups(600, 4, 4));
    scene.draw(Topology::_3DPRIM_TRILIST_ADJ, groups(600, 6, 5));
  });
}

TEST_CASE("culled faces and objects without area are not visible") {
  for (const Cull cull : {Cull::CULLMODE_BACK, Cull::CULLMODE_FRONT})
    check([&](PositionScene& scene) {
      scene.raster.cull_mode = cull;
      scene.set(scene.raster);
      scene.draw(Topology::_3DPRIM_TRILIST, groups(1500, 3, 6));
      scene.draw(Topology::_3DPRIM_TRISTRIP, groups(1500, 6, 7));
    });
}

TEST_CASE("lines, points and outlines") {
  check([](PositionScene& scene) {
    scene.draw(Topology::_3DPRIM_LINELIST, groups(600, 2, 8, 20));
    scene.draw(Topology::_3DPRIM_LINESTRIP, groups(600, 3, 9, 20));
    scene.setup.line_width = 5, scene.setup.point_width = 7;
    scene.set(scene.setup);
    scene.draw(Topology::_3DPRIM_LINELIST, groups(600, 2, 10, 20));
    scene.draw(Topology::_3DPRIM_POINTLIST, groups(600, 1, 11));
    scene.raster.front_face_fill_mode = Fill::FILL_MODE_WIREFRAME;
    scene.set(scene.raster);
    scene.draw(Topology::_3DPRIM_TRILIST, groups(600, 3, 12, 20));
  });
}

TEST_CASE("indexed draws with cuts, and instances") {
  std::mt19937 random(13);
  Way strips, list{.indices = {}, .instances = 3};
  for (unsigned i = 0; i < 3000; ++i) strips.indices.push_back(random() % 9 ? static_cast<uint16_t>(i % 1000) : uint16_t{0xffff});
  for (unsigned i = 0; i < 3000; ++i) list.indices.push_back(static_cast<uint16_t>(i * 7 % 999));
  check([&](PositionScene& scene) {
    gen9::_3DSTATE_VF cuts;
    cuts.indexed_draw_cut_index_enable = true;
    cuts.cut_index = 0xffff;
    scene.set(cuts);
    scene.draw(Topology::_3DPRIM_TRISTRIP, groups(1000, 8, 14), strips);
    cuts.indexed_draw_cut_index_enable = false;
    scene.set(cuts);
    scene.draw(Topology::_3DPRIM_TRILIST, groups(1000, 3, 15, 20), list);
    list.instances = 1;
    scene.draw(Topology::_3DPRIM_TRILIST, groups(1000, 3, 16, 20), list);
    scene.draw(Topology::_3DPRIM_TRISTRIP, groups(400, 5, 17), {.indices = {}, .instances = 50});  // two batches
  });
}

TEST_CASE("a scissor hides what the record then leaves out") {
  check([](PositionScene& scene) {
    scene.set_scissor({30, 40, 200, 170});
    scene.draw(Topology::_3DPRIM_TRILIST, groups(2000, 3, 26));
    scene.draw(Topology::_3DPRIM_POINTLIST, groups(500, 1, 27));
  });
}

TEST_CASE("objects keep their primitive ids") {
  using eu::RegType;
  check([](PositionScene& scene) {
    gen9::_3DSTATE_SBE sbe;
    sbe.number_of_sf_output_attributes = 1;
    sbe.constant_interpolation_enable = 1;
    sbe.force_vertex_urb_entry_read_offset = sbe.force_vertex_urb_entry_read_length = true;
    sbe.vertex_urb_entry_read_offset = sbe.vertex_urb_entry_read_length = 1;
    sbe.primitive_id_override_component_x = true;
    scene.set(sbe);
    // Red: the id in 255ths.
    Code code{eu::test::op(eu::Opcode::mov, 8, eu::test::grf(20, RegType::f), eu::test::scalar(2, RegType::ud, 3))};
    code = code + scaled(20, 20, 1 / 255.0f, 0) + paint(8, 0, 1, 0);
    code.insert(code.end() - 1, copy(message, 20));
    scene.pixel_shader(8, code);
    scene.draw(Topology::_3DPRIM_TRILIST, groups(3 * 255, 3, 18));
    scene.draw(Topology::_3DPRIM_TRISTRIP, groups(250, 5, 19));
  });
}

TEST_CASE("one draw that spans batches, with each object counted in each pixel") {
  check([](PositionScene& scene) {
    scene.count_coverage();
    scene.draw(Topology::_3DPRIM_TRILIST, groups(900, 3, 20), {.indices = {}, .instances = 60});
  });
}

TEST_CASE("draws whose unseen objects have other effects read the record, and draw all") {
  PositionScene scene;
  scene.raster.cull_mode = Cull::CULLMODE_BACK;
  gen9::_3DSTATE_LINE_STIPPLE stipple;
  stipple.line_stipple_pattern = 0x0ff0;
  stipple.line_stipple_repeat_count = 3;
  stipple.line_stipple_inverse_repeat_count = 1 / 3.0f;
  scene.set(stipple);
  gen9::_3DSTATE_WM wm;
  wm.line_stipple_enable = true;
  scene.set(wm);
  scene.draw(Topology::_3DPRIM_LINESTRIP, groups(400, 3, 21, 30));
  const auto stippled = scene.take();
  CHECK(skipped_by(scene, four_by_four, stippled) == 0);
  wm.line_stipple_enable = false;
  scene.set(wm);
  scene.draw(Topology::_3DPRIM_TRILIST, groups(600, 3, 22));
  // The second draw's tokens are found behind those of the first.
  scene.record(std::nullopt);
  const WorkCounts before = work_counts();
  scene.render(std::nullopt);
  CHECK(work_between(before, work_counts()).of(Work::objects_skipped) > 0);
  CHECK(scene.peek(reg::TOKPROC_STG0_INSTANCE_COUNT) == 2);
}

TEST_CASE("without a record everything is drawn") {
  quiet_log();
  PositionScene scene;
  scene.draw(Topology::_3DPRIM_TRILIST, groups(3000, 3, 23));
  scene.draw(Topology::_3DPRIM_TRISTRIP, groups(600, 5, 24));
  const auto expected = scene.take();
  CHECK(scene.render(four_by_four) == expected);  // the render list was never set
  scene.pool_pages = 20;                          // 16 passes need more
  CHECK(skipped_by(scene, four_by_four, expected) > 0);
  scene.pool_pages = 7;
  skipped_by(scene, four_by_four, expected);
  CHECK(failure_count(Failure::guest_error, "visibility record ended") > 0);
  scene.pool_pages = 0;
  CHECK(skipped_by(scene, four_by_four, expected) == 0);
}

TEST_CASE("draws that either pipe leaves out by its predicate do not shift the others") {
  const auto draw = [](PositionScene& scene, unsigned number) { scene.draw(Topology::_3DPRIM_TRILIST, groups(600, 3, 30 + number)); };
  PositionScene all, some;
  for (unsigned i = 0; i < 5; ++i) draw(all, i);
  for (const unsigned i : {0u, 2u, 3u}) draw(some, i);
  const auto expected = all.take(), fewer = some.take();
  REQUIRE(expected != fewer);
  all.predicated = true;
  all.before_draw = [&](unsigned number, bool recording) { all.set_predicate(!recording || (number != 1 && number != 4)); };
  CHECK(skipped_by(all, four_by_four, expected) > 0);
  all.before_draw = [&](unsigned number, bool recording) { all.set_predicate(recording || (number != 1 && number != 4)); };
  CHECK(skipped_by(all, four_by_four, fewer) > 0);
}

TEST_CASE("statistics of both pipes") {
  PositionScene scene;
  // One triangle within, one beyond the target, one without area.
  scene.draw(Topology::_3DPRIM_TRILIST,
             {red(0, 0), red(64, 0), red(0, 64), red(-9, 0), red(-2, 0), red(-9, 9), red(5, 5), red(9, 9), red(7, 7)});
  const auto expected = scene.take();
  const WorkCounts before = work_counts();
  scene.record(std::nullopt);
  const WorkCounts recorded = work_between(before, work_counts());
  CHECK(recorded.of(Work::objects_recorded) == 3);
  CHECK(recorded.of(Work::objects_culled) == 2);
  CHECK(recorded.of(Work::draws) == 0);
  CHECK(recorded.of(Work::pixels) == 0);
  CHECK(scene.count(reg::IA_VERTICES_COUNT(0)) == 9);
  CHECK(scene.count(reg::IA_PRIMITIVES_COUNT(0)) == 3);
  CHECK(scene.count(reg::VS_INVOCATION_COUNT(0)) == 9);
  CHECK(scene.count(reg::CL_INVOCATION_COUNT(0)) == 3);
  CHECK(scene.count(reg::PS_DEPTH_COUNT(0)) == 0);
  CHECK(scene.peek(reg::PTBR_NUM_PAGES_RECORDED) == 1);
  CHECK(scene.render(std::nullopt) == expected);
  CHECK(scene.count(reg::IA_VERTICES_COUNT(0)) == 9);
  CHECK(scene.count(reg::IA_PRIMITIVES_COUNT(0)) == 3);
  CHECK(scene.count(reg::VS_INVOCATION_COUNT(0)) == 3);
  CHECK(scene.count(reg::CL_INVOCATION_COUNT(0)) == 1);
  CHECK(scene.count(reg::CL_PRIMITIVES_COUNT(0)) == 1);
  CHECK(scene.peek(reg::TOKPROC_CULL_COUNT) == 2);
  CHECK(scene.peek(reg::TOKPROC_STG0_INSTANCE_COUNT) == 1);
}

TEST_CASE("preemption repeats no statistics") {
  PositionScene scene;
  scene.draw(Topology::_3DPRIM_TRISTRIP, groups(900, 5, 25), {.indices = {}, .instances = 30});
  const auto expected = scene.take();
  const auto statistics = [&] {
    return std::array{scene.count(reg::IA_VERTICES_COUNT(0)),   scene.count(reg::IA_PRIMITIVES_COUNT(0)),
                      scene.count(reg::VS_INVOCATION_COUNT(0)), scene.count(reg::CL_INVOCATION_COUNT(0)),
                      scene.count(reg::CL_PRIMITIVES_COUNT(0)), uint64_t{scene.peek(reg::TOKPROC_CULL_COUNT)}};
  };
  scene.record(std::nullopt);
  CHECK(scene.preempted() == 0);
  const auto recorded = statistics();
  CHECK(scene.render(std::nullopt) == expected);
  const auto rendered = statistics();
  CHECK(rendered[5] > 0);
  scene.preempt = true;
  scene.record(std::nullopt);
  CHECK(scene.preempted() > 10);
  CHECK(statistics() == recorded);
  CHECK(scene.render(std::nullopt) == expected);
  CHECK(scene.preempted() > 0);
  CHECK(statistics() == rendered);
}
