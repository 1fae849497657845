// SPDX-License-Identifier: GPL-2.0-or-later
// SKL PRM vol 7, "Vertex Fetch (VF) Stage".
#include "hw/render/vertex_fetch.h"

#include <algorithm>
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

/// 64-bit components pass as pairs of dwords; the controls choose among whole components. SKL PRM vol 2d, VERTEX_ELEMENT_STATE: the element
/// has 128 bits, or 256 when components 2 and 3 are stored.
void store_raw64(const surface::Format& format, const std::byte* element, std::span<const Control, 4> controls, std::span<Vec4> out) {
  std::array<uint32_t, 8> dwords{};
  surface::decode_raw64(format, element, dwords);
  for (unsigned c = 0; c < 4 && c / 2 < out.size(); ++c)
    for (unsigned half = 0; half < 2; ++half)
      out[c / 2][2 * (c % 2) + half] = controls[c] == Control::VFCOMP_STORE_SRC ? dwords[2 * c + half] : 0;
}

bool is_wide(const VertexElement& element, const surface::Format* format) {
  return format && format->numeric == surface::Numeric::raw64 && element.state.component_2_control != Control::VFCOMP_NOSTORE;
}

}  // namespace

VertexFetch::VertexFetch(const State& state, memory::View& view, const DrawCall& draw) : state_(state), view_(view), draw_(draw) {
  for (const VertexElement& element : state.vertex_elements()) {
    if (!element.state.valid) {
      sources_.push_back({element, {}, nullptr, static_cast<uint32_t>(slots_++)});
      continue;
    }
    const uint32_t vb = element.state.vertex_buffer_index;
    const VertexBuffer buffer = vb < state.vertex_buffers().size() ? state.vertex_buffers()[vb] : VertexBuffer{};
    const surface::Format* format = surface::find_format(element.state.source_element_format);
    if (!format || !format->is(surface::use_vertex) || format->block_bytes() > 32) {
      guest_error("vertex element format", "{} is not a vertex format", static_cast<uint32_t>(element.state.source_element_format));
      format = nullptr;
    }
    const bool wide = is_wide(element, format);
    if (element.state.edge_flag_enable) edge_slot_ = slots_;
    sources_.push_back({element, buffer, format, static_cast<uint32_t>(slots_), wide});
    slots_ += wide ? 2 : 1;
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

void VertexFetch::fetch_element(const Source& source, uint32_t index, uint32_t instance, std::span<Vec4> out) {
  const auto& state = source.element.state;
  const std::array controls = {state.component_0_control, state.component_1_control, state.component_2_control, state.component_3_control};
  uint64_t number = index;
  if (source.element.per_instance)
    number = uint64_t{draw_.start_instance} + (source.element.step_rate ? instance / source.element.step_rate : 0);
  const uint64_t offset = number * source.buffer.pitch + state.source_element_offset;
  // An element that does not lie in its buffer as a whole reads as zero (SKL PRM vol 2a, VERTEX_BUFFER_STATE, Buffer Size).
  std::array<std::byte, 32> raw{};
  const bool there = source.format && !source.buffer.null && offset + source.format->block_bytes() <= source.buffer.size;
  if (there) view_.read(source.buffer.address + offset, raw.data(), source.format->block_bytes());
  if (source.format && source.format->numeric == surface::Numeric::raw64) return store_raw64(*source.format, raw.data(), controls, out);
  Vec4 value = {};
  if (there) value = surface::decode(*source.format, raw.data());
  for (unsigned c = 0; c < 4; ++c) out[0][c] = controlled(controls[c], value[c]);
}

void VertexFetch::store_system_values(uint32_t vertex_id, uint32_t instance, std::span<Vec4> out) const {
  const auto& sgvs = state_.get<gen9::_3DSTATE_VF_SGVS>();
  const auto slot_of = [&](uint32_t element) { return element < sources_.size() ? sources_[element].slot : out.size(); };
  const auto store = [&](size_t slot, auto component, uint32_t value) {
    if (slot < out.size()) out[slot][static_cast<unsigned>(component)] = value;
  };
  if (sgvs.vertexid_enable) store(slot_of(sgvs.vertexid_element_offset), sgvs.vertexid_component_number, vertex_id);
  if (sgvs.instanceid_enable) store(slot_of(sgvs.instanceid_element_offset), sgvs.instanceid_component_number, instance);
}

void VertexFetch::fetch(uint32_t index, uint32_t instance, std::span<Vec4> out) {
  const uint32_t vertex = draw_.indexed ? index + static_cast<uint32_t>(draw_.base_vertex) : index;
  for (const Source& source : sources_) {
    if (source.slot >= out.size()) break;
    const std::span<Vec4> slots = out.subspan(source.slot, std::min<size_t>(source.wide ? 2 : 1, out.size() - source.slot));
    std::fill(slots.begin(), slots.end(), Vec4{});
    if (source.element.state.valid) fetch_element(source, vertex, instance, slots);
  }
  // VertexID counts from zero: without Start Vertex and without Base Vertex (Mesa's vertex_id_zero_base).
  store_system_values(draw_.indexed ? index : index - draw_.start_vertex, instance, out);
}

}  // namespace softgen::render
