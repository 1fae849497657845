// SPDX-License-Identifier: GPL-2.0-or-later
// SKL PRM vol 7, "Vertex Shader (VS) Stage".
#include "hw/render/vertex_stage.h"

#include <algorithm>
#include <unordered_map>

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

}  // namespace

VertexStage::VertexStage(GeometryWorker& worker, const DrawCall& call) : worker_(worker), fetch_(worker.state, worker.view, call) {
  const uint32_t allocated = (worker.state.get<gen9::_3DSTATE_URB_VS>().vs_urb_entry_allocation_size + 1) * 64;
  entry_bytes_ = std::max(allocated, static_cast<uint32_t>(fetch_.slots()) * 16);
  packed_ = packed_components(worker.state, fetch_.slots());
  const auto& vs = worker.state.get<gen9::_3DSTATE_VS>();
  if (!vs.enable) return;
  if (!vs.simd8_dispatch_enable) unimplemented("vertex shader in SIMD4x2 mode");
  else kernel_ = worker.load(Stage::vs, vs, vs.dispatch_grf_start_register_for_urb_data);
}

void VertexStage::push_inputs(unsigned reg, size_t count) {
  const auto& vs = worker_.state.get<gen9::_3DSTATE_VS>();
  const size_t first = vs.vertex_urb_entry_read_offset * 8, last = first + vs.vertex_urb_entry_read_length * 8;
  for (size_t at = first; at < last; ++at, ++reg)
    for (size_t i = 0; i < count; ++i)
      worker_.thread.grf(reg).dw[i] = at < packed_.size() ? inputs_[i][packed_[at] / 4][packed_[at] % 4] : 0;
}

void VertexStage::shade_eight(std::span<const Source> sources, std::span<Vertex> out) {
  for (size_t i = 0; i < sources.size(); ++i) {
    inputs_[i].resize(fetch_.slots());
    fetch_.fetch(sources[i].index, sources[i].instance, inputs_[i]);
    out[i].edge = fetch_.edge_flag(inputs_[i]);
    out[i].handle = worker_.urb.allocate(entry_bytes_);
    const std::span<uint32_t> entry = worker_.urb.dwords(out[i].handle, 0, entry_bytes_ / 4);
    out[i].vue = Vue(entry);
    // Without a shader the fetched vertex is the VUE.
    if (!kernel_)
      for (size_t at = 0; at < packed_.size() && at < entry.size(); ++at) entry[at] = inputs_[i][packed_[at] / 4][packed_[at] % 4];
  }
  if (!kernel_) return;
  eu::Thread& thread = worker_.thread;
  thread.clear_registers();
  worker_.put_header(thread, kernel_);
  for (size_t i = 0; i < sources.size(); ++i) thread.grf(1).dw[i] = out[i].handle;
  push_inputs(GeometryWorker::put_constants(thread, kernel_), sources.size());
  GeometryWorker::start(thread, kernel_, (1u << sources.size()) - 1);
  worker_.run(thread, kernel_);
  invocations_ += sources.size();
}

std::span<const Vertex> VertexStage::shade(std::span<Object> objects) {
  std::unordered_map<uint64_t, uint32_t> number_of;
  order_.clear();
  for (Object& object : objects)
    for (unsigned i = 0; i < object.count; ++i) {
      const auto [found, fresh] = number_of.emplace(uint64_t{object.instance} << 32 | object.vertices[i], order_.size());
      if (fresh) order_.push_back({object.vertices[i], object.instance});
      object.vertices[i] = found->second;
    }
  vertices_.assign(order_.size(), {});
  for (size_t at = 0; at < order_.size() && !worker_.stop.aborting(); at += simd8) {
    const size_t count = std::min<size_t>(simd8, order_.size() - at);
    shade_eight(std::span(order_).subspan(at, count), std::span(vertices_).subspan(at, count));
  }
  return vertices_;
}

}  // namespace softgen::render
