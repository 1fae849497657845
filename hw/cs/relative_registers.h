// SPDX-License-Identifier: GPL-2.0-or-later
// Register offsets that count from the MMIO base of the engine that executes (ICL PRM vol 2a, MI_LOAD_REGISTER_IMM, "Add CS MMIO Start
// Offset"): which bits of a command's header say so.
#pragma once

#include <cstdint>
#include <string_view>

#include "hw/defs/command.h"

namespace softgen::cs {

constexpr std::string_view relative_field = "Add CS MMIO Start Offset", relative_destination_field = "Add CS MMIO Start Offset Destination",
                           relative_source_field = "Add CS MMIO Start Offset Source";
/// The header bit of `command` that is called so; 0: it has none.
uint32_t header_bit(const defs::Command& command, std::string_view field);
/// The same by the command's name; 0: the set has no such command or bit.
uint32_t header_bit(const defs::CommandSet& commands, std::string_view command, std::string_view field);

/// Of MI_BATCH_BUFFER_START, and Enable of 3DPRIMITIVE, too.
constexpr std::string_view posh_start_field = "POSH Start", posh_enable_field = "POSH Enable";

/// Masks of header bits; 0 where the set's command has no such bit.
struct RelativeRegisters {
  explicit RelativeRegisters(const defs::CommandSet& commands);
  const uint32_t load_imm, load_mem, store_mem;
  const uint32_t destination, source;  ///< of MI_LOAD_REGISTER_REG
};

}  // namespace softgen::cs
