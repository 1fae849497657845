// SPDX-License-Identifier: GPL-2.0-or-later
// The registers a streamer acts on, relative to its MMIO base (rows: hw/defs/gen9/registers_engine.def), and their bits (SKL PRM
// vol 2c; i915 gt/intel_engine_regs.h).
#pragma once

#include <cstdint>

#include "hw/defs/registers/registers.h"

namespace softgen::cs::reg {

namespace all = softgen::reg;

// clang-format off
constexpr uint32_t
    excc = all::RING_EXCC, tail = all::RING_TAIL, head = all::RING_HEAD, start = all::RING_START, ctl = all::RING_CTL,
    acthd_udw = all::RING_ACTHD_UDW, ipeir = all::RING_IPEIR, ipehr = all::RING_IPEHR, instdone = all::RING_INSTDONE,
    acthd = all::RING_ACTHD, hws_pga = all::RING_HWS_PGA, hwstam = all::RING_HWSTAM, uhptr = all::RING_UHPTR, nopid = all::RING_NOPID, mi_mode = all::RING_MI_MODE,
    eir = all::RING_EIR, emr = all::RING_EMR, esr = all::RING_ESR, instpm = all::RING_INSTPM,
    r_pwr_clk_state = all::R_PWR_CLK_STATE, reset_ctl = all::RING_RESET_CTL,
    bb_state = all::RING_BBSTATE, sbb_addr = all::RING_SBBADDR, sbb_state = all::RING_SBBSTATE, sbb_addr_udw = all::RING_SBBADDR_UDW,
    bb_addr = all::RING_BBADDR, bb_start_addr = all::RING_BB_START_ADDR, bb_add_diff = all::RING_BB_ADD_DIFF,
    bb_offset = all::RING_BB_OFFSET, bb_addr_udw = all::RING_BBADDR_UDW, bb_start_addr_udw = all::RING_BB_START_ADDR_UDW,
    pr_ctr_ctl = all::RING_PR_CTR_CTL, pr_ctr_thrsh = all::RING_PR_CTR_THRSH, ccid = all::RING_CCID,
    bb_per_ctx_ptr = all::RING_BB_PER_CTX_PTR, indirect_ctx = all::RING_INDIRECT_CTX, bcs_swctrl = all::BCS_SWCTRL,
    indirect_ctx_offset = all::RING_INDIRECT_CTX_OFFSET, elsp = all::RING_ELSP, execlist_status = all::RING_EXECLIST_STATUS_LO,
    execlist_status_udw = all::RING_EXECLIST_STATUS_HI, ctx_control = all::RING_CONTEXT_CONTROL, pdp = all::RING_PDP(0),
    mode = all::RING_MODE, timestamp = all::RING_TIMESTAMP, timestamp_udw = all::RING_TIMESTAMP_UDW,
    csb = all::RING_CONTEXT_STATUS_BUF(0), csb_ptr = all::RING_CONTEXT_STATUS_PTR, ctx_timestamp = all::RING_CTX_TIMESTAMP,
    predicate_src0 = all::MI_PREDICATE_SRC0, predicate_src1 = all::MI_PREDICATE_SRC1, predicate_data = all::MI_PREDICATE_DATA,
    predicate_result = all::MI_PREDICATE_RESULT, predicate_result_1 = all::MI_PREDICATE_RESULT_1,
    predicate_result_2 = all::MI_PREDICATE_RESULT_2, gpr0 = all::CS_GPR(0, 0);
// clang-format on

constexpr uint32_t ring_valid = 1u << 0;            // RING_BUFFER_CTL
constexpr uint32_t ring_wait_semaphore = 1u << 10;
constexpr uint32_t ring_offset_mask = 0x001f'fff8;  // RING_BUFFER_TAIL [20:3]
constexpr uint32_t head_offset_mask = 0x001f'fffc;  // RING_BUFFER_HEAD [20:2]
constexpr uint32_t head_wraps_shift = 21;           // RING_BUFFER_HEAD [31:21], wrap count

constexpr uint32_t stop_ring = 1u << 8;             // MI_MODE
constexpr uint32_t mode_idle = 1u << 9;

constexpr uint32_t run_list_enable = 1u << 15;      // GFX_MODE
constexpr uint32_t ppgtt_enable = 1u << 9;
constexpr uint32_t ppgtt_48b = 1u << 7;

constexpr uint32_t reset_request = 1u << 0;         // RESET_CTL
constexpr uint32_t reset_ready = 1u << 1;

constexpr uint32_t head_pending = 1u << 0;          // UHPTR

constexpr uint32_t restore_inhibit = 1u << 0;       // CTXT_SR_CTL
constexpr uint32_t inhibit_switch_on_wait = 1u << 3;

constexpr uint32_t batch_valid = 1u << 0;           // BB_ADDR, SBB_ADDR
constexpr uint32_t batch_ppgtt = 1u << 5;           // BB_STATE, SBB_STATE: address space indicator

constexpr uint32_t error_instruction = 1u << 0;     // EIR, EMR, ESR
constexpr uint32_t error_privilege = 1u << 2;
constexpr uint32_t error_page_table = 1u << 4;

// Events of an engine, in its own numbering (SKL PRM vol 2c, "GT Interrupt").
constexpr uint32_t irq_user = 1u << 0;
constexpr uint32_t irq_error = 1u << 3;
constexpr uint32_t irq_flush_notify = 1u << 4;
constexpr uint32_t irq_context_switch = 1u << 8;
constexpr uint32_t irq_wait_semaphore = 1u << 11;
/// Of them, those whose status HWSTAM may report.
constexpr uint32_t status_events = irq_user | irq_error | irq_flush_notify;

}  // namespace softgen::cs::reg
