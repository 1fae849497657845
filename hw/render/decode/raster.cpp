// SPDX-License-Identifier: GPL-2.0-or-later
// Clipping, rasterization, stipples and samples: SKL PRM vol 2a, 3DSTATE_CLIP, _SF, _RASTER, _WM, _MULTISAMPLE, _SAMPLE_*, _*_STIPPLE_*.
#include <algorithm>

#include "hw/render/decode/part.h"

namespace softgen::render::decode {
namespace {

template <class G>
void clip(const StateStore& store, DrawState& state) {
  using Clip = typename G::_3DSTATE_CLIP;
  const auto p = packet<Clip>(store);
  state.clip = {.enable = p.clip_enable,
                .reject_all = p.clip_enable && p.clip_mode == Clip::ClipMode::CLIPMODE_REJECT_ALL,
                .accept_all = p.clip_mode == Clip::ClipMode::CLIPMODE_ACCEPT_ALL,
                .d3d = p.api_mode == Clip::APIMode::APIMODE_D3D,
                .xy_test = p.viewport_xy_clip_test_enable,
                .guardband = p.guardband_clip_test_enable,
                .perspective_divide = !p.perspective_divide_disable,
                .force_layer_zero = p.force_zero_rta_index_enable,
                .force_clip_distances = p.force_user_clip_distance_clip_test_enable_bitmask,
                .force_cull_distances = p.force_user_clip_distance_cull_test_enable_bitmask,
                .clip_distances = static_cast<uint8_t>(p.user_clip_distance_clip_test_enable_bitmask),
                .cull_distances = static_cast<uint8_t>(p.user_clip_distance_cull_test_enable_bitmask),
                .min_point_width = p.minimum_point_width,
                .max_point_width = p.maximum_point_width,
                .viewports = std::min(p.maximum_vp_index + 1, 16u),
                .statistics = p.statistics_enable};
}

/// Without a second position nothing is replicated, whatever the mask is: clients leave it at zero (anv's genX_pipeline.c).
template <class G>
void replication(const StateStore& store, DrawState& state) {
  const auto p = packet<typename G::_3DSTATE_PRIMITIVE_REPLICATION>(store);
  state.setup.replication = {};
  if (p.replication_count == 0) return;
  state.setup.replication.positions = p.replication_count + 1;
  state.setup.replication.replicas = static_cast<uint16_t>(p.replica_mask & ((1u << state.setup.replication.positions) - 1));
  for (unsigned i = 0; i < ReplicationState::max_replicas; ++i) {
    state.setup.replication.viewport[i] = static_cast<uint8_t>(p.viewport_offset[i]);
    state.setup.replication.array_index[i] = static_cast<uint8_t>(p.rtai_offset[i]);
  }
}

FillMode fill_mode(auto mode) {
  switch (static_cast<unsigned>(mode)) {
    case 0: return FillMode::solid;
    case 2: return FillMode::point;
    default: return FillMode::wireframe;
  }
}

template <class G>
void rasterizer(const StateStore& store, DrawState& state) {
  using Raster = typename G::_3DSTATE_RASTER;
  using Sf = typename G::_3DSTATE_SF;
  static_assert(agree(CullMode::both, Raster::CullMode::CULLMODE_BOTH) && agree(CullMode::none, Raster::CullMode::CULLMODE_NONE) &&
                agree(CullMode::front, Raster::CullMode::CULLMODE_FRONT) && agree(CullMode::back, Raster::CullMode::CULLMODE_BACK));
  static_assert(agree(Raster::FrontFaceFillMode::FILL_MODE_POINT, 2) && agree(Raster::BackFaceFillMode::FILL_MODE_POINT, 2));
  const auto p = packet<Raster>(store);
  const auto sf = packet<Sf>(store);
  RasterizerState& out = state.raster;
  out.viewport_transform = sf.viewport_transform_enable;
  out.line_width = sf.line_width;
  out.last_pixel = sf.last_pixel_enable;
  out.point.smooth = sf.smooth_point_enable || p.smooth_point_enable;
  out.point.width_from_state = sf.point_width_source == Sf::PointWidthSource::STATE;
  out.point.width = sf.point_width;
  out.provoking = {static_cast<uint8_t>(sf.triangle_strip_list_provoking_vertex_select),
                   static_cast<uint8_t>(sf.line_strip_list_provoking_vertex_select),
                   static_cast<uint8_t>(sf.triangle_fan_provoking_vertex_select)};
  out.z_near_clip = p.viewport_z_near_clip_test_enable, out.z_far_clip = p.viewport_z_far_clip_test_enable;
  out.conservative = p.conservative_rasterization_enable;
  out.scissor = p.scissor_rectangle_enable;
  out.antialiasing = p.antialiasing_enable;
  out.front_clockwise = p.front_winding == Raster::FrontWinding::CLOCKWISE;
  out.cull = same<CullMode>(p.cull_mode);
  out.front_fill = fill_mode(p.front_face_fill_mode), out.back_fill = fill_mode(p.back_face_fill_mode);
  out.bias.solid = p.global_depth_offset_enable_solid;
  out.bias.wireframe = p.global_depth_offset_enable_wireframe;
  out.bias.point = p.global_depth_offset_enable_point;
  out.bias.legacy = sf.legacy_global_depth_bias_enable;
  out.bias.constant = p.global_depth_offset_constant;
  out.bias.scale = p.global_depth_offset_scale;
  out.bias.clamp = p.global_depth_offset_clamp;
}

template <class G>
void drawing_rectangle(const StateStore& store, DrawState& state) {
  const auto p = packet<typename G::_3DSTATE_DRAWING_RECTANGLE>(store);
  const auto pixel = [](uint32_t field) { return static_cast<int32_t>(field); };
  state.raster.drawing_rectangle = {pixel(p.clipped_drawing_rectangle_x_min), pixel(p.clipped_drawing_rectangle_y_min),
                                    pixel(p.clipped_drawing_rectangle_x_max) + 1, pixel(p.clipped_drawing_rectangle_y_max) + 1};
}

template <class G>
void line_stipple(const StateStore& store, DrawState& state) {
  const auto p = packet<typename G::_3DSTATE_LINE_STIPPLE>(store);
  state.stipple.line_pattern = static_cast<uint16_t>(p.line_stipple_pattern);
  state.stipple.line_repeat = p.line_stipple_repeat_count;
}

template <class G>
void polygon_stipple_offset(const StateStore& store, DrawState& state) {
  const auto p = packet<typename G::_3DSTATE_POLY_STIPPLE_OFFSET>(store);
  state.stipple.polygon_x = static_cast<uint8_t>(p.polygon_stipple_x_offset),
  state.stipple.polygon_y = static_cast<uint8_t>(p.polygon_stipple_y_offset);
}

template <class G>
void polygon_stipple(const StateStore& store, DrawState& state) {
  state.stipple.polygon_rows = packet<typename G::_3DSTATE_POLY_STIPPLE_PATTERN>(store).pattern_row;
}

/// The positions that 3DSTATE_SAMPLE_PATTERN has for a number of samples.
template <typename Pattern>
std::span<const std::pair<float Pattern::*, float Pattern::*>> pattern_of(unsigned log2_samples) {
  using Position = std::pair<float Pattern::*, float Pattern::*>;
#define SAMPLE(n, s) \
  Position { &Pattern::_##n##x_sample##s##_x_offset, &Pattern::_##n##x_sample##s##_y_offset }
  static constexpr Position of_1[] = {SAMPLE(1, 0)}, of_2[] = {SAMPLE(2, 0), SAMPLE(2, 1)},
                            of_4[] = {SAMPLE(4, 0), SAMPLE(4, 1), SAMPLE(4, 2), SAMPLE(4, 3)},
                            of_8[] = {SAMPLE(8, 0), SAMPLE(8, 1), SAMPLE(8, 2), SAMPLE(8, 3),
                                      SAMPLE(8, 4), SAMPLE(8, 5), SAMPLE(8, 6), SAMPLE(8, 7)},
                            of_16[] = {SAMPLE(16, 0),  SAMPLE(16, 1),  SAMPLE(16, 2),  SAMPLE(16, 3), SAMPLE(16, 4),  SAMPLE(16, 5),
                                       SAMPLE(16, 6),  SAMPLE(16, 7),  SAMPLE(16, 8),  SAMPLE(16, 9), SAMPLE(16, 10), SAMPLE(16, 11),
                                       SAMPLE(16, 12), SAMPLE(16, 13), SAMPLE(16, 14), SAMPLE(16, 15)};
#undef SAMPLE
  switch (log2_samples) {
    case 0: return of_1;
    case 1: return of_2;
    case 2: return of_4;
    case 3: return of_8;
    default: return of_16;
  }
}

template <class G>
void multisample(const StateStore& store, DrawState& state) {
  using Pattern = typename G::_3DSTATE_SAMPLE_PATTERN;
  MultisampleState& out = state.multisample;
  out.log2_samples = std::min(view_of<typename G::_3DSTATE_MULTISAMPLE>(store).number_of_multisamples(), 4u);
  out.sample_mask = view_of<typename G::_3DSTATE_SAMPLE_MASK>(store).sample_mask();
  const auto pattern = packet<Pattern>(store);
  unsigned sample = 0;
  for (const auto& [x, y] : pattern_of<Pattern>(out.log2_samples)) out.positions[sample++] = {pattern.*x, pattern.*y};
}

template <class G>
void multisample_rasterization(const StateStore& store, DrawState& state) {
  state.multisample.rasterization = packet<typename G::_3DSTATE_RASTER>(store).dx_multisample_rasterization_enable;
}

template <class G>
void windower(const StateStore& store, DrawState& state) {
  using Wm = typename G::_3DSTATE_WM;
  using Early = typename Wm::EarlyDepthStencilControl;
  using Zw = typename Wm::PositionZWInterpolationMode;
  const auto p = packet<Wm>(store);
  state.raster.line_stipple = p.line_stipple_enable, state.raster.polygon_stipple = p.polygon_stipple_enable;
  state.raster.point.upper_right = p.point_rasterization_rule == Wm::PointRasterizationRule::RASTRULE_UPPER_RIGHT;
  state.pixel.statistics = p.statistics_enable;
  state.pixel.inputs.barycentrics = static_cast<uint8_t>(p.barycentric_interpolation_mode);
  state.pixel.early = p.early_depth_stencil_control == Early::EDSC_PREPS    ? EarlyTests::before_shader
                      : p.early_depth_stencil_control == Early::EDSC_PSEXEC ? EarlyTests::after_shader
                                                                            : EarlyTests::normal;
  state.pixel.inputs.zw_at = p.position_zw_interpolation_mode == Zw::INTERP_CENTROID ? Location::centroid
                             : p.position_zw_interpolation_mode == Zw::INTERP_SAMPLE ? Location::sample
                                                                                     : Location::pixel;
}

}  // namespace

template <class G>
std::span<const Part> RasterParts<G>::parts() {
  static constexpr std::array common = {
      part<typename G::_3DSTATE_CLIP>(clip<G>),
      part<typename G::_3DSTATE_RASTER, typename G::_3DSTATE_SF>(rasterizer<G>),
      part<typename G::_3DSTATE_RASTER>(multisample_rasterization<G>),
      part<typename G::_3DSTATE_DRAWING_RECTANGLE>(drawing_rectangle<G>),
      part<typename G::_3DSTATE_LINE_STIPPLE>(line_stipple<G>),
      part<typename G::_3DSTATE_POLY_STIPPLE_OFFSET>(polygon_stipple_offset<G>),
      part<typename G::_3DSTATE_POLY_STIPPLE_PATTERN>(polygon_stipple<G>),
      part<typename G::_3DSTATE_MULTISAMPLE, typename G::_3DSTATE_SAMPLE_MASK, typename G::_3DSTATE_SAMPLE_PATTERN>(multisample<G>),
      part<typename G::_3DSTATE_WM>(windower<G>),
  };
  if constexpr (requires { typename G::_3DSTATE_PRIMITIVE_REPLICATION; }) {
    static constexpr auto all = joined(common, std::array{part<typename G::_3DSTATE_PRIMITIVE_REPLICATION>(replication<G>)});
    return all;
  } else {
    return common;
  }
}

template struct RasterParts<defs::Gen9>;
template struct RasterParts<defs::Gen11>;
template struct RasterParts<defs::Gen12>;

}  // namespace softgen::render::decode
