// SPDX-License-Identifier: GPL-2.0-or-later
// The buffer of reports in guest memory (SKL PRM vol 2c, OABUFFER, OAHEADPTR, OATAILPTR, OASTATUS; i915 i915_perf.c).
#pragma once

#include <cstdint>
#include <span>

#include "hw/memory/ggtt.h"
#include "hw/memory/view.h"
#include "hw/mmio/register_file.h"
#include "hw/oa/form.h"

namespace softgen::oa {

class ReportBuffer {
 public:
  ReportBuffer(mmio::RegisterFile& registers, const Form& form, HostMemory& memory, const memory::Ggtt& ggtt);

  /// Writes a report, then moves the tail. Without room for it Buffer Overflow is set; until software clears that, reports are dropped.
  void append(std::span<const uint32_t> report);
  /// Bytes up to the head; a report must be smaller.
  uint64_t room() const;
  /// Bytes until it is half full; 0: it is, or drops reports as it has overflowed.
  uint64_t below_half() const;
  /// Sets Report Lost: reports that were due have not been written.
  void lose();

 private:
  /// `head`, `tail`: offsets in the buffer.
  struct Place {
    uint64_t base, size, head, tail;
    uint64_t room() const { return size - (tail - head) % size; }
  };
  Place place() const;

  mmio::RegisterFile& registers_;
  const Form& form_;
  memory::View view_;
};

}  // namespace softgen::oa
