// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/render/raster_state.h"

#include <algorithm>

namespace softgen::render {
namespace {

constexpr int32_t max_extent = 16384;

PixelRect rect_of(const DrawState& state, const ViewportState& viewport) {
  PixelRect rect = state.raster.drawing_rectangle;
  rect.clip({0, 0, max_extent, max_extent});
  if (state.raster.viewport_transform) rect.clip(viewport.extent);
  if (state.raster.scissor) rect.clip(viewport.scissor);
  return rect;
}

}  // namespace

RasterState::RasterState(const DrawState& state, Stage last) {
  load_clip(state, last);
  load_samples(state);
  viewport_count = state.clip.viewports;
  for (unsigned i = 0; i < viewport_count; ++i) {
    const ViewportState& viewport = state.viewports[i];
    viewports[i] = {viewport.transform, viewport.min_depth, viewport.max_depth, rect_of(state, viewport)};
  }
}

void RasterState::load_clip(const DrawState& state, Stage last) {
  const ClipState& from = state.clip;
  transform = state.raster.viewport_transform;
  divide = from.perspective_divide;
  clip.enable = from.enable;
  clip.xy = from.xy_test;
  clip.guardband = from.guardband;
  clip.z_near = state.raster.z_near_clip;
  clip.z_far = state.raster.z_far_clip;
  clip.d3d = from.d3d;
  clip.reject_all = from.reject_all;
  clip.accept_all = from.accept_all;
  force_layer_zero = from.force_layer_zero;
  clip.clip_distances = from.force_clip_distances ? from.clip_distances : state.stage(last).clip_distances;
  clip.cull_distances = from.force_cull_distances ? from.cull_distances : state.stage(last).cull_distances;
}

void RasterState::load_samples(const DrawState& state) {
  const MultisampleState& multisample = state.multisample;
  samples = 1u << multisample.log2_samples;
  for (unsigned i = 0; i < samples; ++i) {
    const auto& [x, y] = multisample.positions[i];
    sample_positions[i] = {static_cast<int32_t>(x * subpixels), static_cast<int32_t>(y * subpixels)};
  }
  sample_mask = multisample.sample_mask & ((1u << samples) - 1);
  conservative = state.raster.conservative;
  // A single sample has its place in the pattern, too (anv: VK_EXT_sample_locations).
  const bool by_pattern = multisample.rasterization && !conservative;
  multisample_rasterization = samples > 1 && by_pattern;
  // Samples that are covered together are also shaded and tested at one place.
  constexpr std::array<int32_t, 2> center = {subpixels / 2, subpixels / 2};
  if (!by_pattern) sample_positions.fill(center);
  off_center = std::any_of(sample_positions.begin(), sample_positions.begin() + samples, [&](const auto& at) { return at != center; });
}

}  // namespace softgen::render
