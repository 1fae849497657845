// SPDX-License-Identifier: GPL-2.0-or-later
// Objects of one colour on Ironlake: filled, with what their threads would have written and counted.
#include <functional>

#include "hw/base/work.h"
#include "hw/defs/registers/registers.h"
#include "hw/render/uniform_color.h"
#include "tests/catch.h"
#include "tests/unit/eu/gen5_program.h"
#include "tests/unit/render/ilk_scene.h"

using namespace softgen;
using namespace softgen::render;
using namespace softgen::render::ilk;
using namespace softgen::render::ilk::test;
using Topologies = gen5::PrimitiveTopologyType;

namespace {

/// Paints the constant of the attribute behind the position, as crocus' kernel of clears does.
Kernel flat_kernel(bool replicated) {
  return [replicated](const ThreadJob& job, UnitMessages& messages) {
    const auto& r = job.payload;
    const unsigned planes = job.state.grf_start + job.state.constant_length, wide = job.channels / 8;
    const bool one = replicated && wide == 2;
    std::vector<Grf> message(one ? 3 : 2 + 4 * wide);
    message[0] = r[0], message[1] = r[1];
    for (unsigned c = 0; c < 4; ++c) {
      const unsigned dw = 16 + 4 * c + 3;
      const uint32_t color = r[planes + dw / 8].dw[dw % 8];
      if (one) message[2].dw[c] = color;
      for (unsigned i = 0; i < job.channels && !one; ++i)
        if (job.dispatch_mask >> i & 1) message[2 + c + 4 * (i / 8)].dw[i % 8] = color;
    }
    using Form = TargetMessage::Form;
    return messages.target_write({.form = one         ? Form::replicated
                                          : wide == 2 ? Form::simd16
                                                      : Form::simd8},
                                 message)
               ? ThreadEnd::finished
               : ThreadEnd::failed;
  };
}

std::vector<SceneVertex> corners(std::array<std::array<float, 2>, 3> pixels) {
  std::vector<SceneVertex> out;
  for (const auto& [x, y] : pixels) out.push_back({{x / 32 - 1, y / 32 - 1, 0, 1}, {0.25f, 0.5f, 0.75f, 1}});
  return out;
}
std::vector<SceneVertex> rectangle(float x0, float y0, float x1, float y1) { return corners({{{x1, y1}, {x0, y1}, {x0, y0}}}); }

struct Painted {
  std::vector<uint32_t> memory = std::vector<uint32_t>(64 * 512 / 4);
  WorkCounts work;
  uint64_t threads = 0, invocations = 0, passed = 0;
};

using Change = std::function<void(Scene&)>;

Painted paint(bool filled, unsigned workers, bool replicated, const Change& change, Topologies topology,
              const std::vector<SceneVertex>& vertices) {
  Scene scene(workers);
  scene.runner.kernels[Scene::wm_kernel] = scene.runner.kernels[Scene::wide_kernel] = flat_kernel(replicated);
  scene.runner.one_color = filled;
  scene.wm.statistics_enable = true;
  for (uint64_t at = 0; at < 64 * 512; at += 4) scene.view.store<uint32_t>(Scene::target + at, static_cast<uint32_t>(at * 0x01010101));
  change(scene);
  const WorkCounts before = work_counts();
  REQUIRE(scene.draw(topology, vertices) == ExecResult::done);
  Painted out;
  out.work = work_between(before, work_counts());
  scene.view.read(Scene::target, out.memory.data(), out.memory.size() * 4);
  out.threads = scene.runner.of(Unit::wm).size();
  out.invocations = scene.registers.peek64(reg::PS_INVOCATION_COUNT(0)), out.passed = scene.registers.peek64(reg::PS_DEPTH_COUNT(0));
  return out;
}

void tile(Scene& scene, bool y_major) {
  scene.surface.tiled_surface = 1, scene.surface.surface_pitch = 511;
  if (y_major) scene.surface.tile_walk = decltype(scene.surface.tile_walk)::TILEWALK_YMAJOR;
}

void both_widths(Scene& scene) { scene.wm._8_pixel_dispatch_enable = true, scene.wm.kernel_start_pointer_2 = Scene::wide_kernel; }

void narrow(Scene& scene) { scene.wm._8_pixel_dispatch_enable = true, scene.wm._16_pixel_dispatch_enable = false; }

}  // namespace

