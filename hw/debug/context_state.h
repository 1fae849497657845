// SPDX-License-Identifier: GPL-2.0-or-later
// What a hardware context has been told so far, as far as a reader of its commands needs it: bases and the last packet of each state
// command. A context keeps it over submissions (drivers rely on that).
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "hw/debug/batch_walker.h"
#include "hw/defs/gen9/ids.h"

namespace softgen::debug {

struct ContextState {
  uint64_t general = 0, surface = 0, dynamic = 0, indirect = 0, instruction = 0;
  /// CS_DEBUG_MODE2 bit 4: push constant addresses do not count from the dynamic state base (SKL PRM vol 2c).
  bool absolute_constants = false;
  std::map<defs::CommandId, std::vector<uint32_t>> last;

  void note(const WalkedPacket& packet);
  /// Empty when the command was not seen.
  std::span<const uint32_t> packet(defs::CommandId id) const;
  uint64_t base(defs::Base base) const;
};

}  // namespace softgen::debug
