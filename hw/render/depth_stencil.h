// SPDX-License-Identifier: GPL-2.0-or-later
// Depth and stencil tests, sample by sample, and the clears of 3DSTATE_WM_HZ_OP. The depth buffer always holds the depth: of the HiZ buffer only
// the clear state is kept (hw/surface/hiz_clear.h), and resolves change no depth.
#pragma once

#include <cstdint>
#include <optional>

#include "hw/memory/view.h"
#include "hw/render/draw_state.h"
#include "hw/render/fill.h"
#include "hw/render/pixel_kernels.h"
#include "hw/render/raster_state.h"
#include "hw/render/state_decoder.h"
#include "hw/surface/ccs.h"
#include "hw/surface/hiz_clear.h"
#include "hw/surface/surface.h"

namespace softgen::render {

class DepthStencil {
 public:
  /// Tests and writes as the state says; what has no buffer always passes and is not written.
  explicit DepthStencil(const DrawState& state) : DepthStencil(state, state.depth.buffers) {}
  /// With other buffers, or with other samples.
  DepthStencil(const DrawState& state, const DepthBuffers& buffers);

  bool any_test() const { return depth_test_ || stencil_test_ || bounds_.test; }
  bool uses_depth() const { return depth_test_ || depth_write_ || bounds_.test; }
  bool any_write() const { return depth_write_ || stencil_write_; }

  struct Sample {
    uint32_t x, y, layer, sample;
    double z;  ///< within the viewport's range
    bool front;
  };
  /// True: the sample passes. Both buffers are updated as the tests' results demand.
  bool test_and_write(memory::View& view, const Sample& sample, std::optional<uint8_t> shader_stencil = std::nullopt) const;

  /// Whether test_block() does what test_and_write() does, where holds_block() says that 8x8 pixels are within the buffer.
  bool tests_blocks() const;
  bool holds_block(uint32_t x, uint32_t y, uint32_t layer) const;
  struct Block {
    uint32_t x, y, layer;       ///< multiples of 8
    double sample_x, sample_y;  ///< of the first pixel's sample
    bool front;
  };
  /// `plane` with what the state says of its test.
  DepthKernel kernel(DepthKernel plane) const;
  /// Which of the pixels in `mask` (bit 8 y + x) pass; `depth`: of kernel().
  uint64_t test_block(memory::View& view, const DepthKernel& depth, const Block& block, uint64_t mask) const;

  /// The operation's depth and stencil clear of the view's first slice, or some of it when `stops` says so.
  void clear(memory::View& view, const FillBands& bands, StopReasons stops, const DepthOperation& op) const;
  /// Some slice of the view was cleared with another value than the one that is bound: renew() is due before depth is used.
  bool clear_value_changed(memory::View& view) const;
  /// Gives such slices the bound value, or some of them when `stops` says so.
  void renew(memory::View& view, const FillBands& bands, StopReasons stops) const;
  /// The slices of the view are no longer as a clear left them. `ambiguate`: their CCS is made anew even where HiZ says that they were so before.
  void forget_clears(memory::View& view, bool ambiguate = false) const;
  bool writes_depth() const { return depth_write_; }

 private:
  bool depth_in_blocks() const;
  bool stencil_in_blocks() const;
  uint64_t test_depth_block(memory::View& view, const DepthKernel& depth, const Block& block, uint64_t mask) const;
  static bool inside(const surface::Surface& surface, const std::optional<surface::Level>& level, const Sample& s);
  bool depth_passes(memory::View& view, const Sample& sample, uint64_t address) const;
  bool within_bounds(memory::View& view, uint64_t address) const;
  uint32_t quantized(double z) const { return surface::depth_code(*depth_.format, z); }
  bool covered_by(const DepthOperation& op) const;
  /// The same for the slice's pairs of lines, where the depth buffer has a CCS: the sampler has no HiZ then, and gives them the clear colour of its
  /// surface state.
  void code(memory::View& view, uint32_t slice, surface::CcsCode code) const;

  surface::Surface depth_, stencil_;
  std::optional<surface::Level> depth_level_, stencil_level_;
  std::optional<surface::HizClear> hiz_;  ///< when HiZ is on and a clear value is bound
  surface::Ccs ccs_;                      ///< of the depth buffer, when hiz_ is there
  uint32_t clear_value_ = 0;              ///< 3DSTATE_CLEAR_PARAMS', as the depth buffer holds it
  bool depth_test_ = false, depth_write_ = false, stencil_test_ = false, stencil_write_ = false;
  CompareFunction depth_function_{};
  std::array<StencilFace, 2> faces_;  // front, back
  struct {
    bool test = false;
    float min = 0, max = 0;
    uint32_t min_code = 0, max_code = 0;  ///< as the depth buffer holds them
  } bounds_;
};

}  // namespace softgen::render
