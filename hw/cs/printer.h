// SPDX-License-Identifier: GPL-2.0-or-later
// Visitors that do not execute: one prints commands as text, one records which memory a batch's commands are in. Both follow
// every MI_BATCH_BUFFER_START, stop after a bound, and read memory that the guest may be changing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hw/cs/parser.h"

namespace softgen::cs {

/// The packet in one line a field: "0x1000: MI_STORE_DATA_IMM (4 dwords)\n  Use Global GTT: 1\n ...".
std::string print_packet(const Packet& packet);

struct PrintOptions {
  uint32_t max_commands = 100'000;
  bool fields = true;  ///< false: names only
};

/// Prints from `cursor` on until the ring is drained, the outermost batch has ended, or the bound is reached.
std::string print_commands(Cursor cursor, ParseMemory memory, const defs::CommandSet& commands, defs::EngineClass engine,
                           const PrintOptions& options = {});

struct CommandRange {
  uint64_t address = 0;  ///< of a run of commands without a jump
  uint64_t bytes = 0;
  bool ppgtt = false;
  bool operator==(const CommandRange&) const = default;
};

/// The runs of commands that a walk from `cursor` meets, in order.
std::vector<CommandRange> command_ranges(Cursor cursor, ParseMemory memory, const defs::CommandSet& commands, defs::EngineClass engine,
                                         uint32_t max_commands = 100'000);

}  // namespace softgen::cs
