// SPDX-License-Identifier: GPL-2.0-or-later
// The bases of a draw or walker, of the packet of a generation G (defs::Gen9, …).
#pragma once

#include <span>

#include "hw/base/bits.h"
#include "hw/iface/message_target.h"

namespace softgen {

/// Of a whole STATE_BASE_ADDRESS packet (header first); all zero when it is empty.
template <class G>
ShaderBases decode_bases(std::span<const uint32_t> state_base_address) {
  constexpr uint64_t page = 4096;
  const auto packet = G::STATE_BASE_ADDRESS::unpack(state_base_address);
  ShaderBases bases;
  bases.general_state = strip_canonical(packet.general_state_base_address);
  bases.surface_state = strip_canonical(packet.surface_state_base_address);
  bases.dynamic_state = strip_canonical(packet.dynamic_state_base_address);
  bases.indirect_object = strip_canonical(packet.indirect_object_base_address);
  bases.instruction = strip_canonical(packet.instruction_base_address);
  bases.bindless_surface = strip_canonical(packet.bindless_surface_state_base_address);
  bases.general_size = packet.general_state_buffer_size * page;
  bases.dynamic_size = packet.dynamic_state_buffer_size * page;
  bases.indirect_size = packet.indirect_object_buffer_size * page;
  bases.instruction_size = packet.instruction_buffer_size * page;
  return bases;
}

}  // namespace softgen
