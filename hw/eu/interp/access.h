// SPDX-License-Identifier: GPL-2.0-or-later
// Operands to lanes and back: loads, source modifiers, result conversion, stores.
#pragma once

#include "hw/eu/program/handlers.h"

namespace softgen::eu {

/// Denormals to zero; in ALT mode also infinities to the largest number and NaN to zero.
void flush_sources(Lanes& lanes, RegType type, LaneKind kind, const FloatMode& mode, unsigned count);
bool flushes(RegType type, const FloatMode& mode);

/// The byte address of an element of an indirect operand.
unsigned indirect_address(const Registers& regs, unsigned subreg, int imm);

}  // namespace softgen::eu
