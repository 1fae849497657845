// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/render/decode/keep.h"

#include <algorithm>
#include <array>

#include "hw/base/log.h"
#include "hw/defs/gen12/all.h"
#include "hw/defs/gen5/all.h"
#include "hw/defs/gen5/set.h"
#include "hw/defs/gen9/all.h"

namespace softgen::render::decode {
namespace {

using defs::CommandId;

constexpr unsigned vertex_buffers = 33, vertex_elements = 34, vertex_buffer_dwords = 4;

std::vector<uint32_t> merged_base_address(std::span<const uint32_t> old, std::span<const uint32_t> packet) {
  // Each base (two dwords) and size has its own Modify Enable in bit 0 (SKL PRM vol 2a, STATE_BASE_ADDRESS).
  static constexpr struct {
    uint8_t first, count, modify;
  } parts[] = {{1, 2, 1},   {3, 1, 1},   {4, 2, 4},   {6, 2, 6},   {8, 2, 8},   {10, 2, 10},
               {12, 1, 12}, {13, 1, 13}, {14, 1, 14}, {15, 1, 15}, {16, 3, 16}, {19, 3, 19}};
  std::vector<uint32_t> result(22);  // Gen9's ends before the bindless samplers
  std::copy_n(old.begin(), std::min(old.size(), result.size()), result.begin());
  result[0] = packet[0];
  for (const auto& part : parts) {
    if (part.modify >= packet.size() || !(packet[part.modify] & 1)) continue;
    for (unsigned i = part.first; i < unsigned{part.first} + part.count && i < packet.size(); ++i) result[i] = packet[i];
  }
  return result;
}

std::vector<uint32_t> merged_vertex_buffers(std::span<const uint32_t> old, std::span<const uint32_t> packet) {
  std::vector<uint32_t> result(1 + vertex_buffers * vertex_buffer_dwords);
  if (old.empty()) {
    for (unsigned i = 0; i < vertex_buffers; ++i) result[1 + i * vertex_buffer_dwords] = i << 26 | 1u << 13;  // Null Vertex Buffer
  } else {
    std::copy_n(old.begin(), std::min(old.size(), result.size()), result.begin());
  }
  result[0] = packet[0];
  for (size_t at = 1; at + vertex_buffer_dwords <= packet.size(); at += vertex_buffer_dwords) {
    const defs::gen9::VERTEX_BUFFER_STATE::View buffer(packet.subspan(at, vertex_buffer_dwords));
    const uint32_t index = buffer.vertex_buffer_index();
    if (index >= vertex_buffers) {
      guest_error("3DSTATE_VERTEX_BUFFERS", "buffer {} of {}", index, vertex_buffers);
      continue;
    }
    uint32_t* target = &result[1 + index * vertex_buffer_dwords];
    target[0] = packet[at];
    if (buffer.address_modify_enable()) std::copy_n(&packet[at + 1], 2, target + 1);
    target[3] = packet[at + 3];
  }
  return result;
}

// A palette may be loaded in part, from entry 0 on (SNB PRM vol 2 part 1, 3DSTATE_SAMPLER_PALETTE_LOAD0): the others stay.
std::vector<uint32_t> merged_entries(std::span<const uint32_t> old, std::span<const uint32_t> packet) {
  std::vector<uint32_t> result(packet.begin(), packet.end());
  if (old.size() > result.size()) result.insert(result.end(), old.begin() + static_cast<std::ptrdiff_t>(result.size()), old.end());
  return result;
}

std::vector<uint32_t> merged_pipeline_select(std::span<const uint32_t> old, std::span<const uint32_t> packet) {
  // Mask Bits [9:8] say whether Pipeline Selection [1:0] changes (SKL PRM vol 2a).
  const uint32_t mask = defs::gen9::PIPELINE_SELECT::View(packet).mask_bits() & 3, before = old.empty() ? 0 : old[0];
  return {(packet[0] & ~3u) | (before & ~mask & 3) | (packet[0] & mask & 3)};
}

void complete_vertex_buffers(std::span<uint32_t> packet) {
  constexpr uint32_t address_modify_enable = 1u << 14;
  static_assert(defs::gen9::VERTEX_BUFFER_STATE::View(std::array<uint32_t, 4>{address_modify_enable}).address_modify_enable());
  for (size_t at = 1; at < packet.size(); at += vertex_buffer_dwords) packet[at] |= address_modify_enable;
}

void complete_pipeline_select(std::span<uint32_t> packet) {
  constexpr uint32_t mask_bits = 3u << 8;
  static_assert(defs::gen9::PIPELINE_SELECT::View(std::array<uint32_t, 1>{mask_bits}).mask_bits() == 3);
  packet[0] |= mask_bits;
}

/// 3DSTATE_VF_INSTANCING: not instanced.
uint32_t absent_instancing(unsigned index) {
  constexpr uint32_t index_bits = 0x3f;
  static_assert(defs::gen9::_3DSTATE_VF_INSTANCING::View(std::array<uint32_t, 2>{0, ~0u}).vertex_element_index() == index_bits);
  return index & index_bits;
}

/// Each group of fields has a Modify Disable (Mesa's genxml/gen120.xml, 3DSTATE_WM_DEPTH_STENCIL). What is kept says all of the state.
std::vector<uint32_t> merged_depth_stencil(std::span<const uint32_t> old, std::span<const uint32_t> packet) {
  using Packet = defs::gen12::_3DSTATE_WM_DEPTH_STENCIL;
  const Packet before = Packet::unpack(old);
  Packet p = Packet::unpack(packet);
  const auto keep = [&](auto... fields) { ((p.*fields = before.*fields), ...); };
  if (p.depth_state_modify_disable) keep(&Packet::depth_buffer_write_enable, &Packet::depth_test_enable, &Packet::depth_test_function);
  if (p.stencil_state_modify_disable)
    keep(&Packet::stencil_buffer_write_enable, &Packet::stencil_test_enable, &Packet::double_sided_stencil_enable,
         &Packet::stencil_test_function, &Packet::stencil_fail_op, &Packet::stencil_pass_depth_fail_op, &Packet::stencil_pass_depth_pass_op,
         &Packet::backface_stencil_test_function, &Packet::backface_stencil_fail_op, &Packet::backface_stencil_pass_depth_fail_op,
         &Packet::backface_stencil_pass_depth_pass_op);
  if (p.stencil_write_mask_modify_disable) keep(&Packet::stencil_write_mask, &Packet::backface_stencil_write_mask);
  if (p.stencil_test_mask_modify_disable) keep(&Packet::stencil_test_mask, &Packet::backface_stencil_test_mask);
  if (p.stencil_reference_value_modify_disable) keep(&Packet::stencil_reference_value, &Packet::backface_stencil_reference_value);
  p.depth_state_modify_disable = p.stencil_state_modify_disable = p.stencil_write_mask_modify_disable = p.stencil_test_mask_modify_disable =
      p.stencil_reference_value_modify_disable = false;
  const auto dwords = p.pack();
  return {dwords.begin(), dwords.end()};
}

std::vector<uint32_t> merged_depth_bounds(std::span<const uint32_t> old, std::span<const uint32_t> packet) {
  using Packet = defs::gen12::_3DSTATE_DEPTH_BOUNDS;
  const Packet before = Packet::unpack(old);
  Packet p = Packet::unpack(packet);
  if (p.depth_bounds_test_enable_modify_disable) p.depth_bounds_test_enable = before.depth_bounds_test_enable;
  if (p.depth_bounds_test_value_modify_disable)
    p.depth_bounds_test_min_value = before.depth_bounds_test_min_value, p.depth_bounds_test_max_value = before.depth_bounds_test_max_value;
  p.depth_bounds_test_enable_modify_disable = p.depth_bounds_test_value_modify_disable = false;
  const auto dwords = p.pack();
  return {dwords.begin(), dwords.end()};
}

/// The four ranges of each stage that it names: those that the mask leaves out are empty.
std::vector<KeptPacket> constants_of_stages(std::span<const uint32_t> packet) {
  using namespace defs::gen12;
  const _3DSTATE_CONSTANT_ALL::View all(packet);
  _3DSTATE_CONSTANT_BODY body;
  size_t entry = 0;
  for (unsigned i = 0; i < body.buffer.size(); ++i) {
    if (!(all.pointer_buffer_mask() >> i & 1) || entry >= all.elements()) continue;
    const size_t at = _3DSTATE_CONSTANT_ALL::constant_body_first_dword + entry++ * _3DSTATE_CONSTANT_ALL::constant_body_dwords;
    const auto data = _3DSTATE_CONSTANT_ALL_DATA::unpack(packet.subspan(at));
    body.buffer[i] = data.pointer_to_constant_buffer;
    body.read_length[i] = data.constant_buffer_read_length;
  }
  std::vector<KeptPacket> result;
  const auto put = [&]<typename Stage>(bool named, Stage one) {
    if (!named) return;
    one.constant_body = body;
    const auto dwords = one.pack();
    result.push_back({Stage::id, 0, {dwords.begin(), dwords.end()}});
  };
  put(all.vertex_shader_update_enable(), _3DSTATE_CONSTANT_VS{});
  put(all.hull_shader_update_enable(), _3DSTATE_CONSTANT_HS{});
  put(all.domain_shader_update_enable(), _3DSTATE_CONSTANT_DS{});
  put(all.geometry_shader_update_enable(), _3DSTATE_CONSTANT_GS{});
  put(all.pixel_shader_update_enable(), _3DSTATE_CONSTANT_PS{});
  return result;
}

/// The body is that of 3DSTATE_SO_BUFFER without its index.
template <unsigned index>
std::vector<KeptPacket> stream_out_buffer(std::span<const uint32_t> packet) {
  using Buffer = defs::gen12::_3DSTATE_SO_BUFFER;
  Buffer buffer = Buffer::unpack(packet);
  buffer.so_buffer_index = index;
  const auto dwords = buffer.pack();
  return {{Buffer::id, index, {dwords.begin(), dwords.end()}}};
}

/// 3DSTATE_URB_ALLOC_VS and its like are 3DSTATE_URB_VS and its like with wider fields (Mesa 25 writes them); there is one slice. The layouts of all
/// stages are the same.
template <typename Urb>
std::vector<KeptPacket> urb_allocation(std::span<const uint32_t> packet) {
  constexpr uint32_t largest = 0x1ff;
  const auto alloc = defs::gen12::_3DSTATE_URB_ALLOC_VS::unpack(packet);
  defs::gen12::_3DSTATE_URB_VS body;
  body.vs_urb_entry_allocation_size = std::min<uint32_t>(alloc.vs_urb_entry_allocation_size, largest);
  body.vs_number_of_urb_entries = alloc.vs_number_of_urb_entries_slice0;
  const auto dwords = Urb::unpack(body.pack()).pack();
  return {{Urb::id, 0, {dwords.begin(), dwords.end()}}};
}

// Ironlake's: each base and bound has its own Modify Enable in bit 0 (Mesa genxml/gen50.xml).
std::vector<uint32_t> merged_gen5_base_address(std::span<const uint32_t> old, std::span<const uint32_t> packet) {
  std::vector<uint32_t> result(defs::gen5::STATE_BASE_ADDRESS::dwords);
  std::copy_n(old.begin(), std::min(old.size(), result.size()), result.begin());
  result[0] = packet[0];
  for (size_t i = 1; i < std::min(packet.size(), result.size()); ++i)
    if (packet[i] & 1) result[i] = packet[i];
  return result;
}

constexpr unsigned gen5_vertex_buffers = 17, gen5_vertex_elements = 18;  // Mesa crocus_state.c: 16 of each, and those of system values

std::vector<uint32_t> merged_gen5_vertex_buffers(std::span<const uint32_t> old, std::span<const uint32_t> packet) {
  using Buffer = defs::gen5::VERTEX_BUFFER_STATE;
  std::vector<uint32_t> result(1 + gen5_vertex_buffers * Buffer::dwords);
  if (old.empty()) {
    for (unsigned i = 0; i < gen5_vertex_buffers; ++i) {
      const auto absent = Buffer{.vertex_buffer_index = i, .null_vertex_buffer = true}.pack();
      std::copy(absent.begin(), absent.end(), &result[1 + i * Buffer::dwords]);
    }
  } else {
    std::copy_n(old.begin(), std::min(old.size(), result.size()), result.begin());
  }
  result[0] = packet[0];
  for (size_t at = 1; at + Buffer::dwords <= packet.size(); at += Buffer::dwords) {
    const uint32_t index = Buffer::View(packet.subspan(at, Buffer::dwords)).vertex_buffer_index();
    if (index >= gen5_vertex_buffers) guest_error("3DSTATE_VERTEX_BUFFERS", "buffer {} of {}", index, gen5_vertex_buffers);
    else std::copy_n(&packet[at], Buffer::dwords, &result[1 + index * Buffer::dwords]);
  }
  return result;
}

/// Only units that are to be reallocated get their fence (ILK PRM vol 1 part 2, 5.3.9: URB_FENCE's reallocation requests).
std::vector<uint32_t> merged_urb_fence(std::span<const uint32_t> old, std::span<const uint32_t> packet) {
  using Fence = defs::gen5::URB_FENCE;
  const Fence p = Fence::unpack(packet);
  Fence kept = Fence::unpack(old);
  if (p.vs_unit_urb_reallocation_request) kept.vs_fence = p.vs_fence;
  if (p.gs_unit_urb_reallocation_request) kept.gs_fence = p.gs_fence;
  if (p.clip_unit_urb_reallocation_request) kept.clip_fence = p.clip_fence;
  if (p.sf_unit_urb_reallocation_request) kept.sf_fence = p.sf_fence;
  if (p.vfe_unit_urb_reallocation_request) kept.vfe_fence = p.vfe_fence;
  if (p.cs_unit_urb_reallocation_request) kept.cs_fence = p.cs_fence;
  kept.vs_unit_urb_reallocation_request = kept.gs_unit_urb_reallocation_request = kept.clip_unit_urb_reallocation_request =
      kept.sf_unit_urb_reallocation_request = kept.vfe_unit_urb_reallocation_request = kept.cs_unit_urb_reallocation_request = true;
  const auto dwords = kept.pack();
  return {dwords.begin(), dwords.end()};
}

unsigned instancing_index(KeepRule::Dwords packet) { return defs::gen9::_3DSTATE_VF_INSTANCING::View(packet).vertex_element_index(); }
unsigned stream_out_index(KeepRule::Dwords packet) { return defs::gen9::_3DSTATE_SO_BUFFER::View(packet).so_buffer_index(); }
unsigned chroma_key_index(KeepRule::Dwords packet) { return defs::gen9::_3DSTATE_CHROMA_KEY::View(packet).chromakey_table_index(); }

// Limits: SKL PRM vol 2a/2d, the commands' "DWord Length" ranges. Everything not listed has one packet of declared length.
constexpr KeepRule rules[] = {
    {.id = CommandId::_3DSTATE_VERTEX_BUFFERS,
     .capacity = 1 + gen5_vertex_buffers * defs::gen5::VERTEX_BUFFER_STATE::dwords,
     .merge = merged_gen5_vertex_buffers,
     .set = &defs::gen5::commands},
    {.id = CommandId::_3DSTATE_VERTEX_ELEMENTS,
     .capacity = 1 + gen5_vertex_elements * defs::gen5::VERTEX_ELEMENT_STATE::dwords,
     .set = &defs::gen5::commands},
    {.id = CommandId::STATE_BASE_ADDRESS, .merge = merged_gen5_base_address, .set = &defs::gen5::commands},
    {.id = CommandId::PIPELINE_SELECT, .set = &defs::gen5::commands},
    {.id = CommandId::URB_FENCE, .merge = merged_urb_fence, .set = &defs::gen5::commands},
    {.id = CommandId::_3DSTATE_VERTEX_BUFFERS,
     .capacity = 1 + vertex_buffers * vertex_buffer_dwords,
     .merge = merged_vertex_buffers,
     .complete = complete_vertex_buffers},
    {.id = CommandId::_3DSTATE_VERTEX_ELEMENTS, .capacity = 1 + 2 * vertex_elements},
    {.id = CommandId::_3DSTATE_VF_INSTANCING, .copies = vertex_elements, .index = instancing_index, .absent = absent_instancing},
    {.id = CommandId::_3DSTATE_SO_BUFFER, .copies = 4, .index = stream_out_index},
    {.id = CommandId::_3DSTATE_SO_DECL_LIST, .capacity = 3 + 2 * 128},
    {.id = CommandId::_3DSTATE_CHROMA_KEY, .copies = 4, .index = chroma_key_index},
    {.id = CommandId::_3DSTATE_SAMPLER_PALETTE_LOAD0, .capacity = 1 + 256, .merge = merged_entries},
    {.id = CommandId::_3DSTATE_SAMPLER_PALETTE_LOAD1, .capacity = 1 + 256, .merge = merged_entries},
    {.id = CommandId::STATE_BASE_ADDRESS, .merge = merged_base_address},
    {.id = CommandId::PIPELINE_SELECT, .merge = merged_pipeline_select, .complete = complete_pipeline_select},
    {.id = CommandId::_3DSTATE_WM_DEPTH_STENCIL, .merge = merged_depth_stencil, .field = "Depth State Modify Disable"},
    {.id = CommandId::_3DSTATE_DEPTH_BOUNDS, .merge = merged_depth_bounds},
    {.id = CommandId::_3DSTATE_CONSTANT_ALL, .copies = 0, .as = constants_of_stages},
    {.id = CommandId::_3DSTATE_URB_ALLOC_VS, .copies = 0, .as = urb_allocation<defs::gen12::_3DSTATE_URB_VS>},
    {.id = CommandId::_3DSTATE_URB_ALLOC_HS, .copies = 0, .as = urb_allocation<defs::gen12::_3DSTATE_URB_HS>},
    {.id = CommandId::_3DSTATE_URB_ALLOC_DS, .copies = 0, .as = urb_allocation<defs::gen12::_3DSTATE_URB_DS>},
    {.id = CommandId::_3DSTATE_URB_ALLOC_GS, .copies = 0, .as = urb_allocation<defs::gen12::_3DSTATE_URB_GS>},
    {.id = CommandId::_3DSTATE_SO_BUFFER_INDEX_0, .copies = 0, .as = stream_out_buffer<0>},
    {.id = CommandId::_3DSTATE_SO_BUFFER_INDEX_1, .copies = 0, .as = stream_out_buffer<1>},
    {.id = CommandId::_3DSTATE_SO_BUFFER_INDEX_2, .copies = 0, .as = stream_out_buffer<2>},
    {.id = CommandId::_3DSTATE_SO_BUFFER_INDEX_3, .copies = 0, .as = stream_out_buffer<3>},
};

bool declares(const defs::Command& command, std::string_view field) {
  return field.empty() || std::ranges::any_of(command.fields, [&](const defs::Field& one) { return one.name == field; });
}

bool is_of(const defs::Command& command, const defs::CommandSet* set) { return !set || set->find(command.name) == &command; }

}  // namespace

KeepRule keep_rule(const defs::Command& command) {
  const auto at = std::ranges::find_if(
      rules, [&](const KeepRule& rule) { return rule.id == command.id && declares(command, rule.field) && is_of(command, rule.set); });
  return at == std::end(rules) ? KeepRule{.id = command.id} : *at;
}

}  // namespace softgen::render::decode
