// SPDX-License-Identifier: GPL-2.0-or-later
// The actions that the host asks the firmware for (i915 gt/uc/abi/guc_actions_abi.h).
#include <algorithm>

#include "hw/base/log.h"
#include "hw/guc/firmware.h"
#include "hw/guc/huc.h"

namespace softgen::guc {

using namespace defs::guc;

namespace {

constexpr Firmware::Answer failed(uint32_t error) { return {failure, error}; }

constexpr uint32_t action_authenticate_huc = defs::guc::authenticate_huc;

}  // namespace

/// The ways an action may be sent, and the number of dwords behind its header.
struct Firmware::Row {
  uint32_t action;
  bool by_registers, by_buffer;
  uint32_t min, max;
  Answer (Firmware::*act)(Arguments arguments);
};

// Some have no effect here: there is no log, one clock speed, and RC6 costs nothing.
const Firmware::Row* Firmware::find(uint32_t action) {
  constexpr uint32_t any = ~0u;
  static constexpr Row rows[] = {
      {self_config, true, false, 3, 3, &Firmware::configure},
      {control_ctb, true, false, 1, 3, &Firmware::control_buffers},
      {client_soft_reset, true, false, 0, 3, &Firmware::forget_client},
      {action_authenticate_huc, true, true, 1, 3, &Firmware::authenticate_huc},
      {log_enable, false, true, 1, 1, &Firmware::accept},
      {log_flush_complete, false, true, 1, 1, &Firmware::accept},
      {log_force_flush, false, true, 0, 1, &Firmware::flush_log},
      {global_policy_change, false, true, 1, 1, &Firmware::change_policies},
      {scheduling_policies_klv, false, true, 0, any, &Firmware::accept_policies},
      {setup_gucrc, false, true, 1, 1, &Firmware::accept},
      {register_context, false, true, 0, any, &Firmware::ask_scheduler<&Scheduler::register_context>},
      {deregister_context, false, true, 1, 1, &Firmware::ask_scheduler<&Scheduler::deregister_context>},
      {schedule_mode_set, false, true, 2, 2, &Firmware::ask_scheduler<&Scheduler::set_mode>},
      {schedule_context, false, true, 1, 1, &Firmware::ask_scheduler<&Scheduler::schedule>},
      {update_context_policies, false, true, 1, any, &Firmware::ask_scheduler<&Scheduler::set_policies>},
      {set_context_priority, false, true, 2, 2, &Firmware::set_policy<policy_priority>},
      {set_context_quantum, false, true, 2, 2, &Firmware::set_policy<policy_quantum>},
      {set_context_preemption_timeout, false, true, 2, 2, &Firmware::set_policy<policy_preemption_timeout>},
      {register_context_multi_lrc, false, true, 0, any, &Firmware::ask_scheduler<&Scheduler::register_group>},
      {tlb_invalidation, false, true, 2, any, &Firmware::invalidate_translations},
      {defs::guc::slpc_request, false, true, 1, any, &Firmware::control_power},
      {set_engine_usage_buffer, false, true, 1, 2, &Firmware::set_usage_records},
      {set_device_activity_buffer, false, true, 4, 4, &Firmware::set_activity_records},
      {opt_in_feature_klv, false, true, 3, 3, &Firmware::opt_in},
  };
  const auto* found = std::ranges::find(rows, action, &Row::action);
  return found == std::end(rows) ? nullptr : found;
}

Firmware::Answer Firmware::answer(std::span<const uint32_t> hxg, bool by_registers) {
  const uint32_t type = hxg_type.of(hxg[0]), action = request_action.of(hxg[0]);
  if (hxg_origin.of(hxg[0]) != from_host || (type != request && type != event && type != fast_request)) return failed(error_protocol);
  const Row* row = find(action);
  if (!row) {
    unimplemented("GuC action", "0x{:x}", action);
    return failed(action == get_hwconfig ? error_not_supported : error_unknown_action);
  }
  if (!(by_registers ? row->by_registers : row->by_buffer)) return failed(error_not_supported);
  const Arguments arguments = hxg.subspan(1);
  if (arguments.size() < row->min || arguments.size() > row->max) return failed(error_parameters);
  return (this->*row->act)(arguments);
}

// SELF_CFG: a key's value. Addresses are checked when the buffers are put to use.
Firmware::Answer Firmware::configure(Arguments arguments) {
  const uint32_t key = klv_key.of(arguments[0]), dwords = klv_dwords.of(arguments[0]);
  CtbPlace& place = key >= key_g2h_buffer ? to_host_place_ : to_guc_place_;
  const uint64_t wide = arguments[1] | uint64_t{arguments[2]} << 32;
  const uint32_t expected = key == key_h2g_size || key == key_g2h_size ? 1 : 2;
  if (key < key_h2g_buffer || key > key_g2h_size) return {success, 0};
  if (dwords != expected) return failed(error_parameters);
  switch (key) {
    case key_h2g_buffer:
    case key_g2h_buffer: place.buffer = wide; break;
    case key_h2g_descriptor:
    case key_g2h_descriptor: place.descriptor = wide; break;
    default: place.bytes = arguments[1]; break;
  }
  return {success, 1};
}

Firmware::Answer Firmware::control_buffers(Arguments arguments) {
  to_guc_.close();
  to_host_.close();
  if (!arguments[0]) return {};
  if (arguments[0] != 1) return failed(error_parameters);
  if (!to_guc_place_.fits(memory_) || !to_host_place_.fits(memory_)) return failed(error_ggtt_address);
  if (to_guc_.open(ggtt_, to_guc_place_) && to_host_.open(ggtt_, to_host_place_)) return {};
  to_guc_.close();
  return failed(error_parameters);
}

Firmware::Answer Firmware::forget_client(Arguments) {
  scheduler_.stop();
  usage_.stop();
  activity_.stop();
  to_guc_.close();
  to_host_.close();
  return {};
}

Firmware::Answer Firmware::authenticate_huc(Arguments arguments) {
  const uint64_t signature = arguments[0];
  if (!memory_.has(signature, huc_signature_bytes, 1)) return failed(error_ggtt_address);
  if (!huc_loaded_ || !has_huc_signature(ggtt_, signature)) return failed(error_generic);
  environment_.registers.set_bits(environment_.layout.huc_status, environment_.layout.huc_verified.mask());
  return {};
}

Firmware::Answer Firmware::flush_log(Arguments) {
  send_event(log_flush_notification, {});
  return {};
}

Firmware::Answer Firmware::accept(Arguments) { return {}; }

Firmware::Answer Firmware::change_policies(Arguments arguments) {
  return read_policies(arguments[0]) ? Answer{} : failed(error_ggtt_address);
}

// Of the flags one alone has an effect here: i915 sets it where its parameter `reset` wants no more than the reset of the whole chip (gt/uc/intel_guc_ads.c,
// guc_policies_init(), intel_guc_global_policies_update()).
bool Firmware::read_policies(uint64_t address) {
  if (!memory_.has(address, policies_bytes)) return false;
  scheduler_.allow_resets(!policy_no_engine_reset.of(ggtt_.load<uint32_t>(address + policies_flags)));
  return true;
}

// The answer counts the keys.
Firmware::Answer Firmware::accept_policies(Arguments arguments) {
  uint32_t keys = 0;
  if (!for_each_key(arguments, [&](uint32_t, uint32_t) { ++keys; })) return failed(error_parameters);
  return {success, keys};
}

template <Scheduler::Error (Scheduler::*request)(Scheduler::Arguments)>
Firmware::Answer Firmware::ask_scheduler(Arguments arguments) {
  if (feature_no_scheduler.of(features_)) return failed(error_state);
  const Scheduler::Error error = (scheduler_.*request)(arguments);
  return error ? failed(error) : Answer{};
}

template <ContextPolicyKey key>
Firmware::Answer Firmware::set_policy(Arguments arguments) {
  if (!scheduler_.is_v69()) return failed(error_unknown_action);
  return ask_scheduler<&Scheduler::set_policies>(std::array{arguments[0], klv_dwords.with(klv_key.with(0, key), 1), arguments[1]});
}

// All of a kind, whatever page or context is named. i915 waits for the event, which has the number that the host gave (intel_guc_tlb_invalidation_done()).
Firmware::Answer Firmware::invalidate_translations(Arguments arguments) {
  switch (tlb_type.of(arguments[1])) {
    case tlb_engines:
    case tlb_pages:
    case tlb_pages_of_context: environment_.tlb.bump(); break;
    case tlb_guc: break;
    default: return failed(error_parameters);
  }
  environment_.ggtt.invalidate();
  send_event(tlb_invalidation_done, arguments.first(1));
  return {};
}

Firmware::Answer Firmware::control_power(Arguments arguments) {
  if (!feature_slpc.of(features_)) return failed(error_state);
  const uint32_t error = slpc_.handle(arguments, ggtt_, memory_);
  return error ? failed(error) : Answer{};
}

Firmware::Answer Firmware::set_usage_records(Arguments arguments) {
  constexpr uint64_t bytes = uint64_t{usage_classes} * usage_instances * usage_dwords * 4;
  if (!memory_.has(arguments[0], bytes)) return failed(error_ggtt_address);
  usage_.set_address(arguments[0], ggtt_);
  return {};
}

// Metadata, then records: Linux 7.2 xe/xe_guc_engine_activity.c, enable_engine_activity_stats().
Firmware::Answer Firmware::set_activity_records(Arguments arguments) {
  constexpr uint64_t bytes = uint64_t{usage_classes} * usage_instances * activity_bytes;
  const uint64_t metadata = arguments[0], records = arguments[2];
  if (arguments[1] || arguments[3]) return failed(error_ggtt_address);
  if (!memory_.has(metadata, activity_metadata_bytes) || !memory_.has(records, bytes, activity_total)) return failed(error_ggtt_address);
  activity_.set_addresses(metadata, records);
  ggtt_.store<uint32_t>(metadata + activity_frequency, static_cast<uint32_t>(environment_.clock.hz()));
  for (unsigned i = 0; i < engine_count; ++i)
    if (const auto engine = static_cast<EngineId>(i); environment_.engines.has(engine)) activity_.show(place_of(engine), ggtt_);
  return {};
}

// Keys in memory, one dword each: Linux 7.2 xe/xe_guc.c, xe_guc_opt_in_features_enable().
Firmware::Answer Firmware::opt_in(Arguments arguments) {
  constexpr uint32_t max_keys = 16;  // chosen: xe's buffer
  std::array<uint32_t, max_keys> keys;
  const uint32_t count = arguments[2];
  if (!count || count > max_keys) return failed(error_parameters);
  if (arguments[1] || !memory_.has(arguments[0], count * 4)) return failed(error_ggtt_address);
  ggtt_.read(arguments[0], keys.data(), count * 4);
  bool known = true;
  const bool whole = for_each_key(std::span(keys).first(count), [&](uint32_t key, uint32_t) { known &= key == key_ext_cat_error_type; });
  return whole && known ? Answer{} : failed(error_parameters);
}

}  // namespace softgen::guc
