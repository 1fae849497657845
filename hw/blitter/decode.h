// SPDX-License-Identifier: GPL-2.0-or-later
// From 2D commands to Blits. The commands share their fields by name (hw/defs/gen9/blt.def), so one function
// reads most of them.
#pragma once

#include <optional>

#include "hw/blitter/blit.h"
#include "hw/blitter/blitter.h"

namespace softgen::blitter {

/// Bits of BCS_SWCTRL 0x22200: which operands of legacy commands marked as tiled are Y, not X (KBL PRM vol
/// 2c, BCS_SWCTRL).
struct TiledAsY {
  bool source = false, destination = false;
};

/// The blit that `packet` asks for; none for commands that draw nothing (state commands, which change `state`) or is
/// not one of the 2D commands
/// (`known` is false then).
std::optional<Blit> decode(const Packet& packet, TiledAsY tiled_as_y, memory::View& view, ContextState& state, bool& known);

}  // namespace softgen::blitter
