// SPDX-License-Identifier: GPL-2.0-or-later
// The registers and commands that the kernel side of softgen-run writes on all chips (chip.h has the others). A driver's view of the chip, kept apart from the model's tables on
// purpose: it must not agree with them by construction. Sources: i915 gt/intel_engine_regs.h, intel_gt_regs.h, intel_gpu_commands.h.
#pragma once

#include <cstdint>

namespace softgen::run::regs {

constexpr uint32_t rcs_base = 0x2000, bcs_base = 0x22000;
constexpr uint32_t rcs_timestamp = 0x2358;
constexpr uint32_t forcewake_render = 0xa278, forcewake_gt = 0xa188;
constexpr uint32_t gamw_eco_dev_rw_ia = 0x4080;
constexpr uint32_t gdrst = 0x941c;
constexpr uint32_t master_irq_enable = 1u << 31;

// From an engine's base.
constexpr uint32_t ring_tail = 0x30, ring_head = 0x34, ring_start = 0x38, ring_ctl = 0x3c;
constexpr uint32_t hws_pga = 0x80, hwstam = 0x98, mi_mode = 0x9c, ring_imr = 0xa8, eir = 0xb0, emr = 0xb4, reset_ctl = 0xd0,
                   ring_mode = 0x29c, csb_pointers = 0x3a0, nonpriv = 0x4d0, nopid = 0x94, bb_state = 0x110;
constexpr uint32_t nonpriv_slots = 12;

// Interrupt bits of an engine.
constexpr uint32_t user_interrupt = 1u << 0, cs_error = 1u << 3, context_switch = 1u << 8;

// Status page, dword indices (i915 gt/intel_engine.h, I915_HWS_CSB_*).
constexpr unsigned hwsp_csb = 0x10;
constexpr unsigned pphwsp_scratch = 0x34, pphwsp_seqno = 0x40;
constexpr uint32_t ring_pages = 4;

// Context descriptor.
constexpr uint32_t desc_valid = 1u << 0, desc_ppgtt64 = 3u << 3, desc_coherent = 1u << 5, desc_privilege = 1u << 8;

// Commands.
constexpr uint32_t mi_noop = 0, mi_user_interrupt = 0x02u << 23, mi_arb_on_off = 0x08u << 23, mi_arb_check = 0x05u << 23;
constexpr uint32_t mi_batch_buffer_start_ggtt = 0x31u << 23 | 1,
                   mi_batch_buffer_start = mi_batch_buffer_start_ggtt | 1 << 8;  // PPGTT, 3 dwords
constexpr uint32_t mi_batch_buffer_end = 0x0au << 23;
constexpr uint32_t load_register_imm(uint32_t registers) { return 0x22u << 23 | (2 * registers - 1); }
constexpr uint32_t max_load_register_imm = 126;    // i915 gt/intel_gpu_commands.h, MI_LOAD_REGISTER_IMM_MAX_REGS
constexpr uint32_t mi_flush_dw = 0x26u << 23 | 2;  // 4 dwords on this path
constexpr uint32_t mi_flush_dw_qword = 1u << 14, mi_flush_dw_ggtt = 1u << 2, mi_flush_dw_tlb = 1u << 18;
constexpr uint32_t mi_load_register_imm = 0x22u << 23 | 0x1000;  // force posted, as the image has it
constexpr uint32_t pipe_control = 0x7a000004;
constexpr uint32_t pc_depth_flush = 1u << 0, pc_state_inv = 1u << 2, pc_const_inv = 1u << 3, pc_vf_inv = 1u << 4, pc_dc_flush = 1u << 5,
                   pc_flush_enable = 1u << 7, pc_tex_inv = 1u << 10, pc_instruction_inv = 1u << 11, pc_rt_flush = 1u << 12,
                   pc_qw_write = 1u << 14, pc_tlb_inv = 1u << 18, pc_cs_stall = 1u << 20, pc_ggtt = 1u << 24;

}  // namespace softgen::run::regs
