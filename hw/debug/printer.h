// SPDX-License-Identifier: GPL-2.0-or-later
// Commands as text or JSON: a node a command, with its fields and what they point to.
//   {"address": "0x...", "command": name, "level": "ring|batch|second", "streamer": "pocs" (else none), "dwords": n, "fields": {...}, "registers": [...],
//    "points_to": [nodes of state_follower.h]}
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "hw/debug/state_follower.h"

namespace softgen::debug {

/// A command by itself: no memory is read. `command` may be null. `registers`: names of those that it names by number, some from
/// the base of the `engine` that executes it.
Json packet_json(const WalkedPacket& packet, const defs::RegisterSet& registers, EngineId engine = EngineId::rcs);

/// `node` (of a command or of state) as indented lines.
std::string node_text(const Json& node, bool colour);

/// A walk's observer that makes nodes. The caller keeps the contexts' state.
class PacketPrinter final : public BatchObserver {
 public:
  using Sink = std::function<void(Json node)>;
  /// `view`: the context's PPGTT; null: state is not followed.
  PacketPrinter(memory::View* view, ContextState& state, const FollowOptions& options, Sink sink)
      : view_(view), state_(state), options_(options), sink_(std::move(sink)) {}

  void packet(const WalkedPacket& packet) override;
  void problem(uint64_t address, const std::string& what) override;

  /// Unknown commands seen, and addresses or lengths that stopped the walk.
  uint64_t unknown() const { return unknown_; }
  uint64_t problems() const { return problems_; }

 private:
  memory::View* view_;
  ContextState& state_;
  const FollowOptions& options_;
  Sink sink_;
  uint64_t unknown_ = 0, problems_ = 0;
};

}  // namespace softgen::debug
