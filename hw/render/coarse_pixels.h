// SPDX-License-Identifier: GPL-2.0-or-later
// Coarse pixels: their sizes, and the samples of the pixels that they consist of. Their grid begins anew with each block of 8x8 pixels, which holds
// whole quads of them and in which they have one size.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "hw/render/draw_state.h"

namespace softgen::render {

/// Pixels of a thread, coarse or not.
constexpr unsigned max_pixels = 32;

struct CoarseSize {
  static constexpr unsigned max_log2 = 2;
  std::array<float, 2> requested{1, 1};     ///< along x and y, pixels
  uint8_t log2_width = 0, log2_height = 0;  ///< what they are: at most `max_log2`

  uint32_t width() const { return 1u << log2_width; }
  uint32_t height() const { return 1u << log2_height; }
  uint32_t pixels() const { return width() * height(); }
};

/// The size in the block of 8x8 pixels at (x, y).
CoarseSize coarse_size(const CoarseSizes& state, uint32_t x, uint32_t y);

/// A mask of samples for each pixel of a coarse pixel, row after row.
using CoarseMask = std::array<uint16_t, 1u << 2 * CoarseSize::max_log2>;

/// Four coarse pixels: upper left, upper right, lower left, lower right.
struct CoarseQuad {
  std::array<CoarseMask, 4> samples{};   ///< left after the early tests
  std::array<CoarseMask, 4> coverage{};  ///< those that the shader sees

  /// How many of the four have a sample left.
  unsigned live() const;
};

/// The coarse pixels of a thread.
struct CoarseThread {
  std::array<CoarseMask, max_pixels> samples;   ///< left after the tests so far
  std::array<CoarseMask, max_pixels> coverage;  ///< those that the shader sees
  std::array<std::array<float, 2>, max_pixels / 4> requested;
};

/// What an object covers of an area, whichever of its parts does: the stage that gathers coarse pixels.
class CoarseCoverage {
 public:
  static constexpr uint32_t extent = 8;
  /// Masks of samples; pixel (x, y) is number 8 y + x.
  struct Block {
    std::array<uint16_t, extent * extent> samples{}, coverage{};
    bool covered = false;

    /// The quad of coarse pixels at (x, y) of the block. False: none of its samples is left.
    bool quad(uint32_t x, uint32_t y, const CoarseSize& size, CoarseQuad& out) const;
  };

  /// Nothing of `area` is covered.
  void begin(const PixelRect& area);
  /// Of the pixels of the quad at (x, y).
  void add(uint32_t x, uint32_t y, const std::array<uint32_t, 4>& samples, const std::array<uint32_t, 4>& coverage);
  /// Calls block(x, y, Block&) for each with a covered sample, row after row, until it answers false.
  template <typename Visit>
  void each(Visit&& block) {
    for (size_t i = 0; i < blocks_.size(); ++i) {
      if (!blocks_[i].covered) continue;
      const auto column = static_cast<uint32_t>(i % columns_), row = static_cast<uint32_t>(i / columns_);
      if (!block(x_ + column * extent, y_ + row * extent, blocks_[i])) return;
    }
  }

 private:
  uint32_t x_ = 0, y_ = 0;
  size_t columns_ = 1;
  std::vector<Block> blocks_;
};

}  // namespace softgen::render
