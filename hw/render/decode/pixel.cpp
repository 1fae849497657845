// SPDX-License-Identifier: GPL-2.0-or-later
// Pixel shader, depth and stencil: SKL PRM vol 2a, 3DSTATE_PS, _PS_EXTRA, _PS_BLEND, _WM_DEPTH_STENCIL, _DEPTH_BUFFER and what belongs to it.
#include <algorithm>

#include "hw/base/log.h"
#include "hw/render/decode/part.h"
#include "hw/render/kernel.h"

namespace softgen::render::decode {
namespace {

/// Where a thread's header has what is said of its object (Mesa brw_fs_nir.cpp, emit_frontfacing_interpolation).
template <class G>
constexpr bool object_in_r1 = false;
template <>
constexpr bool object_in_r1<defs::Gen12> = true;

template <class G>
void shader(const StateStore& store, DrawState& state) {
  using Ps = typename G::_3DSTATE_PS;
  using Resolve = typename Ps::RenderTargetResolveType;
  using Offset = typename Ps::PositionXYOffsetSelect;
  const auto p = packet<Ps>(store);
  PixelState& out = state.pixel;
  out.thread = {.scratch_base = p.scratch_space_base_pointer,
                .scratch_bytes = scratch_bytes(p.per_thread_scratch_space),
                .alternate_float = p.floating_point_mode == Ps::FloatingPointMode::ALTERNATE,
                .vector_mask = p.vector_mask_enable};
  out.rounding = static_cast<uint8_t>(p.rounding_mode);
  // Which of the three kernel pointers is which width: SKL PRM vol 2a, 3DSTATE_PS, "Kernel Start Pointer" table.
  const bool narrow = p._8_pixel_dispatch_enable, middle = p._16_pixel_dispatch_enable, wide = p._32_pixel_dispatch_enable;
  const PixelKernel pointers[] = {{true, p.kernel_start_pointer_0, p.dispatch_grf_start_register_for_constant_setup_data_0},
                                  {true, p.kernel_start_pointer_1, p.dispatch_grf_start_register_for_constant_setup_data_1},
                                  {true, p.kernel_start_pointer_2, p.dispatch_grf_start_register_for_constant_setup_data_2}};
  out.kernels = {};
  if (narrow) out.kernels[0] = pointers[0];
  if (middle) out.kernels[1] = pointers[narrow || wide ? 2 : 0];
  if (wide) out.kernels[2] = pointers[narrow || middle ? 1 : 0];
  out.inputs.object_in_r1 = object_in_r1<G>;
  if constexpr (requires { p.dual_simd8_dispatch_enable; }) out.inputs.dual_simd8 = p.dual_simd8_dispatch_enable;
  out.fast_clear = p.render_target_fast_clear_enable;
  out.resolve = p.render_target_resolve_type == Resolve::RESOLVE_DISABLED  ? ResolveType::none
                : p.render_target_resolve_type == Resolve::RESOLVE_PARTIAL ? ResolveType::partial
                                                                           : ResolveType::full;
  if constexpr (requires { Resolve::FAST_CLEAR_0; })
    if (p.render_target_resolve_type == Resolve::FAST_CLEAR_0) out.resolve = ResolveType::ambiguate;
  out.inputs.offset = p.position_xy_offset_select != Offset::POSOFFSET_NONE;
  out.inputs.offset_at = p.position_xy_offset_select == Offset::POSOFFSET_CENTROID ? Location::centroid : Location::sample;
}

template <class G>
void shader_extra(const StateStore& store, DrawState& state) {
  using Extra = typename G::_3DSTATE_PS_EXTRA;
  using Mask = typename Extra::InputCoverageMaskState;
  static_assert(agree(InputCoverage::none, Mask::ICMS_NONE) && agree(InputCoverage::normal, Mask::ICMS_NORMAL) &&
                agree(InputCoverage::inner_conservative, Mask::ICMS_INNER_CONSERVATIVE) &&
                agree(InputCoverage::after_depth, Mask::ICMS_DEPTH_COVERAGE));
  const auto p = packet<Extra>(store);
  PixelState& out = state.pixel;
  if constexpr (requires { p.pixel_shader_is_per_coarse_pixel; }) {
    out.coarse.per_coarse_pixel = p.pixel_shader_is_per_coarse_pixel;
    out.inputs.coefficients = {.requested_size = p.pixel_shader_requires_requested_coarse_pixel_shading_size,
                               .depth_w = p.pixel_shader_requires_source_depth_and_or_w_plane_coefficients,
                               .perspective = p.pixel_shader_requires_perspective_bary_plane_coefficients,
                               .linear = p.pixel_shader_requires_non_perspective_bary_plane_coefficients,
                               .sample_offsets = p.pixel_shader_requires_subpixel_sample_offsets};
  }
  out.valid = p.pixel_shader_valid;
  out.inputs.depth = p.pixel_shader_uses_source_depth, out.inputs.w = p.pixel_shader_uses_source_w;
  out.inputs.coverage = same<InputCoverage>(p.input_coverage_mask_state);
  out.computes_depth = p.pixel_shader_computed_depth_mode != Extra::PixelShaderComputedDepthMode::PSCDEPTH_OFF;
  out.computes_stencil = p.pixel_shader_computes_stencil;
  out.kills = p.pixel_shader_kills_pixel;
  out.sample_mask = p.omask_present_to_render_target;
  out.per_sample = p.pixel_shader_is_per_sample;
  out.pulls_barycentrics = p.pixel_shader_pulls_bary;
  out.uav = p.pixel_shader_has_uav;
  out.disables_alpha_to_coverage = p.pixel_shader_disables_alpha_to_coverage;
}

template <class G>
void coarse_pixels(const StateStore& store, DrawState& state) {
  state.pixel.coarse.viewports.fill(coarse_sizes(packet<typename G::_3DSTATE_CPS>(store)));
}

template <class G>
void shader_blend(const StateStore& store, DrawState& state) {
  const auto p = packet<typename G::_3DSTATE_PS_BLEND>(store);
  state.pixel.alpha_test = p.alpha_test_enable, state.pixel.alpha_to_coverage = p.alpha_to_coverage_enable;
}

uint8_t byte(uint32_t field) { return static_cast<uint8_t>(field); }

template <class G>
void depth_stencil(const StateStore& store, DrawState& state) {
  using Compare = typename G::CompareFunction;
  using Op = typename G::StencilOperation;
  static_assert(
      agree(CompareFunction::always, Compare::COMPAREFUNCTION_ALWAYS) && agree(CompareFunction::never, Compare::COMPAREFUNCTION_NEVER) &&
      agree(CompareFunction::less, Compare::COMPAREFUNCTION_LESS) && agree(CompareFunction::equal, Compare::COMPAREFUNCTION_EQUAL) &&
      agree(CompareFunction::less_equal, Compare::COMPAREFUNCTION_LEQUAL) &&
      agree(CompareFunction::greater, Compare::COMPAREFUNCTION_GREATER) &&
      agree(CompareFunction::not_equal, Compare::COMPAREFUNCTION_NOTEQUAL) &&
      agree(CompareFunction::greater_equal, Compare::COMPAREFUNCTION_GEQUAL));
  static_assert(
      agree(StencilOperation::keep, Op::STENCILOP_KEEP) && agree(StencilOperation::zero, Op::STENCILOP_ZERO) &&
      agree(StencilOperation::replace, Op::STENCILOP_REPLACE) && agree(StencilOperation::increment_saturate, Op::STENCILOP_INCRSAT) &&
      agree(StencilOperation::decrement_saturate, Op::STENCILOP_DECRSAT) && agree(StencilOperation::increment, Op::STENCILOP_INCR) &&
      agree(StencilOperation::decrement, Op::STENCILOP_DECR) && agree(StencilOperation::invert, Op::STENCILOP_INVERT));
  const auto p = packet<typename G::_3DSTATE_WM_DEPTH_STENCIL>(store);
  DepthStencilState& out = state.depth_stencil;
  out.depth_test = p.depth_test_enable, out.depth_write = p.depth_buffer_write_enable;
  out.depth_function = same<CompareFunction>(p.depth_test_function);
  out.stencil_test = p.stencil_test_enable, out.stencil_write = p.stencil_buffer_write_enable;
  const auto op = [](Op field) { return same<StencilOperation>(field); };
  out.faces[0] = {same<CompareFunction>(p.stencil_test_function),
                  op(p.stencil_fail_op),
                  op(p.stencil_pass_depth_fail_op),
                  op(p.stencil_pass_depth_pass_op),
                  byte(p.stencil_test_mask),
                  byte(p.stencil_write_mask),
                  byte(p.stencil_reference_value)};
  out.faces[1] = out.faces[0];
  if (p.double_sided_stencil_enable)
    out.faces[1] = {same<CompareFunction>(p.backface_stencil_test_function),
                    op(p.backface_stencil_fail_op),
                    op(p.backface_stencil_pass_depth_fail_op),
                    op(p.backface_stencil_pass_depth_pass_op),
                    byte(p.backface_stencil_test_mask),
                    byte(p.backface_stencil_write_mask),
                    byte(p.backface_stencil_reference_value)};
}

template <class G>
void depth_bounds(const StateStore& store, DrawState& state) {
  const auto p = packet<typename G::_3DSTATE_DEPTH_BOUNDS>(store);
  state.depth_stencil.bounds_test = p.depth_bounds_test_enable;
  state.depth_stencil.min_bound = p.depth_bounds_test_min_value, state.depth_stencil.max_bound = p.depth_bounds_test_max_value;
}

template <class G>
void depth_targets(const StateStore& store, DrawState& state) {
  using Buffer = typename G::_3DSTATE_DEPTH_BUFFER;
  using Format = typename Buffer::SurfaceFormat;
  const auto p = packet<Buffer>(store);
  DepthTargets& out = state.depth;
  const unsigned log2_samples = std::min(view_of<typename G::_3DSTATE_MULTISAMPLE>(store).number_of_multisamples(), 4u);
  out.buffers = depth_buffers<G>(store, 1u << log2_samples);
  out.version = store.version(Buffer::id) + store.version(G::_3DSTATE_STENCIL_BUFFER::id);
  out.missing = out.buffers.depth.is_null() && p.surface_type != Buffer::SurfaceType::SURFTYPE_NULL;
  out.declared_type = static_cast<uint8_t>(p.surface_type), out.declared_format = static_cast<uint8_t>(p.surface_format);
  out.format = p.surface_format == Format::D32_FLOAT           ? DepthFormat::float32
               : p.surface_format == Format::D24_UNORM_X8_UINT ? DepthFormat::unorm24
                                                               : DepthFormat::unorm16;
  out.depth_write = p.depth_write_enable;
  if constexpr (requires { p.stencil_write_enable; }) {
    out.stencil_write = p.stencil_write_enable;
    out.stencil_enable = view_of<typename G::_3DSTATE_STENCIL_BUFFER>(store).stencil_buffer_enable();
  } else {
    // A surface of its own.
    out.stencil_write = view_of<typename G::_3DSTATE_STENCIL_BUFFER>(store).stencil_write_enable();
    out.stencil_enable = !out.buffers.stencil.is_null();
  }
  const auto hiz = packet<typename G::_3DSTATE_HIER_DEPTH_BUFFER>(store);
  out.hiz = p.hierarchical_depth_buffer_enable;
  out.hiz_address = hiz.surface_base_address, out.hiz_pitch = hiz.surface_pitch + 1, out.hiz_qpitch = hiz.surface_qpitch * 4;
  const auto clear = packet<typename G::_3DSTATE_CLEAR_PARAMS>(store);
  out.clear_value = clear.depth_clear_value, out.clear_value_valid = clear.depth_clear_value_valid;
}

}  // namespace

template <class G>
DepthBuffers depth_buffers(const StateStore& store, unsigned samples) {
  const auto depth = store.packet(G::_3DSTATE_DEPTH_BUFFER::id), stencil = store.packet(G::_3DSTATE_STENCIL_BUFFER::id);
  return {surface::decode_depth_buffer<G>(depth, samples), surface::decode_stencil_buffer<G>(depth, stencil, samples)};
}

template <class G>
std::span<const Part> PixelParts<G>::parts() {
  static constexpr std::array common = {
      part<typename G::_3DSTATE_PS>(shader<G>),
      part<typename G::_3DSTATE_PS_EXTRA>(shader_extra<G>),
      part<typename G::_3DSTATE_PS_BLEND>(shader_blend<G>),
      part<typename G::_3DSTATE_WM_DEPTH_STENCIL>(depth_stencil<G>),
      part<typename G::_3DSTATE_DEPTH_BUFFER, typename G::_3DSTATE_STENCIL_BUFFER, typename G::_3DSTATE_HIER_DEPTH_BUFFER,
           typename G::_3DSTATE_CLEAR_PARAMS, typename G::_3DSTATE_MULTISAMPLE>(depth_targets<G>),
  };
  if constexpr (requires { typename G::_3DSTATE_CPS; }) {
    static constexpr auto all = joined(common, std::array{part<typename G::_3DSTATE_CPS>(coarse_pixels<G>)});
    return all;
  } else if constexpr (requires { typename G::_3DSTATE_DEPTH_BOUNDS; }) {
    static constexpr auto all = joined(common, std::array{part<typename G::_3DSTATE_DEPTH_BOUNDS>(depth_bounds<G>)});
    return all;
  } else {
    return common;
  }
}

template struct PixelParts<defs::Gen9>;
template struct PixelParts<defs::Gen11>;
template struct PixelParts<defs::Gen12>;
template DepthBuffers depth_buffers<defs::Gen9>(const StateStore& store, unsigned samples);
template DepthBuffers depth_buffers<defs::Gen11>(const StateStore& store, unsigned samples);
template DepthBuffers depth_buffers<defs::Gen12>(const StateStore& store, unsigned samples);

}  // namespace softgen::render::decode
