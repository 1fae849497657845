// SPDX-License-Identifier: GPL-2.0-or-later
// The geometry stages and every stage's bindings: SKL PRM vol 2a, 3DSTATE_VS, _HS, _TE, _DS, _GS, _URB_*, _CONSTANT_*, ..._POINTERS_*.
#include <algorithm>

#include "hw/iface/decode/shader_bases.h"
#include "hw/render/decode/part.h"
#include "hw/render/kernel.h"
#include "hw/surface/surface.h"

namespace softgen::render::decode {
namespace {

constexpr uint32_t entry_unit = 64;  // bytes of a URB entry's allocation size

StageState& stage_of(DrawState& state, Stage stage) { return state.stages[static_cast<size_t>(stage)]; }

void start(const auto& p, uint32_t grf_start, StageState& stage) {
  stage.enable = p.enable;
  stage.statistics = p.statistics_enable;
  stage.thread = {.kernel = p.kernel_start_pointer,
                  .grf_start = grf_start,
                  .scratch_base = p.scratch_space_base_pointer,
                  .scratch_bytes = scratch_bytes(p.per_thread_scratch_space),
                  .alternate_float = p.floating_point_mode == std::remove_cvref_t<decltype(p)>::FloatingPointMode::ALTERNATE,
                  .vector_mask = p.vector_mask_enable};
}

void input(const auto& p, StageState& stage) {
  stage.read_offset = p.vertex_urb_entry_read_offset;
  stage.read_length = p.vertex_urb_entry_read_length;
}

void output(const auto& p, StageState& stage) {
  stage.output_offset = p.vertex_urb_entry_output_read_offset;
  stage.output_length = p.vertex_urb_entry_output_length;
  stage.clip_distances = static_cast<uint8_t>(p.user_clip_distance_clip_test_enable_bitmask);
  stage.cull_distances = static_cast<uint8_t>(p.user_clip_distance_cull_test_enable_bitmask);
}

template <class G>
void vertex_shader(const StateStore& store, DrawState& state) {
  const auto p = packet<typename G::_3DSTATE_VS>(store);
  StageState& stage = stage_of(state, Stage::vs);
  start(p, p.dispatch_grf_start_register_for_urb_data, stage), input(p, stage), output(p, stage);
  state.vertex_simd8 = p.simd8_dispatch_enable;
  stage.entry_bytes = (packet<typename G::_3DSTATE_URB_VS>(store).vs_urb_entry_allocation_size + 1) * entry_unit;
}

/// Of the instance number in a thread's r0.2 (SKL PRM vol 7, HS thread payload; Mesa brw_vec4_tcs.cpp and brw_fs.cpp, tcs_instance_id).
template <class G>
constexpr uint8_t hull_instance_shift = 17;
template <>
constexpr uint8_t hull_instance_shift<defs::Gen11> = 16;
template <>
constexpr uint8_t hull_instance_shift<defs::Gen12> = 16;

template <typename Mode>
HullDispatch hull_dispatch(Mode mode) {
  if constexpr (requires { Mode::DISPATCH_MODE_DUAL_PATCH; })
    if (mode == Mode::DISPATCH_MODE_DUAL_PATCH) return HullDispatch::dual_patch;
  return mode == Mode::DISPATCH_MODE_8_PATCH ? HullDispatch::eight_patch : HullDispatch::single_patch;
}

template <class G>
void hull_shader(const StateStore& store, DrawState& state) {
  const auto p = packet<typename G::_3DSTATE_HS>(store);
  StageState& stage = stage_of(state, Stage::hs);
  start(p, p.dispatch_grf_start_register_for_urb_data | p.dispatch_grf_start_register_for_urb_data_5 << 5, stage), input(p, stage);
  stage.entry_bytes = (packet<typename G::_3DSTATE_URB_HS>(store).hs_urb_entry_allocation_size + 1) * entry_unit;
  state.hull = {.dispatch = hull_dispatch(p.dispatch_mode),
                .instances = p.instance_count + 1,
                .instance_shift = hull_instance_shift<G>,
                .vertex_handles = p.include_vertex_handles,
                .primitive_id = p.include_primitive_id};
}

template <class G>
void tessellation(const StateStore& store, DrawState& state) {
  using Te = typename G::_3DSTATE_TE;
  static_assert(agree(TessellationOutput::point, Te::OutputTopology::OUTPUT_POINT) &&
                agree(TessellationOutput::line, Te::OutputTopology::OUTPUT_LINE) &&
                agree(TessellationOutput::triangle_clockwise, Te::OutputTopology::OUTPUT_TRI_CW) &&
                agree(TessellationOutput::triangle_counterclockwise, Te::OutputTopology::OUTPUT_TRI_CCW));
  const auto p = packet<Te>(store);
  state.tessellation = {.enable = p.te_enable,
                        .partitioning = p.partitioning == Te::Partitioning::ODD_FRACTIONAL    ? TessellationPartitioning::odd_fractional
                                        : p.partitioning == Te::Partitioning::EVEN_FRACTIONAL ? TessellationPartitioning::even_fractional
                                                                                              : TessellationPartitioning::integer,
                        .domain = p.te_domain == Te::TEDomain::QUAD  ? TessellationDomain::quad
                                  : p.te_domain == Te::TEDomain::TRI ? TessellationDomain::triangle
                                                                     : TessellationDomain::isoline,
                        .output = same<TessellationOutput>(p.output_topology),
                        .max_factor_odd = p.maximum_tessellation_factor_odd,
                        .max_factor_not_odd = p.maximum_tessellation_factor_not_odd};
  if constexpr (requires { p.patch_header_layout; }) {
    using Layout = typename Te::PatchHeaderLayout;
    const Layout layout = p.patch_header_layout;
    state.tessellation.factors_ascend = layout == Layout::NONREVERSED || layout == Layout::NONREVERSED_TRI_INSIDE_SEPARATE;
    state.tessellation.inside_separate =
        layout == Layout::REVERSED_TRI_INSIDE_SEPARATE || layout == Layout::NONREVERSED_TRI_INSIDE_SEPARATE;
  }
}

template <class G>
void domain_shader(const StateStore& store, DrawState& state) {
  const auto p = packet<typename G::_3DSTATE_DS>(store);
  StageState& stage = stage_of(state, Stage::ds);
  start(p, p.dispatch_grf_start_register_for_urb_data, stage), output(p, stage);
  stage.read_offset = p.patch_urb_entry_read_offset, stage.read_length = p.patch_urb_entry_read_length;
  stage.entry_bytes = (packet<typename G::_3DSTATE_URB_DS>(store).ds_urb_entry_allocation_size + 1) * entry_unit;
  using Mode = decltype(p.dispatch_mode);
  state.domain.simd8 = true;
  if constexpr (requires { Mode::DISPATCH_MODE_SIMD4X2; }) state.domain.simd8 = p.dispatch_mode != Mode::DISPATCH_MODE_SIMD4X2;
  state.domain.computes_w = p.compute_w_coordinate_enable;
}

template <class G>
void geometry_shader(const StateStore& store, DrawState& state) {
  using Gs = typename G::_3DSTATE_GS;
  const auto p = packet<Gs>(store);
  StageState& stage = stage_of(state, Stage::gs);
  start(p, p.dispatch_grf_start_register_for_urb_data | p.dispatch_grf_start_register_for_urb_data_5_4 << 4, stage), input(p, stage),
      output(p, stage);
  stage.entry_bytes = (packet<typename G::_3DSTATE_URB_GS>(store).gs_urb_entry_allocation_size + 1) * entry_unit;
  state.geometry = {.simd8 = p.dispatch_mode == Gs::DispatchMode::DISPATCH_MODE_SIMD8,
                    .dispatch_mode = static_cast<uint8_t>(p.dispatch_mode),
                    .instances = p.instance_control + 1,
                    .topology = same<Topology>(p.output_topology),
                    .reorder = p.reorder_mode == Gs::ReorderMode::TRAILING ? Reorder::trailing : Reorder::leading,
                    .discard_adjacency = p.discard_adjacency,
                    .vertex_handles = p.include_vertex_handles,
                    .primitive_id = p.include_primitive_id,
                    .vertex_dwords = (p.output_vertex_size + 1) * 4,
                    .control_registers = p.control_data_header_size,
                    .stream_ids = p.control_data_format == Gs::ControlDataFormat::SID,
                    .default_stream = p.default_stream_id,
                    .static_output = p.static_output,
                    .static_vertices = p.static_output_vertex_count};
}

PushConstants ranges(const auto& body) {
  PushConstants result;
  for (unsigned i = 0; i < result.ranges.size(); ++i) {
    const uint32_t registers = std::min(body.read_length[i], PushConstants::max_registers - result.registers);
    result.ranges[i] = {body.buffer[i], registers};
    result.registers += registers;
  }
  return result;
}

// The packets of the five stages differ in the names of their fields.
#define STAGE_BINDINGS(lower, upper)                                                                              \
  template <class G>                                                                                              \
  void lower##_table(const StateStore& store, DrawState& state) {                                                 \
    state.bindings[static_cast<size_t>(Stage::lower)].binding_table =                                             \
        view_of<typename G::_3DSTATE_BINDING_TABLE_POINTERS_##upper>(store).pointer_to_##lower##_binding_table(); \
  }                                                                                                               \
  template <class G>                                                                                              \
  void lower##_samplers(const StateStore& store, DrawState& state) {                                              \
    state.bindings[static_cast<size_t>(Stage::lower)].samplers =                                                  \
        view_of<typename G::_3DSTATE_SAMPLER_STATE_POINTERS_##upper>(store).pointer_to_##lower##_sampler_state(); \
  }                                                                                                               \
  template <class G>                                                                                              \
  void lower##_constants(const StateStore& store, DrawState& state) {                                             \
    state.bindings[static_cast<size_t>(Stage::lower)].constants =                                                 \
        ranges(packet<typename G::_3DSTATE_CONSTANT_##upper>(store).constant_body);                               \
  }
