// SPDX-License-Identifier: GPL-2.0-or-later
// The output merger: alpha test, blending, logic operations and the write to render targets, sample by sample.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

#include "hw/iface/message_target.h"
#include "hw/memory/view.h"
#include "hw/render/draw_state.h"
#include "hw/render/pixel_kernels.h"
#include "hw/surface/ccs.h"
#include "hw/surface/mcs.h"
#include "hw/surface/surface.h"

namespace softgen::render {

/// A surface that pixels are written to: bound by binding table index.
struct RenderTarget {
  RenderTarget() = default;
  explicit RenderTarget(const surface::Surface& bound);

  surface::Surface surface;
  const surface::Format* format = nullptr;  ///< a shader's colour as it is stored: the surface's format through its channel selects
  std::optional<surface::Level> level;      ///< none: writes go nowhere (null surface, buffer)
  surface::Mcs mcs;
  surface::Ccs ccs;  ///< of the level

  /// Of the level.
  PixelRect bounds() const { return {0, 0, static_cast<int32_t>(level->extent().width), static_cast<int32_t>(level->extent().height)}; }
  /// Within the level and the view's slices.
  bool holds(uint32_t x, uint32_t y, uint32_t layer) const {
    return level && x < level->extent().width && y < level->extent().height && layer < surface.view_extent;
  }
  /// Where the rows of the quad at (x, y) lie, 8 bytes each, for targets of color_kernel(). Returns those of its four pixels that are within the
  /// level.
  uint32_t quad_rows(memory::View& view, uint32_t x, uint32_t y, uint32_t slice, std::byte** rows) const;
  /// Writes `word` to pixels of a block of 8x8 (bit 8 y + x) within the level, for targets of color_kernel().
  void fill_block(memory::View& view, uint32_t x, uint32_t y, uint32_t slice, uint64_t pixels, uint32_t word) const;
  /// Writes the colours of two pixels side by side (bits 0 and 1 of `pixels`), as far as they lie within the level, for targets that copies_words().
  /// Returns the pixels that were written.
  uint32_t write_words(memory::View& view, uint32_t x, uint32_t y, uint32_t slice, uint32_t pixels,
                       const std::array<surface::Word4, 2>& words) const;
  /// Makes each sample of a pixel lie in its own slice, with the colour it has had: cleared pixels get theirs.
  void expand(memory::View& view, uint32_t x, uint32_t y, uint32_t slice) const;
};

struct PixelColor {
  surface::Word4 source0{}, source1{};  ///< as the thread sent them: floats, or integers for integer targets
  float source0_alpha = 1;              ///< of render target 0, for alpha test and alpha to coverage
};

/// For kernels that have codes.
ColorCodes color_codes(const ColorKernel& kernel);

class OutputMerger {
 public:
  explicit OutputMerger(const DrawState& state);
  /// Blending of a target that will be written; without it there is no blending.
  void set_target(unsigned target, const TargetBlend& blend) { targets_[target & 7] = blend; }

  /// What a target's format and blend state come to.
  struct Mode {
    TargetBlend blend;
    bool floating = false;  ///< colours are floats
    bool blending = false, logic = false, partial = false, reads = false;
    std::array<uint8_t, 16> kept{};  ///< bits of channels that are not written
  };
  /// `target`: index that the thread named, for its blend state.
  Mode mode(const RenderTarget& rt, unsigned target) const;

  /// What write_color() needs to do the same as write(), which has no alpha test; none where it cannot.
  std::optional<ColorKernel> color_kernel(const RenderTarget& rt, unsigned target) const;

  /// Whether write() stores the four words of a colour as they come, or as saturated bytes: so buffers are copied, wherever they begin (Mesa's
  /// blorp).
  bool copies_words(const RenderTarget& rt, unsigned target) const;

  /// Whether write() stores a colour as it is but for its format.
  bool stores_texels(const RenderTarget& rt, unsigned target) const;

  /// Writes `samples` of a pixel. Returns those of them that the target has.
  uint32_t write(memory::View& view, const RenderTarget& rt, const Mode& mode, uint32_t x, uint32_t y, uint32_t layer, uint32_t samples,
                 const PixelColor& color) const;
  /// One sample's colour as registers; zeros outside of the target.
  surface::Word4 read(memory::View& view, const RenderTarget& rt, uint32_t x, uint32_t y, uint32_t layer, unsigned sample) const;
  bool tests_alpha() const { return blend_.alpha_test; }
  bool alpha_passes(float alpha) const;
  /// Those of `pixels` whose alpha, `alpha_of`(pixel), passes.
  template <typename AlphaOf>
  uint32_t alpha_passing(uint32_t pixels, AlphaOf&& alpha_of) const {
    if (!tests_alpha()) return pixels;
    uint32_t passed = 0;
    for (uint32_t left = pixels; left; left &= left - 1)
      if (alpha_passes(alpha_of(static_cast<unsigned>(std::countr_zero(left))))) passed |= left & -left;
    return passed;
  }
  /// Samples of `count` that alpha leaves covered at pixel (x, y); all without Alpha To Coverage.
  uint32_t alpha_to_coverage(float alpha, unsigned count, uint32_t x, uint32_t y) const;

 private:
  surface::Float4 blend(const TargetBlend& how, const surface::Format& format, const surface::Float4& source,
                        const surface::Float4& source1, const surface::Float4& destination) const;
  surface::Float4 merged(const Mode& mode, const surface::Format& format, const PixelColor& color, const std::byte* old) const;

  BlendState blend_;
  std::array<TargetBlend, 8> targets_{};
  bool alpha_to_coverage_ = false;
};

}  // namespace softgen::render
