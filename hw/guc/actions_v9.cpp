// SPDX-License-Identifier: GPL-2.0-or-later
// The actions that the host asks firmware 9 for (i915 4.19 intel_guc_fwif.h, INTEL_GUC_ACTION_*).
#include <algorithm>

#include "hw/base/bits.h"
#include "hw/base/log.h"
#include "hw/guc/firmware_v9.h"
#include "hw/guc/huc.h"

namespace softgen::guc {

using namespace defs::guc::v9;
using defs::guc::log_flush;

namespace {

constexpr uint32_t action_authenticate_huc = defs::guc::v9::authenticate_huc, action_allocate = defs::guc::v9::allocate_doorbell,
                   action_deallocate = defs::guc::v9::deallocate_doorbell;

}  // namespace

struct FirmwareV9::Row {
  uint32_t action;
  bool schedules;  ///< only where the scheduler is enabled
  Answer (FirmwareV9::*act)(Arguments arguments);
};

// Some have no effect here: there is nothing in the log, and RC6 costs nothing.
const FirmwareV9::Row* FirmwareV9::find(uint32_t action) {
  static constexpr Row rows[] = {
      {request_preemption, true, &FirmwareV9::preempt},
      {request_engine_reset, true, &FirmwareV9::reset_engine},
      {sample_forcewake, false, &FirmwareV9::accept},
      {action_allocate, true, &FirmwareV9::allocate_doorbell},
      {action_deallocate, true, &FirmwareV9::deallocate_doorbell},
      {log_flush_complete, false, &FirmwareV9::accept},
      {log_control, false, &FirmwareV9::accept},
      {log_control_old, false, &FirmwareV9::accept},
      {log_force_flush, false, &FirmwareV9::flush_log},
      {enter_s_state, false, &FirmwareV9::enter_sleep},
      {exit_s_state, false, &FirmwareV9::exit_sleep},
      {action_authenticate_huc, false, &FirmwareV9::authenticate_huc},
  };
  const auto* found = std::ranges::find(rows, action, &Row::action);
  return found == std::end(rows) ? nullptr : found;
}

FirmwareV9::Answer FirmwareV9::answer(Arguments message) {
  const Row* row = find(message[0]);
  if (!row) unimplemented("GuC action", "0x{:x}", message[0]);
  if (!row || (row->schedules && !schedules_)) return {.status = status_failed};
  return (this->*row->act)(message.subspan(1));
}

FirmwareV9::Answer FirmwareV9::accept(Arguments) { return {}; }

// A client has one doorbell at most, and a doorbell one client. "GuC has to ensure there are no pending doorbell events before updating the doorbell
// register for use" (TGL PRM vol 13, "Work Queue and DoorBell Creation"): they have been served before the message, unless the GuC sleeps. A bell that no
// client of this firmware has may still be armed from before the firmware was started: it gets the new line.
FirmwareV9::Answer FirmwareV9::allocate_doorbell(Arguments arguments) {
  const std::optional<Stage> client = stage(arguments[0]);
  if (!client || client->doorbell >= Doorbells::count || client->doorbell_line % line_bytes) return {.status = status_no_doorbell};
  const bool has_one = std::ranges::find(owners_, client->id) != owners_.end();
  if (has_one || owners_[client->doorbell] != no_owner || doorbells_.is_pending(client->doorbell)) return {.status = status_no_doorbell};
  owners_[client->doorbell] = static_cast<uint16_t>(client->id);
  doorbells_.arm(client->doorbell, client->doorbell_line);
  serve_doorbells();
  return {};
}

// The host has cleared the line, and has seen the bell lose its Valid bit; what rang at the last moment has been served.
FirmwareV9::Answer FirmwareV9::deallocate_doorbell(Arguments arguments) {
  const auto owned = std::ranges::find(owners_, arguments[0]);
  if (arguments[0] >= max_stages || owned == owners_.end()) return {.status = status_doorbell_kept};
  const auto bell = static_cast<unsigned>(owned - owners_.begin());
  if (doorbells_.is_valid(bell)) return {.status = status_doorbell_kept};
  *owned = no_owner;
  return {};
}

// The client's queue has the item that is to run on the engine in place of all that the target has there (i915 4.19 inject_preempt_context()). The
// target's items are dropped as the options say; those for other engines stay. The report follows when the engine has switched.
FirmwareV9::Answer FirmwareV9::preempt(Arguments arguments) {
  const std::optional<Stage> client = stage(arguments[preempt_stage]), target = stage(arguments[preempt_target]);
  const std::optional<EngineId> on = engine(arguments[preempt_engine]);
  const uint32_t shared = arguments[preempt_shared], options = arguments[preempt_options];
  if (!client || client->terminated || !target || !on || !memory_.has(shared, shared_bytes)) return {.status = status_failed};
  uint32_t affected = 0;
  if (preempt_drops_queue.of(options)) affected += drop_items(*target, *on);
  if (preempt_drops_submitted.of(options)) affected += queues_.drop(*on, target->id);
  const bool preempts = take_items(*client, shared + reports + arguments[preempt_engine] * report_bytes, affected);
  return {.status = preempts ? status_success : status_failed};
}

// Linux 4.19 submits anew all that had not completed. A preemption that is lost is marked in its client (inject_preempt_context() has the rule).
FirmwareV9::Answer FirmwareV9::reset_engine(Arguments arguments) {
  const std::optional<EngineId> on = engine(arguments[defs::guc::v9::reset_engine]);
  const std::optional<Stage> client = stage(arguments[reset_stage]);
  if (!on || !client) return {.status = status_failed};
  drop_items(*client, *on);
  if (const std::optional<uint32_t> preempting = queues_.begin_reset(*on, client->id)) stages_.terminate(*preempting, ggtt_);
  return {.status = status_success, .resets = on};
}

// The buffers are empty; the host reads them, and answers with log_flush_complete (i915 4.19 intel_guc_log.c).
FirmwareV9::Answer FirmwareV9::flush_log(Arguments) {
  if (!log_) return {};
  for (uint32_t i = 0; i < log_buffers; ++i) {
    const uint64_t state = log_ + i * log_state_bytes;
    ggtt_.store(state + log_sampled_write, ggtt_.load<uint32_t>(state + log_write));
    ggtt_.store(state + log_flags, ggtt_.load<uint32_t>(state + log_flags) | log_flush.mask());
  }
  environment_.registers.set_bits(reg::SOFT_SCRATCH(event_register), event_flush_log.mask());
  interrupts_host_ = true;
  return {};
}

// Nothing new goes to engines, and rings wait in the status. What runs is the host's to wait for (i915 4.19 i915_gem_suspend()).
FirmwareV9::Answer FirmwareV9::enter_sleep(Arguments) {
  sleeps_ = true;
  queues_.pause(true);
  environment_.registers.poke(reg::SOFT_SCRATCH(sleep_status_register), sleep_done);
  return {};
}

FirmwareV9::Answer FirmwareV9::exit_sleep(Arguments) {
  sleeps_ = false;
  queues_.pause(false);
  serve_doorbells();
  environment_.registers.poke(reg::SOFT_SCRATCH(sleep_status_register), sleep_done);
  return {};
}

FirmwareV9::Answer FirmwareV9::authenticate_huc(Arguments arguments) {
  const uint64_t signature = arguments[0];
  if (!huc_loaded_ || !memory_.has(signature, huc_signature_bytes) || !has_huc_signature(ggtt_, signature))
    return {.status = status_failed};
  environment_.registers.set_bits(environment_.layout.huc_status, environment_.layout.huc_verified.mask());
  return {};
}

}  // namespace softgen::guc
