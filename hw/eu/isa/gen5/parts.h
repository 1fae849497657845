// SPDX-License-Identifier: GPL-2.0-or-later
// The instruction set of Ironlake, as far as it is there: both forms of instructions. Flow by mask stacks, messages and rules are to come (docs/ironlake.md).
// Sources: Mesa elk_inst.h (columns "4+" and "5"), elk_eu_compact.c, elk_reg_type.c.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "hw/eu/isa/instruction.h"

namespace softgen::eu::gen5 {

/// As isa.h says. A destination in the message registers is register first_message_register + n.
Instruction decode(const Native& bits);
std::optional<Instruction> decode(std::span<const std::byte> code);
Native encode(const Instruction& instruction);
bool has_opcode(Opcode opcode);

// compact.cpp
std::optional<uint64_t> compact(const Native& bits);
Native uncompact(uint64_t compacted);

constexpr uint8_t first_message_register = 128, message_registers = 16;

}  // namespace softgen::eu::gen5
