// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/cs/streamer.h"

#include <cassert>

#include "hw/base/log.h"
#include "hw/cs/context_image.h"
#include "hw/cs/executor.h"
#include "hw/defs/register.h"

namespace softgen::cs {

namespace engine_event = mmio::engine_event;

Streamer::Streamer(const StreamerConfig& config, StreamerLinks links)
    : config_(config),
      links_(std::move(links)),
      ggtt_(links_.memory, links_.faults, config.id),
      ppgtt_(links_.memory, links_.faults, config.id),
      env_{.engine = config.id, .view = ppgtt_, .ggtt = ggtt_, .registers = links_.registers, .stop = stop_},
      layout_(config.context, config.mmio_base, other_context_registers(links_.registers.set(), config.context, config.id)),
      image_dwords_(layout_.documented()),
      image_(layout_.frame().begin(), layout_.frame().end()),
      restored_(layout_.documented().list_dwords),
      engine_image_(links_.engine.context_size()),
      resident_image_(links_.engine.context_size()) {
  assert(engine_image_.size() + sizeof(StateHeader) <= state_room(config_.context));
  ggtt_.set_space(memory::AddressSpace::ggtt(links_.ggtt));
  set_address_space(memory::AddressSpace::ggtt(links_.ggtt));
}

RunEnd Streamer::run(uint64_t commands) {
  budget = commands;
  for (;;) {
    const uint32_t reasons = stop_.reasons();
    if (reasons & StopFlag::reset) return RunEnd::reset;
    if (reasons & StopFlag::pause) return RunEnd::paused;
    attention_.fetch_and(~attention_stop, std::memory_order_acq_rel);
    if (status_due_.exchange(false, std::memory_order_acq_rel)) write_status(engine_event::error);
    if (get(reg::mi_mode) & reg::stop_ring) {
      busy_.store(false, std::memory_order_release);
      return RunEnd::stopped;
    }
    if (halted_) return RunEnd::stopped;
    if (!next_work()) {
      busy_.store(false, std::memory_order_release);
      return RunEnd::idle;
    }
    busy_.store(true, std::memory_order_release);
    if (halted_ || stop_.aborting()) continue;  // in a batch of the context's restore

    Executor executor(*this);
    can_switch_ = false;
    const ParseEnd end = parse(cursor_, ParseMemory{ggtt_, ppgtt_, packet_}, config_.commands, config_.engine_class, executor);
    finish();  // no work is left behind where the streamer may be saved, switched or stopped
    store_head();
    if (halted_ || stop_.aborting()) continue;  // dropped: the context has not come to its end
    if (end == ParseEnd::drained) {
      drained();
      continue;
    }
    if (executor.reason() == Executor::Reason::failed_wait) {
      if (has_list() && arbitration()) accept_list();
      else leave_element(failed_wait);
      continue;
    }
    const bool waits = end == ParseEnd::starved || executor.reason() == Executor::Reason::waiting;
    can_switch_ = waits || executor.reason() == Executor::Reason::arbitration;
    if (waits && !(has_list() && arbitration())) return RunEnd::waiting;
    if (executor.reason() == Executor::Reason::budget) return RunEnd::budget;
    if (executor.reason() == Executor::Reason::looping) return RunEnd::looping;
  }
}

RunEnd Streamer::failed(const char* why) noexcept {
  halted_ = true;
  in_workaround_ = false;
  stop_.request(StopFlag::abandon);  // EngineCs takes it back
  try {
    unsupported("exception on an engine's thread", "{}: {} hangs until it is reset", why, name_of(config_.id));
  } catch (...) {  // NOLINT: telling may need the memory that there is none of
  }
  try {
    links_.engine.finish(env_);
  } catch (...) {  // NOLINT: what waits is dropped all the same
  }
  try {
    error(reg::error_instruction, true);
  } catch (...) {  // NOLINT: it hangs without an interrupt
  }
  return RunEnd::stopped;
}

// Brings the cursor to something to do; false: there is nothing.
bool Streamer::next_work() {
  if (!execlists()) return load_ring();
  if (has_list() && (!current_.valid() || (can_switch_ && arbitration()) || list_is_lite())) accept_list();
  if (!current_.valid()) return false;
  cursor_.ring.set_tail(get(reg::tail));
  return true;
}

// HEAD has met TAIL. In ring mode next_work() looks whether TAIL has moved since.
void Streamer::drained() {
  if (!execlists() || !current_.valid()) return;
  if (has_list()) return accept_list();
  const uint32_t tail = cursor_.ring.into(get(reg::tail) & reg::ring_offset_mask);
  if (tail == cursor_.ring.head) leave_element(event_complete);
}

void Streamer::load_ring_registers() {
  Cursor::Ring& ring = cursor_.ring;
  ring.start = reg::ring_start.in_place(get(reg::start));
  ring.size = (reg::ring_pages.of(get(reg::ctl)) + 1) * 4096;
  ring.set_head(get(reg::head));
  ring.set_tail(get(reg::tail));
}

bool Streamer::load_ring() {
  if (!(get(reg::ctl) & reg::ring_valid)) return false;
  load_ring_registers();
  set_address_space();
  // At an arbitration point, MI_ARB_CHECK or an empty ring, a valid UHPTR becomes HEAD (ILK PRM vol 1 part 2, "Command Arbitration Rules").
  Cursor::Ring& ring = cursor_.ring;
  if (head_pending() && cursor_.level() == 0 && arbitration() && (can_switch_ || ring.head == ring.tail)) {
    links_.registers.clear_bits(config_.mmio_base + reg::uhptr, reg::head_pending);
    ring.head = ring.into(get(reg::uhptr) & reg::ring_offset_mask);
    store_head();
  }
  return cursor_.level() != 0 || ring.head != ring.tail;
}

void Streamer::store_head() { set(reg::head, cursor_.ring.head_register()); }

// -- execlists ------------------------------------------------------------------------------------------------------------------

std::optional<Execlist> Streamer::take_list() {
  std::scoped_lock lock(attention_mutex_);
  attention_.fetch_and(~attention_list, std::memory_order_acq_rel);
  stop_.clear(StopFlag::preempt);
  switch_wanted_ = false;
  return links_.submission.take();
}

bool Streamer::is_lite_restore(const Execlist& list) const {
  return current_.valid() && list.element[0].valid() && !list.element[0].force_restore() && list.element[0].same_context(current_);
}

bool Streamer::list_is_lite() const {
  const std::optional<Execlist> list = links_.submission.pending();
  return list && is_lite_restore(*list);
}

void Streamer::accept_list() {
  const std::optional<Execlist> taken = take_list();
  if (!taken) return;  // submissions that came together: an earlier look has taken the last of them
  const Execlist& list = *taken;
  if (list.empty()) return guest_error("execlist without a valid element");
  if (is_lite_restore(list)) {
    list_ = list;
    element_ = 0;
    current_ = list.element[0];
    set(reg::tail, ggtt_.load<uint32_t>(current_.lrca() + image_page + image_dwords_.tail * 4) & reg::ring_offset_mask);
    update_status();
    return post_event(event_preempted | event_lite_restore, current_.high);
  }
  const Descriptor old = current_;
  if (old.valid()) save_context();
  list_ = list;
  post_event(old.valid() ? event_preempted : event_idle_to_active, old.valid() ? old.high : 0);
  start_element(list.next(0));
}

void Streamer::start_element(unsigned index) {
  element_ = index;
  current_ = list_.element[index];
  can_switch_ = true;
  set_waiting(false);
  update_status();
  restore_context();
  set_arbitration(true);
}

void Streamer::leave_element(uint32_t why) {
  save_context();
  const Descriptor old = current_;
  current_ = {};
  if (const unsigned next = list_.next(element_ + 1); next < max_elements) {
    post_event(event_element_switch | why, old.high);
    return start_element(next);
  }
  list_ = {};
  update_status();
  post_event(event_active_to_idle | why, old.high);
}

void Streamer::update_status() {
  links_.submission.show({.queue_full = has_list(),
                          .running = current_.valid(),
                          .element = element_,
                          .arbitration = arbitration(),
                          .last_event = last_event_,
                          .context_id = current_.high});
}

void Streamer::post_event(uint32_t event, uint32_t context_id) {
  last_event_ = event;
  links_.submission.report(event, context_id, ggtt_, hwsp());
  raise(engine_event::context_switch);
}

// -- mailbox --------------------------------------------------------------------------------------------------------------------

void Streamer::submitted() {
  std::scoped_lock lock(attention_mutex_);
  attention_.fetch_or(attention_list, std::memory_order_acq_rel);
  if (arbitration()) stop_.request(StopFlag::preempt);
}

void Streamer::stop_ring_changed() { attention_.fetch_or(attention_stop, std::memory_order_acq_rel); }

bool Streamer::must_leave() {
  const uint32_t attention = attention_.load(std::memory_order_acquire);
  if (attention & attention_stop) return true;
  if (!(attention & attention_list) || switch_wanted_ || !execlists()) return false;
  switch_wanted_ = !list_is_lite();
  return !switch_wanted_;
}

void Streamer::set_arbitration(bool on) {
  std::scoped_lock lock(attention_mutex_);
  arbitration_.store(on, std::memory_order_release);
  if (on && has_list()) stop_.request(StopFlag::preempt);
  else stop_.clear(StopFlag::preempt);
}

// -- for the Executor -----------------------------------------------------------------------------------------------------------

// ESR shows errors that last until a reset, EIR what software has not acknowledged yet.
void Streamer::error(uint32_t bit, bool fatal) {
  if (fatal) halted_ = true;
  bool raised = false;
  {
    std::scoped_lock lock(register_mutex_);
    if (fatal) set(reg::esr, get(reg::esr) | bit);
    const uint32_t fresh = bit & ~get(reg::emr) & ~get(reg::eir);
    set(reg::eir, get(reg::eir) | fresh);
    raised = fresh != 0;
  }
  if (raised) raise(engine_event::error);
}

void Streamer::error_mask_changed() {
  bool raised = false;
  {
    std::scoped_lock lock(register_mutex_);
    const uint32_t fresh = get(reg::esr) & ~get(reg::emr) & ~get(reg::eir);
    set(reg::eir, get(reg::eir) | fresh);
    raised = fresh != 0;
  }
  status_due_.store(true, std::memory_order_release);
  if (raised) links_.interrupts.raise(config_.id, engine_event::error);
}

void Streamer::raise(mmio::EngineEvents events) {
  write_status(events);
  links_.interrupts.raise(config_.id, events);
}

// A change of an ISR bit that HWSTAM does not mask writes all of ISR to dword 0 of the status page, where the user interrupt and the notification
// read 0, being over at once, and the master error as long as EIR has one (ILK PRM vol 1 part 4, "Hardware Status Write", HWSTAM).
void Streamer::write_status(mmio::EngineEvents events) {
  constexpr mmio::EngineEvents reported = engine_event::user | engine_event::error | engine_event::flush_notify;
  if (!(~get(reg::hwstam) & links_.interrupts.engine_bits(config_.id, events & reported))) return;
  ggtt_.store_release<uint32_t>(hwsp(), get(reg::eir) ? links_.interrupts.engine_bits(config_.id, engine_event::error) : 0);
}

uint64_t Streamer::timestamp() {
  uint32_t high, low;
  do {
    high = links_.registers.read(config_.mmio_base + reg::timestamp_udw);
    low = links_.registers.read(config_.mmio_base + reg::timestamp);
  } while (high != links_.registers.read(config_.mmio_base + reg::timestamp_udw));
  return low | uint64_t{high} << 32;
}

uint32_t Streamer::context_timestamp() const {
  const uint64_t base = timestamp_base_.load(std::memory_order_acquire);
  if (!(base >> 32)) return get(reg::ctx_timestamp);
  return links_.registers.read(config_.mmio_base + reg::timestamp) + static_cast<uint32_t>(base);
}

ExecResult Streamer::execute(const Packet& packet) {
  env_.predicate = reg::predicate_bit.of(get(reg::predicate_result));
  resident_valid_ = false;  // a workaround batch amid a restore may come here
  return left(links_.engine.execute(packet, env_));
}

ExecResult Streamer::flush(const FlushRequest& request) { return left(links_.engine.flush(request, env_)); }

ExecResult Streamer::finish() { return left(links_.engine.finish(env_)); }

ExecResult Streamer::left(ExecResult result) {
  if (result == ExecResult::aborted && !stop_.resetting()) hang_abandoned();
  return result;
}

// The driver finds an engine that stands at the packet with an error, and resets it as for any other hang.
void Streamer::hang_abandoned() {
  if (halted_) return;
  {
    std::scoped_lock lock(register_mutex_);
    abandoned_ = {abandoned_.count + 1, true, get(reg::acthd) | uint64_t{get(reg::acthd_udw)} << 32, get(reg::ipehr)};
  }
  note("packet abandoned", "{:#010x} at {:#x} ran on while the engine was to stand still: {} hangs there until it is reset",
       abandoned_.header, abandoned_.address, name_of(config_.id));
  error(reg::error_instruction, true);
}

Streamer::Abandoned Streamer::abandoned() {
  std::scoped_lock lock(register_mutex_);
  return abandoned_;
}

void Streamer::set_waiting(bool on) {
  if (waiting_ == on) return;
  waiting_ = on;
  if (on) links_.registers.set_bits(config_.mmio_base + reg::ctl, reg::ring_wait_semaphore);
  else links_.registers.clear_bits(config_.mmio_base + reg::ctl, reg::ring_wait_semaphore);
  if (on) raise(engine_event::wait_semaphore);
}

}  // namespace softgen::cs
