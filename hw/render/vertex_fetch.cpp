// SPDX-License-Identifier: GPL-2.0-or-later
// SKL PRM vol 7, "Vertex Fetch (VF) Stage".
#include "hw/render/vertex_fetch.h"

#include <bit>

#include "hw/base/log.h"

namespace softgen::render {
namespace {

using Control = gen9::VertexComponentControl;

uint32_t controlled(Control control, uint32_t value) {
  switch (control) {
    case Control::VFCOMP_STORE_SRC: return value;
    case Control::VFCOMP_STORE_1_FP: return std::bit_cast<uint32_t>(1.0f);
    case Control::VFCOMP_STORE_1_INT: return 1;
    default: return 0;
  }
}

/// 64-bit channels pass as pairs of dwords; an element has room for two of them.
Vec4 raw64(const surface::Format& format, const std::byte* element) {
  std::array<uint32_t, 8> dwords{};
  if (surface::decode_raw64(format, element, dwords) > 4) unimplemented("vertex element of more than 128 bits", "{}", format.name);
  return {dwords[0], dwords[1], dwords[2], dwords[3]};
}

}  // namespace

VertexFetch::VertexFetch(const State& state, memory::View& view, const DrawCall& draw) : state_(state), view_(view), draw_(draw) {
  for (const VertexElement& element : state.vertex_elements()) {
    if (!element.state.valid) {
      sources_.push_back({element, {}, nullptr});
      continue;
    }
    const uint32_t vb = element.state.vertex_buffer_index;
    const VertexBuffer buffer = vb < state.vertex_buffers().size() ? state.vertex_buffers()[vb] : VertexBuffer{};
    const surface::Format* format = surface::find_format(element.state.source_element_format);
    if (!format || !format->is(surface::use_vertex) || format->block_bytes() > 32) {
      guest_error("vertex element format", "{} is not a vertex format", static_cast<uint32_t>(element.state.source_element_format));
      format = nullptr;
    }
    sources_.push_back({element, buffer, format});
  }
  using Format = gen9::_3DSTATE_INDEX_BUFFER::IndexFormat;
  const Format format = state.get<gen9::_3DSTATE_INDEX_BUFFER>().index_format;
  index_size_ = format == Format::INDEX_BYTE ? 1 : format == Format::INDEX_WORD ? 2 : 4;
  const auto& vf = state.get<gen9::_3DSTATE_VF>();
  cut_enabled_ = draw.indexed ? vf.indexed_draw_cut_index_enable : vf.sequential_draw_cut_index_enable;
}

uint64_t VertexFetch::index(uint32_t n) {
  const auto& ib = state_.get<gen9::_3DSTATE_INDEX_BUFFER>();
  uint64_t value = uint64_t{draw_.start_vertex} + n;
  if (draw_.indexed) {
    const uint64_t offset = value * index_size_;
    value = 0;
    if (offset + index_size_ <= ib.buffer_size) {
      const uint64_t address = ib.buffer_starting_address + offset;
      value = index_size_ == 1 ? view_.load<uint8_t>(address) : index_size_ == 2 ? view_.load<uint16_t>(address) : view_.load<uint32_t>(address);
    }
  }
  if (cut_enabled_ && value == state_.get<gen9::_3DSTATE_VF>().cut_index) return cut;
  return value & 0xffffffff;
}

Vec4 VertexFetch::fetch_element(const Source& source, uint32_t index, uint32_t instance) {
  const auto& state = source.element.state;
  Vec4 value = {};
  uint64_t number = index;
  if (source.element.per_instance)
    number = uint64_t{draw_.start_instance} + (source.element.step_rate ? instance / source.element.step_rate : 0);
  const uint64_t offset = number * source.buffer.pitch + state.source_element_offset;
  // An element that does not lie in its buffer as a whole reads as zero (SKL PRM vol 2a, VERTEX_BUFFER_STATE, Buffer Size).
  if (source.format && !source.buffer.null && offset + source.format->block_bytes() <= source.buffer.size) {
    std::array<std::byte, 32> raw;
    view_.read(source.buffer.address + offset, raw.data(), source.format->block_bytes());
    if (source.format->numeric == surface::Numeric::raw64) value = raw64(*source.format, raw.data());
    else value = surface::decode(*source.format, raw.data());
  }
  return {controlled(state.component_0_control, value[0]), controlled(state.component_1_control, value[1]),
          controlled(state.component_2_control, value[2]), controlled(state.component_3_control, value[3])};
}

void VertexFetch::store_system_values(uint32_t vertex_id, uint32_t instance, std::span<Vec4> out) const {
  const auto& sgvs = state_.get<gen9::_3DSTATE_VF_SGVS>();
  if (sgvs.vertexid_enable && sgvs.vertexid_element_offset < out.size())
    out[sgvs.vertexid_element_offset][static_cast<unsigned>(sgvs.vertexid_component_number)] = vertex_id;
  if (sgvs.instanceid_enable && sgvs.instanceid_element_offset < out.size())
    out[sgvs.instanceid_element_offset][static_cast<unsigned>(sgvs.instanceid_component_number)] = instance;
}

void VertexFetch::fetch(uint32_t index, uint32_t instance, std::span<Vec4> out) {
  const uint32_t vertex = draw_.indexed ? index + static_cast<uint32_t>(draw_.base_vertex) : index;
  for (size_t i = 0; i < sources_.size() && i < out.size(); ++i)
    out[i] = sources_[i].element.state.valid ? fetch_element(sources_[i], vertex, instance) : Vec4{};
  // VertexID counts from zero: without Start Vertex and without Base Vertex (Mesa's vertex_id_zero_base).
  store_system_values(draw_.indexed ? index : index - draw_.start_vertex, instance, out);
}

}  // namespace softgen::render