TEST_CASE("Ironlake fills objects of one colour as their threads would draw them", "[ilk]") {
  const Change shape = GENERATE(Change([](Scene&) {}), Change([](Scene& s) { tile(s, false); }), Change([](Scene& s) { tile(s, true); }),
                                Change([](Scene& s) { s.surface.width = 40, s.surface.height = 29; }),
                                Change([](Scene& s) { tile(s, false), s.surface.width = 40, s.surface.height = 29; }));
  const Change widths = GENERATE(Change([](Scene&) {}), Change(both_widths), Change(narrow));
  const bool replicated = GENERATE(false, true);
  const auto change = [&](Scene& scene) { shape(scene), widths(scene); };
  const auto [topology, vertices] = GENERATE(table<Topologies, std::vector<SceneVertex>>({
      {Topologies::_3DPRIM_RECTLIST, rectangle(0, 0, 64, 64)},
      {Topologies::_3DPRIM_RECTLIST, rectangle(3, 5, 61, 58)},
      {Topologies::_3DPRIM_RECTLIST, rectangle(2, 1, 63, 62)},
      {Topologies::_3DPRIM_TRILIST, corners({{{1, 2}, {62, 10}, {20, 63}}})},
  }));
  const Painted threads = paint(false, 0, replicated, change, topology, vertices);
  for (const unsigned workers : {0u, 3u}) {
    const Painted filled = paint(true, workers, replicated, change, topology, vertices);
    CHECK(filled.memory == threads.memory);
    CHECK(filled.work.of(Path::pixels_filled) == filled.work.of(Work::pixels));
    CHECK(threads.work.of(Path::pixels_filled) == 0);
    for (const Work work : {Work::pixels, Work::samples_rasterized, Work::samples_written, Work::samples_failed_early})
      CHECK(filled.work.of(work) == threads.work.of(work));
    CHECK(filled.work.of(Work::pixels) > 1000);
    CHECK(filled.work.of(Work::ps_threads) == threads.threads);
    CHECK(filled.threads <= 4);
    CHECK(filled.invocations == threads.invocations);
    CHECK(filled.passed == threads.passed);
  }
}

TEST_CASE("Ironlake does not fill where pixels differ", "[ilk]") {
  using Compare = gen5::CompareFunction;
  const auto [what, change] = GENERATE(table<const char*, Change>({
      {"blending",
       [](Scene& s) {
         s.cc.color_buffer_blend_enable = s.surface.color_blend_enable = true;
         s.cc.source_blend_factor = gen5::BlendFactor::BLENDFACTOR_SRC_ALPHA;
         s.cc.destination_blend_factor = gen5::BlendFactor::BLENDFACTOR_ONE;
       }},
      {"a channel is kept",
       [](Scene& s) { s.surface.color_buffer_component_write_disables = decltype(s.surface.color_buffer_component_write_disables){1}; }},
      // With statistics such threads would have to send depth.
      {"alpha test",
       [](Scene& s) {
         s.wm.statistics_enable = false, s.cc.alpha_test_enable = true, s.cc.alpha_test_function = Compare::COMPAREFUNCTION_ALWAYS;
       }},
      {"kernels may discard", [](Scene& s) { s.wm.statistics_enable = false, s.wm.pixel_shader_kills_pixel = true; }},
      {"depth test",
       [](Scene& s) {
         s.use_depth();
         s.wm.early_depth_test_enable = true;
         s.cc.depth_test_enable = true, s.cc.depth_test_function = Compare::COMPAREFUNCTION_ALWAYS;
       }},
      {"stipple",
       [](Scene& s) {
         std::vector<uint32_t> pattern{0x7907001f};
         pattern.resize(33, 0x55555555);
         s.execute(pattern);
         s.wm.polygon_stipple_enable = true;
       }},
  }));
  INFO(what);
  const auto triangle = corners({{{1, 2}, {62, 10}, {20, 63}}});
  const Painted threads = paint(false, 0, false, change, Topologies::_3DPRIM_TRILIST, triangle);
  const Painted asked = paint(true, 0, false, change, Topologies::_3DPRIM_TRILIST, triangle);
  CHECK(asked.memory == threads.memory);
  CHECK(asked.work.of(Path::pixels_filled) == 0);
  CHECK(asked.invocations == threads.invocations);
  CHECK(asked.work.of(Work::samples_written) == threads.work.of(Work::samples_written));
  CHECK(asked.work.of(Work::samples_written) > 500);
}

