// SPDX-License-Identifier: GPL-2.0-or-later
// Ironlake's directory cache: the page directory of a per-process table of two levels as a context's restore has taken it from the global table, whose
// entries it is made of (ILK PRM vol 1 part 2, 1.3.1 and 1.3.2.4).
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "hw/base/archive.h"
#include "hw/memory/ggtt.h"

namespace softgen::memory {

/// Loaded by one thread at a time while no other walks it; read by any.
class PageDirectory {
 public:
  using Format = defs::TwoLevelPages;

  /// Takes the sets of `sets` (bit i: entries 16 i to 16 i + 15) from the global table's bytes, from 64 * `line` on. The other sets are not there. What
  /// lies outside the global table is not valid.
  void load(const Ggtt& table, uint32_t line, uint32_t sets);
  /// As the global table had it; 0 where the set is not there, and for `index` >= Format::entries.
  uint32_t entry(uint32_t index) const { return index < Format::entries ? entries_[index].load(std::memory_order_relaxed) : 0; }
  bool has_set_of(uint32_t index) const {
    const uint32_t set = index / Format::per_set;
    return set < Format::sets && sets_.load(std::memory_order_relaxed) >> set & 1;
  }
  void clear();
  void state(Archive& archive);

 private:
  std::array<std::atomic<uint32_t>, Format::entries> entries_{};
  std::atomic<uint32_t> sets_{0};
};

}  // namespace softgen::memory
