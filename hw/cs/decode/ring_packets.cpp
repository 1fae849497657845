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

void load_scan_lines(const Packet& packet, ScanLines& lines) {
  // Both commands have the same fields.
  const ring_packets::MI_LOAD_SCAN_LINES_INCL::View load(packet.dwords);
  const bool b = load.display_pipe_select() == ring_packets::MI_LOAD_SCAN_LINES_INCL::DisplayPipeSelect::DISPLAY_PIPE_B;
  lines[b ? 1 : 0] = {.first = load.start_scan_line_number(),
                      .last = load.end_scan_line_number(),
                      .outside = packet.command->id == defs::CommandId::MI_LOAD_SCAN_LINES_EXCL};
}

std::optional<PipeWait> pipe_wait(std::span<const uint32_t> packet, const ScanLines& lines) {
  using Kind = PipeWait::Kind;
  const ring_packets::MI_WAIT_FOR_EVENT::View wait(packet);
  if (wait.display_pipe_a_vertical_blank_wait_enable()) return PipeWait{.kind = Kind::vertical_blank, .pipe = 0};
  if (wait.display_pipe_b_vertical_blank_wait_enable()) return PipeWait{.kind = Kind::vertical_blank, .pipe = 1};
  if (wait.display_pipe_a_horizontal_blank_wait_enable()) return PipeWait{.kind = Kind::horizontal_blank, .pipe = 0};
  if (wait.display_pipe_b_horizontal_blank_wait_enable()) return PipeWait{.kind = Kind::horizontal_blank, .pipe = 1};
  if (wait.display_pipe_a_scan_line_wait_enable()) return PipeWait{.kind = Kind::scan_line, .pipe = 0, .lines = lines[0]};
  if (wait.display_pipe_b_scan_line_wait_enable()) return PipeWait{.kind = Kind::scan_line, .pipe = 1, .lines = lines[1]};
  if (wait.display_plane_a_flip_pending_wait_enable()) return PipeWait{.kind = Kind::flip, .pipe = 0, .plane = 0};
  if (wait.display_plane_b_flip_pending_wait_enable()) return PipeWait{.kind = Kind::flip, .pipe = 1, .plane = 0};
  if (wait.display_sprite_a_flip_pending_wait_enable()) return PipeWait{.kind = Kind::flip, .pipe = 0, .plane = 1};
  if (wait.display_sprite_b_flip_pending_wait_enable()) return PipeWait{.kind = Kind::flip, .pipe = 1, .plane = 1};
  return std::nullopt;
}

// Of i915's two forms (Linux 5.1 display/intel_display.c, intel_gen4_queue_flip and intel_gen6_queue_flip) one has the tiling with the address, the other
// with the pitch.
DisplayFlip display_flip(std::span<const uint32_t> packet) {
  using Command = ring_packets::MI_DISPLAY_FLIP;
  using Plane = Command::DisplayPlaneSelect;
  const Command::View flip(packet);
  const Plane plane = flip.display_plane_select();
  return {.pipe = plane == Plane::DISPLAY_PLANE_B || plane == Plane::DISPLAY_SPRITE_B ? 1u : 0u,
          .sprite = plane == Plane::DISPLAY_SPRITE_A || plane == Plane::DISPLAY_SPRITE_B,
          .asynchronous = flip.async_flip_indicator(),
          .tiled = flip.tile_parameter() || flip.tile_parameter_with_address(),
          .pitch = flip.display_buffer_pitch() * 64,
          .base = static_cast<uint32_t>(flip.display_buffer_base_address())};
}

}  // namespace softgen::cs
