// SPDX-License-Identifier: GPL-2.0-or-later
// State as Mesa 22.3.6's crocus writes it: the batches of tests/golden/captures/ilk, of which each draw is decoded and run with kernels that only end.
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <string>

#include "hw/base/work.h"
#include "hw/debug/aub_reader.h"
#include "hw/debug/byte_source.h"
#include "hw/defs/bit6_swizzle.h"
#include "hw/defs/gen5/all.h"
#include "hw/defs/gen5/set.h"
#include "hw/eu/isa/gen5/isa.h"
#include "hw/eu/jit/engine.h"
#include "hw/gt/shared_functions.h"
#include "hw/memory/ggtt.h"
#include "hw/memory/sparse_memory.h"
#include "hw/mmio/register_file.h"
#include "hw/render/ilk/engine.h"
#include "hw/render/ilk/eu_runner.h"
#include "hw/render/ilk/state_reader.h"
#include "tests/catch.h"

using namespace softgen;
using namespace softgen::render;
using namespace softgen::render::ilk;
namespace gen5 = defs::gen5;

namespace {

/// A classic file: entries of the global table, blocks at graphics addresses, and a ring write that starts the batch.
struct Capture : debug::AubVisitor {
  static constexpr uint64_t bytes = 64 << 20;
  memory::SparseMemory memory{bytes};
  memory::Ggtt ggtt;
  memory::View view{memory, nullptr};
  uint32_t batch = 0;

  explicit Capture(const std::string& name) {
    // The file's table maps addresses to themselves, 2 MiB further on: here without the offset.
    for (uint64_t page = 0; page < bytes / 4096; ++page) ggtt.set_pte(static_cast<uint32_t>(page), page * 4096 | 1);
    view.set_space(memory::AddressSpace::ggtt(ggtt));
    const auto source = debug::open_file(std::string(ILK_CAPTURES) + "/" + name + ".aub.xz");
    const auto error = debug::read_aub(*source, *this);
    if (error) FAIL(error->message);
  }
  void memory_write(debug::aub::Space space, uint64_t address, std::span<const std::byte> data) override {
    if (space == debug::aub::Space::ggtt) view.write(address, data.data(), data.size());
  }
  void register_write(uint32_t, uint32_t) override {}
  void ring_write(debug::AubRing, std::span<const std::byte> commands) override {
    REQUIRE(commands.size() >= 8);
    std::memcpy(&batch, commands.data() + 4, 4);
  }
};

struct Counting : ThreadRunner {
  std::map<Unit, unsigned> threads;
  ThreadEnd run(const ThreadJob& job, UnitMessages&, EngineEnv&) override {
    ++threads[job.unit];
    return ThreadEnd::finished;
  }
};

struct Drawn {
  State state;
  Primitive primitive;
};

/// Executes a batch's packets of the engine. `before`: called before each draw.
void execute(Capture& capture, ThreadRunner& runner, const std::function<void(const StateStore&, std::span<const uint32_t>)>& before) {
  RenderEngine engine(gen5::commands, runner);
  mmio::RegisterFile registers{gen5::registers};
  StopFlag stop;
  EngineEnv env{.engine = EngineId::rcs, .view = capture.view, .ggtt = capture.view, .registers = registers, .stop = stop};
  for (uint64_t at = capture.batch;;) {
    const auto header = capture.view.load<uint32_t>(at);
    const defs::Command* const command = gen5::commands.find(defs::EngineClass::render, header);
    REQUIRE(command);
    std::vector<uint32_t> dwords(defs::command_length(*command, header));
    capture.view.read(at, dwords.data(), dwords.size() * 4);
    if (command->id == defs::CommandId::MI_BATCH_BUFFER_END) break;
    if (command->draws) before(engine.state(), dwords);
    if (command->draws || command->keeps_state) {
      INFO(command->name << " at " << std::hex << at);
      REQUIRE(engine.execute({at, command, dwords}, env) == ExecResult::done);
    }
    at += dwords.size() * 4;
  }
}

/// All draws of a batch, by the state that was kept when they came.
std::vector<Drawn> draws_of(Capture& capture, std::map<Unit, unsigned>& threads) {
  std::vector<Drawn> draws;
  Counting runner;
  execute(capture, runner, [&](const StateStore& store, std::span<const uint32_t> packet) {
    draws.emplace_back();
    read_state(store, capture.view, draws.back().state);
    draws.back().primitive = primitive(packet);
  });
  threads = runner.threads;
  return draws;
}

void check_unit(const ThreadUnit& unit, const UrbRegion& region) {
  CHECK(unit.kernel % 64 == 0);
  CHECK(unit.entries >= 1);
  CHECK(unit.entries * unit.entry_rows <= region.rows);
}

}  // namespace

