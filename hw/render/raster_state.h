// SPDX-License-Identifier: GPL-2.0-or-later
// What clipping, setup and rasterization need of a draw, read once: viewports, rectangles, sample positions, modes.
#pragma once

#include <array>
#include <cstdint>

#include "hw/memory/view.h"
#include "hw/render/state.h"

namespace softgen::render {

/// Pixels [x0, x1) x [y0, y1).
struct PixelRect {
  int32_t x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  bool empty() const { return x0 >= x1 || y0 >= y1; }
  void clip(const PixelRect& other);
};

struct Viewport {
  gen9::SF_CLIP_VIEWPORT transform;
  float min_depth = 0, max_depth = 1;
  PixelRect rect;  ///< drawing rectangle, viewport extent and scissor together
};

/// Sub-pixel units: 1/256 of a pixel (3DSTATE_SF, Vertex Sub Pixel Precision Select; the 4-bit form is not used by any client).
constexpr int32_t subpixels = 256;
constexpr unsigned max_samples = 16;

struct RasterState {
  std::array<Viewport, 16> viewports;
  unsigned viewport_count = 1;
  unsigned samples = 1;                                    ///< of the render targets and the depth buffer
  std::array<std::array<int32_t, 2>, max_samples> sample_positions{};  ///< x, y in subpixels from the pixel's upper left
  uint32_t sample_mask = 1;
  bool multisample_rasterization = false;                  ///< coverage is found at the sample positions, not at the pixel's centre
  bool transform = true, divide = true;
  bool clip_enable = false, xy_clip = false, guardband = false, z_near_clip = false, z_far_clip = false, d3d = false;
  bool reject_all = false, accept_all = false;
  uint8_t clip_distances = 0, cull_distances = 0;          ///< masks of user distances
  bool force_layer_zero = false;
  bool conservative = false;                               ///< every pixel that a triangle touches is covered

  /// `last`: the last enabled geometry stage, whose clip masks count where 3DSTATE_CLIP does not force its own.
  void load(const State& state, memory::View& view, Stage last);
};

}  // namespace softgen::render
