// SPDX-License-Identifier: GPL-2.0-or-later
// A line a draw, walker, blit and flush of a submission: softgen-replay --list.
#pragma once

#include <functional>
#include <string>

#include "hw/debug/batch_walker.h"
#include "hw/debug/context_state.h"

namespace softgen::replay {

class DrawList final : public debug::BatchObserver {
 public:
  using Line = std::function<void(const std::string&)>;
  /// `first`: number of the first draw or walker.
  DrawList(const defs::CommandSet& commands, memory::View& view, debug::ContextState& state, uint64_t first, Line line)
      : set_(commands), view_(view), state_(state), number_(first), line_(std::move(line)) {}

  void packet(const debug::WalkedPacket& packet) override;
  void problem(uint64_t address, const std::string& what) override;

  uint64_t commands() const { return commands_; }
  uint64_t draws() const { return draws_; }
  uint64_t walkers() const { return walkers_; }
  uint64_t unknown() const { return unknown_; }
  uint64_t problems() const { return problems_; }

 private:
  std::string draw_text(const debug::WalkedPacket& packet) const;
  std::string walker_text(const debug::WalkedPacket& packet) const;
  std::string targets_text() const;

  const defs::CommandSet& set_;
  memory::View& view_;
  debug::ContextState& state_;
  uint64_t number_;
  Line line_;
  uint64_t commands_ = 0, draws_ = 0, walkers_ = 0, unknown_ = 0, problems_ = 0;
};

}  // namespace softgen::replay
