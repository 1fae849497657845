// SPDX-License-Identifier: GPL-2.0-or-later
// SKL PRM vol 7, "Vertex Shader (VS) Stage".
#include "hw/render/vertex_stage.h"

#include <algorithm>
#include <bit>

#include "hw/base/log.h"

namespace softgen::render {
namespace {

/// 3DSTATE_VF_COMPONENT_PACKING: four enables an element, eight elements a dword.
std::vector<uint8_t> packed_components(const State& state, size_t slots) {
  const bool packing = state.get<gen9::_3DSTATE_VF>().component_packing_enable;
  const auto enables = state.get<gen9::_3DSTATE_VF_COMPONENT_PACKING>().pack();
  std::vector<uint8_t> result;
  for (size_t slot = 0; slot < slots; ++slot)
    for (unsigned c = 0; c < 4; ++c)
      if (!packing || slot >= 32 || (enables[1 + slot / 8] >> (4 * (slot % 8) + c) & 1)) result.push_back(static_cast<uint8_t>(4 * slot + c));
  return result;
}

/// Edge flags count where polygons are separate.
bool takes_edge_flags(Topology topology) {
  return topology == Topology::_3DPRIM_TRILIST || topology == Topology::_3DPRIM_QUADLIST || topology == Topology::_3DPRIM_POLYGON;
}

}  // namespace

VertexStage::VertexStage(GeometryWorker& worker, const DrawCall& call) : worker_(worker), fetch_(worker.state, worker.view, call) {
  const uint32_t allocated = (worker.state.get<gen9::_3DSTATE_URB_VS>().vs_urb_entry_allocation_size + 1) * 64;
  entry_bytes_ = std::max(allocated, static_cast<uint32_t>(fetch_.slots()) * 16);
  packed_ = packed_components(worker.state, fetch_.slots());
  edge_flags_ = fetch_.has_edge_flags() && takes_edge_flags(call.topology);
  const auto& vs = worker.state.get<gen9::_3DSTATE_VS>();
  if (!vs.enable) return;
  if (!vs.simd8_dispatch_enable) unimplemented("vertex shader in SIMD4x2 mode");
  else kernel_ = worker.load(Stage::vs, vs, vs.dispatch_grf_start_register_for_urb_data);
  find_inputs();
}

VertexStage::VertexStage(GeometryWorker& worker, const VertexStage& like)
    : worker_(worker), fetch_(like.fetch_, worker.view), edge_flags_(like.edge_flags_), kernel_(like.kernel_), entry_bytes_(like.entry_bytes_), packed_(like.packed_) {
  find_inputs();
}

/// The payload begins with the push constants; the packed components follow, from Vertex URB Entry Read Offset on.
void VertexStage::find_inputs() {
  const auto& vs = worker_.state.get<gen9::_3DSTATE_VS>();
  const size_t first = vs.vertex_urb_entry_read_offset * 8, last = std::min(first + vs.vertex_urb_entry_read_length * 8, packed_.size());
  const size_t reg = kernel_.grf_start + kernel_.constants.size();
  inputs_.assign(fetch_.slots() * 4, nullptr);
  for (size_t at = first; at < last; ++at) inputs_[packed_[at]] = &worker_.thread.grf(static_cast<unsigned>(reg + at - first));
}

/// Without a shader the fetched vertex is the VUE.
void VertexStage::pass_on(const VertexName& name, std::span<uint32_t> entry) {
  fetched_.resize(fetch_.slots());
  fetch_.fetch(name.index, name.instance, fetched_);
  for (size_t at = 0; at < packed_.size() && at < entry.size(); ++at) entry[at] = fetched_[packed_[at] / 4][packed_[at] % 4];
}

void VertexStage::shade_eight(std::span<const VertexName> names, std::span<Vertex> out) {
  // All or none: one after the other they would end where the buffer does.
  const uint32_t units = Urb::units(entry_bytes_), first = worker_.urb.allocate(units * Urb::unit * static_cast<uint32_t>(names.size()));
  for (size_t i = 0; i < names.size(); ++i) {
    out[i].handle = first ? first + static_cast<uint32_t>(i) * units : 0;
    const std::span<uint32_t> entry = worker_.urb.dwords(out[i].handle, 0, entry_bytes_ / 4);
    out[i].vue = Vue(entry);
    if (!kernel_) pass_on(names[i], entry);
  }
  if (!kernel_) return;
  eu::Thread& thread = worker_.thread;
  // Headers have gaps, inputs perhaps fewer than eight vertices.
  const auto& vs = worker_.state.get<gen9::_3DSTATE_VS>();
  const auto payload = static_cast<unsigned>(std::clamp<size_t>(kernel_.grf_start + kernel_.constants.size() + vs.vertex_urb_entry_read_length * 8, 2, eu::grf_count));
  for (unsigned reg = 0; reg < payload; ++reg) thread.grf(reg) = {};
  worker_.put_header(thread, kernel_);
  for (size_t i = 0; i < names.size(); ++i) thread.grf(1).dw[i] = out[i].handle;
  GeometryWorker::put_constants(thread, kernel_);
  fetch_.fetch_lanes(names, inputs_);
  GeometryWorker::start(thread, kernel_, (1u << names.size()) - 1, payload);
  worker_.run(thread, kernel_);
  invocations_ += names.size();
}

/// The flag of a vertex belongs to the edge that starts there.
void VertexStage::apply_edge_flags(std::span<Object> objects) {
  for (Object& object : objects)
    for (unsigned i = 0; i < object.count && i < 3; ++i)
      if (!fetch_.edge_flag(object.vertices[i], object.instance)) object.edges &= static_cast<uint8_t>(~(1u << i));
}

void VertexNumbers::clear(size_t most, uint32_t low, uint32_t high, bool one_instance) {
  const size_t room = std::bit_ceil(2 * most + 1);
  if (slots_.size() < room || ++stamp_ == 0) slots_.assign(std::max(room, slots_.size()), {}), stamp_ = 1;
  direct_ = one_instance && high - low < slots_.size();
  low_ = low;
}

/// Gives each vertex a number, once.
void VertexStage::number(std::span<Object> objects) {
  size_t most = 0;
  uint32_t low = UINT32_MAX, high = 0;
  bool one_instance = true;
  for (const Object& object : objects) {
    most += object.count;
    one_instance = one_instance && object.instance == objects[0].instance;
    for (unsigned i = 0; i < object.count; ++i) low = std::min(low, object.vertices[i]), high = std::max(high, object.vertices[i]);
  }
  numbers_.clear(most, low, high, one_instance);
  for (Object& object : objects)
    for (unsigned i = 0; i < object.count; ++i) {
      const VertexName name{object.vertices[i], object.instance};
      const auto next = static_cast<uint32_t>(order_.size());
      object.vertices[i] = numbers_.find_or_add(name, next);
      if (object.vertices[i] == next) order_.push_back(name);
    }
}

std::span<const Vertex> VertexStage::shade(std::span<Object> objects, bool alone) {
  if (edge_flags_) apply_edge_flags(objects);
  order_.clear();
  if (!alone) number(objects);
  else
    for (Object& object : objects)
      for (unsigned i = 0; i < object.count; ++i) {
        order_.push_back({object.vertices[i], object.instance});
        object.vertices[i] = static_cast<uint32_t>(order_.size() - 1);
      }
  vertices_.assign(order_.size(), {});
  for (size_t at = 0; at < order_.size() && !worker_.stop.aborting(); at += simd8) {
    const size_t count = std::min<size_t>(simd8, order_.size() - at);
    shade_eight(std::span(order_).subspan(at, count), std::span(vertices_).subspan(at, count));
  }
  return vertices_;
}

}  // namespace softgen::render
