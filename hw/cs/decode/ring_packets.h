// SPDX-License-Identifier: GPL-2.0-or-later
// The layouts of the packets that a streamer without execlists executes itself (hw/defs/gen5/mi.def, common.def).
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>

#include "hw/cs/parser.h"
#include "hw/defs/gen5/common.h"
#include "hw/defs/gen5/mi.h"
#include "hw/iface/display_events.h"

namespace softgen::cs {

namespace ring_packets = defs::gen5;

/// Of a MI_BATCH_BUFFER_START of this layout.
constexpr std::string_view security_field = "Buffer Security Indicator";

/// What MI_BATCH_BUFFER_START asks for: from the ring a batch whose security it chooses, from a batch the next of the chain, which inherits it (ILK PRM
/// vol 1 part 4, 1.2.3; part 2, 5.3.5.1).
Flow ring_batch_start(std::span<const uint32_t> dwords, const Cursor& cursor);

/// Commands that become no-ops in a non-secure batch. Part 4, 1.2.4, says so of MI_LOAD_REGISTER_IMM; its table of the others is in no manual at hand: they
/// are those of later generations that Ironlake has (SKL PRM vol 2a, "User Mode Privileged Commands"), but for MI_STORE_DATA_INDEX, which part 4, 1.2.8,
/// lets non-secure batches use.
bool is_privileged_in_ring(const Packet& packet);

/// What each pipe's MI_LOAD_SCAN_LINES_INCL or _EXCL has loaded.
using ScanLines = std::array<PipeWait::Lines, 2>;
void load_scan_lines(const Packet& packet, ScanLines& lines);

/// The event or condition of a display pipe that a MI_WAIT_FOR_EVENT names; nothing: it names none. Of several, which are undefined (ILK PRM vol 1 part 4,
/// 1.2.11), one.
std::optional<PipeWait> pipe_wait(std::span<const uint32_t> packet, const ScanLines& lines);

struct DisplayFlip {
  unsigned pipe = 0;
  bool sprite = false, asynchronous = false, tiled = false;
  uint32_t pitch = 0, base = 0;  ///< bytes; a graphics address
};
DisplayFlip display_flip(std::span<const uint32_t> packet);

}  // namespace softgen::cs
