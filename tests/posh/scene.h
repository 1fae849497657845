// SPDX-License-Identifier: GPL-2.0-or-later
// A scene as the packets of a render batch and the memory that they name. Vertices pass the vertex shader unchanged but for an offset, which may be an
// instance's; pixels have the colour of their object's provoking vertex. Target: R8G8B8A8_UNORM, which the viewport covers; y points down.
#pragma once

#include <array>
#include <vector>

#include "hw/defs/gen11/all.h"
#include "tests/unit/render/scene.h"

namespace softgen::posh::test {

namespace gen11 = defs::gen11;
using Topology = gen11::PrimitiveTopologyType;

/// In clip coordinates.
struct Vertex {
  float x, y, z = 0.5f, w = 1;
  std::array<float, 4> color{1, 1, 1, 1};
};

class Scene {
 public:
  struct Form {
    uint32_t width = 128, height = 128;
    uint32_t samples = 1;           ///< 1 or 4
    bool depth = false;             ///< D32_FLOAT, which begins as 1
    uint64_t address = 0x100'0000;  ///< of all its memory, 32 MiB
  };
  explicit Scene(const Form& form);
  Scene() : Scene(Form()) {}

  template <typename Packet>
  void add(const Packet& packet) {
    copy(packet.pack());
  }
  void copy(std::span<const uint32_t> packet) { packets_.emplace_back(packet.begin(), packet.end()); }

  /// At a pixel's upper left corner, of a palette.
  Vertex at(float x, float y, unsigned color = 0) const;

  /// Their address.
  uint64_t vertices(const std::vector<Vertex>& vertices);
  /// Vertices that are in memory already.
  void bind(uint64_t at, size_t count);
  /// By the render engine.
  void store(uint64_t at, uint32_t value);
  /// Offsets in clip coordinates; one serves `step` instances.
  void offsets(const std::vector<std::array<float, 4>>& offsets, uint32_t step = 1);
  /// Words; ffffh cuts.
  void indices(const std::vector<uint16_t>& indices);
  void topology(Topology topology);
  void scissor(uint32_t x_min, uint32_t y_min, uint32_t x_max, uint32_t y_max);
  /// The result is added to what is there.
  void blending();
  struct Range {
    uint32_t count = 0, start = 0, instances = 1;
    bool indexed = false, indirect = false, predicated = false;
  };
  void draw(const Range& range);
  void draw(Topology topology, const std::vector<Vertex>& vertices);
  /// A flush, behind which another record begins.
  void flush();

  /// Puts data into the scene's memory; returns its address.
  uint64_t data(std::span<const std::byte> bytes);

  struct Content {
    uint64_t va;
    std::vector<std::byte> bytes;
  };
  uint64_t address() const { return form_.address; }
  const std::vector<Content>& contents() const { return contents_; }
  const std::vector<std::vector<uint32_t>>& packets() const { return packets_; }
  /// What it draws to: color and, with Form::depth, depth.
  struct Extent {
    uint64_t va, bytes;
  };
  const std::vector<Extent>& targets() const { return targets_; }

  /// What scenes change and add() again.
  gen11::_3DSTATE_SF setup;
  gen11::_3DSTATE_RASTER raster;
  gen11::_3DSTATE_CLIP clip;

 private:
  uint64_t reserve(uint64_t bytes);
  uint64_t new_target(uint64_t bytes);             ///< whole pages
  uint64_t put(std::span<const uint32_t> dwords);  ///< from the bases
  uint64_t kernel(const render::test::Code& code);
  void set_bases();
  void set_viewport();
  void set_target();
  void set_depth();
  void set_samples();
  void set_shaders();
  void set_fixed_functions();
  void set_elements();
  void set_buffer(uint32_t index, uint64_t at, size_t bytes, uint32_t pitch);

  const Form form_;
  uint64_t next_, next_target_;
  std::vector<Content> contents_;
  std::vector<Extent> targets_;
  std::vector<std::vector<uint32_t>> packets_;
};

}  // namespace softgen::posh::test
