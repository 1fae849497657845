// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/guc/scheduler.h"

#include <algorithm>
#include <bit>

#include "hw/base/bits.h"
#include "hw/base/log.h"

namespace softgen::guc {

using namespace defs::guc;

Scheduler::Context* Scheduler::find(uint32_t id) {
  const auto found = contexts_.find(id);
  return found == contexts_.end() ? nullptr : &found->second;
}

Scheduler::Context* Scheduler::find_named(uint32_t id) {
  Context* context = find(id);
  return context && context->group.value_or(id) == id ? context : nullptr;
}

// Among several an engine without work, else the one with the shortest queue.
EngineId Scheduler::best_engine(const Context& context) const {
  size_t best = engine_count, fewest = SIZE_MAX;
  for (size_t i = 0; i < engine_count; ++i) {
    if (!bit(context.engines, static_cast<unsigned>(i))) continue;
    const Engine& engine = states_[i];
    const size_t load = engine.waiting.size() + engine.running.has_value() + engine.in_port.has_value();
    if (load < fewest) fewest = load, best = i;
  }
  return static_cast<EngineId>(best);
}

void Scheduler::enqueue(uint32_t id, Context& context, bool first) {
  context.engine = best_engine(context);
  context.place = Place::queued;
  context.key = {context.priority, first ? --first_turn_ : ++last_turn_};
  for (size_t i = 0; i < engine_count; ++i)
    if (bit(context.engines, static_cast<unsigned>(i))) states_[i].waiting.emplace(context.key, id);
}

void Scheduler::take_from_queue(Context& context) {
  if (context.place != Place::queued) return;
  for (size_t i = 0; i < engine_count; ++i)
    if (bit(context.engines, static_cast<unsigned>(i))) states_[i].waiting.erase(context.key);
  context.place = Place::off;
}

void Scheduler::make_runnable(uint32_t id, Context& context) {
  if (context.place == Place::off) enqueue(id, context, false);
  else if (context.place != Place::queued) context.again = true;
  offer(context);
}

// The best engine first; the others may have work of a lower priority.
void Scheduler::offer(const Context& context) {
  decide(context.engine);
  for (size_t i = 0; i < engine_count && context.place == Place::queued; ++i)
    if (bit(context.engines, static_cast<unsigned>(i))) decide(static_cast<EngineId>(i));
}

void Scheduler::decide(EngineId id) {
  Engine& engine = of(id);
  if (takes_list(engine)) enter_group(id);
  if (!takes_list(engine)) return;
  const auto next = engine.waiting.begin();
  const bool waits = next != engine.waiting.end();
  if (!engine.running) {
    if (waits) put_in_port(id, next->second);
    return;
  }
  const Context& running = *find(*engine.running);
  const bool turn = waits && (next->first.first < running.priority || (engine.quantum_over && next->first.first == running.priority));
  const bool stays = running.enabled && !running.leaves;
  if (waits && (turn || !stays)) put_in_port(id, next->second);
  else if (!stays) preempt_to_idle(id);
  else if (running.again) put_in_port(id, *engine.running);
}

// A list of the running context moves its tail (lite restore).
void Scheduler::put_in_port(EngineId id, uint32_t context_id) {
  Engine& engine = of(id);
  Context& context = *find(context_id);
  take_from_queue(context);
  context.place = Place::in_port;
  context.engine = id;
  context.again = false;
  engine.in_port = context_id;
  if (engine.running && engine.running != context_id) start_preemption(engine);
  cs::Execlist list;
  list.element[0] = context.descriptor;
  commands_.push_back({.kind = Command::submit, .engine = id, .list = list});
}

void Scheduler::preempt_to_idle(EngineId id) {
  of(id).idles = true;
  start_preemption(of(id));
  commands_.push_back({.kind = Command::submit, .engine = id, .list = {}});
}

void Scheduler::start_preemption(Engine& engine) {
  const Context& running = *find(*engine.running);
  engine.preemption_end = running.timeout_ns ? listener_.now_ns() + running.timeout_ns : -1;
  if (running.group) expel(*running.group);
}

std::vector<Scheduler::Command> Scheduler::take_commands() {
  while (undecided_) {
    const auto engine = static_cast<unsigned>(std::countr_zero(undecided_));
    undecided_ &= ~(1u << engine);
    decide(static_cast<EngineId>(engine));
  }
  return std::exchange(commands_, {});
}

// -- events -----------------------------------------------------------------------------------------------------------------------

void Scheduler::switched(EngineId id, const cs::ContextSwitch& event) {
  Engine& engine = of(id);
  const bool lite = event.event & cs::event_lite_restore;
  // The answer to the list that preempts to idle: the context may have completed just before.
  if ((event.event & cs::event_preempted) && (event.event & cs::event_active_to_idle)) engine.idles = false;
  if (event.left.valid() && engine.running && !lite) leave(id, event.event);
  // Contexts that the host itself has submitted are not ours.
  const bool ours = engine.in_port && event.entered.valid() && event.entered.same_context(find(*engine.in_port)->descriptor);
  if (ours) enter(id);
  decide(id);
}

void Scheduler::leave(EngineId engine_id, uint32_t event) {
  Engine& engine = of(engine_id);
  const uint32_t id = *std::exchange(engine.running, std::nullopt);
  const bool over = std::exchange(engine.quantum_over, false);
  engine.quantum_end = engine.preemption_end = -1;
  listener_.engine_has(engine_id, std::nullopt);
  Context& context = *find(id);
  if (engine.in_port == id) return;  // it comes back at once
  context.place = Place::off;
  const bool completed = event & cs::event_complete;
  if (context.group) return member_left(context, completed, over || !(event & cs::event_preempted));
  if (!context.enabled) return settle(id, context);
  if (!completed) enqueue(id, context, !over && (event & cs::event_preempted));
  else if (std::exchange(context.again, false)) enqueue(id, context, false);
  if (context.place == Place::queued) offer(context);  // another engine may wait for its turn to end
}

void Scheduler::enter(EngineId engine_id) {
  Engine& engine = of(engine_id);
  const bool stays = engine.running == engine.in_port;
  engine.running = std::exchange(engine.in_port, std::nullopt);
  Context& context = *find(*engine.running);
  context.place = Place::running;
  if (stays) return;
  engine.quantum_over = false;
  engine.quantum_end = context.quantum_ns ? listener_.now_ns() + context.quantum_ns : -1;
  listener_.engine_has(engine_id, engine.running);
}

void Scheduler::report_mode(uint32_t id, bool enabled) { listener_.host(schedule_mode_done, std::array{id, uint32_t{enabled}}); }

void Scheduler::settle(uint32_t id, Context& context) {
  if (std::exchange(context.disabling, false)) report_mode(id, false);
  if (!context.deregistering) return;
  forget(id);
  listener_.host(deregister_done, std::array{id});
}

void Scheduler::look() {
  const int64_t now = listener_.now_ns();
  for (size_t i = 0; i < engine_count; ++i) {
    Engine& engine = states_[i];
    const auto id = static_cast<EngineId>(i);
    if (engine.preemption_end >= 0 && now >= engine.preemption_end) {
      engine.preemption_end = engine.quantum_end = -1;
      if (!resets_allowed_) continue;
      engine.resets = true;
      note("GuC resets an engine", "{} does not preempt", name_of(id));
      commands_.push_back({.kind = Command::reset, .engine = id, .list = {}, .context = engine.running.value_or(0)});
    } else if (engine.quantum_end >= 0 && now >= engine.quantum_end) {
      engine.quantum_end = -1;
      engine.quantum_over = true;
      if (engine.running && find(*engine.running)->group) group_quantum_over(*find(*engine.running)->group);
      decide(id);
    }
  }
}

uint32_t Scheduler::running_image(EngineId engine) const {
  const std::optional<uint32_t> id = running(engine);
  return id ? contexts_.at(*id).descriptor.lrca() : 0;
}

int64_t Scheduler::deadline() const {
  int64_t first = -1;
  for (const Engine& engine : states_)
    for (const int64_t end : {engine.preemption_end, engine.quantum_end})
      if (end >= 0 && (first < 0 || end < first)) first = end;
  return first;
}

bool Scheduler::begin_reset(const Command& command) {
  Engine& engine = of(command.engine);
  if (!engine.resets) return false;  // the firmware has been started anew
  if (engine.running == command.context) return true;
  engine.resets = false;
  decide(command.engine);
  return false;
}

// The host is notified of the context that hung: it captures its state and enables it anew, or no more (i915 guc_handle_context_reset()). Until then the
// context is off: the host rewrites its image (__guc_reset_context()).
void Scheduler::was_reset(EngineId engine_id) {
  Engine& engine = of(engine_id);
  if (!std::exchange(engine.resets, false)) return;
  engine.idles = engine.quantum_over = false;
  engine.quantum_end = engine.preemption_end = -1;
  const std::optional<uint32_t> hung = std::exchange(engine.running, std::nullopt), next = std::exchange(engine.in_port, std::nullopt);
  if (next && next != hung) {
    Context& context = *find(*next);
    context.place = Place::off;
    if (context.group && context.enabled && !context.leaves) put_in_port(engine_id, *next);
    else if (context.group) member_left(context, false, false);
    else if (context.enabled) enqueue(*next, context, true);
    else settle(*next, context);
  }
  if (hung) {
    listener_.engine_has(engine_id, std::nullopt);
    Context& context = *find(*hung);
    context.place = Place::off;
    context.again = false;
    if (context.group) {
      groups_.at(*context.group).hung = true;
      member_left(context, false, false);
    } else {
      context.enabled = false;
      listener_.host(context_reset_notification, std::array{*hung});
      settle(*hung, context);
    }
  }
  for (size_t i = 0; i < engine_count; ++i) decide(static_cast<EngineId>(i));
}

void Scheduler::stop() {
  contexts_.clear();
  groups_.clear();
  waiting_groups_ = {};
  states_ = {};
  undecided_ = 0;
  commands_.clear();
}

}  // namespace softgen::guc
