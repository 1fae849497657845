// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/oa/form.h"

#include "hw/defs/guc_abi.h"
#include "hw/defs/registers/registers.h"

namespace softgen::oa {

const Form oa{.control = reg::OACONTROL,
              .debug = reg::OA_DEBUG,
              .status = reg::OASTATUS,
              .head = reg::OAHEADPTR,
              .tail = reg::OATAILPTR,
              .buffer = reg::OABUFFER,
              .buffer_upper = reg::OABUFFER_UDW,
              .timer = reg::OACTXCONTROL,
              .start_condition = {reg::OASTARTTRIG_CONDITION(0), reg::OASTARTTRIG_CONDITION(1)},
              .report_condition = {reg::OAREPORTTRIG_CONDITION(0), reg::OAREPORTTRIG_CONDITION(1)},
              .event = reg::OACEC_EVENT,
              .event_mask = reg::OACEC_MASK,
              .counters = {reg::OAPERF_A(0), reg::OAPERF_A32(0), reg::OAPERF_TICKS, reg::OAPERF_B(0), reg::OAPERF_C(0)},
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
               .start_condition = {reg::OAG_STARTTRIG_CONDITION(0), reg::OAG_STARTTRIG_CONDITION(1)},
               .report_condition = {reg::OAG_REPORTTRIG_CONDITION(0), reg::OAG_REPORTTRIG_CONDITION(1)},
               .event = reg::OAG_CEC_EVENT,
               .event_mask = reg::OAG_CEC_MASK,
               .counters = {reg::OAG_A(0), reg::OAG_A32(0), reg::OAG_TICKS, reg::OAG_B(0), reg::OAG_C(0)},
               .shows_valid_context = false,
               .no_context = defs::guc::descriptor_context.mask(),  // i915 i915_perf.c, INVALID_CTX_ID
               .context_control = reg::OAR_OACONTROL};

}  // namespace softgen::oa
