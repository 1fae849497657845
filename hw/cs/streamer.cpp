// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/cs/streamer.h"

#include "hw/base/log.h"
#include "hw/cs/ring_registers.h"

namespace softgen::cs {

namespace engine_event = mmio::engine_event;

Streamer::Streamer(const StreamerConfig& config, StreamerLinks links)
    : core_(config, std::move(links)),
      arbiter_(core_),
      executor_(std::make_unique<Executor>(core_, arbiter_, [this](Executor::Dwords packet) { set_context(packet); })),
      contexts_(std::make_unique<ContextStore>(core_, ContextStore::Walk{.cursor = cursor_, .predicate_mode = execution().predicate_mode},
                                               [this](const WorkaroundBatch& batch) { run_workaround_batch(batch); })) {}

Streamer::Streamer(const StreamerConfig& config, StreamerLinks links, MakeExecutor make_executor)
    : core_(config, std::move(links)),
      arbiter_(core_),
      executor_(make_executor(core_, arbiter_, [this](Executor::Dwords packet) { set_context(packet); })) {}

std::span<const uint32_t> Streamer::kicking_registers() const {
  static constexpr uint32_t registers[] = {reg::tail, reg::head, reg::ctl, reg::mode, reg::uhptr};
  return registers;
}

ParseEnd Streamer::walk() {
  const ParseEnd end = executor_->walk(cursor_, packet_);
  core_.finish_deferred();  // contexts are saved, switched and stopped without deferred work
  return end;
}

RunEnd Streamer::run(uint64_t commands) {
  execution().budget = commands;
  for (;;) {
    const uint32_t reasons = stop().reasons();
    if (reasons & StopFlag::reset) return RunEnd::reset;
    if (reasons & StopFlag::pause) return RunEnd::paused;
    arbiter_.stop_ring_seen();
    core_.write_due_status();
    if (core_.get(reg::mi_mode) & reg::stop_ring) {
      busy_.store(false, std::memory_order_release);
      return RunEnd::stopped;
    }
    if (core_.links().position) hang_with_position();
    if (core_.halted()) return RunEnd::stopped;
    const Work work = next_work();
    if (work == Work::blocked) return RunEnd::awaits_position;
    if (work == Work::none) {
      busy_.store(false, std::memory_order_release);
      return RunEnd::idle;
    }
    busy_.store(true, std::memory_order_release);
    if (core_.halted() || stop().aborting()) continue;  // in a batch of the context's restore

    can_switch_ = false;
    const uint64_t budget = execution().budget;
    const ParseEnd end = walk();
    store_head(core_, cursor_.ring);
    if (core_.halted() || stop().aborting()) continue;  // dropped: the context has not come to its end
    if (const std::optional<RunEnd> ended = end_of(end, budget - execution().budget)) return *ended;
  }
}

std::optional<RunEnd> Streamer::end_of(ParseEnd end, uint64_t commands) {
  const Executor::Reason reason = executor_->reason();
  const bool fails = end == ParseEnd::stopped && reason == Executor::Reason::failed_wait;
  // One command boundary is where the walk ended: a context that is about to leave has not gone on.
  const bool leaves = fails || end == ParseEnd::drained;
  if (!leaves || commands > 1) position_stays();
  if (end == ParseEnd::drained) return drained() ? std::nullopt : std::optional(RunEnd::awaits_position);
  if (fails) {
    const bool accepts = arbiter_.has_list() && arbiter_.arbitration();
    if (!accepts && !position_rests()) return RunEnd::waiting;  // it may be POCS that is waited for
    const bool left = accepts ? accept_list() : leave_element(execution().failed_wait);
    return left ? std::nullopt : std::optional(RunEnd::awaits_position);
  }
  const bool waits = end == ParseEnd::starved || reason == Executor::Reason::waiting;
  can_switch_ = waits || reason == Executor::Reason::arbitration;
  if (waits && !(arbiter_.has_list() && arbiter_.arbitration())) return RunEnd::waiting;
  if (reason == Executor::Reason::budget) return RunEnd::budget;
  if (reason == Executor::Reason::looping) return RunEnd::looping;
  return std::nullopt;
}

RunEnd Streamer::failed(const char* why) noexcept {
  core_.halt();
  execution().in_workaround = false;
  stop().request(StopFlag::abandon);  // EngineCs takes it back
  try {
    unsupported("exception on an engine's thread", "{}: {} hangs until it is reset", why, name_of(config().id));
  } catch (...) {  // NOLINT: telling may need the memory that there is none of
  }
  try {
    core_.drop();
  } catch (...) {  // NOLINT: the work is dropped all the same
  }
  try {
    core_.error(reg::error_instruction, EngineCore::Error::fatal);
  } catch (...) {  // NOLINT: it hangs without an interrupt
  }
  return RunEnd::stopped;
}

std::optional<WatchdogForm> Streamer::watchdog() const {
  if (config().id != EngineId::rcs) return std::nullopt;
  return WatchdogForm{.control = reg::pr_ctr_ctl, .threshold = reg::pr_ctr_thrsh, .stopped = 0};
}

Streamer::Work Streamer::next_work() {
  if (!core_.execlists()) return load_own_ring() ? Work::ready : Work::none;
  if (arbiter_.has_list() && (!core_.context().valid() || (can_switch_ && arbiter_.arbitration()) || arbiter_.list_is_lite()) &&
      !accept_list())
    return Work::blocked;
  if (!core_.context().valid()) return Work::none;
  if (arbiter_.restore_requested() && can_switch_ && arbiter_.arbitration() && !execution().leave_to_thread && !save_and_restore())
    return Work::blocked;
  cursor_.ring.set_tail(core_.get(reg::tail));
  return Work::ready;
}

// HEAD has met TAIL. In ring mode next_work() checks whether TAIL has moved since.
bool Streamer::drained() {
  if (!core_.execlists() || !core_.context().valid()) return true;
  if (arbiter_.has_list()) return accept_list();
  const uint32_t tail = cursor_.ring.into(core_.get(reg::tail) & reg::ring_offset_mask);
  return tail != cursor_.ring.head || (position_rests() && leave_element(event_complete));
}

bool Streamer::load_own_ring() {
  if (!(core_.get(reg::ctl) & reg::ring_valid)) return false;
  load_ring(core_, cursor_.ring);
  follow_tables();
  // At an arbitration point, MI_ARB_CHECK or an empty ring, a valid UHPTR becomes HEAD (ILK PRM vol 1 part 2, "Command Arbitration Rules").
  Cursor::Ring& ring = cursor_.ring;
  if (core_.head_pending() && cursor_.level() == 0 && arbiter_.arbitration() && (can_switch_ || ring.head == ring.tail)) {
    core_.links().registers.clear_bits(config().mmio_base + reg::uhptr, reg::head_pending);
    ring.head = ring.into(core_.get(reg::uhptr) & reg::ring_offset_mask);
    store_head(core_, ring);
  }
  return cursor_.level() != 0 || ring.head != ring.tail;
}

// -- execlists ------------------------------------------------------------------------------------------------------------------

bool Streamer::accept_list() {
  const std::optional<Execlist> taken = arbiter_.take();
  if (!taken) return true;  // submissions that came together: the last of them has been taken already
  const Execlist& list = *taken;
  Watch* const watch = core_.watch();
  if (watch) watch->list_taken(config().id);
  if (list.empty()) return preempt_to_idle();
  if (arbiter_.is_lite_restore(list)) {
    const Descriptor old = core_.context();
    list_ = list;
    element_ = 0;
    core_.set_context(list.element[0]);
    const uint32_t old_tail = core_.get(reg::tail) & reg::ring_offset_mask;
    core_.set(reg::tail, contexts_->tail_of(core_.context()));
    if (watch) tell_lite_restore(*watch, old_tail);
    position_follows();
    update_status();
    post_event({event_preempted | event_lite_restore, old, core_.context()});
    return true;
  }
  if (!position_left()) return arbiter_.put_back(list), false;
  const Descriptor old = core_.context();
  if (old.valid()) save_context(false);
  position_ends();
  list_ = list;
  const unsigned first = list.next(0);
  post_event({old.valid() ? event_preempted : event_idle_to_active, old, list.element[first]});
  start_element(first);
  return true;
}

void Streamer::tell_lite_restore(Watch& watch, uint32_t old_tail) {
  WatchedEntry entry = contexts_->entry_of(core_.context());
  entry.head = cursor_.ring.head;
  watch.tail_moved(entry, old_tail);
}

bool Streamer::preempt_to_idle() {
  list_ = {};
  if (!core_.context().valid()) {  // already idle: only the GuC is notified that its list was taken
    if (core_.links().switched) core_.links().switched({event_preempted | event_active_to_idle, {}, {}});
    return true;
  }
  if (leave_element(event_preempted)) return true;
  arbiter_.put_back({});
  return false;
}

bool Streamer::save_and_restore() {
  if (!position_left()) return false;
  save_context(false);
  position_ends();
  arbiter_.clear_restore();
  preemptions_.fetch_add(1, std::memory_order_relaxed);
  core_.links().engine.reset_context();  // as another context would leave it
  core_.set_as_saved(false);
  start_element(element_);
  return true;
}

void Streamer::start_element(unsigned index) {
  element_ = index;
  core_.set_context(list_.element[index]);
  can_switch_ = true;
  core_.set_waiting(false);
  update_status();
  if (Watch* const watch = core_.watch()) watch->context_entered(contexts_->entry_of(core_.context()));
  contexts_->restore();
  arbiter_.set_arbitration(true);
  if (core_.links().context_changed) core_.links().context_changed();
  if (core_.links().observation) core_.links().observation->context_entered({core_.context().high, core_.context().lrca()});
  begin_position();
}

bool Streamer::leave_element(uint32_t why) {
  if (!position_left()) return false;
  save_context(why == event_complete);
  if (core_.links().context_changed) core_.links().context_changed();
  position_ends();
  const Descriptor old = core_.context();
  core_.set_context({});
  if (const unsigned next = list_.next(element_ + 1); next < max_elements) {
    post_event({event_element_switch | why, old, list_.element[next]});
    start_element(next);
    return true;
  }
  list_ = {};
  update_status();
  post_event({event_active_to_idle | why, old, {}});
  return true;
}

void Streamer::context_leaves() {
  if (core_.links().observation && core_.context().valid()) core_.links().observation->context_leaves();
}

void Streamer::save_context(bool complete) {
  context_leaves();
  contexts_->save();
  if (Watch* const watch = core_.watch()) watch->context_left(config().id, cursor_.ring.head, complete);
}

void Streamer::update_status() {
  core_.links().submission.show({.queue_full = arbiter_.has_list(),
                                 .running = core_.context().valid(),
                                 .element = element_,
                                 .arbitration = arbiter_.arbitration(),
                                 .last_event = last_event_,
                                 .context_id = core_.context().high});
}

void Streamer::post_event(const ContextSwitch& event) {
  last_event_ = event.event;
  core_.links().submission.report(event, core_.ggtt(), core_.hwsp());
  core_.raise(engine_event::context_switch);
  if (core_.links().switched) core_.links().switched(event);
}

std::unique_ptr<Streamer> list_streamer(const StreamerConfig& config, StreamerLinks links) {
  return std::make_unique<Streamer>(config, std::move(links));
}

}  // namespace softgen::cs
