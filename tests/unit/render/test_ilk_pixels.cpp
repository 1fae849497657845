// SPDX-License-Identifier: GPL-2.0-or-later
// Ironlake's pixels in groups and by several host threads: the same as one by one.
#include <algorithm>
#include <atomic>
#include <bit>
#include <iterator>
#include <random>

#include "hw/base/work.h"
#include "hw/defs/registers/registers.h"
#include "hw/render/depth_stencil_rules.h"
#include "hw/render/ilk/packed_depth.h"
#include "hw/surface/surface.h"
#include "tests/catch.h"
#include "tests/unit/render/ilk_scene.h"

using namespace softgen;
using namespace softgen::render;
using namespace softgen::render::ilk;
using namespace softgen::render::ilk::test;
using Topologies = gen5::PrimitiveTopologyType;
using PackedFormat = gen5::_3DSTATE_DEPTH_BUFFER::SurfaceFormat;

namespace {

surface::Surface depth_surface(PackedFormat format, uint64_t base, unsigned lod) {
  gen5::_3DSTATE_DEPTH_BUFFER depth;
  depth.surface_type = decltype(depth.surface_type)::SURFTYPE_2D, depth.surface_format = format;
  depth.tiled_surface = true, depth.tile_walk = decltype(depth.tile_walk)::TILEWALK_YMAJOR;
  depth.surface_pitch = 511, depth.surface_base_address = static_cast<uint32_t>(base), depth.width = depth.height = 63, depth.lod = lod;
  return surface::decode_depth_buffer<defs::Gen5>(depth.pack(), 1);
}

std::vector<SceneVertex> random_triangles(unsigned seed, unsigned count) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> place(-1.2f, 1.2f), unit(0, 1);
  std::vector<SceneVertex> out(size_t{3} * count);
  for (SceneVertex& v : out)
    v = {{place(random), place(random), unit(random) * 2 - 1, 1}, {unit(random), unit(random), unit(random), unit(random)}};
  return out;
}

/// Triangles over each other, tested, with stencils that count, and blended.
struct Busy {
  Scene scene;
  uint64_t singly = 0;  ///< pixels that were tested or written one by one
  Busy(unsigned workers, bool stipple, PackedFormat format, bool tiled) : scene(workers) {
    using Compare = gen5::CompareFunction;
    scene.use_depth(format);
    scene.wm.statistics_enable = true;
    scene.wm.polygon_stipple_enable = stipple;
    scene.cc.depth_test_enable = scene.cc.depth_buffer_write_enable = true;
    scene.cc.depth_test_function = Compare::COMPAREFUNCTION_LEQUAL;
    scene.cc.stencil_test_enable = scene.cc.stencil_buffer_write_enable = true;
    scene.cc.stencil_test_function = Compare::COMPAREFUNCTION_NOTEQUAL, scene.cc.stencil_reference_value = 5;
    scene.cc.stencil_test_mask = 0x7, scene.cc.stencil_write_mask = 0x3f;
    scene.cc.stencil_fail_op = gen5::StencilOperation::STENCILOP_INVERT;
    scene.cc.stencil_pass_depth_fail_op = gen5::StencilOperation::STENCILOP_INCR;
    scene.cc.stencil_pass_depth_pass_op = gen5::StencilOperation::STENCILOP_DECR;
    scene.cc.color_buffer_blend_enable = scene.surface.color_blend_enable = true;
    scene.cc.color_blend_function = gen5::BlendFunction::BLENDFUNCTION_ADD;
    scene.cc.source_blend_factor = gen5::BlendFactor::BLENDFACTOR_SRC_ALPHA;
    scene.cc.destination_blend_factor = gen5::BlendFactor::BLENDFACTOR_INV_SRC_ALPHA;
    if (tiled) scene.surface.tiled_surface = 1, scene.surface.surface_pitch = 511;
    std::vector<uint32_t> pattern{0x7907001f};
    pattern.resize(33, ~0u);
    scene.execute(pattern);
    const uint32_t far = format == PackedFormat::D32_FLOAT ? std::bit_cast<uint32_t>(1.0f) : 0x00ffffff;
    for (uint64_t at = 0; at < 64 * 512; at += 4) scene.view.store(Scene::depth_data + at, far);
    const WorkCounts before = work_counts();
    CHECK(scene.draw(Topologies::_3DPRIM_TRILIST, random_triangles(7, 300)) == ExecResult::done);
    const WorkCounts done = work_between(before, work_counts());
    singly = done.of(Path::pixels_tested_singly) + done.of(Path::pixels_written_singly);
  }
  std::vector<uint32_t> memory() {
    std::vector<uint32_t> out(64 * 512 / 4 * 2);
    scene.view.read(Scene::target, out.data(), 64 * 512);
    scene.view.read(Scene::depth_data, out.data() + 64 * 512 / 4, 64 * 512);
    return out;
  }
  uint64_t passed() { return scene.registers.peek64(reg::PS_DEPTH_COUNT(0)); }
};

}  // namespace

