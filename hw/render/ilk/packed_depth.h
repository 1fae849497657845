// SPDX-License-Identifier: GPL-2.0-or-later
// Depth and stencil tests on Ironlake's depth buffers, which have both in one element.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "hw/memory/view.h"
#include "hw/render/ilk/state.h"
#include "hw/render/pixel_kernels.h"

namespace softgen::render::ilk {

class DepthTests {
 public:
  explicit DepthTests(const State& state);

  struct Pixel {
    uint32_t x, y, layer;
    double z;  ///< within the viewport's range
    bool front;
  };
  /// 4x4 pixels, of which (x, y), multiples of 4, is the first.
  struct Square {
    uint32_t x, y, layer;
    bool front;
  };
  struct Stored {
    float depth = 0;
    uint8_t stencil = 0;
  };
  /// Whether a test is made, or something written.
  bool any() const { return state_.depth_test || state_.stencil_test; }
  /// True: the pixel passes. The element is updated as the tests' results demand. Beyond the buffer nothing is tested.
  bool test_and_write(memory::View& view, const Pixel& pixel) const;
  /// Whether test_square() applies: the square is within the buffer, and in 64 bytes of it, or in the same half of each of four rows of 16 bytes.
  bool holds_square(const Square& square) const;
  /// `plane` with what the state says of its test.
  DepthKernel kernel(DepthKernel plane) const;
  /// As test_and_write() of the pixels in `mask` (bit 4 y + x), with depth by the plane of `kernel`: those that pass.
  uint32_t test_square(memory::View& view, const DepthKernel& kernel, const Square& square, uint32_t mask) const;
  /// What the buffer holds; zeros beyond it.
  Stored stored(memory::View& view, uint32_t x, uint32_t y, uint32_t layer) const;

 private:
  struct Element {
    uint32_t depth, stencil;  ///< as they are stored
  };
  using Words = std::array<uint32_t, 16>;  ///< of a square
  bool holds(uint32_t x, uint32_t y, uint32_t layer) const;
  uint64_t address(uint32_t x, uint32_t y, uint32_t layer) const {
    return level_->address(x, y, layer + buffer_.surface.min_array_element);
  }
  Element load(memory::View& view, uint64_t address) const;
  void store_depth(memory::View& view, uint64_t address, uint32_t code) const;
  void store_stencil(memory::View& view, uint64_t address, uint8_t value) const;
  bool depth_passes(uint32_t code, uint32_t stored) const;
  static bool stencil_passes(const StencilFace& face, uint8_t stored);
  static uint8_t next_stencil(const StencilFace& face, uint8_t stored, bool stencil_ok, bool depth_ok);
  bool is_float() const;
  bool is_wide() const { return buffer_.surface.format->block_bits == 64; }

  const DepthStencilState& state_;
  const PackedDepth& buffer_;
  std::optional<surface::Level> level_;
  const PixelKernels& kernels_ = pixel_kernels();
};

}  // namespace softgen::render::ilk
