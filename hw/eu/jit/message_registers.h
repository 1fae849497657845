// SPDX-License-Identifier: GPL-2.0-or-later
// Sends of instruction sets whose messages have registers of their own (IsaLimits::message_registers).
#pragma once

#include "hw/eu/interp/execute.h"

namespace softgen::eu::jit {

/// Message registers that src0 is moved to: 0, 1, or 2 of a compressed instruction.
unsigned moved_registers(const Op& op);
/// It is moved as it lies in the registers; else its elements are, as its region says.
bool moves_whole_registers(const Op& op);
/// Elements that are moved otherwise.
unsigned moved_elements(const Op& op);

/// Whether compiled code moves src0 itself, and computes what the math unit is asked; else the interpreter executes the op.
bool message_is_native(const Op& op);
/// Whether compiled code can have it at all: not a last message that is not native.
bool message_is_compiled(const Op& op);

}  // namespace softgen::eu::jit
