// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/render/decode/keep.h"

#include <algorithm>
#include <array>

#include "hw/base/log.h"
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

unsigned instancing_index(KeepRule::Dwords packet) { return defs::gen9::_3DSTATE_VF_INSTANCING::View(packet).vertex_element_index(); }
unsigned stream_out_index(KeepRule::Dwords packet) { return defs::gen9::_3DSTATE_SO_BUFFER::View(packet).so_buffer_index(); }
unsigned chroma_key_index(KeepRule::Dwords packet) { return defs::gen9::_3DSTATE_CHROMA_KEY::View(packet).chromakey_table_index(); }

// Limits: SKL PRM vol 2a/2d, the commands' "DWord Length" ranges. Everything not listed has one packet of declared length.
constexpr KeepRule rules[] = {
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
};

}  // namespace

KeepRule keep_rule(CommandId id) {
  const auto at = std::find_if(std::begin(rules), std::end(rules), [&](const KeepRule& rule) { return rule.id == id; });
  return at == std::end(rules) ? KeepRule{.id = id} : *at;
}

}  // namespace softgen::render::decode
