// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/guc/submit_queues.h"

#include <algorithm>

namespace softgen::guc {

using namespace defs::guc::v9;

void SubmitQueues::add(EngineId id, const Item& item) {
  Engine& engine = of(id);
  engine.waiting[item.priority].push_back(item);
  ++engine.items;
  decide(id);
}

uint32_t SubmitQueues::drop(EngineId id, uint32_t stage) {
  Engine& engine = of(id);
  uint32_t dropped = 0;
  for (std::deque<Item>& queue : engine.waiting)
    dropped += static_cast<uint32_t>(std::erase_if(queue, [&](const Item& item) { return item.stage == stage; }));
  engine.items -= dropped;
  for (std::optional<Item>* item : {&engine.running, &engine.in_port})
    if (*item && (*item)->stage == stage && !std::exchange((*item)->dropped, true)) ++dropped;
  return dropped;
}

// A list of the running context moves its tail (lite restore). A request to preempt goes before all that runs, whatever its priority.
void SubmitQueues::decide(EngineId id) {
  Engine& engine = of(id);
  if (engine.in_port || engine.resets || paused_) return;
  const auto queue = std::ranges::find_if(engine.waiting, [](const std::deque<Item>& items) { return !items.empty(); });
  if (queue == engine.waiting.end()) return;
  const Item& next = queue->front();
  if (engine.running) {
    const Item& running = *engine.running;
    const bool moves_tail = next.context.same_context(running.context), preempts = next.report || next.priority < running.priority;
    if (!moves_tail && !preempts) return;
  }
  engine.in_port = next;
  queue->pop_front();
  --engine.items;
  listener_.submits(id, *engine.in_port);
  cs::Execlist list;
  list.element[0] = engine.in_port->context;
  commands_.push_back({.engine = id, .list = list});
}

// What was preempted for a higher priority goes on first, unless the host has taken it back. The count may exceed max_items by one a priority.
void SubmitQueues::leave(Engine& engine, uint32_t event) {
  const Item item = *std::exchange(engine.running, std::nullopt);
  if (engine.in_port && engine.in_port->context.same_context(item.context)) return;  // it comes back at once
  if (item.dropped || (event & cs::event_complete)) return;
  engine.waiting[item.priority].push_front(item);
  ++engine.items;
}

void SubmitQueues::switched(EngineId id, const cs::ContextSwitch& event) {
  Engine& engine = of(id);
  const bool lite = event.event & cs::event_lite_restore;
  if (engine.running && !lite && event.left.valid() && event.left.same_context(engine.running->context)) leave(engine, event.event);
  if (engine.in_port && event.entered.valid() && event.entered.same_context(engine.in_port->context)) {
    engine.running = std::exchange(engine.in_port, std::nullopt);
    if (engine.running->report) listener_.preempted(*engine.running);
  }
  decide(id);
}

std::optional<uint32_t> SubmitQueues::begin_reset(EngineId id, uint32_t stage) {
  Engine& engine = of(id);
  engine.resets = true;
  std::optional<uint32_t> preempting;
  for (const std::optional<Item>& item : {engine.running, engine.in_port})
    if (item && item->report) preempting = item->stage;
  drop(id, stage);
  return preempting;
}

void SubmitQueues::was_reset(EngineId id) {
  Engine& engine = of(id);
  if (!std::exchange(engine.resets, false)) return;
  engine.running = engine.in_port = std::nullopt;
  decide(id);
}

void SubmitQueues::pause(bool paused) {
  paused_ = paused;
  for (unsigned i = 0; i < engine_count; ++i) decide(static_cast<EngineId>(i));
}

void SubmitQueues::stop() {
  states_ = {};
  commands_.clear();
  paused_ = false;
}

// -- saved state ------------------------------------------------------------------------------------------------------------------

void SubmitQueues::item_state(Archive& archive, Item& item) {
  archive.value(item.context);
  archive.value(item.tail);
  archive.value(item.stage);
  archive.value(item.priority);
  archive.value(item.report);
  archive.value(item.affected);
  archive.value(item.dropped);
}

void SubmitQueues::optional_state(Archive& archive, std::optional<Item>& item) {
  bool has = item.has_value();
  archive.value(has);
  if (!has) return item.reset();
  if (!item) item.emplace();
  item_state(archive, *item);
}

void SubmitQueues::state(Archive& archive) {
  if (archive.reading()) stop();
  archive.value(paused_);
  for (Engine& engine : states_) {
    optional_state(archive, engine.in_port);
    optional_state(archive, engine.running);
    archive.value(engine.resets);
    engine.items = 0;
    for (std::deque<Item>& queue : engine.waiting) {
      queue.resize(archive.count(static_cast<uint32_t>(queue.size()), max_items + priorities));
      for (Item& item : queue) item_state(archive, item);
      engine.items += queue.size();
    }
  }
  if (archive.reading() && !archive.failed() && !is_consistent()) archive.fail("the GuC's queues in the saved state contradict each other");
}

// What the functions above take for granted.
bool SubmitQueues::is_consistent() const {
  for (unsigned i = 0; i < engine_count; ++i) {
    const Engine& engine = states_[i];
    if ((engine.items || engine.in_port || engine.running) && !has(static_cast<EngineId>(i))) return false;
    for (const std::optional<Item>& item : {engine.in_port, engine.running})
      if (item && item->priority >= priorities) return false;
    for (size_t priority = 0; priority < engine.waiting.size(); ++priority)
      for (const Item& item : engine.waiting[priority])
        if (item.priority != priority) return false;
  }
  return true;
}

}  // namespace softgen::guc
