// SPDX-License-Identifier: GPL-2.0-or-later
// Guest physical memory as the units see it. Implemented by hw/memory (flat map fed by a front end; sparse store for replay).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace softgen {

enum class Access : uint8_t { read, write };

/// Contiguous host memory of consecutive guest physical addresses.
struct HostSpan {
  std::byte* data = nullptr;  ///< host address of `gpa`; null: no RAM there (or it may not be written, when asked for writing)
  uint64_t size = 0;          ///< bytes from `gpa` to the end of the run
};

class HostMemory {
 public:
  virtual ~HostMemory() = default;
  /// The run that holds `gpa`, starting there. Any thread that holds the device's run permission (see Gate in hw/memory). A span got
  /// for reading must not be written.
  virtual HostSpan resolve(uint64_t gpa, Access access) = 0;
  /// The device is about to write the page at `gpa` (4 KiB granularity is enough). Any thread.
  virtual void mark_dirty(uint64_t gpa, uint64_t size) = 0;
  /// Grows whenever cached results of resolve() or an earlier mark_dirty() no longer hold. TLBs compare it. Any thread.
  uint64_t epoch() const { return epoch_.load(std::memory_order_acquire); }
  /// Its address, for compiled code.
  const std::atomic<uint64_t>& epoch_word() const { return epoch_; }

 protected:
  void advance_epoch() { epoch_.fetch_add(1, std::memory_order_acq_rel); }

 private:
  std::atomic<uint64_t> epoch_{1};
};

}  // namespace softgen
