// SPDX-License-Identifier: GPL-2.0-or-later
// Short names of the registers a streamer acts on, relative to its MMIO base, and of their fields (rows and sources:
// hw/defs/gen9/registers_engine.def).
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
    indirect_ctx_offset = all::RING_INDIRECT_CTX_OFFSET, posh_lrca = all::RING_POSH_LRCA, elsp = all::RING_ELSP, execlist_status = all::RING_EXECLIST_STATUS_LO,
    execlist_status_udw = all::RING_EXECLIST_STATUS_HI, ctx_control = all::RING_CONTEXT_CONTROL, pdp = all::RING_PDP(0),
    mode = all::RING_MODE, timestamp = all::RING_TIMESTAMP,
    ctx_timestamp = all::RING_CTX_TIMESTAMP,
    predicate_src0 = all::MI_PREDICATE_SRC0, predicate_src1 = all::MI_PREDICATE_SRC1, predicate_data = all::MI_PREDICATE_DATA,
    predicate_result = all::MI_PREDICATE_RESULT, predicate_result_1 = all::MI_PREDICATE_RESULT_1,
    predicate_result_2 = all::MI_PREDICATE_RESULT_2, gpr0 = all::CS_GPR(0, 0);
// clang-format on

// Their fields (reg::field, generated from the same rows), those of one bit as masks.
namespace field = softgen::reg::field;
constexpr uint32_t ring_valid = field::RING_CTL_RING_BUFFER_ENABLE.mask();
constexpr uint32_t ring_wait_semaphore = field::RING_CTL_SEMAPHORE_WAIT.mask();
constexpr auto ring_pages = field::RING_CTL_BUFFER_LENGTH;  ///< of 4 KiB, minus 1
constexpr auto head_reports = field::RING_CTL_AUTOMATIC_REPORT_HEAD_POINTER;
constexpr uint32_t ring_offset_mask = field::RING_TAIL_TAIL_OFFSET.mask();
constexpr auto ring_start = field::RING_START_STARTING_ADDRESS;
constexpr auto head_offset = field::RING_HEAD_HEAD_OFFSET;
constexpr auto head_wraps = field::RING_HEAD_WRAP_COUNT;
constexpr auto status_page = field::RING_HWS_PGA_HARDWARE_STATUS_PAGE_ADDRESS;

constexpr uint32_t stop_ring = field::RING_MI_MODE_STOP_RINGS.mask();
constexpr uint32_t mode_idle = field::RING_MI_MODE_RINGS_IDLE.mask();

constexpr uint32_t ppgtt_enable = field::RING_MODE_PPGTT_ENABLE.mask();
constexpr uint32_t ppgtt_48b = field::RING_MODE_48_BIT_PPGTT.mask();

constexpr uint32_t reset_request = field::RING_RESET_CTL_REQUEST_RESET.mask();
constexpr uint32_t reset_ready = field::RING_RESET_CTL_READY_FOR_RESET.mask();

constexpr uint32_t head_pending = field::RING_UHPTR_HEAD_POINTER_VALID.mask();

constexpr uint32_t restore_inhibit = field::RING_CONTEXT_CONTROL_ENGINE_CONTEXT_RESTORE_INHIBIT.mask();
constexpr uint32_t inhibit_switch_on_wait = field::RING_CONTEXT_CONTROL_INHIBIT_SYNCHRONOUS_CONTEXT_SWITCH.mask();

constexpr uint32_t posh_enabled = field::RING_CONTEXT_CONTROL_POSH_ENABLE.mask();
constexpr auto posh_context = field::RING_POSH_LRCA_LOGICAL_CONTEXT_ADDRESS;

constexpr auto context_address = field::RING_CCID_LOGICAL_RENDER_CONTEXT_ADDRESS;
/// Set by us in CCID once it names a context, as MI_SET_CONTEXT has it.
constexpr uint32_t context_valid = field::RING_CCID_RESERVED_MUST_BE_1.mask();

// BB_ADDR and SBB_ADDR, BB_STATE and SBB_STATE have their fields in the same places.
constexpr uint32_t batch_valid = field::RING_BBADDR_VALID.mask();
constexpr uint32_t batch_ppgtt = field::RING_BBSTATE_ADDRESS_SPACE_INDICATOR.mask();
static_assert(batch_valid == field::RING_SBBADDR_VALID.mask() && batch_ppgtt == field::RING_SBBSTATE_ADDRESS_SPACE_INDICATOR.mask());
constexpr uint32_t batch_executed = field::RING_BBSTATE_POSH_START.mask(), batch_traversed = field::RING_BBSTATE_POSH_ENABLE.mask();
static_assert(batch_executed == field::RING_SBBSTATE_POSH_START.mask() && batch_traversed == field::RING_SBBSTATE_POSH_ENABLE.mask());

constexpr auto predicate_bit = field::MI_PREDICATE_RESULT_MI_PREDICATE_RESULT;
static_assert(predicate_bit.mask() == field::MI_PREDICATE_RESULT_1_MI_PREDICATE_RESULT_1.mask() &&
              predicate_bit.mask() == field::MI_PREDICATE_RESULT_2_MI_PREDICATE_RESULT_2.mask());

// EIR, EMR, ESR
constexpr uint32_t error_instruction = field::RING_EIR_INSTRUCTION_ERROR.mask();
constexpr uint32_t error_privilege = field::RING_EIR_COMMAND_PRIVILEGE_VIOLATION_ERROR.mask();
constexpr uint32_t error_page_table = field::RING_EIR_PAGE_TABLE_ERROR.mask();

}  // namespace softgen::cs::reg
