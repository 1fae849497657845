// SPDX-License-Identifier: GPL-2.0-or-later
// The bases of a draw or walker, of the packet of a generation G (defs::Gen9, …).
#pragma once

#include <span>

#include "hw/base/bits.h"
#include "hw/defs/gen11/all.h"
#include "hw/defs/gen12/all.h"
#include "hw/defs/registers/registers.h"
#include "hw/iface/message_target.h"

namespace softgen {

/// Of whole packets (header first): STATE_BASE_ADDRESS and 3DSTATE_BINDING_TABLE_POOL_ALLOC; all zero when they are empty.
template <class G>
ShaderBases decode_bases(std::span<const uint32_t> state_base_address, std::span<const uint32_t> binding_table_pool) {
  constexpr uint64_t page = 4096;
  const auto packet = G::STATE_BASE_ADDRESS::unpack(state_base_address);
  ShaderBases bases;
  bases.general_state = strip_canonical(packet.general_state_base_address);
  bases.surface_state = strip_canonical(packet.surface_state_base_address);
  bases.dynamic_state = strip_canonical(packet.dynamic_state_base_address);
  bases.indirect_object = strip_canonical(packet.indirect_object_base_address);
  bases.instruction = strip_canonical(packet.instruction_base_address);
  bases.bindless_surface = strip_canonical(packet.bindless_surface_state_base_address);
  if constexpr (requires { packet.bindless_sampler_state_base_address; }) {
    bases.bindless_sampler = strip_canonical(packet.bindless_sampler_state_base_address);
    bases.bindless_samplers = packet.bindless_sampler_state_buffer_size * page;
  }
  bases.general_size = packet.general_state_buffer_size * page;
  bases.dynamic_size = packet.dynamic_state_buffer_size * page;
  bases.indirect_size = packet.indirect_object_buffer_size * page;
  bases.instruction_size = packet.instruction_buffer_size * page;
  const auto pool = G::_3DSTATE_BINDING_TABLE_POOL_ALLOC::unpack(binding_table_pool);
  const bool pooled = pool.binding_table_pool_enable;
  bases.binding_tables = pooled ? strip_canonical(pool.binding_table_pool_base_address) : bases.surface_state;
  return bases;
}

/// By how many bits the offsets of binding tables are shifted left; `registers`: an mmio::RegisterFile.
template <class G>
struct BindingTableForm {
  static unsigned shift(const auto&) { return 0; }
};

// GT_MODE chooses between pointers to 32 bytes and pointers to 256 bytes whose field counts 8 bytes (Mesa iris_state.c,
// iris_init_common_context, BTP_18_8).
template <>
struct BindingTableForm<defs::Gen11> {
  static unsigned shift(const auto& registers) {
    constexpr unsigned qword = 3;
    return reg::field::GT_MODE_BINDING_TABLE_ALIGNMENT.of(registers.peek(reg::GT_MODE)) ? qword : 0;
  }
};
template <>
struct BindingTableForm<defs::Gen12> : BindingTableForm<defs::Gen11> {};

}  // namespace softgen
