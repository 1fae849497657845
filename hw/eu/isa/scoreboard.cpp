// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/eu/isa/scoreboard.h"

#include <fmt/format.h>

namespace softgen::eu {

bool is_out_of_order(const Instruction& instruction) {
  const OpcodeInfo* row = instruction.info();
  return row && (is_send(*row) || row->form == Form::math);
}

Scoreboard scoreboard(const Instruction& instruction) {
  using Token = Scoreboard::Token;
  const uint8_t code = instruction.swsb, id = code & 15;
  if (code & 0x80) return {static_cast<uint8_t>(code >> 4 & 7), is_out_of_order(instruction) ? Token::set : Token::wait_written, id};
  switch (code >> 4) {
    case 2: return {0, Token::wait_written, id};
    case 3: return {0, Token::wait_read, id};
    case 4: return {0, Token::set, id};
    default: return {static_cast<uint8_t>(code & 7)};
  }
}

std::string scoreboard_text(const Instruction& instruction) {
  static constexpr std::string_view suffixes[] = {"", "", ".dst", ".src"};
  const Scoreboard s = scoreboard(instruction);
  std::string text = s.distance ? fmt::format(" @{}", s.distance) : std::string();
  if (s.token != Scoreboard::Token::none) text += fmt::format(" ${}{}", s.id, suffixes[static_cast<unsigned>(s.token)]);
  return text;
}

}  // namespace softgen::eu
