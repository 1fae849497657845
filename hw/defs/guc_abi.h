// SPDX-License-Identifier: GPL-2.0-or-later
// What the host and the GuC's firmware 69 and 70 say to each other: messages, buffers, actions, the header of a firmware file. No generation of hardware
// but the firmware defines it. Sources: i915 gt/uc/abi/*.h, intel_guc_fwif.h, intel_uc_fw_abi.h (Linux 6.1); xe/abi/*.h (Linux 6.12).
#pragma once

#include <array>
#include <cstdint>

#include "hw/defs/registers/registers.h"

namespace softgen::defs::guc {

using reg::Bits;

// -- messages (HXG): guc_messages_abi.h ------------------------------------------------------------------------------------------
inline constexpr Bits hxg_origin{31, 31}, hxg_type{30, 28};
inline constexpr Bits request_data0{27, 16}, request_action{15, 0};
inline constexpr Bits failure_hint{27, 16}, failure_error{15, 0};
inline constexpr Bits success_data0{27, 0};

enum Origin : uint32_t { from_host = 0, from_guc = 1 };
enum HxgType : uint32_t { request = 0, event = 1, fast_request = 2, busy = 3, retry = 5, failure = 6, success = 7 };

// guc_errors_abi.h of xe; i915 knows not_supported and generic alone.
enum Error : uint32_t {
  error_protocol = 0x04,
  error_state = 0x0a,
  error_not_supported = 0x20,
  error_unknown_action = 0x30,
  error_parameters = 0x60,
  error_ggtt_address = 0x80,
  error_generic = 0xf000,
};

/// guc_actions_abi.h.
enum Action : uint32_t {
  log_flush_complete = 0x30,
  log_enable = 0x40,
  log_force_flush = 0x302,
  global_policy_change = 0x506,
  self_config = 0x508,
  scheduling_policies_klv = 0x509,
  schedule_context = 0x1000,
  schedule_mode_set = 0x1001,
  schedule_mode_done = 0x1002,
  schedule_engine_mode_set = 0x1003,
  schedule_engine_mode_done = 0x1004,
  set_context_priority = 0x1005,  ///< of version 69, as the next two: V69_SET_CONTEXT_*
  set_context_quantum = 0x1006,
  set_context_preemption_timeout = 0x1007,
  context_reset_notification = 0x1008,
  engine_failure_notification = 0x1009,
  update_context_policies = 0x100b,
  slpc_request = 0x3003,
  setup_gucrc = 0x3004,
  authenticate_huc = 0x4000,
  get_hwconfig = 0x4100,
  register_context = 0x4502,
  deregister_context = 0x4503,
  control_ctb = 0x4509,
  deregister_done = 0x4600,
  register_context_multi_lrc = 0x4601,
  client_soft_reset = 0x5507,
  set_engine_usage_buffer = 0x550a,
  set_device_activity_buffer = 0x550c,
  opt_in_feature_klv = 0x550e,
  tlb_invalidation = 0x7000,
  tlb_invalidation_done = 0x7001,
  state_capture_notification = 0x8002,
  log_flush_notification = 0x8003,
};

inline constexpr unsigned mailbox_dwords = 4;  ///< guc_communication_mmio_abi.h, GUC_MAX_MMIO_MSG_LEN

// -- keys with lengths and values (KLV): guc_klvs_abi.h --------------------------------------------------------------------------
inline constexpr Bits klv_key{31, 16}, klv_dwords{15, 0};
enum SelfConfigKey : uint32_t {
  key_h2g_buffer = 0x902,
  key_h2g_descriptor = 0x903,
  key_h2g_size = 0x904,
  key_g2h_buffer = 0x905,
  key_g2h_descriptor = 0x906,
  key_g2h_size = 0x907,
};
/// Linux 7.2 xe/abi/guc_klvs_abi.h: more in a CAT error, of which there is none here.
enum OptInKey : uint32_t { key_ext_cat_error_type = 0x4001 };
enum ContextPolicyKey : uint32_t {
  policy_quantum = 0x2001,             ///< us
  policy_preemption_timeout = 0x2002,  ///< us
  policy_priority = 0x2003,
  policy_preempt_to_idle = 0x2004,
  policy_frequency = 0x2005,
};

// -- command transport buffers (CTB): guc_communication_ctb_abi.h ----------------------------------------------------------------
inline constexpr Bits ctb_fence{31, 16}, ctb_format{15, 12}, ctb_dwords{7, 0};
inline constexpr uint32_t ctb_format_hxg = 0;
/// Of a descriptor, in bytes. Head and tail count dwords.
inline constexpr uint32_t ctb_head = 0, ctb_tail = 4, ctb_status = 8, ctb_descriptor_bytes = 64;
enum CtbStatus : uint32_t { ctb_overflow = 1, ctb_underflow = 2, ctb_mismatch = 4 };
inline constexpr uint32_t ctb_size_unit = 4096;

// -- the header of a firmware file (CSS): intel_uc_fw_abi.h ----------------------------------------------------------------------
inline constexpr uint32_t css_dwords = 32, css_bytes = css_dwords * 4;
/// Dwords of the header. The sizes are in dwords: header_size counts keys, too, size the whole file.
enum CssDword : uint32_t {
  css_module_type = 0,
  css_header_size = 1,
  css_header_version = 2,
  css_vendor = 4,
  css_size = 6,
  css_key_size = 7,
  css_modulus_size = 8,
  css_exponent_size = 9,
  css_version = 16,
  css_v9_version = 17,  ///< where firmware 9 has its version
};
inline constexpr uint32_t module_firmware = 6, header_version_1 = 0x10000, vendor_intel = 0x8086;
inline constexpr Bits css_major{23, 16}, css_minor{15, 8}, css_patch{7, 0};
inline constexpr Bits css_v9_major{31, 16}, css_v9_minor{15, 0};  ///< i915 4.19 intel_uc_fw.c, intel_uc_fw_fetch()

// -- start parameters, from the second scratch register on: intel_guc_fwif.h, GUC_CTL_* -------------------------------------------
enum Parameter : uint32_t { param_log = 0, param_workarounds = 1, param_features = 2, param_debug = 3, param_ads = 4, param_device = 5 };
inline constexpr unsigned parameters = 14;
inline constexpr Bits feature_slpc{2, 2}, feature_no_scheduler{14, 14};
inline constexpr Bits ads_page{20, 1};
inline constexpr Bits device_id{31, 16};

// -- contexts: guc_actions_abi.h and intel_guc_submission.c, __guc_action_register_context_v70() ------------------------------------
enum RegisterArgument : uint32_t {
  register_flags,
  register_id,
  register_class,
  register_engines,  ///< bit i: logical instance i
  register_queue,    ///< for a parent: descriptor and base of its work queue, two dwords each, and its bytes
  register_lrca = 9,
  register_lrca_high,
  register_arguments
};
inline constexpr uint32_t max_contexts = 65535;
/// GuC's numbers of engine classes: intel_guc_fwif.h, GUC_*_CLASS. By defs::EngineClass.
inline constexpr std::array<uint32_t, 4> engine_classes = {0, 3, 1, 2};
inline constexpr uint32_t priorities = 4, priority_normal = 3;  ///< 0 is the highest: GUC_CLIENT_PRIORITY_*
/// What the GuC puts into the upper dword of a context descriptor: gt/intel_lrc_reg.h, GEN11_SW_CTX_ID_*, GEN11_SW_COUNTER_*.
inline constexpr Bits descriptor_context{15, 5}, descriptor_counter{28, 23};
/// What a host may have put there: xe/xe_lrc.c, LRC_ENGINE_CLASS, LRC_ENGINE_INSTANCE. The GuC replaces it.
inline constexpr Bits descriptor_engine_class{31, 29}, descriptor_engine_instance{21, 16};
inline constexpr uint32_t descriptor_contexts = 0x7fe;  ///< ids from 1 on; the one behind them means none

// -- a parent and its children (multi-LRC), contexts that run together: __guc_action_register_multi_lrc_v70(); xe_guc_submit.c,
// __register_mlrc_exec_queue() ----------------------------------------------------------------------------------------------------
/// A parent's arguments are those of a context up to register_queue; then the number of contexts, and two dwords of address for each, the parent first.
/// Their ids follow one another from the parent's on.
inline constexpr uint32_t register_members = 9, register_member_lrcas = 10;
/// Where the descriptor of a work queue has what, in bytes. The first three are offsets from the queue's base: intel_guc_fwif.h, struct guc_sched_wq_desc.
struct QueueForm {
  uint32_t head, tail, error, status, bytes;
};
inline constexpr QueueForm queue_form{.head = 0, .tail = 4, .error = 8, .status = 12, .bytes = 128};
enum QueueStatus : uint32_t { queue_active = 1, queue_command_error = 3 };
/// Its items, in dwords: __guc_wq_item_append(). The header's length is without the header.
inline constexpr Bits item_type{7, 0}, item_dwords{26, 16};
enum ItemType : uint32_t { item_noop = 4, item_multi_lrc = 5 };
enum ItemDword : uint32_t { item_header, item_lrca, item_parent, item_fence, item_child_tails };
inline constexpr Bits item_context{15, 0}, item_parent_tail{28, 18};
inline constexpr uint32_t item_tail_unit = 8;  ///< bytes, of all tails

// -- version 69's registration: __guc_action_register_context_v69(), __guc_action_register_multi_lrc_v69() -------------------------
/// Id and address of a descriptor; of a parent: id, number of contexts, address of a descriptor for each.
inline constexpr uint32_t v69_register_id = 0, v69_register_descriptor = 1, v69_register_arguments = 2;
inline constexpr uint32_t v69_register_members = 1, v69_register_member_descriptors = 2;
/// The descriptor, in bytes: intel_guc_fwif.h, struct guc_lrc_desc_v69.
enum V69Descriptor : uint32_t {
  v69_lrca = 0,
  v69_engines = 12,
  v69_class = 16,  ///< a byte
  v69_priority = 20,
  v69_process = 24,
  v69_queue = 28,
  v69_queue_bytes = 32,
  v69_quantum = 40,
  v69_preemption_timeout = 44,
  v69_descriptor_bytes = 128
};
/// Where a parent's queue has its descriptor: struct guc_process_desc_v69.
inline constexpr QueueForm v69_queue_form{.head = 12, .tail = 16, .error = 20, .status = 36, .bytes = 192};

/// What translations are to go, in the second argument of tlb_invalidation: guc_actions_abi.h, XE_GUC_TLB_INVAL_*. The first comes back in the event.
inline constexpr Bits tlb_type{7, 0};
enum TlbType : uint32_t { tlb_engines = 0, tlb_pages = 1, tlb_pages_of_context = 2, tlb_guc = 3 };

// -- single loop power control (SLPC): guc_actions_slpc_abi.h ---------------------------------------------------------------------
inline constexpr Bits slpc_event{15, 8}, slpc_event_arguments{7, 0};
enum SlpcEvent : uint32_t { slpc_reset = 0, slpc_shutdown = 1, slpc_query = 5, slpc_set = 6, slpc_unset = 7 };
enum SlpcParameter : uint32_t { slpc_min_unslice = 6, slpc_max_unslice = 7, slpc_parameters = 32 };
enum SlpcState : uint32_t { slpc_not_running = 0, slpc_running = 3 };
/// Of the shared page, in bytes.
inline constexpr uint32_t slpc_state_at = 4, slpc_status_at = 128, slpc_frequencies_at = 132, slpc_shared_bytes = 8192;
inline constexpr Bits slpc_task_gtperf{0, 0};
inline constexpr Bits slpc_max_unslice_frequency{7, 0}, slpc_min_unslice_frequency{15, 8}, slpc_max_slice_frequency{23, 16},
    slpc_min_slice_frequency{31, 24};

/// A record of an engine's use, in dwords: intel_guc_fwif.h, struct guc_engine_usage_record. Tables have them by class, then instance.
enum UsageDword : uint32_t { usage_context, usage_switched_in, usage_reserved, usage_total, usage_dwords = 8 };
inline constexpr uint32_t usage_classes = 16, usage_instances = 32, usage_no_context = ~0u;

/// An engine's activity, in bytes: Linux 7.2 xe/xe_guc_fwif.h, struct guc_engine_activity. Tables have it as those above do.
inline constexpr uint32_t activity_change = 0, activity_switched_in = 4, activity_total = 8, activity_bytes = 16;
inline constexpr Bits activity_change_count{15, 0}, activity_share{31, 16};
inline constexpr uint32_t activity_whole = 0x8000;  ///< of the share of time that the engine is this function's: TOTAL_QUANTA
/// struct guc_engine_activity_metadata.
inline constexpr uint32_t activity_frequency = 0, activity_changes = 8, activity_metadata_bytes = 16;

// -- additional data structures (ADS): intel_guc_fwif.h, struct guc_ads, guc_mmio_reg_set, guc_mmio_reg ---------------------------
/// A list of registers for each class and instance of engines, two dwords: address and count.
inline constexpr uint32_t ads_register_sets = 0, register_set_bytes = 8, register_set_instances = 32;
inline constexpr Bits register_set_count{15, 0};
/// A register of a list: four dwords.
enum ListedRegister : uint32_t { listed_offset, listed_value, listed_flags, listed_mask, listed_dwords };
inline constexpr Bits listed_masked{0, 0};  ///< [31:16] of what is written select

/// Address of the global policies (struct guc_policies), whose dword of flags may say that no engine is reset for not preempting in time.
inline constexpr uint32_t ads_policies = 0x1004, policies_flags = 76, policies_bytes = 96;
inline constexpr Bits policy_no_engine_reset{0, 0};

/// Addresses of lists to capture before an engine is reset, for the physical function: by class, by class, one. A list: its count, then its registers.
inline constexpr uint32_t ads_capture_instance = 0x109c, ads_capture_class = 0x111c, ads_capture_global = 0x119c;
inline constexpr Bits capture_list_count{15, 0};

// -- log: intel_guc_fwif.h, struct guc_log_buffer_state, GUC_LOG_*; guc_capture_fwif.h ------------------------------------------
inline constexpr Bits log_valid{0, 0}, log_capture_unit{2, 2}, log_unit{3, 3}, log_crash_size{5, 4}, log_debug_size{9, 6},
    log_capture_size{11, 10}, log_page{31, 12};
/// Bytes of a unit of sizes, by its bit; sizes count from one.
inline constexpr uint32_t log_unit_bytes = 4096, log_large_unit_bytes = 1 << 20;
/// Of the state of the buffer for captures, in bytes; the state page comes first, then the buffers: debug, crash, capture.
inline constexpr uint32_t log_state_bytes = 36, capture_state = 2 * log_state_bytes, log_read = 8, log_write = 12, log_size = 16,
                          log_sampled_write = 20, log_flags = 28;
inline constexpr Bits log_flush{0, 0};
enum CaptureType : uint32_t { capture_global, capture_class, capture_instance, capture_types };
inline constexpr Bits capture_group_count{7, 0};
inline constexpr Bits capture_type{3, 0}, capture_engine_class{7, 4}, capture_engine_instance{11, 8}, capture_registers{9, 0};
inline constexpr uint32_t capture_no_context = ~0u, capture_no_space = 1;

/// GUC_STATUS's fields: intel_guc_reg.h, GS_*; xe/abi/guc_errors_abi.h, XE_GUC_LOAD_STATUS_*, XE_BOOTROM_STATUS_*.
enum BootRom : uint32_t { bootrom_rsa_failed = 0x50, bootrom_jump_passed = 0x76 };
enum KernelStatus : uint32_t { kernel_device_mismatch = 0x02, kernel_bad_init_data = 0x71, kernel_ready = 0xf0 };
enum Authentication : uint32_t { authentication_bad = 1, authentication_good = 2 };
enum MiaState : uint32_t { mia_core = 1 };

/// DMA_ADDR_*_HIGH's space: intel_guc_reg.h, DMA_ADDRESS_SPACE_*. 0 is what i915 writes for its source.
enum DmaSpace : uint32_t { space_unset = 0, space_wopcm = 7, space_gtt = 8 };

/// intel_guc.h, GUC_GGTT_TOP: what is above is no memory for the GuC.
inline constexpr uint64_t ggtt_top = 0xfee00000;

}  // namespace softgen::defs::guc
