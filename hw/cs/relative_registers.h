// SPDX-License-Identifier: GPL-2.0-or-later
// Register offsets that count from the MMIO base of the engine that executes (ICL PRM vol 2a, MI_LOAD_REGISTER_IMM, "Add CS MMIO Start
// Offset"): which bits of a command's header say so.
#pragma once

#include <cstdint>
#include <string_view>

#include "hw/defs/command.h"

namespace softgen::cs {

/// The header bit of `command` that is called so; 0: it has none.
constexpr std::string_view relative_field = "Add CS MMIO Start Offset", relative_destination_field = "Add CS MMIO Start Offset Destination",
                           relative_source_field = "Add CS MMIO Start Offset Source";
uint32_t header_bit(const defs::Command& command, std::string_view field);

/// Masks of header bits; 0 where the set's command has no such bit.
struct RelativeRegisters {
  explicit RelativeRegisters(const defs::CommandSet& commands);
  const uint32_t load_imm, load_mem, store_mem;
  const uint32_t destination, source;  ///< of MI_LOAD_REGISTER_REG
};

}  // namespace softgen::cs
