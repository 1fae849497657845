// SPDX-License-Identifier: GPL-2.0-or-later
// A scene on Ironlake's render engine, from packets and unit states to the pixels of a target of 64x64 RGBA8, linear. Kernels are functions of this folder
// that do what clients' kernels do with their payloads: Mesa's brw_compile_sf.c, brw_clip_tri.c, brw_compile_ff_gs.c, brw_fs_visitor.cpp.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <vector>

#include "hw/base/worker_pool.h"
#include "hw/defs/gen5/all.h"
#include "hw/defs/gen5/set.h"
#include "hw/mmio/register_file.h"
#include "hw/render/ilk/engine.h"
#include "tests/unit/memory/mapped.h"

namespace softgen::render::ilk::test {

namespace gen5 = defs::gen5;

/// A kernel; `r`: the payload.
using Kernel = std::function<ThreadEnd(const ThreadJob& job, UnitMessages& messages)>;

class FakeRunner : public ThreadRunner {
 public:
  std::map<uint32_t, Kernel> kernels;  ///< by kernel offset
  struct Run {
    Unit unit;
    std::vector<Grf> payload;
    unsigned channels;
    uint32_t dispatch_mask;
  };
  std::vector<Run> runs;  ///< with worker threads in any order

  ThreadEnd run(const ThreadJob& job, UnitMessages& messages, EngineEnv& env) override;
  bool sends_one_color(const ThreadJob&, unsigned, EngineEnv&) override { return one_color; }
  bool one_color = false;  ///< what the runner says of all kernels
  std::vector<Run> of(Unit unit) const;

 private:
  std::mutex mutex_;
};

float as_float(uint32_t word);
uint32_t as_word(float value);

/// A vertex of Mesa's: clip coordinates and attributes of four floats.
struct SceneVertex {
  std::array<float, 4> position;
  std::array<float, 4> color{1, 1, 1, 1};
};

/// What tests change before Scene::set_units().
struct SceneUnits {
  gen5::VS_STATE vs;
  gen5::GS_STATE gs;
  gen5::CLIP_STATE clip;
  gen5::SF_STATE sf;
  gen5::SF_VIEWPORT viewport;
  gen5::WM_STATE wm;
  gen5::COLOR_CALC_STATE cc;
  gen5::CC_VIEWPORT depth_range;
  gen5::CLIP_VIEWPORT guard;
  gen5::RENDER_SURFACE_STATE surface;
  bool gs_enable = false, clip_enable = false;
  uint32_t general_base = 0;  ///< pointers to unit states and viewports count from it
};

/// Threads that draw pixels besides the caller.
struct SceneThreads {
  WorkerPool pool;
};

class Scene : public memory::test::Mapped, public SceneUnits, public SceneThreads {
 public:
  static constexpr uint32_t size = 64, pitch = size * 4;
  static constexpr uint64_t states = 0x10000, surfaces = 0x18000, constants = 0x1c000, vertex_data = 0x20000, index_data = 0x30000,
                            target = 0x40000, depth_data = 0x50000;
  static constexpr uint32_t vs_kernel = 0x100, gs_kernel = 0x200, clip_kernel = 0x300, sf_kernel = 0x400, wm_kernel = 0x500,
                            wide_kernel = 0x600;

  /// `workers`: of the pool.
  explicit Scene(unsigned workers = 0);

  /// Executes a packet.
  template <typename P>
  void set(const P& packet) {
    execute(packet.pack());
  }
  ExecResult execute(std::span<const uint32_t> dwords);
  /// Writes the unit states as they are now, with their pointers, and what belongs to them.
  void set_units();
  /// Vertices of the scene's layout from the start of the vertex buffer on.
  void set_vertices(const std::vector<SceneVertex>& vertices);
  ExecResult draw(gen5::PrimitiveTopologyType topology, uint32_t count, bool indexed = false, uint32_t instances = 1);
  ExecResult draw(gen5::PrimitiveTopologyType topology, const std::vector<SceneVertex>& vertices) {
    set_vertices(vertices);
    return draw(topology, static_cast<uint32_t>(vertices.size()));
  }
  uint32_t pixel(uint32_t x, uint32_t y) { return view.load<uint32_t>(target + y * pitch + 4 * x); }
  size_t painted();
  void use_depth(gen5::_3DSTATE_DEPTH_BUFFER::SurfaceFormat format = gen5::_3DSTATE_DEPTH_BUFFER::SurfaceFormat::D24_UNORM_S8_UINT);

  FakeRunner runner;
  mmio::RegisterFile registers;
  StopFlag stop;
  EngineEnv env{.engine = EngineId::rcs, .view = view, .ggtt = view, .registers = registers, .stop = stop};
  RenderEngine engine{gen5::commands, runner, &pool};

 private:
  void set_fences();
  void default_units();
};

// Kernels. `attributes`: of four floats, behind the position.
Kernel vertex_kernel(unsigned attributes = 1);
/// Triangles, lines and points; attributes are divided by W.
Kernel setup_kernel(unsigned registers = 1);
/// Paints the attribute behind the position.
Kernel paint_kernel();
Kernel clip_triangles_kernel();
Kernel quads_kernel();

}  // namespace softgen::render::ilk::test
