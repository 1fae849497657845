// SPDX-License-Identifier: GPL-2.0-or-later
// From 2D commands to Blits. The commands share their fields by name (hw/defs/gen9/blt.def), so one function
// reads most of them.
#pragma once

#include <optional>

#include "hw/blitter/blit.h"
#include "hw/blitter/blitter.h"

namespace softgen::blitter {

/// The blit that `packet` asks for, by G's layouts: Gen5's, or Gen9's, which later generations have, too. None for commands that draw nothing (state
/// commands, which change `state`), and for what is not one of the 2D commands (`known` is false then).
template <typename G>
std::optional<Blit> decode(const Packet& packet, TiledAsY tiled_as_y, memory::View& view, ContextState& state, bool& known);

}  // namespace softgen::blitter
