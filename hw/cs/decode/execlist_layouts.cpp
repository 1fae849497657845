// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/cs/decode/execlist_layouts.h"

namespace softgen::cs {

namespace reg = softgen::reg;
namespace field = softgen::reg::field;

// SKL PRM vol 3, "Context Status"; i915 gt/intel_engine.h (I915_HWS_CSB_BUF0_INDEX, I915_HWS_CSB_WRITE_INDEX), GEN8_CSB_ENTRIES.
const ExeclistLayout elsp_layout{.elements = 2,
                                 .enable = field::RING_MODE_EXECUTION_LIST_ENABLE,
                                 .buffer = {.entries = 6,
                                            .page_buffer = 0x40,
                                            .page_index = 0x7c,
                                            .pointer = reg::RING_CONTEXT_STATUS_PTR,
                                            .write_pointer = field::RING_CONTEXT_STATUS_PTR_WRITE_POINTER,
                                            .read_pointer = field::RING_CONTEXT_STATUS_PTR_READ_POINTER,
                                            .first = reg::RING_CONTEXT_STATUS_BUF(0),
                                            .first_entries = 6}};

}  // namespace softgen::cs
