// SPDX-License-Identifier: GPL-2.0-or-later
// The layouts of the packets that the streamer executes itself (hw/defs/gen9/mi.def, common.def): packets::MI_MATH::View and so on.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "hw/base/bits.h"
#include "hw/defs/gen11/mi.h"
#include "hw/defs/gen9/common.h"
#include "hw/defs/gen9/mi.h"

namespace softgen::cs {

namespace packets = defs::gen9;

/// Gen11's wait that names its events by number: whether it names any.
constexpr bool waits_for_display(std::span<const uint32_t> packet) {
  const defs::gen11::MI_WAIT_FOR_EVENT_2::View wait(packet);
  return wait.display_plane_flip_pending_wait_enable() || wait.display_pipe_vertical_blank_wait_enable() ||
         wait.display_pipe_scan_line_wait_enable();
}

/// The bits of a register's offset in a dword of a command.
constexpr uint32_t register_offset_mask = 0x007f'fffc;
static_assert(packets::MI_LOAD_REGISTER_REG::View(std::array<uint32_t, 2>{0, ~0u}).source_register_address() == register_offset_mask);

/// The bits of each register that a MI_LOAD_REGISTER_IMM leaves as they are: Byte Write Disables.
constexpr uint32_t load_register_imm_kept(uint32_t header) {
  const uint32_t disables = packets::MI_LOAD_REGISTER_IMM::View({&header, 1}).byte_write_disables();
  uint32_t kept = 0;
  for (unsigned byte = 0; byte < 4; ++byte)
    if (bit(disables, byte)) kept |= 0xffu << 8 * byte;
  return kept;
}

}  // namespace softgen::cs
