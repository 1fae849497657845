// SPDX-License-Identifier: GPL-2.0-or-later
// A scene on the render engine, from packets, assembled kernels and vertices in memory to the pixels of a target: VS, PS and, where a test adds them,
// the stages between. The target is a linear R8G8B8A8_UNORM of size x size pixels, which the viewport covers; y points down.
#pragma once

#include <string>
#include <vector>

#include "hw/base/worker_pool.h"
#include "hw/defs/gen9/all.h"
#include "hw/defs/gen9/set.h"
#include "hw/mmio/register_file.h"
#include "hw/render/render_engine.h"
#include "tests/unit/eu/harness.h"
#include "tests/unit/memory/mapped.h"

namespace softgen::render::test {

namespace gen9 = defs::gen9;
using Code = std::vector<eu::Instruction>;

/// In pixels from the upper left; the last three are the attribute "colour".
struct SceneVertex {
  float x, y, red, green, blue;
};
constexpr SceneVertex red(float x, float y) { return {x, y, 1, 0, 0}; }
constexpr SceneVertex green(float x, float y) { return {x, y, 0, 1, 0}; }
constexpr SceneVertex blue(float x, float y) { return {x, y, 0, 0, 1}; }

/// First register of constants and inputs, of VS and PS.
constexpr unsigned first_constant = 2;

/// Whose packets are decoded, and whose instructions kernels consist of. Scenes write packets as Gen9 has them; others do where tests need them.
struct Generation {
  const defs::CommandSet& commands;
  const defs::RegisterSet& registers;
  std::unique_ptr<StateDecoder> (*decoder)();
  const eu::Isa& (*isa)();
  eu::Opcode send = eu::Opcode::send;
};
extern const Generation gen9_scenes, gen11_scenes, gen12_scenes;

/// How a draw's vertices are used.
struct Way {
  std::vector<uint16_t> indices{};  ///< none: in their order
  uint32_t instances = 1;
};

class Scene : protected memory::test::Mapped {
 public:
  /// Vertices pass unchanged, and pixels have the colour of their object's provoking vertex (its first one). `threads`: besides the caller's.
  explicit Scene(uint32_t size = 16, unsigned threads = 0, const Generation& generation = gen9_scenes);

  /// Executes the packet; state counts from the next draw on.
  template <typename Packet>
  void set(const Packet& packet) {
    execute(packet.pack());
  }
  void execute(std::span<const uint32_t> dwords);
  /// Puts a kernel into memory; returns what a packet's Kernel Start Pointer says.
  uint64_t kernel(const Code& code);
  /// 8 or 16 pixels a thread, whose code paints them; without arguments: with the attribute.
  void pixel_shader(unsigned width, const Code& code, unsigned first_register = first_constant);
  /// Four samples a pixel from here on; those of the target follow each other, each with all pixels.
  void multisample();
  /// A depth buffer of ones, of at most 32x32 pixels, that is written; all draws' depth is zero.
  void depth_test(gen9::CompareFunction function);
  /// Each pixel shows how many objects cover it, in 255ths of red.
  void count_coverage();

  void draw(gen9::PrimitiveTopologyType topology, const std::vector<SceneVertex>& vertices, const Way& way = {});
  /// All draws' pixels are in memory, and statistics are up to date.
  void finish();

  uint32_t pixel(uint32_t x, uint32_t y) { return view.load<uint32_t>(target + (y * size_ + x) * 4); }
  std::vector<uint32_t> pixels(unsigned sample = 0);
  /// A line a row, a character a pixel: '.' untouched, R, G and B, '?' another colour.
  std::vector<std::string> picture();
  uint64_t count(uint32_t statistics_register) { return registers_.peek64(statistics_register); }

  RenderEngine& engine() { return engine_; }
  /// What tests change and set() again.
  gen9::_3DSTATE_SF setup;
  gen9::_3DSTATE_RASTER raster;
  /// A distance or position in pixels, in the clip coordinates of vertices.
  float distance(float pixels) const { return 2 * pixels / static_cast<float>(size_); }
  float position(float pixels) const { return distance(pixels) - 1; }

 protected:
  static constexpr uint64_t kernels = 0x2000, dynamic = 0x10000, surfaces = 0x12000, vertex_data = 0x14000, target = 0x80000,
                            depth_data = 0xf0000;
  const Generation& generation_;
  const uint32_t size_;
  WorkerPool pool_;
  std::vector<std::vector<uint32_t>> executed_;  ///< packets

 private:
  void set_bases();
  void set_viewport();
  void set_target(gen9::RENDER_SURFACE_STATE::NumberOfMultisamples samples = {});
  void set_shaders();
  void set_pixel_state();
  void set_vertices(const std::vector<SceneVertex>& vertices);
  void set_indices(const std::vector<uint16_t>& indices);

  uint64_t next_kernel_ = 0;
  uint64_t next_vertex_ = vertex_data;  ///< draws that are not finished keep theirs
  mmio::RegisterFile registers_;
  StopFlag stop_;
  EngineEnv env_{.engine = EngineId::rcs, .view = view, .ggtt = view, .registers = registers_, .stop = stop_};
  RenderEngine engine_;
};

// Pieces of kernels (SKL PRM vol 7, "URB Messages", "Render Target Write"; vol 7 of the stages' payloads). Payloads of messages begin at g112.

constexpr unsigned message = 112;
/// Dwords of a vertex in the URB: a header of zeros, the position, the attribute. In owords.
constexpr unsigned vertex_dwords = 12, vertex_owords = 3;

eu::Instruction copy(unsigned to, unsigned from);
eu::Instruction load(unsigned to, float value);
eu::Instruction load_dword(unsigned to, uint32_t value);
/// result = value * factor + addend, of floats.
Code scaled(unsigned result, unsigned value, float factor, float addend);
/// A SIMD8 write to the URB: handles in g112, `dwords` registers of data after them, `offset` in owords.
eu::Instruction urb_write(unsigned dwords, unsigned offset, bool ends = false);
/// A SIMD8 read of what the handles in g112 name.
eu::Instruction urb_read(unsigned to, unsigned dwords, unsigned offset);
/// A vertex whose position is in four registers from `position` on and whose attribute in four from `attribute` on, to the entries that the
/// register `handles` names.
Code write_vertex(unsigned handles, unsigned position, unsigned attribute, unsigned offset, bool ends = false);
Code operator+(Code a, const Code& b);

/// Pixel shaders of 8 or 16 pixels: the attribute where the object has it constant; a colour.
Code paint_attribute(unsigned width);
Code paint(unsigned width, float red, float green, float blue);
/// Red, green, blue and alpha of all pixels are in registers from `message` on; `coarse`: pixels are coarse ones.
eu::Instruction write_target(unsigned width, bool coarse = false);

}  // namespace softgen::render::test
