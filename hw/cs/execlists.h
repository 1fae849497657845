// SPDX-License-Identifier: GPL-2.0-or-later
// Words of execlist submission: context descriptors, the execlist submit port, status register and context status events (SKL PRM
// vol 3 "Execlists"; i915 gt/intel_execlists_submission.c).
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

/// The execlist: two elements, run in order.
struct Execlist {
  std::array<Descriptor, 2> element;
  bool empty() const { return !element[0].valid() && !element[1].valid(); }
};

/// Context status events (low dword of a CSB entry).
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

/// The execlist submit port: four dword writes, element 1 before element 0 and the high dword before the low one; the fourth submits.
class SubmitPort {
 public:
  /// True when `value` completed a list, which is then in list().
  bool write(uint32_t value) {
    dwords_[count_++] = value;
    if (count_ < dwords_.size()) return false;
    count_ = 0;
    return true;
  }
  Execlist list() const { return {{Descriptor{dwords_[3], dwords_[2]}, Descriptor{dwords_[1], dwords_[0]}}}; }
  void reset() { *this = {}; }
  /// After loading a saved state, which is not trusted.
  void check() { count_ %= dwords_.size(); }

 private:
  std::array<uint32_t, 4> dwords_{};
  uint32_t count_ = 0;
};

/// RING_EXECLIST_STATUS_LO.
struct ExeclistStatus {
  bool queue_full = false;  ///< a submitted list waits for the running one to be preempted
  bool running = false;
  unsigned element = 0;       ///< that runs
  bool second_valid = false;  ///< the running list's other element is yet to run
  bool arbitration = true;
  uint32_t last_reason = 0;  ///< low bits of the last event

  uint32_t value() const {
    uint32_t v = 0;
    v |=
        queue_full ? field::RING_EXECLIST_STATUS_LO_EXECLIST_QUEUE_FULL.mask() | field::RING_EXECLIST_STATUS_LO_EXECLIST_1_VALID.mask() : 0;
    v |= running ? field::RING_EXECLIST_STATUS_LO_EXECLIST_0_VALID.mask() | field::RING_EXECLIST_STATUS_LO_EXECLIST_0_ACTIVE.mask() : 0;
    v = field::RING_EXECLIST_STATUS_LO_LAST_CONTEXT_SWITCH_REASON.with(v, last_reason);
    v = field::RING_EXECLIST_STATUS_LO_CURRENT_ACTIVE_ELEMENT_STATUS.with(v, running ? (element == 0 ? 1 : 2) : 0);
    return field::RING_EXECLIST_STATUS_LO_ARBITRATION_ENABLE.with(v, arbitration);
  }
};

/// CSB: six entries of two dwords in the hardware status page, and the index of the last one written (i915 gt/intel_engine.h).
constexpr uint32_t csb_entries = 6;
constexpr uint32_t hwsp_csb = 0x40, hwsp_csb_write = 0x7c;
constexpr uint32_t csb_ptr_reset = 0x0505;  ///< RING_CONTEXT_STATUS_PTR: so that the first event goes to entry 0

}  // namespace softgen::cs