TEST_CASE("depth and stencil tests of Ironlake's 4x4 pixels are those of single ones", "[ilk]") {
  constexpr unsigned seed = 11;
  INFO("seed " << seed);
  std::mt19937 random(seed);
  memory::test::Mapped mapped(0x10000, 0x40000);
  memory::View& view = mapped.view;
  constexpr uint64_t bases[2] = {0x10000, 0x20000}, bytes = 0x10000;
  unsigned squares = 0, failed = 0;
  for (unsigned round = 0; round < 4000; ++round) {
    constexpr PackedFormat formats[] = {PackedFormat::D24_UNORM_S8_UINT, PackedFormat::D24_UNORM_X8_UINT, PackedFormat::D32_FLOAT,
                                        PackedFormat::D16_UNORM};
    const PackedFormat format = formats[random() % std::size(formats)];
    State state;
    DepthStencilState& ds = state.draw.depth_stencil;
    state.depth.stencil = format == PackedFormat::D24_UNORM_S8_UINT;
    ds.depth_test = random() % 4, ds.depth_write = ds.depth_test && random() % 2;
    ds.depth_function = static_cast<CompareFunction>(random() % 8);
    ds.stencil_test = state.depth.stencil && random() % 2, ds.stencil_write = ds.stencil_test && random() % 2;
    for (StencilFace& face : ds.faces) {
      face.function = static_cast<CompareFunction>(random() % 8);
      face.fail = static_cast<StencilOp>(random() % 8), face.depth_fail = static_cast<StencilOp>(random() % 8);
      face.pass = static_cast<StencilOp>(random() % 8);
      face.test_mask = static_cast<uint8_t>(random()), face.write_mask = static_cast<uint8_t>(random());
      face.reference = static_cast<uint8_t>(random());
    }
    const unsigned lod = random() % 3;
    const DepthTests::Square square{4 * static_cast<uint32_t>(random() % (16u >> lod)), 4 * static_cast<uint32_t>(random() % (16u >> lod)),
                                    0, random() % 2 == 0};
    std::uniform_real_distribution<double> slope(-0.1, 0.1), value(-0.2, 1.2);
    const double a = slope(random), b = slope(random), c = value(random), bias = slope(random) / 100;
    const auto mask = static_cast<uint32_t>(random() & 0xffff);
    const unsigned old = static_cast<unsigned>(random());
    uint32_t passed[2] = {0, 0};
    for (unsigned way = 0; way < 2; ++way) {
      state.depth.surface = depth_surface(format, bases[way], lod);
      const DepthTests tests(state);
      if (!tests.holds_square(square)) break;
      std::mt19937 fill(old);
      for (unsigned i = 0; i < 16; ++i) {
        const surface::Level level(state.depth.surface, lod);
        const uint64_t at = level.address(square.x + i % 4, square.y + i / 4, 0);
        const double near = a * (square.x + i % 4 + 0.5) + b * (square.y + i / 4 + 0.5) + c + bias;
        const uint32_t word = format == PackedFormat::D32_FLOAT ? std::bit_cast<uint32_t>(static_cast<float>(near)) : fill();
        if (format == PackedFormat::D16_UNORM) view.store(at, static_cast<uint16_t>(word));
        else view.store(at, word);
      }
      const DepthKernel kernel = tests.kernel({a, b, c, bias, 0.1, 0.9});
      if (way == 0) {
        ++squares;
        passed[0] = tests.test_square(view, kernel, square, mask);
        continue;
      }
      for (unsigned i = 0; i < 16; ++i) {
        if (!(mask >> i & 1)) continue;
        const uint32_t x = square.x + i % 4, y = square.y + i / 4;
        const double z = std::min(std::max(a * (x + 0.5) + b * (y + 0.5) + c + bias, 0.1), 0.9);
        if (tests.test_and_write(view, {x, y, 0, z, square.front})) passed[1] |= 1u << i;
      }
      failed += passed[0] != mask;
    }
    std::vector<uint8_t> memory[2];
    for (unsigned way = 0; way < 2; ++way) memory[way].resize(bytes), view.read(bases[way], memory[way].data(), bytes);
    INFO("round " << round);
    REQUIRE(passed[0] == passed[1]);
    REQUIRE(memory[0] == memory[1]);
  }
  CHECK(squares > 3000);
  CHECK(failed > 1000);
}