TEST_CASE("draws of crocus' captures decode within Ironlake's limits", "[ilk]") {
  struct Row {
    const char* name;
    unsigned draws;
    bool depth, blend;
  };
  const Row row = GENERATE(Row{"gl2_tri", 2, false, false}, Row{"gl2_gouraud", 2, false, false}, Row{"gl2_tex", 2, false, false},
                           Row{"gl2_depth", 4, true, false}, Row{"gl2_blend", 2, false, true});
  INFO(row.name);
  Capture capture(row.name);
  CHECK(capture.batch == 0x10000);
  std::map<Unit, unsigned> threads;
  const std::vector<Drawn> draws = draws_of(capture, threads);
  REQUIRE(draws.size() == row.draws);
  for (const Drawn& draw : draws) {
    const State& s = draw.state;
    check_unit(s.vs, s.urb.vs), check_unit(s.sf, s.urb.sf);
    if (s.clip.enable) check_unit(s.clip, s.urb.clip);
    CHECK(s.urb.cs.first + s.urb.cs.rows <= UrbRegions::rows);
    CHECK(s.urb.constant_entries * s.urb.constant_rows <= s.urb.cs.rows);
    CHECK((!s.wm.dispatch || s.wm.has_kernel[0] || s.wm.has_kernel[1]));
    CHECK(s.wm.read_length % 2 == 0);
    CHECK(s.draw.raster.drawing_rectangle.x1 == 64);
    // Rectangles of the driver's own have neither a viewport nor a vertex shader.
    CHECK(s.sf.bias_x == (s.sf.transform ? 0.5f : 0.0f));
    CHECK(s.vs.enable == s.sf.transform);
    CHECK((!s.vs.enable || s.vs.read_length >= 1));
    CHECK(s.sf.read_length >= 1);
    // The table and the compiler agree on where constants begin.
    const DepthCase& d = s.wm.depth;
    CHECK(s.wm.grf_start == 2u + (d.source_depth ? 2 : 0) + (d.stored_stencil ? 1 : 0) + (d.stored_depth ? 2 : 0));
    CHECK(!draw.primitive.indirect);
    const auto target = surface::Surface(s.draw.common_bases.decode_surface([&] {
      std::array<uint32_t, 8> dwords;
      const uint32_t entry = capture.view.load<uint32_t>(s.draw.common_bases.surface_state + s.wm.binding_table);
      capture.view.read(s.draw.common_bases.surface_state + entry, dwords.data(), sizeof dwords);
      return dwords;
    }()));
    CHECK(target.width == 64);
    if (!target.is_null()) {
      CHECK(target.base == 0x23000);
      CHECK(target.pitch == 512);
      CHECK(target.tiling == surface::Tiling::swizzled_x);
    }
  }
  const State& last = draws.back().state;
  CHECK(draws.front().primitive.instance_count == 1);
  CHECK(last.draw.depth_stencil.depth_test == row.depth);
  CHECK(last.depth.surface.is_null() != row.depth);
  CHECK(last.blend.blend == row.blend);
  CHECK(last.vs.enable);
  CHECK(last.wm.dispatch);
  CHECK(last.clip.enable);
  CHECK(last.sf.transform);
  CHECK(last.sf.read_offset == 1);
  CHECK(last.draw.viewports[0].max_depth == 1);
  if (row.depth) CHECK(last.draw.depth_stencil.depth_function == CompareFunction::less);
  if (row.blend) CHECK(last.blend.source_factor == BlendFactor::source_alpha);
  CHECK(threads[Unit::vs] >= 1);
}

/// The shim reported to crocus that tiles are not swizzled, so it wrote its texture (X-tiled, at 2c000) as it would not on a real machine.
void swizzle_texture(Capture& capture) {
  constexpr uint64_t base = 0x2c000;
  std::vector<std::byte> texture(32 * 512);
  capture.view.read(base, texture.data(), texture.size());
  for (uint64_t at = 0; at < texture.size(); ++at) capture.view.store<std::byte>(defs::gen5_swizzle.of(base + at, false), texture[at]);
}

