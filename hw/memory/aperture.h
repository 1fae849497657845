// SPDX-License-Identifier: GPL-2.0-or-later
// The CPU's way into graphics memory: BAR2, offsets are GGTT addresses, regions under a fence register are
// detiled (SKL PRM vol 5, "Tiled (Fenced) Regions"; i915 gt/intel_ggtt_fencing.c:i965_write_fence_reg).
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>

#include "hw/base/archive.h"
#include "hw/base/mutex.h"
#include "hw/defs/bit6_swizzle.h"
#include "hw/memory/ggtt.h"
#include "hw/memory/view.h"

namespace softgen::memory {

/// Accesses come one at a time (the front end's lock), never while engines of another map run: no Pass is
/// needed. Fences may be set by any thread (batches load their registers).
class Aperture {
 public:
  static constexpr unsigned fence_count = 32;

  Aperture(const Ggtt& ggtt, HostMemory& memory, FaultSink* sink, defs::Bit6Swizzle swizzle = {});
  /// Faults go to `sink` in place of the constructor's. Before there are accesses.
  void set_faults(FaultSink* sink) { host_.next = sink; }

  /// size 1, 2, 4 or 8; any offset below 4 GiB.
  uint64_t read(uint64_t offset, unsigned size);
  void write(uint64_t offset, uint64_t value, unsigned size);
  /// Host memory of the 4 KiB page at `offset` when it may be mapped as it is: present, writable RAM, no
  /// fence over it. Else null. It stays right until a fence or PTE changes, or the memory map; its writes are
  /// not in the dirty log.
  std::byte* page(uint64_t offset);

  /// index < fence_count. Layout: [0] valid, [1] Y walk, [31:12] first page, [42:32] pitch / 128 - 1, [63:44]
  /// last page.
  uint64_t fence(unsigned index) const;
  void set_fence(unsigned index, uint64_t value);
  /// One dword of it.
  void set_fence_half(unsigned index, bool high, uint32_t value);

  void reset();
  void state(Archive& archive);

 private:
  /// Marks faults as the CPU's.
  struct HostFaults final : FaultSink {
    FaultSink* next = nullptr;
    void fault(const Fault& fault) override {
      Fault of_host = fault;
      of_host.host = true;
      if (next) next->fault(of_host);
    }
  };
  struct Region {
    uint64_t first, last;  // bytes, both included
    uint64_t pitch;        // bytes
    bool y_walk;
  };
  void set_fence_locked(unsigned index, uint64_t value) SG_REQUIRES(mutex_);
  std::optional<Region> find(uint64_t offset) const;
  uint64_t tiled(const Region& region, uint64_t offset) const;
  uint64_t address(uint64_t offset) const;
  bool in_one_piece(uint64_t offset, unsigned size) const;

  HostFaults host_;
  View view_;
  const defs::Bit6Swizzle swizzle_;
  mutable Mutex mutex_;
  std::array<uint64_t, fence_count> fences_ SG_GUARDED_BY(mutex_){};
  std::array<std::optional<Region>, fence_count> regions_ SG_GUARDED_BY(mutex_);
  std::atomic<unsigned> valid_fences_{0};
};

}  // namespace softgen::memory
