// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/cs/engine_core.h"

#include <algorithm>
#include <utility>

#include "hw/base/log.h"
#include "hw/mmio/timestamp.h"

namespace softgen::cs {

namespace engine_event = mmio::engine_event;

EngineCore::EngineCore(const StreamerConfig& config, StreamerLinks links)
    : config_(config),
      links_(std::move(links)),
      translation_(links_.registers, config.id),
      wide_(has(reg::acthd_udw)),
      has_mode_(has(reg::mode)),
      ggtt_(links_.memory, links_.faults, config.id),
      ppgtt_(links_.memory, links_.faults, config.id),
      env_{.engine = config.id, .view = ppgtt_, .ggtt = ggtt_, .registers = links_.registers, .stop = stop_} {
  ggtt_.set_space(memory::AddressSpace::ggtt(links_.ggtt));
  set_address_space(memory::AddressSpace::ggtt(links_.ggtt));
}

void EngineCore::publish(uint64_t address, uint32_t header) {
  set(reg::ipehr, header);
  set_address(reg::acthd, reg::acthd_udw, address);
}

bool EngineCore::has(uint32_t relative) const {
  const auto is_here = [&](const defs::Register& row) {
    const uint32_t end = row.offset + (row.count[0] - 1u) * row.stride[0] + (row.count[1] - 1u) * row.stride[1];
    return row.engine && relative >= row.offset && relative <= end;
  };
  return std::ranges::any_of(links_.registers.set().rows, is_here);
}

// -- memory ---------------------------------------------------------------------------------------------------------------------

memory::AddressSpace EngineCore::address_space() const {
  MutexLock lock(space_mutex_);
  return space_;
}

void EngineCore::set_address_space(const memory::AddressSpace& space) {
  ppgtt_.set_space(space);
  MutexLock lock(space_mutex_);
  space_ = space;
}

void EngineCore::set_address_space() {
  const auto pdp = [&](uint32_t n) { return get64(reg::pdp + 8 * n); };
  const uint32_t mode = this->mode();
  const bool lists = execlists();
  const bool enabled = lists ? context_.valid() && context_.has_ppgtt() : (mode & reg::ppgtt_enable) != 0;
  const bool wide = lists ? context_.wide_ppgtt() : (mode & reg::ppgtt_48b) != 0;
  memory::AddressSpace space = memory::AddressSpace::ggtt(links_.ggtt);
  if (enabled && wide) space = memory::AddressSpace::ppgtt48(pdp(0), links_.tlb, links_.ppgtt_pages);
  else if (enabled) space = memory::AddressSpace::ppgtt32({pdp(0), pdp(1), pdp(2), pdp(3)}, links_.tlb, links_.ppgtt_pages);
  translation_.add_to(space);
  set_address_space(space);
}

void EngineCore::invalidate() {
  ggtt_.invalidate();
  ppgtt_.invalidate();
}

// -- time -----------------------------------------------------------------------------------------------------------------------

uint64_t EngineCore::timestamp() { return mmio::read_timestamp(links_.registers, config_.mmio_base); }

uint32_t EngineCore::context_timestamp() const {
  const uint64_t base = timestamp_base_.load(std::memory_order_acquire);
  if (!(base >> 32)) return get(reg::ctx_timestamp);
  return links_.registers.read(config_.mmio_base + reg::timestamp) + static_cast<uint32_t>(base);
}

void EngineCore::start_timestamp(uint32_t value) {
  const uint32_t now = links_.registers.read(config_.mmio_base + reg::timestamp);
  timestamp_base_.store(uint64_t{1} << 32 | (value - now), std::memory_order_release);
}

// -- events and errors ----------------------------------------------------------------------------------------------------------

// ESR shows errors that last until a reset, EIR what software has not acknowledged yet. Software may do so at this moment: bits are set, not stored over.
void EngineCore::error(uint32_t bit, Error kind) {
  if (kind == Error::fatal) halted_ = true;
  bool raised = false;
  {
    MutexLock lock(register_mutex_);
    if (kind != Error::passing) links_.registers.set_bits(config_.mmio_base + reg::esr, bit);
    const uint32_t fresh = bit & ~get(reg::emr) & ~get(reg::eir);
    links_.registers.set_bits(config_.mmio_base + reg::eir, fresh);
    raised = fresh != 0;
  }
  if (raised) raise(engine_event::error);
}

void EngineCore::error_mask_changed() {
  bool raised = false;
  {
    MutexLock lock(register_mutex_);
    const uint32_t fresh = get(reg::esr) & ~get(reg::emr) & ~get(reg::eir);
    links_.registers.set_bits(config_.mmio_base + reg::eir, fresh);
    raised = fresh != 0;
  }
  status_due_.store(true, std::memory_order_release);
  if (raised) links_.interrupts.raise(config_.id, engine_event::error);
}

void EngineCore::write_due_status() {
  if (status_due_.exchange(false, std::memory_order_acq_rel)) write_status(engine_event::error);
}

void EngineCore::raise(mmio::EngineEvents events) {
  write_status(events);
  links_.interrupts.raise(config_.id, events);
}

// A change of an ISR bit that HWSTAM does not mask writes all of ISR to dword 0 of the status page, where the user interrupt and the notification
// read 0, being over at once, and the master error as long as EIR has one (ILK PRM vol 1 part 4, "Hardware Status Write", HWSTAM).
void EngineCore::write_status(mmio::EngineEvents events) {
  constexpr mmio::EngineEvents reported =
      engine_event::user | engine_event::error | engine_event::flush_notify | engine_event::sync_status | engine_event::page_fault;
  if (!(~get(reg::hwstam) & links_.interrupts.engine_bits(config_.id, events & reported))) return;
  const mmio::EngineEvents shown = levels_ | (get(reg::eir) ? engine_event::error : 0);
  ggtt_.store_release<uint32_t>(hwsp(), links_.interrupts.engine_bits(config_.id, shown));
}

void EngineCore::toggle(mmio::EngineEvents events) {
  levels_ ^= events;
  links_.interrupts.show(config_.id, events, (levels_ & events) != 0);
  write_status(events);
}

void EngineCore::set_waiting(bool on) {
  if (waiting_ == on) return;
  waiting_ = on;
  if (on) links_.registers.set_bits(config_.mmio_base + reg::ctl, reg::ring_wait_semaphore);
  else links_.registers.clear_bits(config_.mmio_base + reg::ctl, reg::ring_wait_semaphore);
  if (on) raise(engine_event::wait_semaphore);
}

// -- the plugged Engine ---------------------------------------------------------------------------------------------------------

EngineEnv& EngineCore::packet_env() {
  env_.predicate = reg::predicate_bit.of(get(reg::predicate_result));
  as_saved_ = false;
  return env_;
}

ExecResult EngineCore::execute(const Packet& packet) { return left(links_.engine.execute(packet, packet_env())); }

std::optional<ExecResult> EngineCore::execute_short(const Packet& packet) {
  const std::optional<ExecResult> result = links_.engine.execute_short(packet, packet_env());
  return result ? std::optional(left(*result)) : std::nullopt;
}

void EngineCore::drop() {
  if (DeferredWork* const work = links_.engine.deferred()) work->finish(env_);
}

ExecResult EngineCore::left(ExecResult result) {
  if (result == ExecResult::aborted && !stop_.resetting()) hang_abandoned();
  return result;
}

// The driver finds an engine that hangs at the packet with an error, and resets it as for any other hang.
void EngineCore::hang_abandoned() {
  if (halted_) return;
  const uint64_t address = get_address(reg::acthd, reg::acthd_udw);
  const uint32_t header = get(reg::ipehr);
  {
    MutexLock lock(register_mutex_);
    abandoned_ = {abandoned_.count + 1, true, address, header};
  }
  note("packet abandoned", "{:#010x} at {:#x} ran on while the engine was to stand still: {} hangs there until it is reset", header,
       address, name_of(config_.id));
  error(reg::error_instruction, Error::fatal);
}

Abandoned EngineCore::abandoned() {
  MutexLock lock(register_mutex_);
  return abandoned_;
}

// -- reset, saved state ---------------------------------------------------------------------------------------------------------

void EngineCore::reset() {
  context_ = {};
  halted_ = waiting_ = as_saved_ = false;
  levels_ = 0;
  status_due_.store(false, std::memory_order_release);
  stop_timestamp();
  links_.engine.reset_context();
  ggtt_.invalidate();
  set_address_space(memory::AddressSpace::ggtt(links_.ggtt));

  MutexLock lock(register_mutex_);
  abandoned_ = {.count = abandoned_.count};
  for (const uint32_t r :
       {reg::tail, reg::head, reg::start, reg::ctl, reg::acthd, reg::acthd_udw, reg::ipehr, reg::ipeir, reg::esr, reg::eir, reg::bb_addr,
        reg::bb_addr_udw, reg::bb_state, reg::sbb_addr, reg::sbb_addr_udw, reg::sbb_state, reg::mode, reg::ctx_control})
    if (has(r)) set(r, 0);
  set(reg::instdone, ~0u);
  set(reg::emr, ~0u);
  set(reg::mi_mode, reg::mode_idle);
}

EngineCore::Saved EngineCore::saved() { return {context_, halted_, waiting_, abandoned()}; }

void EngineCore::load(const Saved& saved) {
  context_ = saved.context;
  halted_ = saved.halted;
  waiting_ = saved.waiting;
  as_saved_ = false;
  status_due_.store(true);  // it may have been due; once more writes the same
  MutexLock lock(register_mutex_);
  abandoned_ = saved.abandoned;
}

}  // namespace softgen::cs
