// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/cs/decode/execlist_layouts.h"

#include "hw/cs/execlists.h"

namespace softgen::cs {

namespace reg = softgen::reg;
namespace field = softgen::reg::field;

namespace {

/// From Gen8 to Gen11: what happened, and the id of the context that left; of none that is 0.
uint64_t event_entry(const ContextSwitch& event) { return event.event | uint64_t{event.left.high} << 32; }

// i915 gt/intel_execlists_submission.c, gen12_csb_parse, GEN12_*; gt/intel_lrc_reg.h, GEN11_SW_CTX_ID_*. The codes of details: 0 is for the ordinary
// end, 5 for a preemption (a comment there); 4, for a semaphore, is chosen.
constexpr reg::Bits descriptor_id{15, 5}, entry_id{25, 15}, entry_detail{3, 0}, entry_new_queue{0, 0};
constexpr uint32_t no_context = 0x7ff, detail_waits = 4, detail_preempted = 5;

uint32_t id_of(const Descriptor& context) { return context.valid() ? descriptor_id.of(context.high) : no_context; }

/// Low dword: where the engine goes; high dword: where from, and why.
uint64_t switch_entry(const ContextSwitch& event) {
  const bool preempts = event.event & event_preempted, waits = event.event & event_wait_semaphore;
  const bool new_queue = preempts || (event.event & event_idle_to_active);
  const uint32_t detail = preempts ? detail_preempted : waits ? detail_waits : 0;
  const uint32_t low = entry_new_queue.with(entry_id.with(0, id_of(event.entered)), new_queue);
  return low | uint64_t{entry_detail.with(entry_id.with(0, id_of(event.left)), detail)} << 32;
}

// i915 gt/intel_engine.h (ICL_HWS_CSB_WRITE_INDEX), GEN11_CSB_ENTRIES.
constexpr StatusBuffer::Layout twelve_entries{.entries = 12,
                                              .page_buffer = 0x40,
                                              .page_index = 0xbc,
                                              .pointer = reg::RING_CONTEXT_STATUS_PTR,
                                              .write_pointer = reg::gen11::field::RING_CONTEXT_STATUS_PTR_WRITE_POINTER,
                                              .read_pointer = reg::gen11::field::RING_CONTEXT_STATUS_PTR_READ_POINTER,
                                              .first = reg::RING_CONTEXT_STATUS_BUF(0),
                                              .first_entries = 6,
                                              .second = reg::RING_CONTEXT_STATUS_BUF_2(0)};

// i915 sets Disable Legacy Mode; Mesa's aub writer sets Gen9's bit (tools/aub_write.c).
constexpr uint32_t lists_enable = field::RING_MODE_DISABLE_LEGACY_MODE.mask() | field::RING_MODE_EXECUTION_LIST_ENABLE.mask();

}  // namespace

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
                                            .first_entries = 6},
                                 .entry = event_entry};

const ExeclistLayout elsq_gen11_layout{.elements = max_elements, .enable = lists_enable, .buffer = twelve_entries, .entry = event_entry};
const ExeclistLayout elsq_gen12_layout{.elements = max_elements, .enable = lists_enable, .buffer = twelve_entries, .entry = switch_entry};

}  // namespace softgen::cs
