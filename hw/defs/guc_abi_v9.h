// SPDX-License-Identifier: GPL-2.0-or-later
// What the host and the GuC's firmware 9 say to each other: messages in registers, clients (stages) with work queues and doorbells. Sources: i915
// intel_guc_fwif.h, intel_guc.c, intel_guc_submission.c (Linux 4.19). Offsets are in bytes, of packed structures; so are sizes.
#pragma once

#include <array>
#include <cstdint>

#include "hw/defs/engine.h"
#include "hw/defs/registers/registers.h"

namespace softgen::defs::guc::v9 {

using reg::Bits;

inline constexpr uint32_t major = 9;

// -- messages: INTEL_GUC_ACTION_*, INTEL_GUC_STATUS_* ------------------------------------------------------------------------------
inline constexpr unsigned mailbox_dwords = 15, sleep_status_register = 14, event_register = 15;  ///< of the scratch registers
enum Action : uint32_t {
  request_preemption = 0x2,
  request_engine_reset = 0x3,
  sample_forcewake = 0x6,
  allocate_doorbell = 0x10,
  deallocate_doorbell = 0x20,
  log_flush_complete = 0x30,
  log_control = 0x40,
  log_force_flush = 0x302,
  enter_s_state = 0x501,
  exit_s_state = 0x502,
  authenticate_huc = 0x4000,
  log_control_old = 0xe000,  ///< before Linux 4.16
};
/// An answer has all of these set, over a status.
inline constexpr Bits answer_mark{31, 28};
enum Status : uint32_t { status_success = 0, status_no_doorbell = 0x10, status_doorbell_kept = 0x20, status_failed = 0xf000 };
/// Events to the host, in the last scratch register: INTEL_GUC_RECV_MSG_*.
inline constexpr Bits event_flush_log{3, 3};
/// INTEL_GUC_SLEEP_STATE_SUCCESS: Linux 5.0 waits for it in a scratch register.
inline constexpr uint32_t sleep_done = 1;

// -- start parameters: GUC_CTL_* ---------------------------------------------------------------------------------------------------
enum Parameter : uint32_t { param_stages = 0, param_device = 3, param_log = 4, param_features = 7, param_debug = 8 };
inline constexpr Bits stages_page{31, 12}, stages_in_16{11, 0};
inline constexpr Bits device_core_family{31, 7};
inline constexpr Bits feature_no_scheduler{4, 4};
inline constexpr Bits debug_ads_enabled{9, 9}, debug_ads_page{31, 11};

// -- clients: struct guc_stage_desc ------------------------------------------------------------------------------------------------
inline constexpr uint32_t max_stages = 1024, stage_bytes = 274;
enum StageOffset : uint32_t {
  stage_id = 4,
  stage_engines = 12,        ///< a byte, bit i: engine i of `engines`
  stage_doorbell_line = 25,  ///< guest physical address, 64 bits
  stage_doorbell = 33,       ///< 16 bits
  stage_attributes = 225,    ///< a byte
  stage_priority = 226,
  stage_process = 238,
  stage_queue = 242,
  stage_queue_bytes = 246,
};
/// GUC_STAGE_DESC_ATTR_*.
inline constexpr Bits attribute_active{0, 0}, attribute_terminated{7, 7};
inline constexpr uint32_t priorities = 4;  ///< 0 is the highest
/// The firmware's numbers of engines: GUC_*_ENGINE.
inline constexpr std::array<EngineId, 5> engines = {EngineId::rcs, EngineId::vcs0, EngineId::bcs, EngineId::vecs, EngineId::vcs1};

/// struct guc_process_desc: where a client's queue stands.
enum ProcessOffset : uint32_t { process_head = 12, process_tail = 16, process_error = 20, process_status = 36, process_bytes = 168 };
/// WQ_STATUS_*.
enum QueueStatus : uint32_t { queue_active = 1, queue_command_error = 3, queue_engine_not_used = 4 };

// -- work items: struct guc_wq_item, WQ_* ------------------------------------------------------------------------------------------
inline constexpr Bits item_type{7, 0}, item_engine{14, 10}, item_dwords{26, 16};  ///< the length is without the header
enum ItemType : uint32_t { item_in_order = 3, item_noop = 4 };
enum ItemDword : uint32_t { item_header, item_context, item_submission, item_fence, in_order_dwords };
inline constexpr Bits submission_tail{30, 20};  ///< of the ring, in units of 8 bytes

// -- the page for reports: struct guc_shared_ctx_data, struct guc_ctx_report -------------------------------------------------------
inline constexpr uint32_t reports = 348, report_bytes = 272, report_status = 0, report_affected = 260,
                          shared_bytes = reports + 5 * report_bytes;
inline constexpr uint32_t report_complete = 4;  ///< INTEL_GUC_REPORT_STATUS_COMPLETE

/// INTEL_GUC_PREEMPT_OPTION_*.
inline constexpr Bits preempt_drops_queue{2, 2}, preempt_drops_submitted{3, 3};
/// Arguments behind the action: intel_guc_submission.c, inject_preempt_context(); intel_guc.c, intel_guc_reset_engine().
enum PreemptArgument : uint32_t {
  preempt_stage,
  preempt_options,
  preempt_engine,
  preempt_target_priority,
  preempt_target,
  preempt_shared,
  preempt_arguments
};
enum ResetArgument : uint32_t { reset_engine, reset_stage = 4, reset_shared, reset_arguments };

/// GuC's upper half of a context descriptor: the image's page (i915_perf.c, oa_get_render_ctx_id()).
inline constexpr unsigned descriptor_page_shift = 12;

// -- log: struct guc_log_buffer_state; the parameter is as later firmware's --------------------------------------------------------
inline constexpr uint32_t log_buffers = 3, log_state_bytes = 32, log_write = 12, log_sampled_write = 20, log_flags = 24;

// -- a doorbell's line: struct guc_doorbell_info; TGL PRM vol 13, "Doorbell Page and Cacheline" -------------------------------------
inline constexpr uint32_t line_bytes = 64;
inline constexpr unsigned line_cookie_shift = 32;  ///< the cookie is the second dword
inline constexpr Bits line_active{0, 0};
/// How many there are, and how many share a status register: TGL PRM vol 13, "GPU Doorbells", "Doorbell Group Registers".
inline constexpr unsigned doorbells = 256, doorbell_group = 32;

}  // namespace softgen::defs::guc::v9
