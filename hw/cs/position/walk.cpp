// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/cs/position/walk.h"

#include "hw/defs/ids.h"

namespace softgen::cs {

using defs::CommandId;

PositionWalk::PositionWalk(Executor& executor, Arbiter& arbiter, const defs::CommandSet& commands)
    : executor_(executor),
      arbiter_(arbiter),
      start_(header_bit(commands, "MI_BATCH_BUFFER_START", posh_start_field)),
      enable_(header_bit(commands, "MI_BATCH_BUFFER_START", posh_enable_field)),
      records_(header_bit(commands, "3DPRIMITIVE", posh_enable_field)) {}

Flow PositionWalk::command(const Packet& packet, const Cursor& after) {
  if (after.mode() == BatchMode::executed || executor_.execution().in_workaround) return execute(packet, after);
  switch (packet.command->id) {
    case CommandId::MI_BATCH_BUFFER_START: return look_into(packet, after);
    case CommandId::MI_BATCH_BUFFER_END:
    case CommandId::MI_CONDITIONAL_BATCH_BUFFER_END:
      return after.level() ? executor_.command(packet, after) : executor_.skip(packet, after);
    default: return executor_.skip(packet, after);
  }
}

// "Gracefully discarded" is what POCS does not support, and a draw that nothing of is to be recorded.
Flow PositionWalk::execute(const Packet& packet, const Cursor& after) {
  const bool draw = packet.command->id == CommandId::_3DPRIMITIVE;
  if (!packet.command->position || (draw && !(packet.dwords[0] & records_))) return executor_.skip(packet, after);
  return executor_.command(packet, after);
}

Flow PositionWalk::look_into(const Packet& packet, const Cursor& after) {
  const uint32_t header = packet.dwords[0];
  if (header & start_) return executor_.enter(packet, after, BatchMode::executed);
  const bool chains = after.level() && batch_start(packet.dwords, after).kind == Flow::Kind::jump;
  return header & enable_ || chains ? executor_.enter(packet, after, BatchMode::traversed) : executor_.skip(packet, after);
}

}  // namespace softgen::cs
