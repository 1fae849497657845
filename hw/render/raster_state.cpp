// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/render/raster_state.h"

#include <algorithm>
#include <cmath>

namespace softgen::render {
namespace {

constexpr int32_t max_extent = 16384;

template <typename Structure>
Structure load_structure(memory::View& view, uint64_t address) {
  std::array<uint32_t, Structure::dwords> dw;
  view.read(address, dw.data(), sizeof dw);
  return Structure::unpack(dw);
}

int32_t to_pixel(float value) {
  return std::isnan(value) ? 0 : static_cast<int32_t>(std::clamp(value, -1.0f, static_cast<float>(max_extent)));
}

using Pattern = gen9::_3DSTATE_SAMPLE_PATTERN;
struct Position {
  float Pattern::*x;
  float Pattern::*y;
};
#define SAMPLE(n, s) {&Pattern::_##n##x_sample##s##_x_offset, &Pattern::_##n##x_sample##s##_y_offset}
constexpr Position pattern_1x[] = {SAMPLE(1, 0)};
constexpr Position pattern_2x[] = {SAMPLE(2, 0), SAMPLE(2, 1)};
constexpr Position pattern_4x[] = {SAMPLE(4, 0), SAMPLE(4, 1), SAMPLE(4, 2), SAMPLE(4, 3)};
constexpr Position pattern_8x[] = {SAMPLE(8, 0), SAMPLE(8, 1), SAMPLE(8, 2), SAMPLE(8, 3),
                                   SAMPLE(8, 4), SAMPLE(8, 5), SAMPLE(8, 6), SAMPLE(8, 7)};
constexpr Position pattern_16x[] = {SAMPLE(16, 0),  SAMPLE(16, 1),  SAMPLE(16, 2),  SAMPLE(16, 3), SAMPLE(16, 4),  SAMPLE(16, 5),
                                    SAMPLE(16, 6),  SAMPLE(16, 7),  SAMPLE(16, 8),  SAMPLE(16, 9), SAMPLE(16, 10), SAMPLE(16, 11),
                                    SAMPLE(16, 12), SAMPLE(16, 13), SAMPLE(16, 14), SAMPLE(16, 15)};
#undef SAMPLE
constexpr std::span<const Position> patterns[] = {pattern_1x, pattern_2x, pattern_4x, pattern_8x, pattern_16x};

}  // namespace

void PixelRect::clip(const PixelRect& other) {
  x0 = std::max(x0, other.x0);
  y0 = std::max(y0, other.y0);
  x1 = std::min(x1, other.x1);
  y1 = std::min(y1, other.y1);
}

void RasterState::load(const State& state, memory::View& view, Stage last) {
  const auto& clip = state.get<gen9::_3DSTATE_CLIP>();
  const auto& sf = state.get<gen9::_3DSTATE_SF>();
  const auto& raster = state.get<gen9::_3DSTATE_RASTER>();
  transform = sf.viewport_transform_enable;
  divide = !clip.perspective_divide_disable;
  clip_enable = clip.clip_enable;
  xy_clip = clip.viewport_xy_clip_test_enable;
  guardband = clip.guardband_clip_test_enable;
  z_near_clip = raster.viewport_z_near_clip_test_enable;
  z_far_clip = raster.viewport_z_far_clip_test_enable;
  d3d = clip.api_mode == gen9::_3DSTATE_CLIP::APIMode::APIMODE_D3D;
  reject_all = clip.clip_enable && clip.clip_mode == gen9::_3DSTATE_CLIP::ClipMode::CLIPMODE_REJECT_ALL;
  accept_all = clip.clip_mode == gen9::_3DSTATE_CLIP::ClipMode::CLIPMODE_ACCEPT_ALL;
  force_layer_zero = clip.force_zero_rta_index_enable;

  const auto masks = [&](const auto& stage) {
    clip_distances = static_cast<uint8_t>(stage.user_clip_distance_clip_test_enable_bitmask);
    cull_distances = static_cast<uint8_t>(stage.user_clip_distance_cull_test_enable_bitmask);
  };
  if (last == Stage::gs) masks(state.get<gen9::_3DSTATE_GS>());
  else if (last == Stage::ds) masks(state.get<gen9::_3DSTATE_DS>());
  else masks(state.get<gen9::_3DSTATE_VS>());
  if (clip.force_user_clip_distance_clip_test_enable_bitmask)
    clip_distances = static_cast<uint8_t>(clip.user_clip_distance_clip_test_enable_bitmask);
  if (clip.force_user_clip_distance_cull_test_enable_bitmask)
    cull_distances = static_cast<uint8_t>(clip.user_clip_distance_cull_test_enable_bitmask);

  const unsigned log2_samples = std::min(state.get<gen9::_3DSTATE_MULTISAMPLE>().number_of_multisamples, 4u);
  samples = 1u << log2_samples;
  const auto& pattern = state.get<Pattern>();
  for (unsigned i = 0; i < samples; ++i) {
    const Position& position = patterns[log2_samples][i];
    sample_positions[i] = {static_cast<int32_t>(pattern.*position.x * subpixels), static_cast<int32_t>(pattern.*position.y * subpixels)};
  }
  sample_mask = state.get<gen9::_3DSTATE_SAMPLE_MASK>().sample_mask & ((1u << samples) - 1);
  conservative = raster.conservative_rasterization_enable;
  multisample_rasterization = samples > 1 && raster.dx_multisample_rasterization_enable && !conservative;
  // Samples that are covered together are also shaded and tested at one place.
  if (!multisample_rasterization) sample_positions.fill({subpixels / 2, subpixels / 2});

  // SKL PRM vol 2a: pointers of 3DSTATE_VIEWPORT_STATE_POINTERS_* and 3DSTATE_SCISSOR_STATE_POINTERS count from Dynamic State Base.
  const uint64_t dynamic = state.bases().dynamic_state;
  const auto& drawing = state.get<gen9::_3DSTATE_DRAWING_RECTANGLE>();
  viewport_count = std::min(clip.maximum_vp_index + 1, 16u);
  for (unsigned i = 0; i < viewport_count; ++i) {
    Viewport& viewport = viewports[i];
    const uint64_t cc = dynamic + state.get<gen9::_3DSTATE_VIEWPORT_STATE_POINTERS_CC>().cc_viewport_pointer;
    const auto depth = load_structure<gen9::CC_VIEWPORT>(view, cc + uint64_t{i} * gen9::CC_VIEWPORT::dwords * 4);
    viewport.min_depth = depth.minimum_depth;
    viewport.max_depth = depth.maximum_depth;
    viewport.rect = {static_cast<int32_t>(drawing.clipped_drawing_rectangle_x_min), static_cast<int32_t>(drawing.clipped_drawing_rectangle_y_min),
                     static_cast<int32_t>(drawing.clipped_drawing_rectangle_x_max) + 1, static_cast<int32_t>(drawing.clipped_drawing_rectangle_y_max) + 1};
    viewport.rect.clip({0, 0, max_extent, max_extent});
    if (transform) {
      const uint64_t address = dynamic + state.get<gen9::_3DSTATE_VIEWPORT_STATE_POINTERS_SF_CLIP>().sf_clip_viewport_pointer;
      viewport.transform = load_structure<gen9::SF_CLIP_VIEWPORT>(view, address + uint64_t{i} * gen9::SF_CLIP_VIEWPORT::dwords * 4);
      const auto& v = viewport.transform;
      viewport.rect.clip({to_pixel(v.x_min_viewport), to_pixel(v.y_min_viewport), to_pixel(v.x_max_viewport) + 1, to_pixel(v.y_max_viewport) + 1});
    }
    if (raster.scissor_rectangle_enable) {
      const uint64_t address = dynamic + state.get<gen9::_3DSTATE_SCISSOR_STATE_POINTERS>().scissor_rect_pointer;
      const auto s = load_structure<gen9::SCISSOR_RECT>(view, address + uint64_t{i} * gen9::SCISSOR_RECT::dwords * 4);
      viewport.rect.clip({static_cast<int32_t>(s.scissor_rectangle_x_min), static_cast<int32_t>(s.scissor_rectangle_y_min),
                          static_cast<int32_t>(s.scissor_rectangle_x_max) + 1, static_cast<int32_t>(s.scissor_rectangle_y_max) + 1});
    }
  }
}

}  // namespace softgen::render
