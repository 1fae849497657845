// SPDX-License-Identifier: GPL-2.0-or-later
// The state of a draw, unpacked: plain structures of the packets in StateStore, renewed only where a packet has changed.
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "hw/defs/gen9/all.h"
#include "hw/iface/message_target.h"
#include "hw/render/state_store.h"

namespace softgen::render {

namespace gen9 = defs::gen9;

/// Programmable stages in pipeline order.
enum class Stage : uint8_t { vs, hs, ds, gs, ps };

struct VertexBuffer {
  uint64_t address = 0;
  uint32_t size = 0;   ///< bytes
  uint32_t pitch = 0;
  bool null = true;
};

struct VertexElement {
  gen9::VERTEX_ELEMENT_STATE state;
  bool per_instance = false;
  uint32_t step_rate = 0;
};

/// Push constants of a stage: up to four ranges, read one after the other into registers.
struct PushConstants {
  struct Range {
    uint64_t address;
    uint32_t registers;  ///< 32 bytes each
  };
  std::array<Range, 4> ranges{};
  uint32_t registers = 0;
};

class State {
 public:
  /// Brings everything up to date with `store`.
  void refresh(const StateStore& store);

  template <typename Packet>
  const Packet& get() const {
    return std::get<Cached<Packet>>(packets_).value;
  }
  const std::vector<VertexBuffer>& vertex_buffers() const { return vertex_buffers_; }
  const std::vector<VertexElement>& vertex_elements() const { return vertex_elements_; }
  /// `absolute`: the addresses of 3DSTATE_CONSTANT_* are graphics addresses, else buffer 0 counts from Dynamic State Base
  /// (CS_DEBUG_MODE2, SKL PRM vol 2c).
  PushConstants push_constants(Stage stage, bool absolute) const;
  /// Bases with the stage's binding table and samplers.
  ShaderBases bases(Stage stage) const;
  const ShaderBases& bases() const { return bases_; }
  const gen9::_3DSTATE_SO_BUFFER& so_buffer(unsigned i) const { return so_buffers_[i]; }
  const std::vector<gen9::SO_DECL_ENTRY>& so_decls() const { return so_decls_; }

 private:
  template <typename Packet>
  struct Cached {
    Packet value{};
    uint64_t version = ~uint64_t{0};
  };
  template <typename... Packets>
  using Cache = std::tuple<Cached<Packets>...>;

  void refresh_vertex_fetch(const StateStore& store);
  void refresh_stream_out(const StateStore& store);
  void refresh_bases(const StateStore& store);

  Cache<gen9::_3DSTATE_INDEX_BUFFER, gen9::_3DSTATE_VF, gen9::_3DSTATE_VF_SGVS, gen9::_3DSTATE_VF_TOPOLOGY,
        gen9::_3DSTATE_VF_STATISTICS, gen9::_3DSTATE_VF_COMPONENT_PACKING, gen9::_3DSTATE_VS, gen9::_3DSTATE_HS,
        gen9::_3DSTATE_TE, gen9::_3DSTATE_DS, gen9::_3DSTATE_GS, gen9::_3DSTATE_STREAMOUT, gen9::_3DSTATE_URB_VS,
        gen9::_3DSTATE_URB_HS, gen9::_3DSTATE_URB_DS, gen9::_3DSTATE_URB_GS, gen9::_3DSTATE_SO_DECL_LIST, gen9::_3DSTATE_CLIP,
        gen9::_3DSTATE_SF, gen9::_3DSTATE_RASTER, gen9::_3DSTATE_SBE, gen9::_3DSTATE_SBE_SWIZ, gen9::_3DSTATE_MULTISAMPLE,
        gen9::_3DSTATE_SAMPLE_MASK, gen9::_3DSTATE_SAMPLE_PATTERN, gen9::_3DSTATE_DRAWING_RECTANGLE,
        gen9::_3DSTATE_POLY_STIPPLE_OFFSET, gen9::_3DSTATE_POLY_STIPPLE_PATTERN, gen9::_3DSTATE_LINE_STIPPLE,
        gen9::_3DSTATE_SCISSOR_STATE_POINTERS, gen9::_3DSTATE_VIEWPORT_STATE_POINTERS_SF_CLIP,
        gen9::_3DSTATE_VIEWPORT_STATE_POINTERS_CC, gen9::_3DSTATE_WM, gen9::_3DSTATE_PS, gen9::_3DSTATE_PS_EXTRA,
        gen9::_3DSTATE_PS_BLEND, gen9::_3DSTATE_WM_DEPTH_STENCIL, gen9::_3DSTATE_WM_HZ_OP, gen9::_3DSTATE_CLEAR_PARAMS,
        gen9::_3DSTATE_DEPTH_BUFFER, gen9::_3DSTATE_STENCIL_BUFFER, gen9::_3DSTATE_HIER_DEPTH_BUFFER,
        gen9::_3DSTATE_CC_STATE_POINTERS, gen9::_3DSTATE_BLEND_STATE_POINTERS, gen9::_3DSTATE_CONSTANT_VS,
        gen9::_3DSTATE_CONSTANT_HS, gen9::_3DSTATE_CONSTANT_DS, gen9::_3DSTATE_CONSTANT_GS, gen9::_3DSTATE_CONSTANT_PS,
        gen9::_3DSTATE_BINDING_TABLE_POINTERS_VS, gen9::_3DSTATE_BINDING_TABLE_POINTERS_HS,
        gen9::_3DSTATE_BINDING_TABLE_POINTERS_DS, gen9::_3DSTATE_BINDING_TABLE_POINTERS_GS,
        gen9::_3DSTATE_BINDING_TABLE_POINTERS_PS, gen9::_3DSTATE_SAMPLER_STATE_POINTERS_VS,
        gen9::_3DSTATE_SAMPLER_STATE_POINTERS_HS, gen9::_3DSTATE_SAMPLER_STATE_POINTERS_DS,
        gen9::_3DSTATE_SAMPLER_STATE_POINTERS_GS, gen9::_3DSTATE_SAMPLER_STATE_POINTERS_PS, gen9::STATE_BASE_ADDRESS>
      packets_;
  std::vector<VertexBuffer> vertex_buffers_;
  std::vector<VertexElement> vertex_elements_;
  uint64_t vertex_version_[3] = {~0ull, ~0ull, ~0ull};
  std::array<gen9::_3DSTATE_SO_BUFFER, 4> so_buffers_{};
  std::vector<gen9::SO_DECL_ENTRY> so_decls_;
  uint64_t so_version_[2] = {~0ull, ~0ull};
  ShaderBases bases_;
};

}  // namespace softgen::render
