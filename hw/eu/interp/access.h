// SPDX-License-Identifier: GPL-2.0-or-later
// Operands to lanes and back: loads, source modifiers, result conversion, stores.
#pragma once

#include "hw/eu/interp/op.h"

namespace softgen::eu {

using Load = void (*)(const Registers&, const Source&, unsigned count, Lanes&);
using Store = void (*)(Registers&, const Destination&, unsigned count, uint32_t mask, const Lanes&);

/// Null: the type cannot become such lanes.
Load load_for(RegType type, LaneKind kind);
Store store_for(RegType type);
/// Null: nothing to do.
Finish finish_for(LaneKind kind, RegType type, bool saturate, bool flush);
/// What finish leaves for a destination type.
LaneKind result_kind(RegType type);

void apply_modifiers(Lanes& lanes, const Source& source, LaneKind kind, unsigned count);
/// Denormals to zero; in ALT mode also infinities to the largest number and NaN to zero.
void flush_sources(Lanes& lanes, RegType type, LaneKind kind, const FloatMode& mode, unsigned count);
bool flushes(RegType type, const FloatMode& mode);

/// The byte address of an element of an indirect operand.
unsigned indirect_address(const Registers& regs, unsigned subreg, int imm);

}  // namespace softgen::eu
