// SPDX-License-Identifier: GPL-2.0-or-later
// Guest RAM as a front end maps it: regions of guest physical addresses with host memory for each, and a
// log of pages written.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "hw/iface/host_memory.h"

namespace softgen::memory {

/// The map changes, and the dirty log is read, only while the Gate is closed; in between any thread with a
/// Pass (or the front end's lock) may resolve. Hence no lock here.
class FlatMemory final : public HostMemory {
 public:
  static constexpr uint64_t page_size = 4096;

  /// add and remove collect; commit makes them the map. remove may cut regions; add replaces what it
  /// overlaps. Sizes and addresses that are not whole pages keep the whole pages inside.
  void add(uint64_t gpa, uint64_t size, void* host, bool readonly);
  void remove(uint64_t gpa, uint64_t size);
  void commit();

  void dirty_log(bool on);
  /// Calls back for each run of pages in [gpa, gpa + size) written since the log went on or since the last
  /// call, and forgets them.
  void dirty_sync(uint64_t gpa, uint64_t size, const std::function<void(uint64_t gpa, uint64_t size)>& dirty);

  HostSpan resolve(uint64_t gpa, Access access) override;
  void mark_dirty(uint64_t gpa, uint64_t size) override;

 private:
  struct Region {
    uint64_t gpa, size;
    std::byte* host;
    bool readonly;
    uint64_t end() const { return gpa + size; }
  };
  struct DirtyBits {  // of the region with the same index
    std::unique_ptr<std::atomic<uint64_t>[]> words;
  };
  const Region* find(uint64_t gpa) const;
  void allocate_log();

  std::vector<Region> staged_, regions_;  // sorted by gpa, disjoint
  std::vector<DirtyBits> dirty_;
  std::atomic<bool> log_on_{false};
};

}  // namespace softgen::memory
