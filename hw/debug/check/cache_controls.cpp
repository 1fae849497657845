// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/debug/check/cache_controls.h"

#include <algorithm>
#include <string_view>

namespace softgen::debug::check {
namespace {

/// Registers of an engine's table, the first that the generation has (i915 gt/intel_mocs.c, mocs_offset; Gen11's second video engine is VCS2).
struct TableName {
  EngineId engine;
  std::string_view name;
};
constexpr TableName names[] = {
    {EngineId::rcs, "GLOBAL_MOCS"},  {EngineId::rcs, "GFX_MOCS"},   {EngineId::pocs, "GLOBAL_MOCS"}, {EngineId::pocs, "GFX_MOCS"},
    {EngineId::bcs, "GLOBAL_MOCS"},  {EngineId::bcs, "BLT_MOCS"},   {EngineId::vcs0, "GLOBAL_MOCS"}, {EngineId::vcs0, "MFX0_MOCS"},
    {EngineId::vcs1, "GLOBAL_MOCS"}, {EngineId::vcs1, "MFX2_MOCS"}, {EngineId::vcs1, "MFX1_MOCS"},   {EngineId::vecs, "GLOBAL_MOCS"},
    {EngineId::vecs, "VEBOX_MOCS"},
};

}  // namespace

CacheControls::CacheControls(const defs::RegisterSet& registers) {
  for (const TableName& name : names) {
    Table*& table = tables_[static_cast<size_t>(name.engine)];
    const auto row = std::ranges::find(registers.rows, name.name, &defs::Register::name);
    if (!table && row != registers.rows.end()) table = at(row->offset);
  }
}

CacheControls::Table* CacheControls::at(uint32_t first) {
  Table* const table = std::ranges::find_if(storage_, [&](const Table& one) { return !one.first || one.first == first; });
  table->first = first;
  return table;
}

void CacheControls::written(uint32_t offset, uint32_t value) {
  for (Table& table : storage_) {
    const uint32_t index = (offset - table.first) / 4;
    if (!table.first || offset < table.first || index >= entry_count) continue;
    table.entries[index].store(valid | value, std::memory_order_relaxed);
    table.seen.store(true, std::memory_order_relaxed);
  }
}

std::optional<uint32_t> CacheControls::entry(EngineId engine, unsigned index) const {
  const Table* const table = table_of(engine);
  const uint64_t value = table ? table->entries[index].load(std::memory_order_relaxed) : 0;
  return value & valid ? std::optional(static_cast<uint32_t>(value)) : std::nullopt;
}

}  // namespace softgen::debug::check
