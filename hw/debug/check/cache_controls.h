// SPDX-License-Identifier: GPL-2.0-or-later
// The tables of memory object control state (MOCS) as the driver has programmed them: one per engine, or one for all (SKL PRM vol 2c, GFX_MOCS and its
// like; TGL PRM vol 2c, GLOBAL_MOCS).
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>

#include "hw/defs/register.h"

namespace softgen::debug::check {

/// Written by the front end's thread, read by any.
class CacheControls {
 public:
  static constexpr unsigned entry_count = 64;
  /// Entry that evictions of L3 use on Gen9 (i915 gt/intel_mocs.c).
  static constexpr unsigned l3_evictions = 63;

  explicit CacheControls(const defs::RegisterSet& registers);

  /// A register write; others than of the tables change nothing.
  void written(uint32_t offset, uint32_t value);
  /// Whether the driver's programming of the engine's table has been seen: captures have none.
  bool known(EngineId engine) const { return table_of(engine).seen.load(std::memory_order_relaxed); }
  /// What the driver has written to an entry; none: nothing. `index` < entry_count.
  std::optional<uint32_t> entry(EngineId engine, unsigned index) const;

 private:
  static constexpr uint64_t valid = 1ull << 32;
  struct Table {
    uint32_t first = 0;  ///< offset of entry 0, the same for all engines where they share a table; 0: the generation has none
    std::atomic<bool> seen{false};
    std::array<std::atomic<uint64_t>, entry_count> entries{};  ///< the value, and whether there is one
  };
  const Table& table_of(EngineId engine) const { return tables_[static_cast<size_t>(engine)]; }

  std::array<Table, engine_count> tables_;  ///< by EngineId
};

}  // namespace softgen::debug::check