STAGE_BINDINGS(vs, VS)
STAGE_BINDINGS(hs, HS)
STAGE_BINDINGS(ds, DS)
STAGE_BINDINGS(gs, GS)
STAGE_BINDINGS(ps, PS)
#undef STAGE_BINDINGS

template <class G>
void bases(const StateStore& store, DrawState& state) {
  state.common_bases = decode_bases<G>(store.packet(G::STATE_BASE_ADDRESS::id), store.packet(G::_3DSTATE_BINDING_TABLE_POOL_ALLOC::id));
  state.common_bases.decode_surface = surface::decode_surface<G>;
}

}  // namespace

template <class G>
std::span<const Part> StageParts<G>::parts() {
#define STAGE_BINDINGS(lower, upper)                                                  \
  part<typename G::_3DSTATE_BINDING_TABLE_POINTERS_##upper>(lower##_table<G>),        \
      part<typename G::_3DSTATE_SAMPLER_STATE_POINTERS_##upper>(lower##_samplers<G>), \
      part<typename G::_3DSTATE_CONSTANT_##upper>(lower##_constants<G>)
  static constexpr Part all[] = {
      part<typename G::_3DSTATE_VS, typename G::_3DSTATE_URB_VS>(vertex_shader<G>),
      part<typename G::_3DSTATE_HS, typename G::_3DSTATE_URB_HS>(hull_shader<G>),
      part<typename G::_3DSTATE_TE>(tessellation<G>),
      part<typename G::_3DSTATE_DS, typename G::_3DSTATE_URB_DS>(domain_shader<G>),
      part<typename G::_3DSTATE_GS, typename G::_3DSTATE_URB_GS>(geometry_shader<G>),
      STAGE_BINDINGS(vs, VS),
      STAGE_BINDINGS(hs, HS),
      STAGE_BINDINGS(ds, DS),
      STAGE_BINDINGS(gs, GS),
      STAGE_BINDINGS(ps, PS),
      part<typename G::STATE_BASE_ADDRESS, typename G::_3DSTATE_BINDING_TABLE_POOL_ALLOC>(bases<G>),
  };
#undef STAGE_BINDINGS
  return all;
}

template struct StageParts<defs::Gen9>;
template struct StageParts<defs::Gen11>;
template struct StageParts<defs::Gen12>;

}  // namespace softgen::render::decode
