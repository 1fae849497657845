// SPDX-License-Identifier: GPL-2.0-or-later
// What gen12_isa() consists of, where it differs from Gen9 and Gen11; documented in hw/eu/isa/isa.h.
#pragma once

#include "hw/eu/isa/isa.h"

namespace softgen::eu::gen12 {

// codec.cpp
Instruction decode(const Native& bits);
std::optional<Instruction> decode(std::span<const std::byte> code);
Native encode(const Instruction& instruction);
bool has_opcode(Opcode opcode);
bool is_ternary(unsigned code);

// compact.cpp
std::optional<uint64_t> compact(const Native& bits);
Native uncompact(uint64_t compacted);

// validate.cpp
std::string validate(const Instruction& instruction);

}  // namespace softgen::eu::gen12
