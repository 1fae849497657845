// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/cs/decode/ring_packets.h"

namespace softgen::cs {

using defs::CommandId;

Flow ring_batch_start(std::span<const uint32_t> dwords, const Cursor& cursor) {
  using Command = ring_packets::MI_BATCH_BUFFER_START;
  const Command::View start(dwords);
  const uint64_t to = start.batch_buffer_start_address();
  if (cursor.level()) return Flow::jump(to, cursor.innermost().ppgtt);
  return Flow::call(to, start.buffer_security_indicator() == Command::BufferSecurityIndicator::MIBUFFER_NONSECURE);
}

bool is_privileged_in_ring(const Packet& packet) {
  switch (packet.command->id) {
    case CommandId::MI_ARB_ON_OFF:
    case CommandId::MI_DISPLAY_FLIP:
    case CommandId::MI_LOAD_REGISTER_IMM:
    case CommandId::MI_REPORT_HEAD:
    case CommandId::MI_SET_CONTEXT:
    case CommandId::MI_STORE_REGISTER_MEM:
    case CommandId::MI_UPDATE_GTT: return true;
    default: return false;
  }
}

bool waits_for_pipe(std::span<const uint32_t> packet) {
  const ring_packets::MI_WAIT_FOR_EVENT::View wait(packet);
  return wait.display_pipe_a_horizontal_blank_wait_enable() || wait.display_pipe_a_vertical_blank_wait_enable() ||
         wait.display_pipe_a_scan_line_wait_enable() || wait.display_plane_a_flip_pending_wait_enable() ||
         wait.display_sprite_a_flip_pending_wait_enable() || wait.display_pipe_b_horizontal_blank_wait_enable() ||
         wait.display_pipe_b_vertical_blank_wait_enable() || wait.display_pipe_b_scan_line_wait_enable() ||
         wait.display_plane_b_flip_pending_wait_enable() || wait.display_sprite_b_flip_pending_wait_enable();
}

}  // namespace softgen::cs
