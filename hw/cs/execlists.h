// SPDX-License-Identifier: GPL-2.0-or-later
// What execlist submission is about on every platform: context descriptors, lists of them, and context status events (SKL PRM vol 3
// "Execlists"; i915 gt/intel_execlists_submission.c).
#pragma once

#include <array>
#include <cstdint>

#include "hw/defs/registers/registers.h"

namespace softgen::cs {

namespace field = softgen::reg::field;

/// Addressing Mode of a context descriptor: the 32-bit PPGTT is 1.
constexpr uint32_t addressing_48b = 3;

/// One element of an execlist, as the driver wrote it.
struct Descriptor {
  uint32_t low = 0;   ///< LRCA and flags: the fields of RING_ELSP
  uint32_t high = 0;  ///< the driver's context id, echoed in events

  static Descriptor from(uint64_t value) { return {static_cast<uint32_t>(value), static_cast<uint32_t>(value >> 32)}; }
  bool valid() const { return field::RING_ELSP_VALID.of(low) != 0; }
  bool force_restore() const { return field::RING_ELSP_FORCE_RESTORE.of(low) != 0; }
  /// Without it the context lives in the GGTT alone.
  bool has_ppgtt() const { return field::RING_ELSP_PPGTT_ENABLE.of(low) != 0; }
  /// PDP0 holds the PML4.
  bool wide_ppgtt() const { return field::RING_ELSP_ADDRESSING_MODE.of(low) == addressing_48b; }
  /// GGTT address of the context image.
  uint32_t lrca() const { return field::RING_ELSP_LOGICAL_RING_CONTEXT_ADDRESS.in_place(low); }
  bool same_context(const Descriptor& other) const { return lrca() == other.lrca() && high == other.high; }
};

/// Most elements that an execlist has on any platform (the submission queue of Gen11).
constexpr unsigned max_elements = 8;

/// The contexts of one submission, run in order. Invalid elements are left out. An empty list preempts to idle; only the GuC submits one.
struct Execlist {
  std::array<Descriptor, max_elements> element;
  /// The first valid element from `from` on; max_elements: there is none.
  unsigned next(unsigned from) const {
    while (from < max_elements && !element[from].valid()) ++from;
    return from;
  }
  bool empty() const { return next(0) == max_elements; }
};

/// Context status events. The values are those of a CSB entry's low dword from Gen8 to Gen11; on Gen12 they follow from the contexts.
enum Event : uint32_t {
  event_idle_to_active = 1u << 0,
  event_preempted = 1u << 1,
  event_element_switch = 1u << 2,
  event_active_to_idle = 1u << 3,
  event_complete = 1u << 4,
  event_wait_semaphore = 1u << 7,
  event_wait_polls = 1u << 11,  ///< with the one above: the command's Wait Mode
  event_lite_restore = 1u << 15,
};

/// A context status event, and the contexts of both sides; one that is not valid: the engine was idle, or is now.
struct ContextSwitch {
  uint32_t event = 0;  ///< of Event
  Descriptor left, entered;
};

}  // namespace softgen::cs