TEST_CASE("Ironlake does not fill with colours that differ in a thread", "[ilk]") {
  Scene scene;
  scene.runner.one_color = true;  // paint_kernel() interpolates
  auto vertices = rectangle(0, 0, 64, 64);
  vertices[0].color = {1, 0, 0, 1};
  const WorkCounts before = work_counts();
  REQUIRE(scene.draw(Topologies::_3DPRIM_RECTLIST, vertices) == ExecResult::done);
  CHECK(work_between(before, work_counts()).of(Path::pixels_filled) == 0);
}

namespace {

using namespace softgen::eu;
using namespace softgen::eu::test;

/// Register 2 is the first that is the same in all threads.
bool one_color(const std::vector<Instruction>& code) {
  return sends_one_color_behind_header(*Program::decode(gen5_isa(), assemble(code, gen5_isa())), 2);
}

constexpr auto F = RegType::f, UD = RegType::ud;

Instruction to_message(unsigned m, Operand from, unsigned exec = 8) { return op(Opcode::mov, exec, message_register(m, from.type), from); }

Instruction write(unsigned header = 0) {
  constexpr uint32_t simd8 = 0x0c084c00;
  return message(8, null(RegType::uw), 1, grf(header, RegType::uw), 5, simd8, true);
}

/// Crocus' kernel of clears, Mesa 22.3 (tests/golden/captures/ilk/gl2_tri): planes' constants are in registers 4 and 5.
std::vector<Instruction> clear_code() {
  return {to_message(3, scalar(4, F, 3)), to_message(4, scalar(4, F, 7)),          to_message(5, scalar(5, F, 3)),
          to_message(6, scalar(5, F, 7)), without_mask(to_message(2, grf(1, UD))), write()};
}

}  // namespace

TEST_CASE("eu gen5: a kernel that moves what is the same in all threads sends one colour") {
  CHECK(one_color(clear_code()));
  auto code = clear_code();
  code[1] = op(Opcode::mov, 8, message_register(4, F), imm(F));
  CHECK(one_color(code));
}

TEST_CASE("eu gen5: other kernels may send several colours") {
  auto code = clear_code();
  SECTION("a pixel's place") { code[0] = to_message(3, grf(1, UD)); }
  SECTION("a header that is not r0") { code.back() = write(1); }
  SECTION("arithmetic") { code[0] = op(Opcode::add, 8, message_register(3, F), scalar(4, F, 3), grf(1, F)); }
  SECTION("a predicate") { code[0] = predicated(code[0]); }
  SECTION("what was moved to another register before") { code.insert(code.begin(), op(Opcode::mov, 8, grf(4, F), scalar(5, F, 0))); }
  SECTION("a register in front of the constants") { code.insert(code.begin(), op(Opcode::mov, 8, grf(0, UD), scalar(5, UD, 0))); }
  SECTION("an answered message") { code.insert(code.begin(), message(8, grf(4, F), 1, scalar(5, F, 0), 1, math_descriptor(1, 1, 1))); }
  CHECK_FALSE(one_color(code));
}
