// SPDX-License-Identifier: GPL-2.0-or-later
// VS_STATE to WM_STATE and COLOR_CALC_STATE with their viewports: Mesa genxml/gen50.xml, crocus_state.c.
#include "hw/render/decode/ilk_units.h"

#include <algorithm>
#include <bit>

#include "hw/base/log.h"
#include "hw/defs/gen5/all.h"
#include "hw/eu/program/loader.h"
#include "hw/render/decode/part.h"
#include "hw/render/ilk/depth_case.h"

namespace softgen::render::decode {
namespace {

namespace gen5 = defs::gen5;

/// Of dwords 0 to 3, which all units have.
template <typename Unit>
void read_thread(const Unit& s, ilk::ThreadUnit& out) {
  out.single_program_flow = s.single_program_flow;
  out.alternate_float = s.floating_point_mode == Unit::FloatingPointMode::ALTERNATE;
  out.scratch_base = s.scratch_space_base_pointer;
  out.scratch_bytes = s.scratch_space_base_pointer ? eu::scratch_bytes(s.per_thread_scratch_space) : 0;
  out.constant_offset = s.constant_urb_entry_read_offset, out.constant_length = s.constant_urb_entry_read_length;
}

/// Of the units that read vertices and own entries of the URB. `step`: what the number of entries counts.
template <typename Unit>
void read_vertex_thread(const Unit& s, unsigned step, ilk::ThreadUnit& out) {
  read_thread(s, out);
  out.kernel = s.kernel_start_pointer;
  out.registers = (s.grf_register_count + 1) * 16;
  out.grf_start = s.dispatch_grf_start_register_for_urb_data;
  out.read_offset = s.vertex_urb_entry_read_offset, out.read_length = s.vertex_urb_entry_read_length;
  out.entries = s.number_of_urb_entries * step, out.entry_rows = s.urb_entry_allocation_size + 1;
  out.max_threads = s.maximum_number_of_threads + 1;
}

ilk::ClipMode clip_mode(gen5::CLIP_STATE::ClipMode mode) {
  using Mode = gen5::CLIP_STATE::ClipMode;
  switch (mode) {
    case Mode::ALL: return ilk::ClipMode::all;
    case Mode::CLIP_NON_REJECTED: return ilk::ClipMode::non_rejected;
    case Mode::REJECT_ALL: return ilk::ClipMode::reject_all;
    case Mode::ACCEPT_ALL: return ilk::ClipMode::accept_all;
    case Mode::NORMAL:
    case Mode::KERNEL_CLIP: return ilk::ClipMode::normal;
  }
  guest_error("CLIP_STATE with a reserved mode", "{}", static_cast<uint32_t>(mode));
  return ilk::ClipMode::normal;
}

uint8_t vertex(uint32_t field, unsigned last) { return static_cast<uint8_t>(std::min(field, last)); }

void read_raster(const gen5::SF_STATE& s, DrawState& draw) {
  using State = gen5::SF_STATE;
  static_assert(agree(CullMode::both, State::CullMode::BOTH) && agree(CullMode::none, State::CullMode::NONE) &&
                agree(CullMode::front, State::CullMode::FRONT) && agree(CullMode::back, State::CullMode::BACK));
  RasterizerState& out = draw.raster;
  out.scissor = s.scissor_rectangle_enable;
  out.antialiasing = s.antialiasing_enable;
  out.front_clockwise = s.front_winding == State::FrontWinding::FRONTWINDING_CW;
  out.cull = same<CullMode>(s.cull_mode);
  out.line_width = s.line_width;
  out.last_pixel = s.last_pixel_enable;
  out.point = {.width_from_state = s.point_width_source == State::PointWidthSource::STATE,
               .width = s.point_width,
               .upper_right = s.point_rasterization_rule == State::PointRasterizationRule::RASTRULE_UPPER_RIGHT};
  out.provoking = {vertex(static_cast<uint32_t>(s.triangle_strip_list_provoking_vertex_select), 2),
                   vertex(static_cast<uint32_t>(s.line_strip_list_provoking_vertex_select), 1),
                   vertex(static_cast<uint32_t>(s.triangle_fan_provoking_vertex_select), 2)};
}

void read_stencil(const gen5::COLOR_CALC_STATE& s, DepthStencilState& out) {
  const auto face = [](auto function, auto fail, auto depth_fail, auto pass, uint32_t test, uint32_t write, uint32_t reference) {
    return StencilFace{same<CompareFunction>(function), same<StencilOperation>(fail), same<StencilOperation>(depth_fail),
                       same<StencilOperation>(pass),    static_cast<uint8_t>(test),   static_cast<uint8_t>(write),
                       static_cast<uint8_t>(reference)};
  };
  out.stencil_test = s.stencil_test_enable, out.stencil_write = s.stencil_buffer_write_enable;
  out.faces[0] = face(s.stencil_test_function, s.stencil_fail_op, s.stencil_pass_depth_fail_op, s.stencil_pass_depth_pass_op,
                      s.stencil_test_mask, s.stencil_write_mask, s.stencil_reference_value);
  out.faces[1] = s.double_sided_stencil_enable
                     ? face(s.backface_stencil_test_function, s.backface_stencil_fail_op, s.backface_stencil_pass_depth_fail_op,
                            s.backface_stencil_pass_depth_pass_op, s.backface_stencil_test_mask, s.backface_stencil_write_mask,
                            s.backface_stencil_reference_value)
                     : out.faces[0];
}

/// Without either clamp fixed-point targets take colours within their range all the same, before they blend, too: crocus never sets one, and its kernels
/// leave colours as they are (chosen).
ColorClamp clamp_range(const gen5::COLOR_CALC_STATE& s) {
  using Clamp = gen5::COLOR_CALC_STATE::ColorClampRange;
  if (!s.pre_blend_color_clamp_enable && !s.post_blend_color_clamp_enable) return ColorClamp::format;
  switch (s.color_clamp_range) {
    case Clamp::COLORCLAMP_SNORM: return ColorClamp::snorm;
    case Clamp::COLORCLAMP_RTFORMAT: return ColorClamp::format;
    default: return ColorClamp::unorm;
  }
}

void read_blend(const gen5::COLOR_CALC_STATE& s, ilk::State& state) {
  BlendState& blend = state.draw.blend;
  blend.bound = true;
  blend.independent_alpha = s.independent_alpha_blend_enable;
  blend.alpha_test = s.alpha_test_enable, blend.alpha_function = same<CompareFunction>(s.alpha_test_function);
  blend.alpha_reference_unorm = s.alpha_test_format == gen5::COLOR_CALC_STATE::AlphaTestFormat::ALPHATEST_UNORM8;
  blend.alpha_reference =
      blend.alpha_reference_unorm ? static_cast<float>(s.alpha_reference_value_as_unorm8 & 0xff) : s.alpha_reference_value_as_float32;
  state.blend = {.blend = s.color_buffer_blend_enable,
                 .source_factor = same<BlendFactor>(s.source_blend_factor),
                 .destination_factor = same<BlendFactor>(s.destination_blend_factor),
                 .source_alpha_factor = same<BlendFactor>(s.source_alpha_blend_factor),
                 .destination_alpha_factor = same<BlendFactor>(s.destination_alpha_blend_factor),
                 .function = same<BlendFunction>(s.color_blend_function),
                 .alpha_function = same<BlendFunction>(s.alpha_blend_function),
                 .logic_op = s.logic_op_enable,
                 .logic_table = static_cast<uint8_t>(s.logic_op_function),
                 .clamp = clamp_range(s),
                 .clamp_before = s.pre_blend_color_clamp_enable || s.color_buffer_blend_enable,
                 .clamp_after = s.post_blend_color_clamp_enable};
}

/// The kernel of 8 pixels, or the only one, is 0; with several, 2 is that of 16 (Mesa brw_compiler.h, brw_wm_state_simd_width_for_ksp).
void read_kernels(const gen5::WM_STATE& s, ilk::PixelUnitState& out) {
  const bool wide = s._16_pixel_dispatch_enable, narrow = s._8_pixel_dispatch_enable;
  const bool several = (wide ? 1 : 0) + (narrow ? 1 : 0) + (s._32_pixel_dispatch_enable ? 1 : 0) > 1;
  if (s._32_pixel_dispatch_enable || s.contiguous_32_pixel_dispatch_enable || s.contiguous_64_pixel_dispatch_enable)
    unimplemented("Ironlake: pixel threads of 32 or 64 pixels");
  out.has_kernel = {narrow, wide};
  out.kernels = {s.kernel_start_pointer_0, wide && several ? s.kernel_start_pointer_2 : s.kernel_start_pointer_0};
  uint32_t blocks = s.grf_register_count_0;
  if (wide && several) blocks = std::max(blocks, s.grf_register_count_2);
  out.registers = (blocks + 1) * 16;
}

}  // namespace

void read_vs(const GeneralState& memory, uint32_t offset, ilk::State& state) {
  const auto s = memory.load<gen5::VS_STATE>(offset);
  read_vertex_thread(s, 4, state.vs);  // its entries count in fours (crocus_state.c)
  state.vs.enable = s.enable, state.vs.statistics = s.statistics_enable;
  state.vs.samplers = s.sampler_state_pointer;
}

void read_gs(const GeneralState& memory, uint32_t offset, bool enable, ilk::State& state) {
  state.gs.enable = enable;
  if (!enable) return;
  const auto s = memory.load<gen5::GS_STATE>(offset);
  read_vertex_thread(s, 1, state.gs);
  state.gs.statistics = s.gs_statistics_enable, state.gs.rendering = s.rendering_enabled;
  state.gs.samplers = s.sampler_state_pointer;
}

void read_clip(const GeneralState& memory, uint32_t offset, bool enable, ilk::State& state) {
  ilk::ClipUnitState& out = state.clip;
  out.enable = enable;
  if (!enable) return;
  const auto s = memory.load<gen5::CLIP_STATE>(offset);
  read_vertex_thread(s, 1, out);
  out.mode = clip_mode(s.clip_mode);
  out.d3d = s.api_mode == gen5::CLIP_STATE::APIMode::D3D;
  out.xy = s.viewport_xy_cliptest_enable, out.z = s.viewport_z_cliptest_enable, out.guardband = s.guardband_cliptest_enable;
  out.negative_w = s.negative_w_cliptest_enable;
  out.user_must_clip = s.userclipflags_mustclip_enable;
  out.user_flags = static_cast<uint8_t>(s.userclipdistance_cliptest_enable_bitmask);
  // In NDC space the view is always from -1 to 1.
  out.view = {};
  if (s.vertex_position_space == gen5::CLIP_STATE::VertexPositionSpace::SCREENSPACE)
    out.view = {s.screen_space_viewport_x_min, s.screen_space_viewport_x_max, s.screen_space_viewport_y_min, s.screen_space_viewport_y_max};
  const auto guard = memory.load<gen5::CLIP_VIEWPORT>(s.clipper_viewport_state_pointer);
  out.guard = {guard.xmin_clip_guardband, guard.xmax_clip_guardband, guard.ymin_clip_guardband, guard.ymax_clip_guardband};
}

void read_sf(const GeneralState& memory, uint32_t offset, ilk::State& state) {
  const auto s = memory.load<gen5::SF_STATE>(offset);
  read_vertex_thread(s, 1, state.sf);
  state.sf.transform = s.viewport_transform_enable;
  state.sf.bias_x = s.destination_origin_horizontal_bias, state.sf.bias_y = s.destination_origin_vertical_bias;
  state.sf.sprites = s.sprite_point_enable;
  state.sf.four_bits = s.vertex_sub_pixel_precision_select == gen5::SF_STATE::VertexSubPixelPrecisionSelect::_4_SUB_PIXEL_PRECISION_BITS;
  read_raster(s, state.draw);
  if (!s.viewport_transform_enable && !s.scissor_rectangle_enable) return;
  const auto v = memory.load<gen5::SF_VIEWPORT>(s.setup_viewport_state_offset);
  state.sf.viewport = {v.viewport_matrix_element_m00, v.viewport_matrix_element_m11, v.viewport_matrix_element_m22,
                       v.viewport_matrix_element_m30, v.viewport_matrix_element_m31, v.viewport_matrix_element_m32};
  const auto& r = v.scissor_rectangle;
  state.draw.viewports[0].scissor = {static_cast<int32_t>(r.scissor_rectangle_x_min), static_cast<int32_t>(r.scissor_rectangle_y_min),
                                     static_cast<int32_t>(r.scissor_rectangle_x_max) + 1,
                                     static_cast<int32_t>(r.scissor_rectangle_y_max) + 1};
}

void read_cc(const GeneralState& memory, uint32_t offset, ilk::State& state) {
  const auto s = memory.load<gen5::COLOR_CALC_STATE>(offset);
  DepthStencilState& ds = state.draw.depth_stencil;
  ds = {};
  const bool depth = !state.depth.surface.is_null(), stencil = depth && state.depth.stencil;
  // Of a depth that is not tested none is written (crocus_state.c, crocus_update_fs_key: the windowizer's table is asked so).
  ds.depth_test = depth && s.depth_test_enable;
  ds.depth_write = ds.depth_test && s.depth_buffer_write_enable;
  ds.depth_function = same<CompareFunction>(s.depth_test_function);
  read_stencil(s, ds);
  ds.stencil_test = ds.stencil_test && stencil, ds.stencil_write = ds.stencil_write && ds.stencil_test;
  const auto range = memory.load<gen5::CC_VIEWPORT>(s.cc_viewport_state_pointer);
  state.draw.viewports[0].min_depth = range.minimum_depth, state.draw.viewports[0].max_depth = range.maximum_depth;
  read_blend(s, state);
}

void read_wm(const GeneralState& memory, uint32_t offset, ilk::State& state) {
  const auto s = memory.load<gen5::WM_STATE>(offset);
  ilk::PixelUnitState& out = state.wm;
  read_thread(s, out);
  read_kernels(s, out);
  out.grf_start = s.dispatch_grf_start_register_for_constant_setup_data_0;
  out.read_offset = s.setup_urb_entry_read_offset, out.read_length = s.setup_urb_entry_read_length;
  out.depth_row = s.depth_coefficient_urb_read_offset;
  out.samplers = s.sampler_state_pointer;
  out.max_threads = s.maximum_number_of_threads + 1;
  out.statistics = s.statistics_enable, out.counts_pixels = s.statistics_enable;
  out.dispatch = s.thread_dispatch_enable, out.kills = s.pixel_shader_kills_pixel;
  out.computes_depth = s.pixel_shader_computed_depth, out.uses_depth = s.pixel_shader_uses_source_depth;
  if (s.depth_buffer_clear || s.depth_buffer_resolve_enable || s.hierarchical_depth_buffer_resolve_enable)
    unimplemented("Ironlake: depth clears and resolves of WM_STATE");
  RasterizerState& raster = state.draw.raster;
  raster.polygon_stipple = s.polygon_stipple_enable, raster.line_stipple = s.line_stipple_enable;
  raster.bias.solid = s.global_depth_offset_enable, raster.bias.legacy = s.legacy_global_depth_bias_enable;
  raster.bias.constant = s.global_depth_offset_constant, raster.bias.scale = s.global_depth_offset_scale;
  const DepthStencilState& ds = state.draw.depth_stencil;
  out.depth = ilk::depth_case({.kills = out.kills || state.draw.blend.alpha_test,
                               .computes_depth = out.computes_depth,
                               .depth_write = ds.depth_write,
                               .depth_test = ds.depth_test,
                               .stencil_write = ds.stencil_write,
                               .stencil_test = ds.stencil_test});
  // With statistics the source depth goes along where tests before the thread may be undone by it (brw_fs_thread_payload.cpp).
  if (out.statistics && (out.kills || state.draw.blend.alpha_test) && out.depth.mode == ilk::DepthMode::before_thread)
    out.depth.source_depth = out.depth.source_to_target = true;
  out.depth.source_depth = out.depth.source_depth || out.uses_depth;
}

}  // namespace softgen::render::decode
