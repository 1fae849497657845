// SPDX-License-Identifier: GPL-2.0-or-later
// Ironlake's packets: Mesa genxml/gen50.xml; ILK PRM vol 1 part 2, 5.3.
#include <algorithm>

#include "hw/base/log.h"
#include "hw/defs/gen5/all.h"
#include "hw/render/decode/ilk_units.h"
#include "hw/render/decode/part.h"
#include "hw/render/ilk/state_reader.h"
#include "hw/surface/surface.h"

namespace softgen::render::ilk {
namespace {

namespace gen5 = defs::gen5;
using decode::agree;
using decode::same;
using defs::CommandId;

template <typename Packet>
Packet packet(const StateStore& store) {
  return decode::packet<Packet>(store);
}

VertexComponent component(gen5::VertexComponentControl control) {
  using Control = gen5::VertexComponentControl;
  switch (control) {
    case Control::VFCOMP_NOSTORE: return VertexComponent::none;
    case Control::VFCOMP_STORE_SRC: return VertexComponent::source;
    case Control::VFCOMP_STORE_1_FP: return VertexComponent::one_float;
    case Control::VFCOMP_STORE_1_INT: return VertexComponent::one_integer;
    default: return VertexComponent::zero;  // also where a system value follows
  }
}

struct BufferUse {
  bool per_instance = false;
  uint32_t step_rate = 0;
};

void read_buffers(const StateStore& store, VertexInput& out, std::array<BufferUse, VertexInput::max_buffers>& uses) {
  using Buffer = gen5::VERTEX_BUFFER_STATE;
  out.buffers = {};
  const auto dw = store.packet(CommandId::_3DSTATE_VERTEX_BUFFERS);
  for (size_t i = 0; i < VertexInput::max_buffers && 1 + Buffer::dwords * (i + 1) <= dw.size(); ++i) {
    const auto vb = Buffer::unpack(dw.subspan(1 + Buffer::dwords * i, Buffer::dwords));
    const uint32_t size = vb.end_address >= vb.buffer_starting_address ? vb.end_address - vb.buffer_starting_address + 1 : 0;
    out.buffers[i] = {vb.buffer_starting_address, size, vb.buffer_pitch, vb.null_vertex_buffer};
    uses[i] = {vb.buffer_access_type == Buffer::BufferAccessType::INSTANCEDATA, vb.instance_data_step_rate};
  }
}

void read_elements(const StateStore& store, VertexInput& out, const std::array<BufferUse, VertexInput::max_buffers>& uses) {
  using Element = gen5::VERTEX_ELEMENT_STATE;
  using Control = gen5::VertexComponentControl;
  out.elements.clear();
  out.vertex_id = out.instance_id = {};
  const auto dw = store.packet(CommandId::_3DSTATE_VERTEX_ELEMENTS);
  for (size_t at = 1; at + Element::dwords <= dw.size() && out.elements.size() < VertexInput::max_elements; at += Element::dwords) {
    const auto e = Element::unpack(dw.subspan(at, Element::dwords));
    const std::array controls = {e.component_0_control, e.component_1_control, e.component_2_control, e.component_3_control};
    const BufferUse use = e.vertex_buffer_index < uses.size() ? uses[e.vertex_buffer_index] : BufferUse{};
    for (uint8_t c = 0; c < 4; ++c) {
      const auto index = static_cast<uint8_t>(out.elements.size());
      if (controls[c] == Control::VFCOMP_STORE_VID) out.vertex_id = {true, index, c};
      if (controls[c] == Control::VFCOMP_STORE_IID) out.instance_id = {true, index, c};
      if (controls[c] == Control::VFCOMP_STORE_PID) unimplemented("Ironlake: primitive ids in vertices");
    }
    out.elements.push_back(
        {.valid = e.valid,
         .per_instance = use.per_instance,
         .buffer = static_cast<uint8_t>(e.vertex_buffer_index),
         .offset = e.source_element_offset,
         .step_rate = use.step_rate,
         .format = e.source_element_format,
         .components = {component(controls[0]), component(controls[1]), component(controls[2]), component(controls[3])}});
  }
}

/// A cut index has all bits set.
void read_index_buffer(const StateStore& store, VertexInput& out) {
  const auto p = packet<gen5::_3DSTATE_INDEX_BUFFER>(store);
  const auto bytes = static_cast<uint8_t>(1u << std::min<uint32_t>(static_cast<uint32_t>(p.index_format), 2));
  const bool any = p.buffer_ending_address >= p.buffer_starting_address && !store.packet(CommandId::_3DSTATE_INDEX_BUFFER).empty();
  out.index = {p.buffer_starting_address, any ? p.buffer_ending_address - p.buffer_starting_address + 1 : 0, bytes};
  out.cut_indexed = p.cut_index_enable, out.cut_sequential = false;
  out.cut_index = bytes == 4 ? ~0u : (1u << 8 * bytes) - 1;
}

void read_vertices(const StateStore& store, VertexInput& out) {
  std::array<BufferUse, VertexInput::max_buffers> uses{};
  read_buffers(store, out, uses);
  read_elements(store, out, uses);
  read_index_buffer(store, out);
  out.statistics = packet<gen5::_3DSTATE_VF_STATISTICS>(store).statistics_enable;
}

void read_stipples(const StateStore& store, StippleState& out) {
  const auto line = packet<gen5::_3DSTATE_LINE_STIPPLE>(store);
  out.line_pattern = static_cast<uint16_t>(line.line_stipple_pattern), out.line_repeat = line.line_stipple_repeat_count;
  const auto offset = packet<gen5::_3DSTATE_POLY_STIPPLE_OFFSET>(store);
  out.polygon_x = static_cast<uint8_t>(offset.polygon_stipple_x_offset),
  out.polygon_y = static_cast<uint8_t>(offset.polygon_stipple_y_offset);
  const auto pattern = store.packet(CommandId::_3DSTATE_POLY_STIPPLE_PATTERN);
  for (size_t i = 0; i < out.polygon_rows.size(); ++i) out.polygon_rows[i] = i + 1 < pattern.size() ? pattern[i + 1] : 0;
}

void read_rectangle(const StateStore& store, State& state) {
  const auto p = packet<gen5::_3DSTATE_DRAWING_RECTANGLE>(store);
  const auto pixel = [](uint32_t field) { return static_cast<int32_t>(field); };
  state.draw.raster.drawing_rectangle = {pixel(p.clipped_drawing_rectangle_x_min), pixel(p.clipped_drawing_rectangle_y_min),
                                         pixel(p.clipped_drawing_rectangle_x_max) + 1, pixel(p.clipped_drawing_rectangle_y_max) + 1};
  state.sf.origin_x = p.drawing_rectangle_origin_x, state.sf.origin_y = p.drawing_rectangle_origin_y;
}

void read_depth_buffer(const StateStore& store, State& state) {
  using Format = gen5::_3DSTATE_DEPTH_BUFFER::SurfaceFormat;
  const auto dwords = store.packet(CommandId::_3DSTATE_DEPTH_BUFFER);
  state.depth = {};
  if (dwords.empty()) return;
  const auto p = gen5::_3DSTATE_DEPTH_BUFFER::unpack(dwords);
  state.depth.surface = surface::decode_depth_buffer<defs::Gen5>(dwords, 1);
  state.depth.stencil = p.surface_format == Format::D24_UNORM_S8_UINT || p.surface_format == Format::D32_FLOAT_S8X24_UINT;
  if (p.hierarchical_depth_buffer_enable) unimplemented("Ironlake: hierarchical depth buffers");
  if (p.separate_stencil_buffer_enable) unimplemented("Ironlake: separate stencil buffers"), state.depth.stencil = false;
  if (p.depth_coordinate_offset_x || p.depth_coordinate_offset_y) unimplemented("Ironlake: Depth Coordinate Offset");
  state.draw.depth.format = p.surface_format == Format::D16_UNORM ? DepthFormat::unorm16
                            : p.surface_format == Format::D32_FLOAT || p.surface_format == Format::D32_FLOAT_S8X24_UINT
                                ? DepthFormat::float32
                                : DepthFormat::unorm24;
}

/// Units rasterize and merge as on the other platforms; what these have beyond Ironlake is off.
void read_common(const StateStore& store, State& state) {
  DrawState& draw = state.draw;
  draw.common_bases = read_bases(store);
  read_vertices(store, draw.vertex);
  read_stipples(store, draw.stipple);
  read_rectangle(store, state);
  read_depth_buffer(store, state);
  draw.raster.bias.clamp = packet<gen5::_3DSTATE_GLOBAL_DEPTH_OFFSET_CLAMP>(store).global_depth_offset_clamp;
  draw.clip.perspective_divide = false;
  draw.multisample.sample_mask = 1;
  const auto color = packet<gen5::_3DSTATE_CONSTANT_COLOR>(store);
  draw.blend.constant = {color.blend_constant_color_red, color.blend_constant_color_green, color.blend_constant_color_blue,
                         color.blend_constant_color_alpha};
}

UrbRegion region(uint32_t first, uint32_t end, const char* unit) {
  if (end > UrbRegions::rows || end < first) {
    guest_error("URB_FENCE", "{} has rows {} to {} of {}", unit, first, end, UrbRegions::rows);
    return {};
  }
  return {first, end - first};
}

}  // namespace

bool is_media(const StateStore& store) {
  using Select = gen5::PIPELINE_SELECT;
  return packet<Select>(store).pipeline_selection == Select::PipelineSelection::MEDIA;
}

UrbRegions read_urb(const StateStore& store) {
  const auto f = packet<gen5::URB_FENCE>(store);
  const auto cs = packet<gen5::CS_URB_STATE>(store);
  // VFE's section is empty in the 3D pipeline, and clients may leave its fence alone. The media pipeline has VFE and CS alone.
  const bool media = is_media(store);
  const uint32_t vfe = media ? f.vfe_fence : std::max(f.vfe_fence, f.sf_fence);
  return {.vs = region(0, f.vs_fence, "VS"),
          .gs = region(f.vs_fence, f.gs_fence, "GS"),
          .clip = region(f.gs_fence, f.clip_fence, "CLIP"),
          .sf = region(f.clip_fence, f.sf_fence, "SF"),
          .vfe = media ? region(0, vfe, "VFE") : UrbRegion{},
          .cs = region(vfe, f.cs_fence, "CS"),
          .constant_entries = cs.number_of_urb_entries,
          .constant_rows = cs.urb_entry_allocation_size + 1};
}

ShaderBases read_bases(const StateStore& store) {
  const auto p = packet<gen5::STATE_BASE_ADDRESS>(store);
  ShaderBases bases;
  bases.general_state = p.general_state_base_address, bases.surface_state = p.surface_state_base_address;
  bases.indirect_object = p.indirect_object_base_address, bases.instruction = p.instruction_base_address;
  const auto size = [](uint32_t base, uint32_t bound) { return bound > base ? bound - base : 0; };  // 0: unbounded
  bases.general_size = size(p.general_state_base_address, p.general_state_access_upper_bound);
  bases.indirect_size = size(p.indirect_object_base_address, p.indirect_object_access_upper_bound);
  bases.instruction_size = size(p.instruction_base_address, p.instruction_access_upper_bound);
  bases.binding_tables = bases.surface_state;
  bases.dynamic_state = bases.general_state;  // sampler states and border colours are general state
  bases.surface_state_bytes = 32;
  bases.decode_surface = surface::decode_surface<defs::Gen5>;
  return bases;
}

void read_state(const StateStore& store, memory::View& view, State& state) {
  read_common(store, state);
  state.urb = read_urb(store);
  const auto units = packet<gen5::_3DSTATE_PIPELINED_POINTERS>(store);
  const decode::GeneralState memory{view, static_cast<uint32_t>(state.draw.common_bases.general_state)};
  decode::read_vs(memory, units.pointer_to_vs_state, state);
  decode::read_gs(memory, units.pointer_to_gs_state, units.gs_enable, state);
  decode::read_clip(memory, units.pointer_to_clip_state, units.clip_enable, state);
  decode::read_sf(memory, units.pointer_to_sf_state, state);
  decode::read_cc(memory, units.pointer_to_color_calc_state, state);
  decode::read_wm(memory, units.pointer_to_wm_state, state);
  const auto tables = packet<gen5::_3DSTATE_BINDING_TABLE_POINTERS>(store);
  state.vs.binding_table = tables.pointer_to_vs_binding_table, state.gs.binding_table = tables.pointer_to_gs_binding_table;
  state.clip.binding_table = tables.pointer_to_clip_binding_table, state.sf.binding_table = tables.pointer_to_sf_binding_table;
  state.wm.binding_table = tables.pointer_to_ps_binding_table;
}

Primitive primitive(std::span<const uint32_t> dwords) {
  const auto p = gen5::_3DPRIMITIVE::unpack(dwords);
  static_assert(agree(Topology::rectangle_list, gen5::PrimitiveTopologyType::_3DPRIM_RECTLIST) &&
                agree(Topology::line_loop, gen5::PrimitiveTopologyType::_3DPRIM_LINELOOP));
  return {.topology = same<Topology>(p.primitive_topology_type),
          .indexed = p.vertex_access_type == gen5::_3DPRIMITIVE::VertexAccessType::RANDOM,
          .indirect = p.indirect_vertex_count != 0,
          .vertex_count = p.vertex_count_per_instance,
          .start_vertex = p.start_vertex_location,
          .instance_count = p.instance_count,
          .start_instance = p.start_instance_location,
          .base_vertex = p.base_vertex_location};
}

ConstantBuffer constant_buffer(std::span<const uint32_t> dwords) {
  const auto p = gen5::CONSTANT_BUFFER::unpack(dwords);
  return {.valid = p.valid, .address = p.buffer_starting_address, .registers = (p.buffer_length + 1) * 2};
}

TargetControls target_controls(std::span<const uint32_t> dwords) {
  using Surface = gen5::RENDER_SURFACE_STATE;
  using Disables = Surface::ColorBufferComponentWriteDisables;
  const auto s = Surface::unpack(dwords);
  const auto disables = static_cast<uint32_t>(s.color_buffer_component_write_disables);
  const auto bit = [&](Disables which, unsigned channel) { return disables & static_cast<uint32_t>(which) ? 1u << channel : 0u; };
  return {.blend = s.color_blend_enable,
          .disabled = static_cast<uint8_t>(bit(Disables::WRITEDISABLE_RED, 0) | bit(Disables::WRITEDISABLE_GREEN, 1) |
                                           bit(Disables::WRITEDISABLE_BLUE, 2) | bit(Disables::WRITEDISABLE_ALPHA, 3))};
}

}  // namespace softgen::render::ilk
