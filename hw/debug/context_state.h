// SPDX-License-Identifier: GPL-2.0-or-later
// A hardware context's state, as far as a reader of its commands needs it: bases and the last packet of each state
// command. A context keeps it over submissions (drivers rely on that).
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "hw/debug/batch_walker.h"
#include "hw/defs/ids.h"

namespace softgen::debug {

struct ContextState {
  /// Of a packet, dwords that are kept: more than any state command has. Files bring packets of 65537.
  static constexpr size_t max_dwords = 1024;

  uint64_t general = 0, surface = 0, dynamic = 0, indirect = 0, instruction = 0;
  /// CS_DEBUG_MODE2 bit 4: push constant addresses do not count from the dynamic state base (SKL PRM vol 2c).
  bool absolute_constants = false;
  /// GT_MODE says what binding table pointers count (hw/iface/decode/shader_bases.h). No driver sets that bit on a chip that lacks it.
  unsigned binding_table_shift = 0;
  bool pooled = false;  ///< binding tables are in the pool, else they count from the surface state base
  uint64_t pool = 0;
  std::map<defs::CommandId, std::vector<uint32_t>> last;

  void note(const WalkedPacket& packet);
  /// Empty when the command was not seen.
  std::span<const uint32_t> packet(defs::CommandId id) const;
  uint64_t base(defs::Base base) const;
  /// Address of the pixel shader's binding table; nothing: no packet has named it. `set`: of the packets.
  std::optional<uint64_t> pixel_table(const defs::CommandSet& set) const;
  /// Address of the binding table that a pointer's field names.
  uint64_t binding_table(uint32_t pointer) const;
};

/// Those of a capture's contexts that were used last: a file may name as many contexts as it has submissions.
class ContextStates {
 public:
  static constexpr size_t max_contexts = 64;

  /// Good until the next call. A context that was evicted starts with empty state.
  ContextState& of(EngineId engine, uint32_t id);
  size_t size() const { return states_.size(); }

 private:
  struct Entry {
    EngineId engine;
    uint32_t id;
    ContextState state;
  };
  std::list<Entry> states_;  ///< the last one first
};

}  // namespace softgen::debug
