// SPDX-License-Identifier: GPL-2.0-or-later
// Words of execlist submission: context descriptors, the execlist submit port, status register and context status events (SKL PRM
// vol 3 "Execlists"; i915 gt/intel_execlists_submission.c and gvt/execlist.h for the layouts).
#pragma once

#include <array>
#include <cstdint>

#include "hw/base/bits.h"

namespace softgen::cs {

/// One element of an execlist, as the driver wrote it.
struct Descriptor {
  uint32_t low = 0;   ///< [31:12] LRCA, flags
  uint32_t high = 0;  ///< the driver's context id, echoed in events

  bool valid() const { return bit(low, 0); }
  bool force_restore() const { return bit(low, 2); }
  /// [4:3]: 3 is the 48-bit PPGTT (PDP0 holds the PML4), 1 the 32-bit one. Without [8] the context lives in the GGTT alone.
  bool has_ppgtt() const { return bit(low, 8); }
  bool wide_ppgtt() const { return bits(low, 4, 3) == 3; }
  /// GGTT address of the context image.
  uint32_t lrca() const { return low & 0xffff'f000; }
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

/// EXECLIST_STATUS low dword (gvt/execlist.h, execlist_status_format).
struct ExeclistStatus {
  bool queue_full = false;    ///< a submitted list waits for the running one to be preempted
  bool running = false;
  unsigned element = 0;       ///< that runs
  bool second_valid = false;  ///< the running list's other element is yet to run
  bool arbitration = true;
  uint32_t last_reason = 0;   ///< low bits of the last event

  uint32_t value() const {
    uint32_t v = 0;
    v |= queue_full ? 1u << 2 | 1u << 3 : 0;
    v |= running ? 1u << 4 | 1u << 18 : 0;
    v |= (last_reason & 0x1ff) << 5;
    v |= (running ? (element == 0 ? 1u : 2u) : 0u) << 14;
    v |= arbitration ? 1u << 16 : 0;
    return v;
  }
};

/// CSB: six entries of two dwords in the hardware status page, and the index of the last one written (i915 gt/intel_engine.h).
constexpr uint32_t csb_entries = 6;
constexpr uint32_t hwsp_csb = 0x40, hwsp_csb_write = 0x7c;
constexpr uint32_t csb_ptr_reset = 0x0505;  ///< RING_CONTEXT_STATUS_PTR: so that the first event goes to entry 0

}  // namespace softgen::cs
