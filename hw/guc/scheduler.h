// SPDX-License-Identifier: GPL-2.0-or-later
// Contexts that the host has registered, and which of them runs where (i915 gt/uc/intel_guc_submission.c, whose requests these are). An engine has one
// context at a time and at most one list in its port that it has not taken: the next decision waits for the event that tells what it took.
//
//   off -> queued -> in the port -> running -> off, or queued again when it was preempted
//
// Its owner's mutex guards it; what it wants of the engines it says by commands, which the owner carries out without the mutex.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hw/base/archive.h"
#include "hw/cs/execlists.h"
#include "hw/defs/guc_abi.h"
#include "hw/iface/engine.h"

namespace softgen::guc {

class Scheduler {
 public:
  struct Command {
    enum Kind : uint8_t { submit, reset } kind;
    EngineId engine;
    cs::Execlist list;     ///< of submit
    uint32_t context = 0;  ///< of reset: that hangs
  };
  /// What the scheduler tells: the host by an action and its arguments, and of each context that comes to an engine (nothing: it has left).
  struct Listener {
    std::function<void(uint32_t action, std::span<const uint32_t> arguments)> host;
    std::function<void(EngineId engine, std::optional<uint32_t> context)> engine_has;
    std::function<int64_t()> now_ns;
  };
  using Arguments = std::span<const uint32_t>;
  /// 0: done; else what the host is answered (defs::guc::Error).
  using Error = uint32_t;

  /// `engines`: those that the platform has (bit i: EngineId i).
  Scheduler(uint32_t engines, Listener listener) : engines_(engines), listener_(std::move(listener)) {}

  // -- the host's requests -------------------------------------------------------------------------------------------------------
  Error register_context(Arguments arguments);
  Error deregister_context(Arguments arguments);
  Error set_mode(Arguments arguments);
  Error schedule(Arguments arguments);
  Error set_policies(Arguments arguments);

  // -- the engines ---------------------------------------------------------------------------------------------------------------
  void switched(EngineId engine, const cs::ContextSwitch& event);
  /// Before a command to reset it is carried out. False: the context has left by itself, and nothing is to be done.
  bool begin_reset(const Command& command);
  /// A command to reset it has been carried out.
  void was_reset(EngineId engine);
  /// Time has passed.
  void look();
  /// The context that the engine has, and the address of its image; 0: it has none.
  std::optional<uint32_t> running(EngineId engine) const { return states_[static_cast<size_t>(engine)].running; }
  uint32_t running_image(EngineId engine) const;
  /// When look() is to be called next; < 0: it need not be.
  int64_t deadline() const;

  /// What is to be done, in this order.
  std::vector<Command> take_commands() { return std::exchange(commands_, {}); }
  /// Forgets all contexts.
  void stop();
  void state(Archive& archive);

  /// An engine by the firmware's class and logical instance; nothing: there is none.
  std::optional<EngineId> engine_of(uint32_t cls, uint32_t instance) const;
  /// The other way round.
  static uint32_t class_number(EngineId engine);
  uint32_t logical_instance(EngineId engine) const;

 private:
  enum class Place : uint8_t { off, queued, in_port, running };
  struct Context {
    uint32_t engines = 0;  ///< bit i: EngineId i: where it may run
    cs::Descriptor descriptor;
    Place place = Place::off;
    EngineId engine = EngineId::rcs;  ///< where it is; while it is queued: the best one when it came
    bool enabled = false, disabling = false, deregistering = false;
    bool again = false;  ///< its tail has moved since it went to the port
    uint8_t priority = 0;
    int64_t quantum_ns = 0, timeout_ns = 0;  ///< 0: none
    std::pair<uint8_t, int64_t> key{};       ///< while it is queued
  };
  struct Engine {
    std::map<std::pair<uint8_t, int64_t>, uint32_t> waiting;  ///< all that may run here, by priority, then by turn
    std::optional<uint32_t> running, in_port;
    bool idles = false;         ///< a list that preempts to idle is in the port
    bool resets = false;        ///< a reset is on its way
    bool quantum_over = false;  ///< of the running context
    int64_t quantum_end = -1, preemption_end = -1;
  };

  Context* find(uint32_t id);
  Engine& of(EngineId engine) { return states_[static_cast<size_t>(engine)]; }
  EngineId best_engine(const Context& context) const;
  void enqueue(uint32_t id, Context& context, bool first);
  void take_from_queue(Context& context);
  void make_runnable(uint32_t id, Context& context);
  /// decide() on the engines of a context that has come to the queue.
  void offer(const Context& context);
  void decide(EngineId engine);
  void put_in_port(EngineId engine, uint32_t id);
  void preempt_to_idle(EngineId engine);
  void start_preemption(Engine& engine);
  void leave(EngineId engine, uint32_t event);
  void enter(EngineId engine);
  /// It is off its engine: what the host waits for is told.
  void settle(uint32_t id, Context& context);
  void tell_mode(uint32_t id, bool enabled);
  void load_engine(Archive& archive, Engine& engine);
  bool is_consistent();

  const uint32_t engines_;
  const Listener listener_;
  std::unordered_map<uint32_t, Context> contexts_;
  std::array<Engine, engine_count> states_;
  std::vector<Command> commands_;
  int64_t first_turn_ = 0, last_turn_ = 0;
};

}  // namespace softgen::guc
