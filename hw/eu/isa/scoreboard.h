// SPDX-License-Identifier: GPL-2.0-or-later
// Gen12.0's software scoreboard: what an instruction waits for, and the token that it sets (Mesa brw_eu_defines.h, tgl_swsb_decode). Here each
// instruction is finished before the next, so it is only printed and checked.
#pragma once

#include <string>

#include "hw/eu/isa/instruction.h"

namespace softgen::eu {

struct Scoreboard {
  enum class Token : uint8_t { none, set, wait_written, wait_read };
  uint8_t distance = 0;  ///< in-order instructions back; 0: none
  Token token = Token::none;
  uint8_t id = 0;  ///< of the token, below 16

  bool operator==(const Scoreboard&) const = default;
};

/// send, sendc and math finish in any order.
bool is_out_of_order(const Instruction& instruction);
Scoreboard scoreboard(const Instruction& instruction);
/// As Mesa's disassembler writes it: " @1 $2.dst"; empty: nothing.
std::string scoreboard_text(const Instruction& instruction);

}  // namespace softgen::eu
