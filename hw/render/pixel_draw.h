// SPDX-License-Identifier: GPL-2.0-or-later
// What the pixels of one draw need.
#pragma once

#include <array>
#include <atomic>
#include <optional>
#include <vector>

#include "hw/iface/engine.h"
#include "hw/render/depth_stencil.h"
#include "hw/render/kernel.h"
#include "hw/render/output_merger.h"
#include "hw/render/raster_state.h"
#include "hw/render/setup.h"

namespace softgen::render {

/// What the pixels of a draw add to the statistics.
struct PixelCounts {
  std::atomic<uint64_t> depth{0}, invocations{0};
};

/// A number that no other object of the process has; a copy gets a new one.
struct Serial {
  Serial() : value(next_++) {}
  Serial(const Serial&) : Serial() {}
  Serial& operator=(const Serial&) = delete;
  const uint64_t value;

 private:
  static inline std::atomic<uint64_t> next_{1};
};

/// Everything of a draw that its pixels need; constant while they are drawn.
struct PixelDraw {
  const DrawState& state;
  const RasterState& raster;
  Kernel kernel;  ///< none: depth and stencil only
  unsigned simd;  ///< channels of the kernel: 8, 16 or 32
  DepthStencil depth_stencil;
  OutputMerger merger;
  std::vector<RenderTarget> targets;  ///< by binding table index, those that threads may write
  MessageTarget* shared_functions;    ///< sampler, data ports; null: not there
  StopFlag& stop;
  PixelCounts& counts;
  bool depth_by_blocks = false;  ///< DepthStencil::test_block() does the depth and stencil tests
  bool unobservable = false;     ///< no effect of the kernel reaches memory: its pixels are only counted
  bool uniform = false;          ///< the kernel only sends one colour for all pixels of an object
  bool copies = false;           ///< may_copy_texels(), to a target that stores_texels()
  bool early = true;             ///< depth and stencil are tested before the shader
  bool coarse = false;           ///< the kernel is run for coarse pixels
  uint32_t topology = 0;         ///< Primitive Topology Type of the objects, r0.0[4:0]
  Serial serial{};
  std::array<std::optional<ColorKernel>, 8> color;  ///< for targets by binding table index, with the blend state of the same number
};

/// Gives `depth` the plane of an object.
inline void set_depth_plane(DepthKernel& depth, const PreparedObject& object, const Viewport& viewport) {
  depth.a = object.z.a, depth.b = object.z.b, depth.c = object.z.c;
  depth.bias = object.depth_bias, depth.low = viewport.min_depth, depth.high = viewport.max_depth;
}
/// 8x8 pixels from (x, y) on, multiples of 8, of draws with one sample.
inline DepthStencil::Block depth_block(const PixelDraw& draw, const PreparedObject& object, uint32_t x, uint32_t y) {
  const auto& position = draw.raster.sample_positions[0];
  return {x, y, object.layer, x + position[0] / double{subpixels}, y + position[1] / double{subpixels}, object.front};
}

/// Whether the tests may come before the shader: it cannot change their outcome (SKL PRM vol 7, "Early Depth/Stencil
/// Processing").
bool tests_are_early(const DrawState& state);

}  // namespace softgen::render
