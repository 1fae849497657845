// SPDX-License-Identifier: GPL-2.0-or-later
// How packets become what a StateStore keeps: most replace the one before, some are one of several elements, say only part of the state, or stand
// for other packets.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "hw/defs/command.h"
#include "hw/defs/ids.h"

namespace softgen::render::decode {

/// A packet that another one stands for.
struct KeptPacket {
  defs::CommandId id;
  unsigned index;  ///< of the element
  std::vector<uint32_t> dwords;
};

struct KeepRule {
  using Dwords = std::span<const uint32_t>;
  defs::CommandId id{};
  uint16_t capacity = 0;                                                ///< dwords per packet; 0: as declared
  uint8_t copies = 1;                                                   ///< elements; 0: it is kept as other packets
  unsigned (*index)(Dwords packet) = nullptr;                           ///< the element that a packet names; any number. Null: there is one
  std::vector<uint32_t> (*merge)(Dwords old, Dwords packet) = nullptr;  ///< what is kept of both; `old` may be empty. Null: the packet
  void (*complete)(std::span<uint32_t> packet) = nullptr;  ///< makes a kept packet say all of it when nothing is kept before it
  /// In a context image all elements are one packet: a header, then what each has behind its own. The first such dword of an element that was
  /// never set. Null: a packet for each.
  uint32_t (*absent)(unsigned index) = nullptr;
  std::vector<KeptPacket> (*as)(Dwords packet) = nullptr;  ///< of a packet with no copies: what it stands for
  std::string_view field{};                                ///< the rule is that of commands with this field
  const defs::CommandSet* set = nullptr;                   ///< the rule is that of this set's command; null: of all others
};

/// How packets of this command are kept. The rules are the same for all generations: where a command has grown they ask for its new fields.
KeepRule keep_rule(const defs::Command& command);

}  // namespace softgen::render::decode
