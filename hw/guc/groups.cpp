// SPDX-License-Identifier: GPL-2.0-or-later
// Parents with their children in the scheduler (group.h).
#include <algorithm>
#include <bit>

#include "hw/base/bits.h"
#include "hw/guc/scheduler.h"

namespace softgen::guc {

using namespace defs::guc;

namespace {

constexpr uint32_t bit_of(EngineId engine) { return 1u << static_cast<unsigned>(engine); }

}  // namespace

template <typename F>
void Scheduler::for_members(uint32_t parent, F&& act) {
  for (uint32_t id = parent; id < parent + groups_.at(parent).members; ++id) act(contexts_.at(id));
}

// -- registration -----------------------------------------------------------------------------------------------------------------

// The driver registers the parent's engine alone: the children have the logical instances behind it (i915 gem/i915_gem_context.c,
// set_proto_ctx_engines_parallel_submit()).
std::optional<EngineId> Scheduler::member_engine(EngineId parent, uint32_t member) const {
  return engine_of(class_number(parent), logical_instance(parent) + member);
}

uint32_t Scheduler::parent_engines(uint32_t engines, uint32_t members) const {
  uint32_t fitting = 0;
  for (unsigned i = 0; i < engine_count; ++i)
    if (bit(engines, i) && member_engine(static_cast<EngineId>(i), members - 1)) fitting |= 1u << i;
  return fitting;
}

size_t Scheduler::class_index(const Context& context) {
  return static_cast<size_t>(class_of(static_cast<EngineId>(std::countr_zero(context.engines))));
}

Scheduler::Error Scheduler::add_group(const Registration& said, Context context) {
  const uint32_t fitting = parent_engines(context.engines, said.members);
  if (!fitting) return error_parameters;
  if (!said.queue.fits(memory_.range)) return error_ggtt_address;
  for (const uint32_t lrca : said.addresses()) {
    const uint64_t registers = uint64_t{descriptor_of(said.id, lrca).lrca()} + defs::context_page;
    if (!memory_.range.has(registers, defs::context_page)) return error_ggtt_address;
  }
  if (const Error error = make_room(said.id, said.members)) return error;
  context.group = said.id;
  for (uint32_t i = 0; i < said.members; ++i) {
    context.engines = 0;
    for (unsigned engine = 0; engine < engine_count; ++engine)
      if (bit(fitting, engine)) context.engines |= bit_of(*member_engine(static_cast<EngineId>(engine), i));
    context.descriptor = descriptor_of(said.id + i, said.lrcas[i]);
    contexts_[said.id + i] = context;
  }
  groups_[said.id] = {.members = said.members, .queue = said.queue};
  return 0;
}

void Scheduler::forget_group(uint32_t parent) {
  take_group_from_queue(parent);
  for (uint32_t id = parent; id < parent + groups_.at(parent).members; ++id) contexts_.erase(id);
  groups_.erase(parent);
}

// -- the host's requests ----------------------------------------------------------------------------------------------------------

bool Scheduler::is_group_off(uint32_t parent) const {
  const Group& group = groups_.at(parent);
  for (uint32_t id = parent; id < parent + group.members; ++id)
    if (contexts_.at(id).place != Place::off) return false;
  return !group.waiting;
}

// The queue is read also while the group is disabled: the host moves tails then (i915 __guc_add_request(), context_blocked()).
Scheduler::Error Scheduler::schedule_group(uint32_t parent) {
  Group& group = groups_.at(parent);
  Context& context = contexts_.at(parent);
  const WorkQueue::Items items = group.queue.read(memory_.ggtt, {parent, context.descriptor.lrca(), group.members});
  if (!items.moved) return items.error;
  const uint32_t tail_at =
      defs::context_page + 4 * memory_.images.of(static_cast<EngineId>(std::countr_zero(context.engines))).value_dword(reg::RING_TAIL);
  bool all_run = !group.leaving;
  for (uint32_t i = 0; i < group.members; ++i) {
    const Context& member = contexts_.at(parent + i);
    memory_.ggtt.store_release<uint32_t>(uint64_t{member.descriptor.lrca()} + tail_at, items.tails[i]);
    all_run &= member.place != Place::off;
  }
  if (all_run) {
    for_members(parent, [&](Context& member) {
      member.again = true;
      undecided_ |= bit_of(member.engine);
    });
  } else {
    group.pending = true;
    begin_group(parent, false);
  }
  return items.error;
}

void Scheduler::enable_group(uint32_t parent) {
  for_members(parent, [](Context& member) { member.enabled = true; });
  begin_group(parent, false);
}

void Scheduler::withdraw_group(uint32_t parent) {
  take_group_from_queue(parent);
  for_members(parent, [&](Context& member) {
    member.enabled = false;
    if (member.place != Place::off) undecided_ |= bit_of(member.engine);
  });
  if (is_group_off(parent)) settle(parent, contexts_.at(parent));
}

void Scheduler::share_policies(uint32_t parent, const Context& context) {
  for_members(parent, [&](Context& member) {
    member.priority = context.priority;
    member.quantum_ns = context.quantum_ns;
    member.timeout_ns = context.timeout_ns;
  });
  if (!groups_.at(parent).waiting) return;
  take_group_from_queue(parent);
  begin_group(parent, false);
}

// -- queue and engines ------------------------------------------------------------------------------------------------------------

void Scheduler::begin_group(uint32_t parent, bool first) {
  Group& group = groups_.at(parent);
  const Context& context = contexts_.at(parent);
  if (!group.pending || !context.enabled || !is_group_off(parent)) return;
  const Key key{context.priority, first ? --first_turn_ : ++last_turn_};
  for_members(parent, [&](Context& member) {
    member.key = key;
    undecided_ |= member.engines;
  });
  group.waiting = true;
  waiting_with(context).emplace(key, parent);
}

void Scheduler::take_group_from_queue(uint32_t parent) {
  Group& group = groups_.at(parent);
  const Context& context = contexts_.at(parent);
  if (std::exchange(group.waiting, false)) waiting_with(context).erase(context.key);
}

// Groups of a class go in their order, so that two of them never wait for each other's engines.
void Scheduler::enter_group(EngineId engine) {
  auto& queue = waiting_groups_[static_cast<size_t>(class_of(engine))];
  if (queue.empty()) return;
  const auto [key, parent] = *queue.begin();
  const Engine& at = of(engine);
  if (!at.waiting.empty() && at.waiting.begin()->first < key) return;
  const std::optional<EngineId> place = free_place(parent);
  if (!place) return;
  take_group_from_queue(parent);
  Group& group = groups_.at(parent);
  group.pending = false;
  for (uint32_t i = 0; i < group.members; ++i) put_in_port(*member_engine(*place, i), parent + i);
}

// Where all engines would take it now; of several places that with the fewest contexts on them.
std::optional<EngineId> Scheduler::free_place(uint32_t parent) {
  const Context& context = contexts_.at(parent);
  std::optional<EngineId> best;
  uint32_t fewest = ~0u;
  for (unsigned i = 0; i < engine_count; ++i) {
    if (!bit(context.engines, i)) continue;
    uint32_t busy = 0;
    bool all = true;
    for (uint32_t member = 0; member < groups_.at(parent).members; ++member) {
      const EngineId engine = *member_engine(static_cast<EngineId>(i), member);
      all &= yields(engine, context.key);
      busy += of(engine).running.has_value();
    }
    if (all && busy < fewest) fewest = busy, best = static_cast<EngineId>(i);
  }
  return best;
}

// Besides what decide() knows: a context that went past the waiting group gives way. Else two engines might never be free at the same time.
bool Scheduler::yields(EngineId engine_id, const Key& key) {
  const Engine& engine = of(engine_id);
  if (!takes_list(engine)) return false;
  if (!engine.running) return true;
  const Context& running = *find(*engine.running);
  if (!running.enabled || running.leaves || Key{running.priority, running.key.second} > key) return true;
  return engine.quantum_over && running.priority == key.first;
}

void Scheduler::expel(uint32_t parent) {
  if (std::exchange(groups_.at(parent).leaving, true)) return;
  for_members(parent, [&](Context& member) {
    member.leaves = true;
    if (member.place != Place::off) undecided_ |= bit_of(member.engine);
  });
}

void Scheduler::member_left(Context& context, bool completed, bool last) {
  const uint32_t parent = *context.group;
  Group& group = groups_.at(parent);
  group.pending |= !completed || std::exchange(context.again, false);
  context.again = false;
  if (!completed) {
    group.last |= last;
    expel(parent);
  }
  if (is_group_off(parent)) group_left(parent);
}

// The host rewrites the images of all when it hears of a reset, and enables the group again (i915 __guc_reset_context()).
void Scheduler::group_left(uint32_t parent) {
  Group& group = groups_.at(parent);
  Context& context = contexts_.at(parent);
  const bool last = std::exchange(group.last, false);
  group.leaving = false;
  for_members(parent, [](Context& member) { member.leaves = false; });
  if (std::exchange(group.hung, false)) {
    group.pending = false;
    for_members(parent, [](Context& member) { member.enabled = false; });
    listener_.host(context_reset_notification, std::array{parent});
  }
  if (context.enabled) begin_group(parent, !last);
  else settle(parent, context);
}

// With work that came when some members had left already, it begins anew as a whole.
void Scheduler::group_quantum_over(uint32_t parent) {
  for_members(parent, [&](Context& member) {
    Engine& engine = of(member.engine);
    if (member.place != Place::running) return;
    engine.quantum_end = -1;
    engine.quantum_over = true;
    undecided_ |= bit_of(member.engine);
  });
  if (groups_.at(parent).pending) expel(parent);
}

// -- saved state ------------------------------------------------------------------------------------------------------------------

void Scheduler::groups_state(Archive& archive) {
  archive.value(is_v69_);
  const uint32_t count = archive.count(static_cast<uint32_t>(groups_.size()), max_contexts);
  std::vector<std::pair<uint32_t, Group>> all(groups_.begin(), groups_.end());
  all.resize(archive.failed() ? 0 : count);
  for (auto& [parent, group] : all) {
    archive.value(parent);
    archive.value(group.members);
    group.queue.state(archive);
    for (bool* flag : {&group.waiting, &group.pending, &group.leaving, &group.last, &group.hung}) archive.value(*flag);
  }
  if (!archive.reading() || archive.failed()) return;
  for (const auto& [parent, group] : all) {
    if (!is_consistent(parent, group)) return archive.fail("a group of the GuC's contexts in the saved state contradicts itself");
    groups_[parent] = group;
    for_members(parent, [&, parent = parent, leaving = group.leaving](Context& member) { member.group = parent, member.leaves = leaving; });
    if (group.waiting) waiting_with(contexts_.at(parent)).emplace(contexts_.at(parent).key, parent);
  }
}

// What the functions above take for granted.
bool Scheduler::is_consistent(uint32_t parent, const Group& group) {
  if (!group.members || group.members > WorkQueue::max_members || parent >= max_contexts || !group.queue.fits(memory_.range)) return false;
  const Context* first = find(parent);
  if (!first || parent_engines(first->engines, group.members) != first->engines) return false;
  bool runs = false;
  for (uint32_t i = 0; i < group.members; ++i) {
    const Context* member = find(parent + i);
    if (!member || member->group || member->place == Place::queued || member->enabled != first->enabled || member->key != first->key)
      return false;
    if (i && (member->disabling || member->deregistering)) return false;
    for (unsigned engine = 0; engine < engine_count; ++engine)
      if (bit(first->engines, engine) && !bit(member->engines, static_cast<unsigned>(*member_engine(static_cast<EngineId>(engine), i))))
        return false;
    runs |= member->place != Place::off;
  }
  if (group.waiting) return !runs && group.pending && first->enabled && !group.leaving && !waiting_with(*first).contains(first->key);
  return runs || !(group.leaving || group.hung);
}

}  // namespace softgen::guc
