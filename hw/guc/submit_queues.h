// SPDX-License-Identifier: GPL-2.0-or-later
// What firmware 9 has taken from work queues, per engine: in order within a priority, one context at a time in the engine's port. The next decision waits
// for the event that reports what the engine took.
//
// Its owner's mutex guards it; lists for engines are commands, which the owner carries out without the mutex.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "hw/base/archive.h"
#include "hw/cs/execlists.h"
#include "hw/defs/guc_abi_v9.h"
#include "hw/iface/engine.h"

namespace softgen::guc {

/// What an engine is asked to run.
struct SubmitItem {
  cs::Descriptor context;
  uint32_t tail = 0;  ///< of its ring, bytes
  uint32_t stage = 0, priority = 0;
  uint32_t report = 0;    ///< of a request to preempt: the GGTT address of its report; 0: it is none
  uint32_t affected = 0;  ///< what the request has dropped
  bool dropped = false;   ///< it does not begin again
};

class SubmitQueues {
 public:
  using Item = SubmitItem;
  struct Command {
    EngineId engine;
    cs::Execlist list;
  };
  struct Listener {
    /// The item is about to go to the engine's port.
    std::function<void(EngineId engine, const Item& item)> submits;
    /// The engine has the item's context, and has left what ran before.
    std::function<void(const Item& item)> preempted;
  };
  /// Chosen. i915 4.19 has at most two items an engine in flight.
  static constexpr size_t max_items = 256;

  /// `engines`: those that the platform has (bit i: EngineId i).
  SubmitQueues(uint32_t engines, Listener listener) : engines_(engines), listener_(std::move(listener)) {}

  bool has(EngineId engine) const { return (engines_ >> static_cast<unsigned>(engine)) & 1; }
  bool has_room(EngineId engine) const { return of(engine).items < max_items; }
  /// Requires has() and has_room().
  void add(EngineId engine, const Item& item);
  /// A stage's items on an engine, also what the engine has already: none of them begins again. Returns their number.
  uint32_t drop(EngineId engine, uint32_t stage);

  void switched(EngineId engine, const cs::ContextSwitch& event);
  /// Nothing goes to the engine until was_reset(). Returns the stage whose preemption is lost by it.
  std::optional<uint32_t> begin_reset(EngineId engine, uint32_t stage);
  void was_reset(EngineId engine);
  /// Nothing goes to the engines while they are paused.
  void pause(bool paused);

  std::vector<Command> take_commands() { return std::exchange(commands_, {}); }
  void stop();
  void state(Archive& archive);

 private:
  struct Engine {
    std::array<std::deque<Item>, defs::guc::v9::priorities> waiting;  ///< [0]: the highest priority
    size_t items = 0;                                                 ///< that wait
    std::optional<Item> in_port, running;
    bool resets = false;
  };
  Engine& of(EngineId engine) { return states_[static_cast<size_t>(engine)]; }
  const Engine& of(EngineId engine) const { return states_[static_cast<size_t>(engine)]; }
  void decide(EngineId engine);
  void leave(Engine& engine, uint32_t event);
  static void item_state(Archive& archive, Item& item);
  static void optional_state(Archive& archive, std::optional<Item>& item);
  bool is_consistent() const;

  const uint32_t engines_;
  const Listener listener_;
  bool paused_ = false;
  std::array<Engine, engine_count> states_;
  std::vector<Command> commands_;
};

}  // namespace softgen::guc
