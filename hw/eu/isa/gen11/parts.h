// SPDX-License-Identifier: GPL-2.0-or-later
// What gen11_isa() consists of, where it differs from Gen9; documented in hw/eu/isa/isa.h.
#pragma once

#include "hw/eu/isa/isa.h"

namespace softgen::eu::gen11 {

// codec.cpp
Instruction decode(const Native& bits);
std::optional<Instruction> decode(std::span<const std::byte> code);
Native encode(const Instruction& instruction);
bool has_opcode(Opcode opcode);
std::optional<uint64_t> compact(const Native& bits);
Native uncompact(uint64_t compacted);

// validate.cpp
std::string validate(const Instruction& instruction);

// message.cpp
MessageOp decode_message(unsigned sfid, uint32_t descriptor, uint32_t extended);
BarrierFields barrier(const uint32_t* header);

}  // namespace softgen::eu::gen11