TEST_CASE("crocus' captures end in their pictures, with its own kernels on Ironlake's EU", "[ilk]") {
  const std::string name = GENERATE("tri", "gouraud", "tex", "depth", "blend");
  const bool compiled = GENERATE(false, true);
  INFO(name << (compiled ? ", compiled" : ", interpreted"));
  Capture capture("gl2_" + name);
  if (name == "tex") swizzle_texture(capture);
  gt::SharedFunctions shared(sampler::decode_state<defs::Gen5>);
  setenv("SOFTGEN_CACHE", "off", 1);
  const auto compiler = eu::make_compiler({.engine = compiled ? eu::Engine::jit : eu::Engine::interp});
  EuRunner runner(eu::gen5_isa(), &shared, compiler.get());
  execute(capture, runner, [](const StateStore&, std::span<const uint32_t>) {});
  // Without a compiler here all are interpreted.
  const eu::EngineStats stats = compiler->stats();
  if (compiled && std::getenv("SOFTGEN_EU_COMPILER")) {
    CHECK(stats.refused == 0);
    CHECK(stats.compiled_threads > 0);
    CHECK(stats.interpreted_threads == 0);
  }
  std::ifstream file(std::string(ILK_CAPTURES) + "/ref/" + name + ".rgba", std::ios::binary);
  const std::vector<char> expected((std::istreambuf_iterator<char>(file)), {});
  REQUIRE(expected.size() == 64 * 64 * 4);
  gen5::RENDER_SURFACE_STATE state;
  state.surface_type = decltype(state.surface_type)::SURFTYPE_2D, state.surface_format = gen5::SurfaceFormat::R8G8B8A8_UNORM;
  state.width = state.height = 63, state.surface_pitch = 511, state.tiled_surface = 1, state.surface_base_address = 0x23000;
  const auto surface = surface::decode_surface<defs::Gen5>(state.pack());
  const surface::Level level(surface, 0);
  // The references are llvmpipe's, whose interpolation and edges may differ a little.
  unsigned far = 0;
  for (uint32_t y = 0; y < 64; ++y)
    for (uint32_t x = 0; x < 64; ++x) {
      // A texel is a pixel and a half: centres of every third pixel lie on the border of two texels.
      if (name == "tex" && (x % 3 == 0 || y % 3 == 0)) continue;
      const auto pixel = capture.view.load<uint32_t>(level.address(x, y, 0));
      for (unsigned c = 0; c < 4; ++c) {
        const int want = static_cast<uint8_t>(expected[(y * 64 + x) * 4 + c]);
        if (std::abs(want - static_cast<int>(pixel >> 8 * c & 0xff)) > 2) {
          ++far;
          break;
        }
      }
    }
  CHECK(far <= 8);
}

namespace {

/// Runs what the other runner runs, and says of no kernel that it sends one colour.
struct Threads : ThreadRunner {
  ThreadRunner& runner;
  explicit Threads(ThreadRunner& other) : runner(other) {}
  ThreadEnd run(const ThreadJob& job, UnitMessages& messages, EngineEnv& env) override { return runner.run(job, messages, env); }
};

}  // namespace

TEST_CASE("crocus' clears are filled, and end in the same memory as by threads", "[ilk]") {
  const std::string name = GENERATE("tri", "gouraud", "tex", "depth", "blend");
  INFO(name);
  gt::SharedFunctions shared(sampler::decode_state<defs::Gen5>);
  const auto drawn = [&](bool fills, WorkCounts& work) {
    Capture capture("gl2_" + name);
    EuRunner eu(eu::gen5_isa(), &shared);
    Threads threads(eu);
    const WorkCounts before = work_counts();
    execute(capture, fills ? static_cast<ThreadRunner&>(eu) : threads, [](const StateStore&, std::span<const uint32_t>) {});
    work = work_between(before, work_counts());
    std::vector<std::byte> memory(Capture::bytes / 16);
    capture.view.read(0, memory.data(), memory.size());
    return memory;
  };
  WorkCounts filled, threads;
  const bool same = drawn(true, filled) == drawn(false, threads);
  CHECK(same);
  CHECK(filled.of(Path::pixels_filled) == 64 * 64);
  CHECK(threads.of(Path::pixels_filled) == 0);
  for (const Work work : {Work::pixels, Work::samples_rasterized, Work::samples_written, Work::ps_threads})
    CHECK(filled.of(work) == threads.of(work));
}
