// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/cs/decode/execlist_layouts.h"

#include "hw/cs/execlists.h"

namespace softgen::cs {

namespace reg = softgen::reg;
namespace field = softgen::reg::field;

// SKL PRM vol 3, "Context Status"; i915 gt/intel_engine.h (I915_HWS_CSB_BUF0_INDEX, I915_HWS_CSB_WRITE_INDEX), GEN8_CSB_ENTRIES.
const ExeclistLayout elsp_layout{.elements = 2,
                                 .enable = field::RING_MODE_EXECUTION_LIST_ENABLE.mask(),
                                 .buffer = {.entries = 6,
                                            .page_buffer = 0x40,
                                            .page_index = 0x7c,
                                            .pointer = reg::RING_CONTEXT_STATUS_PTR,
                                            .write_pointer = reg::gen9::field::RING_CONTEXT_STATUS_PTR_WRITE_POINTER,
                                            .read_pointer = reg::gen9::field::RING_CONTEXT_STATUS_PTR_READ_POINTER,
                                            .first = reg::RING_CONTEXT_STATUS_BUF(0),
                                            .first_entries = 6}};

// i915 gt/intel_engine.h (ICL_HWS_CSB_WRITE_INDEX), GEN11_CSB_ENTRIES; gt/intel_lrc_reg.h (GEN11_CSB_*). i915 sets Disable Legacy Mode;
// Mesa's aub writer sets Gen9's bit (tools/aub_write.c).
const ExeclistLayout elsq_layout{.elements = max_elements,
                                 .enable = field::RING_MODE_DISABLE_LEGACY_MODE.mask() | field::RING_MODE_EXECUTION_LIST_ENABLE.mask(),
                                 .buffer = {.entries = 12,
                                            .page_buffer = 0x40,
                                            .page_index = 0xbc,
                                            .pointer = reg::RING_CONTEXT_STATUS_PTR,
                                            .write_pointer = reg::gen11::field::RING_CONTEXT_STATUS_PTR_WRITE_POINTER,
                                            .read_pointer = reg::gen11::field::RING_CONTEXT_STATUS_PTR_READ_POINTER,
                                            .first = reg::RING_CONTEXT_STATUS_BUF(0),
                                            .first_entries = 6,
                                            .second = reg::RING_CONTEXT_STATUS_BUF_2(0)}};

}  // namespace softgen::cs
