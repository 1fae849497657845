// SPDX-License-Identifier: GPL-2.0-or-later
// What the host asks of contexts, and the saved state of the scheduler.
#include <algorithm>
#include <bit>

#include "hw/base/bits.h"
#include "hw/base/log.h"
#include "hw/guc/messages.h"
#include "hw/guc/scheduler.h"

namespace softgen::guc {

using namespace defs::guc;

namespace {

// Chosen: what is a millisecond's work for the chip takes this one tens of them (docs/guc.md). i915 asks for 640 ms, of Tiger Lake's render engine
// from Linux 6.2 on for 7.5 s. It resets the chip itself after three heartbeats (of 2500 ms; IGT: 250 ms and 500 ms), the last of which is at least twice
// the timeout (next_heartbeat()). Its two resets exclude each other badly, so ours must come well before.
constexpr int64_t ns_per_us = 1000, min_timeout_ns = 20'000'000;
constexpr int64_t timeout_factor = 3, max_stretched_ns = 2'000'000'000;
/// Of times and turns in a saved state.
constexpr int64_t max_saved = int64_t{1} << 62;

int64_t timeout(uint32_t us) {
  const int64_t asked = us * ns_per_us, stretched = std::min(asked * timeout_factor, std::max(asked, max_stretched_ns));
  return us ? std::max(stretched, min_timeout_ns) : 0;
}

}  // namespace

// The host's address and addressing mode, and an id of the GuC's own.
cs::Descriptor Scheduler::descriptor_of(uint32_t id, uint32_t lrca) {
  const uint32_t high = descriptor_context.with(0, id % descriptor_contexts + 1);
  const uint32_t low = cs::field::RING_ELSP_FORCE_RESTORE.with(cs::field::RING_ELSP_VALID.with(lrca, 1), 0);
  return {low, descriptor_counter.with(high, id / descriptor_contexts)};
}

uint32_t Scheduler::class_number(EngineId engine) { return engine_classes[static_cast<size_t>(class_of(engine))]; }

uint32_t Scheduler::logical_instance(EngineId engine) const {
  uint32_t before = 0;
  for (unsigned i = 0; i < static_cast<unsigned>(engine); ++i)
    before += bit(engines_, i) && class_of(static_cast<EngineId>(i)) == class_of(engine) && takes_lists(static_cast<EngineId>(i));
  return before;
}

std::optional<EngineId> Scheduler::engine_of(uint32_t cls, uint32_t instance) const {
  for (unsigned i = 0; i < engine_count; ++i) {
    const auto id = static_cast<EngineId>(i);
    if (bit(engines_, i) && takes_lists(id) && class_number(id) == cls && logical_instance(id) == instance) return id;
  }
  return std::nullopt;
}

Scheduler::Error Scheduler::register_contexts(Arguments arguments, bool has_children) {
  Registration said;
  const Error unread = is_v69_ ? said.read_v69(arguments, has_children, memory_.ggtt, memory_.range) : said.read(arguments, has_children);
  if (unread) return unread;
  Context context;
  for (unsigned instance = 0; instance < 32; ++instance)
    if (bit(said.instances, instance))
      if (const std::optional<EngineId> engine = engine_of(said.engine_class, instance))
        context.engines |= 1u << static_cast<unsigned>(*engine);
  context.priority = static_cast<uint8_t>(std::min(said.priority, priorities - 1));
  context.quantum_ns = said.quantum_us * ns_per_us;
  context.timeout_ns = timeout(said.timeout_us);
  if (!context.engines) return error_parameters;
  if (has_children) return add_group(said, context);
  if (const Error error = make_room(said.id, 1)) return error;
  context.descriptor = descriptor_of(said.id, said.lrcas[0]);
  contexts_[said.id] = context;
  return 0;
}

Scheduler::Error Scheduler::make_room(uint32_t first, uint32_t count) {
  if (first >= max_contexts || count > max_contexts - first) return error_parameters;
  for (uint32_t id = first; id < first + count; ++id)
    if (const Context* known = find(id); known && (known->enabled || !is_off(*known))) return error_state;
  for (uint32_t id = first; id < first + count; ++id) forget(id);
  return 0;
}

void Scheduler::forget(uint32_t id) {
  const Context* context = find(id);
  if (context && context->group) forget_group(*context->group);
  else contexts_.erase(id);
}

bool Scheduler::is_off(const Context& context) const { return context.group ? is_group_off(*context.group) : context.place == Place::off; }

Scheduler::Error Scheduler::deregister_context(Arguments arguments) {
  const uint32_t id = arguments[0];
  Context* context = find_named(id);
  if (!context || context->deregistering) return error_state;
  context->deregistering = true;
  withdraw(id, *context);
  return 0;
}

void Scheduler::withdraw(uint32_t id, Context& context) {
  if (context.group) return withdraw_group(id);
  context.enabled = false;
  take_from_queue(context);
  if (context.place == Place::off) settle(id, context);
  else decide(context.engine);
}

Scheduler::Error Scheduler::set_mode(Arguments arguments) {
  const uint32_t id = arguments[0];
  Context* context = find_named(id);
  if (!context || context->deregistering || context->disabling) return error_state;
  if (arguments[1] > 1) return error_parameters;
  if (arguments[1] == 1) {
    report_mode(id, true);
    if (context->group) {
      enable_group(id);
    } else {
      context->enabled = true;
      make_runnable(id, *context);
    }
    return 0;
  }
  context->disabling = true;
  withdraw(id, *context);
  return 0;
}

Scheduler::Error Scheduler::schedule(Arguments arguments) {
  Context* context = find_named(arguments[0]);
  if (context && context->group) return schedule_group(arguments[0]);
  if (!context || !context->enabled) return error_state;
  make_runnable(arguments[0], *context);
  return 0;
}

Scheduler::Error Scheduler::set_policies(Arguments arguments) {
  const uint32_t id = arguments[0];
  Context* context = find_named(id);
  if (!context) return error_state;
  const bool whole = for_each_key(arguments.subspan(1), [&](uint32_t key, uint32_t value) {
    switch (key) {
      case policy_quantum: context->quantum_ns = value * ns_per_us; break;
      case policy_preemption_timeout: context->timeout_ns = timeout(value); break;
      case policy_priority: context->priority = static_cast<uint8_t>(std::min(value, priorities - 1)); break;
      default: break;  // preemption is to idle in any case; there is one frequency
    }
  });
  if (context->group) share_policies(id, *context);
  if (!whole) return error_parameters;
  if (context->place != Place::queued) return 0;
  take_from_queue(*context);
  enqueue(id, *context, false);
  offer(*context);
  return 0;
}

// -- saved state ------------------------------------------------------------------------------------------------------------------

void Scheduler::load_engine(Archive& archive, Engine& engine) {
  for (std::optional<uint32_t>* id : {&engine.running, &engine.in_port}) {
    bool has = id->has_value();
    uint32_t value = id->value_or(0);
    archive.value(has);
    archive.value(value);
    *id = has ? std::optional(value) : std::nullopt;
  }
  archive.value(engine.idles);
  archive.value(engine.resets);
  archive.value(engine.quantum_over);
  archive.value(engine.quantum_end);
  archive.value(engine.preemption_end);
}

void Scheduler::state(Archive& archive) {
  if (archive.reading()) {
    stop();
    resets_allowed_ = true;  // states before version 3 have no policies_state()
  }
  const uint32_t count = archive.count(static_cast<uint32_t>(contexts_.size()), max_contexts);
  std::vector<std::pair<uint32_t, Context>> all(contexts_.begin(), contexts_.end());
  std::ranges::sort(all, {}, [](const auto& entry) { return entry.first; });
  all.resize(archive.failed() ? 0 : count);
  for (auto& [id, context] : all) {
    archive.value(id);
    archive.value(context.engines);
    archive.value(context.descriptor);
    archive.value(context.place);
    archive.value(context.engine);
    for (bool* flag : {&context.enabled, &context.disabling, &context.deregistering, &context.again}) archive.value(*flag);
    archive.value(context.priority);
    archive.value(context.quantum_ns);
    archive.value(context.timeout_ns);
    archive.value(context.key.first);
    archive.value(context.key.second);
    if (archive.reading()) contexts_[id] = context;
  }
  for (Engine& engine : states_) load_engine(archive, engine);
  archive.value(first_turn_);
  archive.value(last_turn_);
  if (!archive.reading() || archive.failed()) return;
  for (auto& [id, context] : contexts_)
    for (size_t i = 0; i < engine_count && context.place == Place::queued; ++i)
      if (bit(context.engines, static_cast<unsigned>(i))) states_[i].waiting[context.key] = id;
  if (!is_consistent()) archive.fail("the GuC's contexts in the saved state contradict each other");
}

// What the functions above take for granted.
bool Scheduler::is_consistent() {
  size_t queued = 0;
  if (first_turn_ < -max_saved || last_turn_ > max_saved) return false;
  for (auto& [id, context] : contexts_) {
    const bool fits = id < max_contexts && context.engines && !(context.engines & ~engines_) && context.place <= Place::running &&
                      context.priority < priorities && static_cast<size_t>(context.engine) < engine_count && context.quantum_ns >= 0 &&
                      context.timeout_ns >= 0 && std::max(context.quantum_ns, context.timeout_ns) < max_saved;
    if (!fits) return false;
    const Engine& engine = of(context.engine);
    if (context.place == Place::queued) queued += static_cast<size_t>(std::popcount(context.engines));
    if (context.place == Place::in_port && engine.in_port != id) return false;
    if (context.place == Place::running && engine.running != id) return false;
    if ((context.place == Place::queued && !context.enabled) || (context.place == Place::off && context.again)) return false;
  }
  for (size_t i = 0; i < engine_count; ++i) {
    const Engine& engine = states_[i];
    queued -= std::min(queued, engine.waiting.size());
    for (const std::optional<uint32_t>& id : {engine.running, engine.in_port})
      if (id && (!find(*id) || find(*id)->place < Place::in_port || static_cast<size_t>(find(*id)->engine) != i)) return false;
    if ((engine.in_port || engine.idles) && !bit(engines_, static_cast<unsigned>(i))) return false;
  }
  return queued == 0;
}

}  // namespace softgen::guc
