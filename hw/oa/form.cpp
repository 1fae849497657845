// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/oa/form.h"

#include "hw/defs/guc_abi.h"
#include "hw/defs/registers/registers.h"

namespace softgen::oa {
namespace {

using TriggerRows = Form::TriggerRows;

constexpr TriggerRows oa_start(uint32_t i) {
  return {reg::OASTARTTRIG_THRESHOLD(i), reg::OASTARTTRIG_CONDITION(i), reg::OASTARTTRIG_SELECT(i, 0), reg::OASTARTTRIG_SELECT(i, 1)};
}
constexpr TriggerRows oa_report(uint32_t i) {
  return {reg::OAREPORTTRIG_THRESHOLD(i), reg::OAREPORTTRIG_CONDITION(i), reg::OAREPORTTRIG_SELECT(i, 0), reg::OAREPORTTRIG_SELECT(i, 1)};
}
constexpr TriggerRows oag_start(uint32_t i) {
  return {reg::OAG_STARTTRIG_THRESHOLD(i), reg::OAG_STARTTRIG_CONDITION(i), reg::OAG_STARTTRIG_SELECT(i, 0),
          reg::OAG_STARTTRIG_SELECT(i, 1)};
}
constexpr TriggerRows oag_report(uint32_t i) {
  return {reg::OAG_REPORTTRIG_THRESHOLD(i), reg::OAG_REPORTTRIG_CONDITION(i), reg::OAG_REPORTTRIG_SELECT(i, 0),
          reg::OAG_REPORTTRIG_SELECT(i, 1)};
}

}  // namespace

const Form oa{
    .control = reg::OACONTROL,
    .debug = reg::OA_DEBUG,
    .status = reg::OASTATUS,
    .head = reg::OAHEADPTR,
    .tail = reg::OATAILPTR,
    .buffer = reg::OABUFFER,
    .buffer_upper = reg::OABUFFER_UDW,
    .timer = reg::OACTXCONTROL,
    .interrupt_mask = reg::OA_IMR,
    .mmio_trigger = 0,
    .start_triggers = {oa_start(0), oa_start(1)},
    .report_triggers = {oa_report(0), oa_report(1)},
    .event = reg::OACEC_EVENT,
    .event_mask = reg::OACEC_MASK,
    .counters = {reg::OAPERF_A(0), reg::OAPERF_A32(0), reg::OAPERF_TICKS, reg::OAPERF_B(0), reg::OAPERF_C(0), reg::OAPERF_FREE(0, 0)},
    .shows_valid_context = true,
    .no_context = 0,
    .context_control = 0};

const Form oag{.control = reg::OAG_OACONTROL,
               .debug = reg::OAG_OA_DEBUG,
               .status = reg::OAG_OASTATUS,
               .head = reg::OAG_OAHEADPTR,
               .tail = reg::OAG_OATAILPTR,
               .buffer = reg::OAG_OABUFFER,
               .buffer_upper = 0,
               .timer = reg::OAGLBCTXCTRL,
               .interrupt_mask = reg::OAG_OA_IMR,
               .mmio_trigger = reg::OAG_MMIOTRIGGER,
               .start_triggers = {oag_start(0), oag_start(1)},
               .report_triggers = {oag_report(0), oag_report(1)},
               .event = reg::OAG_CEC_EVENT,
               .event_mask = reg::OAG_CEC_MASK,
               .counters = {reg::OAG_A(0), reg::OAG_A32(0), reg::OAG_TICKS, reg::OAG_B(0), reg::OAG_C(0), 0},
               .shows_valid_context = false,
               .no_context = defs::guc::descriptor_context.mask(),  // i915 i915_perf.c, INVALID_CTX_ID
               .context_control = reg::OAR_OACONTROL};

}  // namespace softgen::oa