TEST_CASE("Ironlake's pixels are the same by groups, one by one, and by several host threads", "[ilk]") {
  const PackedFormat format = GENERATE(PackedFormat::D24_UNORM_S8_UINT, PackedFormat::D32_FLOAT, PackedFormat::D16_UNORM);
  const bool tiled = GENERATE(false, true);
  Busy groups(0, false, format, tiled), single(0, true, format, tiled), shared(3, false, format, tiled);
  const auto memory = groups.memory();
  CHECK(groups.singly == 0);
  CHECK(single.singly > 10000);
  CHECK(shared.singly == 0);
  CHECK(memory == single.memory());
  CHECK(memory == shared.memory());
  CHECK(groups.passed() > 1000);
  CHECK(groups.passed() == single.passed());
  CHECK(groups.passed() == shared.passed());
  // An object's vertices are shaded and set up once, whatever the number of its tiles.
  CHECK(groups.scene.runner.of(Unit::sf).size() == shared.scene.runner.of(Unit::sf).size());
}

TEST_CASE("host threads use no more scratch spaces than Ironlake's units have", "[ilk]") {
  constexpr uint32_t base = 0x70000, bytes = 1024;
  const unsigned threads = GENERATE(1u, 3u, 4u, 64u);
  Scene scene(3);
  scene.wm.scratch_space_base_pointer = scene.vs.scratch_space_base_pointer = base;
  scene.wm.maximum_number_of_threads = scene.vs.maximum_number_of_threads = threads - 1;
  REQUIRE(scene.draw(Topologies::_3DPRIM_TRILIST, random_triangles(5, 300)) == ExecResult::done);
  const unsigned max_slots = threads < scene.pool.slots() ? 1 : scene.pool.slots();
  for (const Unit unit : {Unit::vs, Unit::wm}) {
    const auto runs = scene.runner.of(unit);
    REQUIRE(runs.size() > 100);
    for (const auto& run : runs) {
      const uint32_t scratch = run.payload[0].dw[5] & ~(bytes - 1);
      REQUIRE((scratch >= base && scratch < base + max_slots * bytes));
    }
  }
}

TEST_CASE("a stop flag ends Ironlake's tiles on all host threads", "[ilk]") {
  Scene scene(3);
  std::atomic<unsigned> threads{0};
  const Kernel paint = paint_kernel();
  scene.runner.kernels[Scene::wm_kernel] = [&](const ThreadJob& job, UnitMessages& messages) {
    if (++threads == 10) scene.stop.request(StopFlag::reset);
    return scene.stop.aborting() ? ThreadEnd::aborted : paint(job, messages);
  };
  CHECK(scene.draw(Topologies::_3DPRIM_TRILIST, random_triangles(3, 300)) == ExecResult::aborted);
  // Each host thread may be within a thread of its own.
  CHECK(threads <= 10 + scene.pool.slots());
}
