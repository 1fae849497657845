// SPDX-License-Identifier: GPL-2.0-or-later
// What clipping, setup and rasterization need of a draw, read once: viewports, rectangles, sample positions, modes.
#pragma once

#include <array>
#include <cstdint>

#include "hw/render/draw_state.h"

namespace softgen::render {

struct Viewport {
  ViewportTransform transform;
  float min_depth = 0, max_depth = 1;
  PixelRect rect;  ///< drawing rectangle, viewport extent and scissor together
};

/// Sub-pixel units: 1/256 of a pixel (3DSTATE_SF, Vertex Sub Pixel Precision Select; the 4-bit form is not used by any client).
constexpr int32_t subpixels = 256;
constexpr int32_t floor_pixel(int64_t subpixel) { return static_cast<int32_t>(subpixel >> 8); }
constexpr unsigned max_samples = 16;

/// Which clip tests are made.
struct ClipTests {
  bool enable = false, xy = false, guardband = false, z_near = false, z_far = false;
  bool d3d = false;  ///< depth begins at 0, not at -w
  bool reject_all = false, accept_all = false;
  uint8_t clip_distances = 0, cull_distances = 0;  ///< masks of user distances
};

struct RasterState {
  RasterState() = default;
  /// `last`: the last enabled geometry stage, whose clip masks count where 3DSTATE_CLIP does not force its own.
  RasterState(const DrawState& state, Stage last);

  std::array<Viewport, 16> viewports;
  unsigned viewport_count = 1;
  unsigned samples = 1;                                                ///< of the render targets and the depth buffer
  std::array<std::array<int32_t, 2>, max_samples> sample_positions{};  ///< x, y in subpixels from the pixel's upper left
  uint32_t sample_mask = 1;
  bool multisample_rasterization = false;  ///< coverage is found at several sample positions
  bool off_center = false;                 ///< a sample is not at the pixel's centre
  bool transform = true, divide = true;
  ClipTests clip;
  bool force_layer_zero = false;
  bool conservative = false;  ///< every pixel that a triangle touches is covered

 private:
  void load_clip(const DrawState& state, Stage last);
  void load_samples(const DrawState& state);
};

}  // namespace softgen::render
