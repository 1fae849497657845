// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/cs/relative_registers.h"

#include <algorithm>

namespace softgen::cs {

uint32_t header_bit(const defs::Command& command, std::string_view field) {
  const auto is_field = [&](const defs::Field& each) { return each.name == field && each.end < 32; };
  const auto bit = std::ranges::find_if(command.fields, is_field);
  return bit == command.fields.end() ? 0 : 1u << bit->start;
}

uint32_t header_bit(const defs::CommandSet& commands, std::string_view command, std::string_view field) {
  const defs::Command* const found = commands.find(command);
  return found ? header_bit(*found, field) : 0;
}

RelativeRegisters::RelativeRegisters(const defs::CommandSet& commands)
    : load_imm(header_bit(commands, "MI_LOAD_REGISTER_IMM", relative_field)),
      load_mem(header_bit(commands, "MI_LOAD_REGISTER_MEM", relative_field)),
      store_mem(header_bit(commands, "MI_STORE_REGISTER_MEM", relative_field)),
      destination(header_bit(commands, "MI_LOAD_REGISTER_REG", relative_destination_field)),
      source(header_bit(commands, "MI_LOAD_REGISTER_REG", relative_source_field)) {}

}  // namespace softgen::cs
