// SPDX-License-Identifier: GPL-2.0-or-later
// Guest physical memory as the units see it. Implemented by hw/memory (flat map fed by a front end; sparse store for replay).
#pragma once

#include <cstddef>
#include <cstdint>

namespace softgen {

enum class Access : uint8_t { read, write };

/// One run of host memory behind consecutive guest physical addresses.
struct HostSpan {
  std::byte* data = nullptr;  ///< host address of `gpa`; null: no RAM there
  uint64_t size = 0;          ///< bytes from `gpa` to the end of the run
  bool writable = false;
};

class HostMemory {
 public:
  virtual ~HostMemory() = default;
  /// The run that holds `gpa`, starting there. Any thread that holds the device's run permission (see Gate in hw/memory).
  virtual HostSpan resolve(uint64_t gpa) = 0;
  /// The device is about to write the page at `gpa` (4 KiB granularity is enough). Any thread.
  virtual void mark_dirty(uint64_t gpa, uint64_t size) = 0;
  /// Grows whenever cached results of resolve() or an earlier mark_dirty() no longer hold. TLBs compare it. Any thread.
  virtual uint64_t epoch() const = 0;
};

}  // namespace softgen
