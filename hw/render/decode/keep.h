// SPDX-License-Identifier: GPL-2.0-or-later
// How packets become what a StateStore keeps: most replace the one before, some are one of several elements, or say only part of the state.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hw/defs/ids.h"

namespace softgen::render::decode {

struct KeepRule {
  using Dwords = std::span<const uint32_t>;
  defs::CommandId id{};
  uint16_t capacity = 0;                                                ///< dwords per packet; 0: as declared
  uint8_t copies = 1;                                                   ///< elements
  unsigned (*index)(Dwords packet) = nullptr;                           ///< the element that a packet names; any number. Null: there is one
  std::vector<uint32_t> (*merge)(Dwords old, Dwords packet) = nullptr;  ///< what is kept of both; `old` may be empty. Null: the packet
  void (*complete)(std::span<uint32_t> packet) = nullptr;  ///< makes a kept packet say all of it when nothing is kept before it
  /// In a context image all elements are one packet: a header, then what each has behind its own. The first such dword of an element that was
  /// never set. Null: a packet for each.
  uint32_t (*absent)(unsigned index) = nullptr;
};

/// The same for Gen9 and Gen11, whose packets of this kind have one layout.
KeepRule keep_rule(defs::CommandId id);

}  // namespace softgen::render::decode
