// SPDX-License-Identifier: GPL-2.0-or-later
// Contexts that the host has registered, and which of them runs where (i915 gt/uc/intel_guc_submission.c, whose requests these are). An engine has one
// context at a time and at most one list in its port that it has not taken: the next decision waits for the event that reports what it took.
//
//   off -> queued -> in the port -> running -> off, or queued again when it was preempted
//
// A parent and its children (group.h) do not queue each for itself: they go to the ports of their engines when each of these can take one.
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
#include "hw/defs/context.h"
#include "hw/defs/guc_abi.h"
#include "hw/guc/group.h"
#include "hw/guc/messages.h"
#include "hw/guc/registration.h"
#include "hw/iface/engine.h"
#include "hw/memory/view.h"

namespace softgen::guc {

class Scheduler {
 public:
  struct Command {
    enum Kind : uint8_t { submit, reset } kind;
    EngineId engine;
    cs::Execlist list;     ///< of submit
    uint32_t context = 0;  ///< of reset: that hangs
  };
  /// Where the host has what parents are about.
  struct Memory {
    memory::View& ggtt;
    const AddressRange& range;
    const defs::ContextImages& images;
  };
  /// Whom the scheduler notifies: the host, by an action and its arguments; and of each context that an engine gets (nothing: it has left).
  struct Listener {
    std::function<void(uint32_t action, std::span<const uint32_t> arguments)> host;
    std::function<void(EngineId engine, std::optional<uint32_t> context)> engine_has;
    std::function<int64_t()> now_ns;
  };
  using Arguments = std::span<const uint32_t>;
  /// 0: done; else the error that the host gets (defs::guc::Error).
  using Error = uint32_t;

  /// `engines`: those that the platform has (bit i: EngineId i).
  Scheduler(uint32_t engines, const Memory& memory, Listener listener)
      : engines_(engines), memory_(memory), listener_(std::move(listener)) {}

  /// `is_v69`: registrations are version 69's.
  void start(bool is_v69) { is_v69_ = is_v69, resets_allowed_ = true; }
  bool is_v69() const { return is_v69_; }

  // -- the host's requests -------------------------------------------------------------------------------------------------------
  Error register_context(Arguments arguments) { return register_contexts(arguments, false); }
  /// A parent and its children.
  Error register_group(Arguments arguments) { return register_contexts(arguments, true); }
  Error deregister_context(Arguments arguments);
  Error set_mode(Arguments arguments);
  Error schedule(Arguments arguments);
  Error set_policies(Arguments arguments);
  /// Whether an engine that does not preempt in time is reset. If not, the host has to do something.
  void allow_resets(bool allowed) { resets_allowed_ = allowed; }

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

  /// What is to be done, in this order. To be called after each of the functions above.
  std::vector<Command> take_commands();
  /// Forgets all contexts.
  void stop();
  void state(Archive& archive);
  /// After state(), where the saved state has groups.
  void groups_state(Archive& archive);
  /// After groups_state(), where the saved state has them.
  void policies_state(Archive& archive) { archive.value(resets_allowed_); }

  /// An engine by the firmware's class and logical instance; nothing: there is none.
  std::optional<EngineId> engine_of(uint32_t cls, uint32_t instance) const;
  /// The other way round.
  static uint32_t class_number(EngineId engine);
  uint32_t logical_instance(EngineId engine) const;

