// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/debug/check/cache_controls.h"

#include <algorithm>
#include <string_view>

namespace softgen::debug::check {
namespace {

constexpr std::string_view of_all_engines = "GLOBAL_MOCS";
/// An engine's own table: the first of its names that the generation has (i915 gt/intel_mocs.c, mocs_offset; Gen11's second video engine is VCS2).
struct TableName {
  EngineId engine;
  std::string_view name;
};
constexpr TableName names[] = {{EngineId::rcs, "GFX_MOCS"},   {EngineId::pocs, "GFX_MOCS"},  {EngineId::bcs, "BLT_MOCS"},
                               {EngineId::vcs0, "MFX0_MOCS"}, {EngineId::vcs1, "MFX2_MOCS"}, {EngineId::vcs1, "MFX1_MOCS"},
                               {EngineId::vecs, "VEBOX_MOCS"}};

}  // namespace

CacheControls::CacheControls(const defs::RegisterSet& registers) {
  // 0: the generation has no such table.
  const auto offset_of = [&](std::string_view name) {
    const auto row = std::ranges::find(registers.rows, name, &defs::Register::name);
    return row == registers.rows.end() ? 0 : row->offset;
  };
  for (Table& table : tables_) table.first = offset_of(of_all_engines);
  for (const TableName& name : names)
    if (uint32_t& first = tables_[static_cast<size_t>(name.engine)].first; !first) first = offset_of(name.name);
}

void CacheControls::written(uint32_t offset, uint32_t value) {
  for (Table& table : tables_) {
    if (!table.first || offset < table.first || offset >= table.first + 4 * entry_count) continue;
    table.entries[(offset - table.first) / 4].store(valid | value, std::memory_order_relaxed);
    table.seen.store(true, std::memory_order_relaxed);
  }
}

std::optional<uint32_t> CacheControls::entry(EngineId engine, unsigned index) const {
  const uint64_t value = table_of(engine).entries[index].load(std::memory_order_relaxed);
  return value & valid ? std::optional(static_cast<uint32_t>(value)) : std::nullopt;
}

}  // namespace softgen::debug::check
