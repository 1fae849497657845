// SPDX-License-Identifier: GPL-2.0-or-later
// State that the scenes of both generations have alike (scene.h, tests/posh/scene.h). Set: defs::Gen9 or defs::Gen11.
#pragma once

#include <cstdint>

namespace softgen::render::test {

/// A target of width x height pixels at the whole viewport, y down; the guardband in half targets.
template <typename Set>
typename Set::SF_CLIP_VIEWPORT scene_viewport(uint32_t width, uint32_t height, float guardband) {
  typename Set::SF_CLIP_VIEWPORT viewport;
  viewport.viewport_matrix_element_m00 = viewport.viewport_matrix_element_m30 = static_cast<float>(width) / 2;
  viewport.viewport_matrix_element_m11 = viewport.viewport_matrix_element_m31 = static_cast<float>(height) / 2;
  viewport.viewport_matrix_element_m22 = 1;
  viewport.x_min_clip_guardband = viewport.y_min_clip_guardband = -guardband;
  viewport.x_max_clip_guardband = viewport.y_max_clip_guardband = guardband;
  viewport.x_max_viewport = static_cast<float>(width - 1);
  viewport.y_max_viewport = static_cast<float>(height - 1);
  return viewport;
}

/// R8G8B8A8_UNORM, linear, of one sample.
template <typename Set>
typename Set::RENDER_SURFACE_STATE scene_target(uint64_t address, uint32_t width, uint32_t height) {
  using State = typename Set::RENDER_SURFACE_STATE;
  using Channel = typename Set::ShaderChannelSelect;
  State surface;
  surface.surface_type = State::SurfaceType::SURFTYPE_2D;
  surface.surface_format = Set::SurfaceFormat::R8G8B8A8_UNORM;
  surface.surface_vertical_alignment = State::SurfaceVerticalAlignment::VALIGN_4;
  surface.surface_horizontal_alignment = State::SurfaceHorizontalAlignment::HALIGN_4;
  surface.tile_mode = State::TileMode::LINEAR;
  surface.width = width - 1;
  surface.height = height - 1;
  surface.surface_pitch = width * 4 - 1;
  surface.surface_qpitch = height / 4;
  surface.surface_base_address = address;
  surface.shader_channel_select_red = Channel::SCS_RED;
  surface.shader_channel_select_green = Channel::SCS_GREEN;
  surface.shader_channel_select_blue = Channel::SCS_BLUE;
  surface.shader_channel_select_alpha = Channel::SCS_ALPHA;
  return surface;
}

/// One sample in the middle, or four in the pattern of Direct3D.
template <typename Set>
typename Set::_3DSTATE_SAMPLE_PATTERN scene_samples() {
  typename Set::_3DSTATE_SAMPLE_PATTERN pattern;
  pattern._1x_sample0_x_offset = pattern._1x_sample0_y_offset = 0.5f;
  pattern._4x_sample0_x_offset = 0.375f, pattern._4x_sample0_y_offset = 0.125f;
  pattern._4x_sample1_x_offset = 0.875f, pattern._4x_sample1_y_offset = 0.375f;
  pattern._4x_sample2_x_offset = 0.125f, pattern._4x_sample2_y_offset = 0.625f;
  pattern._4x_sample3_x_offset = 0.625f, pattern._4x_sample3_y_offset = 0.875f;
  return pattern;
}

/// One constant attribute, which follows the position.
template <typename Set>
typename Set::_3DSTATE_SBE scene_attribute() {
  typename Set::_3DSTATE_SBE sbe;
  sbe.number_of_sf_output_attributes = 1;
  sbe.constant_interpolation_enable = 1;
  sbe.force_vertex_urb_entry_read_offset = sbe.force_vertex_urb_entry_read_length = true;
  sbe.vertex_urb_entry_read_offset = 1;  // behind header and position
  sbe.vertex_urb_entry_read_length = 1;
  return sbe;
}

/// Clipped to the viewport, and counted.
template <typename Set>
typename Set::_3DSTATE_CLIP scene_clip() {
  typename Set::_3DSTATE_CLIP clip;
  clip.clip_enable = clip.viewport_xy_clip_test_enable = clip.guardband_clip_test_enable = clip.statistics_enable = true;
  clip.minimum_point_width = 0.125f, clip.maximum_point_width = 255;
  return clip;
}

/// Lines and points one pixel wide.
template <typename Set>
typename Set::_3DSTATE_SF scene_setup() {
  using Setup = typename Set::_3DSTATE_SF;
  Setup setup;
  setup.viewport_transform_enable = setup.statistics_enable = true;
  setup.line_width = 1, setup.point_width = 1;
  setup.point_width_source = Setup::PointWidthSource::STATE;
  return setup;
}

/// The result is added to what is there.
template <typename Set>
typename Set::BLEND_STATE_ENTRY scene_addition() {
  using Entry = typename Set::BLEND_STATE_ENTRY;
  using Factor = typename Set::BlendFactor;
  Entry entry;
  entry.color_buffer_blend_enable = entry.pre_blend_color_clamp_enable = entry.post_blend_color_clamp_enable = true;
  entry.color_clamp_range = Entry::ColorClampRange::COLORCLAMP_RTFORMAT;
  entry.source_blend_factor = entry.destination_blend_factor = Factor::BLENDFACTOR_ONE;
  entry.source_alpha_blend_factor = entry.destination_alpha_blend_factor = Factor::BLENDFACTOR_ONE;
  return entry;
}

}  // namespace softgen::render::test
