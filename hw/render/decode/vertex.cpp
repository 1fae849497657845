// SPDX-License-Identifier: GPL-2.0-or-later
// Vertex input: SKL PRM vol 2a, 3DSTATE_VERTEX_BUFFERS to 3DSTATE_VF_TOPOLOGY.
#include "hw/base/bits.h"
#include "hw/render/decode/part.h"

namespace softgen::render::decode {
namespace {

using defs::CommandId;

static_assert(agree(Topology::point_list, defs::gen9::PrimitiveTopologyType::_3DPRIM_POINTLIST));
static_assert(agree(Topology::triangle_strip_adjacency, defs::gen9::PrimitiveTopologyType::_3DPRIM_TRISTRIP_ADJ));
static_assert(agree(Topology::point_list_back, defs::gen9::PrimitiveTopologyType::_3DPRIM_POINTLIST_BF));
static_assert(agree(Topology::triangle_fan_no_stipple, defs::gen9::PrimitiveTopologyType::_3DPRIM_TRIFAN_NOSTIPPLE));
static_assert(agree(Topology::patch_list_1, defs::gen9::PrimitiveTopologyType::_3DPRIM_PATCHLIST_1));

template <class G>
VertexComponent component(typename G::VertexComponentControl control) {
  using Control = typename G::VertexComponentControl;
  switch (control) {
    case Control::VFCOMP_NOSTORE: return VertexComponent::none;
    case Control::VFCOMP_STORE_SRC: return VertexComponent::source;
    case Control::VFCOMP_STORE_1_FP: return VertexComponent::one_float;
    case Control::VFCOMP_STORE_1_INT: return VertexComponent::one_integer;
    default: return VertexComponent::zero;
  }
}

template <class G>
void buffers(const StateStore& store, DrawState& state) {
  using Buffer = typename G::VERTEX_BUFFER_STATE;
  state.vertex.buffers = {};
  const auto dw = store.packet(CommandId::_3DSTATE_VERTEX_BUFFERS);
  for (size_t i = 0; i < VertexInput::max_buffers && 1 + Buffer::dwords * (i + 1) <= dw.size(); ++i) {
    const auto vb = Buffer::unpack(dw.subspan(1 + Buffer::dwords * i, Buffer::dwords));
    state.vertex.buffers[i] = {strip_canonical(vb.buffer_starting_address), vb.buffer_size, vb.buffer_pitch, vb.null_vertex_buffer};
  }
}

template <class G>
void elements(const StateStore& store, DrawState& state) {
  using Element = typename G::VERTEX_ELEMENT_STATE;
  state.vertex.elements.clear();
  const auto dw = store.packet(CommandId::_3DSTATE_VERTEX_ELEMENTS);
  for (size_t at = 1; at + Element::dwords <= dw.size() && state.vertex.elements.size() < VertexInput::max_elements;
       at += Element::dwords) {
    const auto e = Element::unpack(dw.subspan(at, Element::dwords));
    VertexElement element{.valid = e.valid,
                          .edge_flag = e.edge_flag_enable,
                          .buffer = static_cast<uint8_t>(e.vertex_buffer_index),
                          .offset = e.source_element_offset,
                          .format = e.source_element_format,
                          .components = {component<G>(e.component_0_control), component<G>(e.component_1_control),
                                         component<G>(e.component_2_control), component<G>(e.component_3_control)}};
    const auto step = store.packet(CommandId::_3DSTATE_VF_INSTANCING, static_cast<unsigned>(state.vertex.elements.size()));
    if (!step.empty()) {
      const auto instancing = G::_3DSTATE_VF_INSTANCING::unpack(step);
      element.per_instance = instancing.instancing_enable;
      element.step_rate = instancing.instance_data_step_rate;
    }
    state.vertex.elements.push_back(element);
  }
}

template <class G>
void index_buffer(const StateStore& store, DrawState& state) {
  using Format = typename G::_3DSTATE_INDEX_BUFFER::IndexFormat;
  const auto p = packet<typename G::_3DSTATE_INDEX_BUFFER>(store);
  const uint8_t bytes = p.index_format == Format::INDEX_BYTE ? 1 : p.index_format == Format::INDEX_WORD ? 2 : 4;
  state.vertex.index = {p.buffer_starting_address, p.buffer_size, bytes};
}

template <class G>
void fetch(const StateStore& store, DrawState& state) {
  const auto p = packet<typename G::_3DSTATE_VF>(store);
  state.vertex.cut_indexed = p.indexed_draw_cut_index_enable;
  state.vertex.cut_sequential = p.sequential_draw_cut_index_enable;
  state.vertex.cut_index = p.cut_index;
  state.vertex.packing = p.component_packing_enable;
  if constexpr (requires { p.vertexid_offset_enable; }) state.vertex.vertex_id_offset = p.vertexid_offset_enable;
}

template <class G>
void draw_values(const StateStore& store, DrawState& state) {
  using Packet = typename G::_3DSTATE_VF_SGVS_2;
  using Source = DrawValue::Source;
  const auto p = packet<Packet>(store);
  const auto value = [](bool enable, uint32_t element, uint32_t component, Source source) {
    return DrawValue{{enable, static_cast<uint8_t>(element), static_cast<uint8_t>(component)}, source};
  };
  const bool vertex = p.xp0_source_select == Packet::XP0SourceSelect::VERTEX_LOCATION;
  const bool instance = p.xp1_source_select == Packet::XP1SourceSelect::STARTING_INSTANCE_LOCATION;
  state.vertex.extended = {
      value(p.xp0_enable, p.xp0_element_offset, p.xp0_component_number, vertex ? Source::vertex_location : Source::parameter),
      value(p.xp1_enable, p.xp1_element_offset, p.xp1_component_number, instance ? Source::start_instance : Source::parameter),
      value(p.xp2_enable, p.xp2_element_offset, p.xp2_component_number, Source::parameter)};
}

template <class G>
void packing(const StateStore& store, DrawState& state) {
  // Four enables per element, eight elements per dword.
  const auto dw = packet<typename G::_3DSTATE_VF_COMPONENT_PACKING>(store).pack();
  for (unsigned i = 0; i < VertexInput::packed_elements; ++i)
    state.vertex.packed[i] = static_cast<uint8_t>(dw[1 + i / 8] >> 4 * (i % 8) & 15);
}

template <class G>
void system_values(const StateStore& store, DrawState& state) {
  const auto p = packet<typename G::_3DSTATE_VF_SGVS>(store);
  state.vertex.vertex_id = {p.vertexid_enable, static_cast<uint8_t>(p.vertexid_element_offset),
                            static_cast<uint8_t>(p.vertexid_component_number)};
  state.vertex.instance_id = {p.instanceid_enable, static_cast<uint8_t>(p.instanceid_element_offset),
                              static_cast<uint8_t>(p.instanceid_component_number)};
}

template <class G>
void topology(const StateStore& store, DrawState& state) {
  state.vertex.topology = same<Topology>(packet<typename G::_3DSTATE_VF_TOPOLOGY>(store).primitive_topology_type);
  state.vertex.statistics = packet<typename G::_3DSTATE_VF_STATISTICS>(store).statistics_enable;
}

}  // namespace

template <class G>
std::span<const Part> VertexParts<G>::parts() {
  static constexpr std::array common = {
      part<typename G::_3DSTATE_VERTEX_BUFFERS>(buffers<G>),
      part<typename G::_3DSTATE_VERTEX_ELEMENTS, typename G::_3DSTATE_VF_INSTANCING>(elements<G>),
      part<typename G::_3DSTATE_INDEX_BUFFER>(index_buffer<G>),
      part<typename G::_3DSTATE_VF>(fetch<G>),
      part<typename G::_3DSTATE_VF_COMPONENT_PACKING>(packing<G>),
      part<typename G::_3DSTATE_VF_SGVS>(system_values<G>),
      part<typename G::_3DSTATE_VF_TOPOLOGY, typename G::_3DSTATE_VF_STATISTICS>(topology<G>),
  };
  if constexpr (requires { typename G::_3DSTATE_VF_SGVS_2; }) {
    static constexpr auto all = joined(common, std::array{part<typename G::_3DSTATE_VF_SGVS_2>(draw_values<G>)});
    return all;
  } else {
    return common;
  }
}

template struct VertexParts<defs::Gen9>;
template struct VertexParts<defs::Gen11>;
template struct VertexParts<defs::Gen12>;

}  // namespace softgen::render::decode
