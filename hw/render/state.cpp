// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/render/state.h"

#include <algorithm>

#include "hw/base/bits.h"
#include "hw/eu/program/loader.h"

namespace softgen::render {

using defs::CommandId;

void State::refresh(const StateStore& store) {
  const auto renew = [&]<typename Packet>(Cached<Packet>& cached) {
    const uint64_t version = store.version(Packet::id);
    if (version == cached.version) return;
    cached.version = version;
    cached.value = Packet::unpack(store.packet(Packet::id));
  };
  std::apply([&](auto&... cached) { (renew(cached), ...); }, packets_);
  refresh_vertex_fetch(store);
  refresh_stream_out(store);
  refresh_bases(store);
}

void State::refresh_vertex_fetch(const StateStore& store) {
  const uint64_t versions[3] = {store.version(CommandId::_3DSTATE_VERTEX_BUFFERS), store.version(CommandId::_3DSTATE_VERTEX_ELEMENTS),
                                store.version(CommandId::_3DSTATE_VF_INSTANCING)};
  if (versions[0] != vertex_version_[0]) {
    vertex_buffers_.assign(33, {});
    const auto dw = store.packet(CommandId::_3DSTATE_VERTEX_BUFFERS);
    for (size_t i = 0; i < 33 && 1 + 4 * (i + 1) <= dw.size(); ++i) {
      const auto vb = gen9::VERTEX_BUFFER_STATE::unpack(dw.subspan(1 + 4 * i, 4));
      vertex_buffers_[i] = {strip_canonical(vb.buffer_starting_address), vb.buffer_size, vb.buffer_pitch, vb.null_vertex_buffer};
    }
  }
  if (versions[1] != vertex_version_[1] || versions[2] != vertex_version_[2]) {
    vertex_elements_.clear();
    const auto dw = store.packet(CommandId::_3DSTATE_VERTEX_ELEMENTS);
    for (size_t at = 1; at + 2 <= dw.size(); at += 2) {
      VertexElement element{gen9::VERTEX_ELEMENT_STATE::unpack(dw.subspan(at, 2))};
      const auto step = store.packet(CommandId::_3DSTATE_VF_INSTANCING, static_cast<unsigned>(vertex_elements_.size()));
      if (!step.empty()) {
        const auto instancing = gen9::_3DSTATE_VF_INSTANCING::unpack(step);
        element.per_instance = instancing.instancing_enable;
        element.step_rate = instancing.instance_data_step_rate;
      }
      vertex_elements_.push_back(element);
    }
  }
  std::copy_n(versions, 3, vertex_version_);
}

void State::refresh_stream_out(const StateStore& store) {
  const uint64_t versions[2] = {store.version(CommandId::_3DSTATE_SO_BUFFER), store.version(CommandId::_3DSTATE_SO_DECL_LIST)};
  if (versions[0] != so_version_[0])
    for (unsigned i = 0; i < 4; ++i) so_buffers_[i] = gen9::_3DSTATE_SO_BUFFER::unpack(store.packet(CommandId::_3DSTATE_SO_BUFFER, i));
  if (versions[1] != so_version_[1]) {
    so_decls_.clear();
    const auto dw = store.packet(CommandId::_3DSTATE_SO_DECL_LIST);
    for (size_t at = 3; at + 2 <= dw.size(); at += 2) so_decls_.push_back(gen9::SO_DECL_ENTRY::unpack(dw.subspan(at, 2)));
  }
  std::copy_n(versions, 2, so_version_);
}

void State::refresh_bases(const StateStore& store) {
  bases_ = eu::decode_bases(store.packet(CommandId::STATE_BASE_ADDRESS));
}

ShaderBases State::bases(Stage stage) const {
  ShaderBases result = bases_;
  switch (stage) {
    case Stage::vs:
      result.binding_table = get<gen9::_3DSTATE_BINDING_TABLE_POINTERS_VS>().pointer_to_vs_binding_table;
      result.sampler_state = get<gen9::_3DSTATE_SAMPLER_STATE_POINTERS_VS>().pointer_to_vs_sampler_state;
      break;
    case Stage::hs:
      result.binding_table = get<gen9::_3DSTATE_BINDING_TABLE_POINTERS_HS>().pointer_to_hs_binding_table;
      result.sampler_state = get<gen9::_3DSTATE_SAMPLER_STATE_POINTERS_HS>().pointer_to_hs_sampler_state;
      break;
    case Stage::ds:
      result.binding_table = get<gen9::_3DSTATE_BINDING_TABLE_POINTERS_DS>().pointer_to_ds_binding_table;
      result.sampler_state = get<gen9::_3DSTATE_SAMPLER_STATE_POINTERS_DS>().pointer_to_ds_sampler_state;
      break;
    case Stage::gs:
      result.binding_table = get<gen9::_3DSTATE_BINDING_TABLE_POINTERS_GS>().pointer_to_gs_binding_table;
      result.sampler_state = get<gen9::_3DSTATE_SAMPLER_STATE_POINTERS_GS>().pointer_to_gs_sampler_state;
      break;
    case Stage::ps:
      result.binding_table = get<gen9::_3DSTATE_BINDING_TABLE_POINTERS_PS>().pointer_to_ps_binding_table;
      result.sampler_state = get<gen9::_3DSTATE_SAMPLER_STATE_POINTERS_PS>().pointer_to_ps_sampler_state;
      break;
  }
  return result;
}

PushConstants State::push_constants(Stage stage, bool absolute) const {
  const gen9::_3DSTATE_CONSTANT_BODY& body = stage == Stage::vs   ? get<gen9::_3DSTATE_CONSTANT_VS>().constant_body
                                             : stage == Stage::hs ? get<gen9::_3DSTATE_CONSTANT_HS>().constant_body
                                             : stage == Stage::ds ? get<gen9::_3DSTATE_CONSTANT_DS>().constant_body
                                             : stage == Stage::gs ? get<gen9::_3DSTATE_CONSTANT_GS>().constant_body
                                                                  : get<gen9::_3DSTATE_CONSTANT_PS>().constant_body;
  PushConstants result;
  for (unsigned i = 0; i < 4; ++i) {
    const uint64_t base = i == 0 && !absolute ? bases_.dynamic_state : 0;
    // A stage cannot be given more than the 32 KiB of its push constant space.
    const uint32_t registers = std::min(body.read_length[i], 1024u - result.registers);
    result.ranges[i] = {strip_canonical(base + body.buffer[i]), registers};
    result.registers += registers;
  }
  return result;
}

}  // namespace softgen::render
