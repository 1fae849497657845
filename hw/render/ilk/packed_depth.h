// SPDX-License-Identifier: GPL-2.0-or-later
// Depth and stencil tests on Ironlake's depth buffers, which have both in one element.
#pragma once

#include <cstdint>
#include <optional>

#include "hw/memory/view.h"
#include "hw/render/ilk/state.h"

namespace softgen::render::ilk {

class DepthTests {
 public:
  explicit DepthTests(const State& state);

  struct Pixel {
    uint32_t x, y, layer;
    double z;  ///< within the viewport's range
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
  /// What the buffer holds; zeros beyond it.
  Stored stored(memory::View& view, uint32_t x, uint32_t y, uint32_t layer) const;

 private:
  struct Element {
    uint32_t depth, stencil;  ///< as they are stored
  };
  bool holds(uint32_t x, uint32_t y, uint32_t layer) const;
  Element load(memory::View& view, uint64_t address) const;
  void store_depth(memory::View& view, uint64_t address, uint32_t code) const;
  void store_stencil(memory::View& view, uint64_t address, uint8_t value) const;
  bool depth_passes(uint32_t code, uint32_t stored) const;
  bool is_float() const;
  bool is_wide() const { return buffer_.surface.format->block_bits == 64; }

  const DepthStencilState& state_;
  const PackedDepth& buffer_;
  std::optional<surface::Level> level_;
};

}  // namespace softgen::render::ilk
