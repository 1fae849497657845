// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/debug/context_state.h"

#include <algorithm>

#include "hw/cs/decode/packets.h"
#include "hw/cs/image_layout.h"
#include "hw/cs/relative_registers.h"
#include "hw/debug/packet_json.h"
#include "hw/defs/registers/registers.h"

namespace softgen::debug {
namespace {

/// Masked writes say how constant buffers' addresses and binding table pointers count.
void note_registers(ContextState& state, const defs::Command& command, std::span<const uint32_t> dwords) {
  constexpr unsigned qword = 3;
  constexpr reg::Bits absolute = reg::field::CS_DEBUG_MODE2_3DSTATE_CONSTANT_BUFFER_ADDRESS_OFFSET_DISABLE;
  constexpr reg::Bits tables = reg::field::GT_MODE_BINDING_TABLE_ALIGNMENT;
  const bool relative = dwords[0] & cs::header_bit(command, cs::relative_field);
  const uint32_t debug_mode = relative ? reg::CS_DEBUG_MODE2 % cs::streamer_block : reg::CS_DEBUG_MODE2;
  const cs::packets::MI_LOAD_REGISTER_IMM::View load(dwords);
  for (size_t i = 0; i < load.elements(); ++i) {
    const uint32_t offset = load.register_offset(i), value = load.data_dword(i);
    if (offset == debug_mode && value & absolute.mask() << 16) state.absolute_constants = absolute.of(value);
    if (offset == reg::GT_MODE && !relative && value & tables.mask() << 16) state.binding_table_shift = tables.of(value) ? qword : 0;
  }
}

void set_bases(ContextState& state, const Fields& packet) {
  const auto set = [&](uint64_t& base, const std::string& name) {
    if (packet.optional(name + " Modify Enable")) base = strip_canonical(packet[name]);
  };
  set(state.general, "General State Base Address");
  set(state.surface, "Surface State Base Address");
  set(state.dynamic, "Dynamic State Base Address");
  set(state.indirect, "Indirect Object Base Address");
  set(state.instruction, "Instruction Base Address");
}

}  // namespace

void ContextState::note(const WalkedPacket& packet) {
  if (!packet.command) return;
  const auto dw = packet.dwords;
  switch (packet.command->id) {
    case defs::CommandId::STATE_BASE_ADDRESS: set_bases(*this, {*packet.command, dw}); break;
    case defs::CommandId::_3DSTATE_BINDING_TABLE_POOL_ALLOC: {
      const Fields fields(*packet.command, dw);
      pooled = fields["Binding Table Pool Enable"], pool = strip_canonical(fields["Binding Table Pool Base Address"]);
      break;
    }
    case defs::CommandId::MI_LOAD_REGISTER_IMM: note_registers(*this, *packet.command, dw); break;
    default: break;
  }
  if (packet.command->match >> 29 == 3) {
    const auto kept = dw.first(std::min(dw.size(), max_dwords));
    last[packet.command->id].assign(kept.begin(), kept.end());
  }
}

std::span<const uint32_t> ContextState::packet(defs::CommandId id) const {
  const auto found = last.find(id);
  return found == last.end() ? std::span<const uint32_t>() : found->second;
}

uint64_t ContextState::base(defs::Base base) const {
  switch (base) {
    case defs::Base::general: return general;
    case defs::Base::surface: return surface;
    case defs::Base::dynamic: return dynamic;
    case defs::Base::instruction: return instruction;
    case defs::Base::indirect: return indirect;
    default: return 0;
  }
}

uint64_t ContextState::binding_table(uint32_t pointer) const {
  return strip_canonical((pooled ? pool : surface) + (uint64_t{pointer} << binding_table_shift));
}

std::optional<uint64_t> ContextState::pixel_table(const defs::CommandSet& set) const {
  const auto table = [&](defs::CommandId id, const char* name) -> std::optional<uint64_t> {
    const auto dwords = packet(id);
    if (dwords.size() < 2) return std::nullopt;
    return binding_table(static_cast<uint32_t>(Fields(layout_named(set, name), dwords)["Pointer to PS Binding Table"]));
  };
  if (const auto own = table(defs::CommandId::_3DSTATE_BINDING_TABLE_POINTERS_PS, "3DSTATE_BINDING_TABLE_POINTERS_PS")) return own;
  // Before Gen7 one packet has the pointers of all stages.
  return table(defs::CommandId::_3DSTATE_BINDING_TABLE_POINTERS, "3DSTATE_BINDING_TABLE_POINTERS");
}

ContextState& ContextStates::of(EngineId engine, uint32_t id) {
  const auto found = std::ranges::find_if(states_, [&](const Entry& e) { return e.engine == engine && e.id == id; });
  if (found != states_.end()) {
    states_.splice(states_.begin(), states_, found);
  } else {
    if (states_.size() == max_contexts) states_.pop_back();
    states_.push_front({engine, id, {}});
  }
  return states_.front().state;
}

}  // namespace softgen::debug
