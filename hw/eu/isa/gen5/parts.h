// SPDX-License-Identifier: GPL-2.0-or-later
// What gen5_isa() consists of; documented in hw/eu/isa/isa.h. Sources: hw/defs/gen5/messages.def for messages; Mesa elk_inst.h (columns "4+" and "5"),
// elk_eu_compact.c, elk_reg_type.c for instructions.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "hw/eu/isa/isa.h"

namespace softgen::eu::gen5 {

/// As isa.h says. A destination in the message registers is register first_message_register + n.
Instruction decode(const Native& bits);
std::optional<Instruction> decode(std::span<const std::byte> code);
Native encode(const Instruction& instruction);
bool has_opcode(Opcode opcode);

// compact.cpp
std::optional<uint64_t> compact(const Native& bits);
Native uncompact(uint64_t compacted);

// validate.cpp
std::string validate(const Instruction& instruction);

// message.cpp
MessageOp decode_message(unsigned sfid, uint32_t descriptor, uint32_t extended);
uint32_t sent_extended_descriptor(uint32_t extended, unsigned sfid, bool end_of_thread);
MessageFields message_fields(uint32_t descriptor);
unsigned extended_message_length(uint32_t extended);
BarrierFields barrier(const uint32_t* header);
std::string_view sfid_name(unsigned sfid);
std::string message_type_name(unsigned sfid, unsigned type);
std::string describe_message(unsigned sfid, uint32_t descriptor);
bool message_is_known(unsigned sfid, uint32_t descriptor);

constexpr uint8_t first_message_register = 128, message_registers = 16;

}  // namespace softgen::eu::gen5
