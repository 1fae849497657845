// SPDX-License-Identifier: GPL-2.0-or-later
// The output merger: alpha test, blending, logic operations and the write to render targets, sample by sample.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "hw/memory/view.h"
#include "hw/render/state.h"
#include "hw/surface/surface.h"

namespace softgen::render {

/// A surface that pixels are written to: bound by binding table index.
struct RenderTarget {
  surface::Surface surface;
  std::optional<surface::Level> level;  ///< none: writes go nowhere (null surface, buffer)
};

struct PixelColor {
  surface::Word4 source0{}, source1{};  ///< as the thread sent them: floats, or integers for integer targets
  float source0_alpha = 1;              ///< of render target 0, for alpha test and alpha to coverage
};

class OutputMerger {
 public:
  OutputMerger(const State& state, memory::View& view);

  /// `target`: index that the thread named, for its blend state. Samples in `samples` are written.
  void write(memory::View& view, const RenderTarget& rt, unsigned target, uint32_t x, uint32_t y, uint32_t layer, uint32_t samples,
             const PixelColor& color) const;
  bool alpha_passes(float alpha) const;
  /// Samples of `count` that alpha leaves covered; all without Alpha To Coverage.
  uint32_t alpha_to_coverage(float alpha, unsigned count) const;

 private:
  surface::Float4 blend(const gen9::BLEND_STATE_ENTRY& entry, const surface::Format& format, const surface::Float4& source,
                        const surface::Float4& source1, const surface::Float4& destination) const;

  gen9::BLEND_STATE blend_{};
  std::array<gen9::BLEND_STATE_ENTRY, 8> entries_{};
  gen9::COLOR_CALC_STATE color_calc_{};
  gen9::_3DSTATE_PS_BLEND ps_blend_{};
};

}  // namespace softgen::render