 private:
  enum class Place : uint8_t { off, queued, in_port, running };
  using Key = std::pair<uint8_t, int64_t>;  ///< priority, turn
  struct Context {
    uint32_t engines = 0;  ///< bit i: EngineId i: where it may run
    cs::Descriptor descriptor;
    Place place = Place::off;
    EngineId engine = EngineId::rcs;  ///< where it is; while it is queued: the best one when it came
    bool enabled = false, disabling = false, deregistering = false;
    bool again = false;  ///< its tail has moved since it went to the port
    uint8_t priority = defs::guc::priority_normal;
    int64_t quantum_ns = 0, timeout_ns = 0;  ///< 0: none
    Key key{};                               ///< of when it was queued
    std::optional<uint32_t> group;           ///< it is a member; enabled, priority, times and key are those of all members
    bool leaves = false;                     ///< its group does
  };
  struct Engine {
    std::map<Key, uint32_t> waiting;  ///< all that may run here
    std::optional<uint32_t> running, in_port;
    bool idles = false;         ///< a list that preempts to idle is in the port
    bool resets = false;        ///< a reset is on its way
    bool quantum_over = false;  ///< of the running context
    int64_t quantum_end = -1, preemption_end = -1;
  };

  Context* find(uint32_t id);
  /// Without children: the host's requests name their parent.
  Context* find_named(uint32_t id);
  Engine& of(EngineId engine) { return states_[static_cast<size_t>(engine)]; }
  static bool takes_list(const Engine& engine) { return !engine.in_port && !engine.idles && !engine.resets; }
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
  /// It is off its engine: answers what the host waits for.
  void settle(uint32_t id, Context& context);
  void report_mode(uint32_t id, bool enabled);
  static cs::Descriptor descriptor_of(uint32_t id, uint32_t lrca);
  Error register_contexts(Arguments arguments, bool has_children);
  /// Contexts that are known by these ids are forgotten. Fails if one of them is in use.
  Error make_room(uint32_t first, uint32_t count);
  void forget(uint32_t id);
  bool is_off(const Context& context) const;
  /// It is to be off, and then to be settled.
  void withdraw(uint32_t id, Context& context);

  // -- groups (groups.cpp) by their parents' ids ---------------------------------------------------------------------------------
  /// `context`: what all members have, with the parent's engines.
  Error add_group(const Registration& said, Context context);
  void forget_group(uint32_t parent);
  template <typename F>
  void for_members(uint32_t parent, F&& act);
  bool is_group_off(uint32_t parent) const;
  /// Those of `engines` that have neighbours for the children.
  uint32_t parent_engines(uint32_t engines, uint32_t members) const;
  std::optional<EngineId> member_engine(EngineId parent, uint32_t member) const;
  /// The groups that wait for engines of the same class.
  std::map<Key, uint32_t>& waiting_with(const Context& context) { return waiting_groups_[class_index(context)]; }
  static size_t class_index(const Context& context);
  Error schedule_group(uint32_t parent);
  void enable_group(uint32_t parent);
  void withdraw_group(uint32_t parent);
  void share_policies(uint32_t parent, const Context& context);
  /// It waits if it may and has work.
  void begin_group(uint32_t parent, bool first);
  void take_group_from_queue(uint32_t parent);
  /// The first that waits goes to its engines if all of them, of the class of `engine`, would take it.
  void enter_group(EngineId engine);
  std::optional<EngineId> free_place(uint32_t parent);
  bool yields(EngineId engine, const Key& key);
  /// All members leave.
  void expel(uint32_t parent);
  /// `last`: with work left, the group waits behind all others of its priority.
  void member_left(Context& context, bool completed, bool last);
  void group_left(uint32_t parent);
  void group_quantum_over(uint32_t parent);
  bool is_consistent(uint32_t parent, const Group& group);

  void load_engine(Archive& archive, Engine& engine);
  bool is_consistent();

  const uint32_t engines_;
  bool is_v69_ = false, resets_allowed_ = true;
  const Memory memory_;
  const Listener listener_;
  std::unordered_map<uint32_t, Context> contexts_;
  std::map<uint32_t, Group> groups_;                                                      ///< by the parent's id
  std::array<std::map<Key, uint32_t>, defs::guc::engine_classes.size()> waiting_groups_;  ///< by class
  std::array<Engine, engine_count> states_;
  uint32_t undecided_ = 0;  ///< bit i: EngineId i: a decision is due, before the commands are taken
  std::vector<Command> commands_;
  int64_t first_turn_ = 0, last_turn_ = 0;
};

}  // namespace softgen::guc
