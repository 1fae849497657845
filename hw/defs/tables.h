// SPDX-License-Identifier: GPL-2.0-or-later
// How CommandSet::find() finds: three small tables indexed by the opcode bits of a header. Included by the generated tables.cpp and
// command.cpp.
#pragma once

#include <array>

#include "hw/defs/command.h"

namespace softgen::defs {

struct CommandIndex {
  /// Row numbers plus one; zero: none.
  std::array<std::array<uint16_t, 64>, 4> mi{};     ///< header bits 28:23
  std::array<std::array<uint16_t, 128>, 4> blt{};   ///< 28:22
  std::array<std::array<uint16_t, 8192>, 4> gfx{};  ///< 28:16

  constexpr explicit CommandIndex(std::span<const Command> commands) {
    for (size_t row = 0; row < commands.size(); row++)
      for (unsigned engine = 0; engine < 4; engine++)
        if (commands[row].engines >> engine & 1) add(engine, commands[row].match, static_cast<uint16_t>(row + 1));
  }
  constexpr void add(unsigned engine, uint32_t match, uint16_t entry) {
    switch (match >> 29) {
      case 0: mi[engine][match >> 23 & 63] = entry; break;
      case 2: blt[engine][match >> 22 & 127] = entry; break;
      default: gfx[engine][match >> 16 & 8191] = entry; break;
    }
  }
};

}  // namespace softgen::defs
