// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/memory/page_directory.h"

namespace softgen::memory {

void PageDirectory::load(const Ggtt& table, uint32_t line, uint32_t sets) {
  sets_.store(sets, std::memory_order_relaxed);
  const uint64_t first = uint64_t{line} * Format::per_set;
  for (uint32_t i = 0; i < Format::entries; ++i) {
    const uint64_t at = first + i;
    const bool there = has_set_of(i) && at < table.entries();
    entries_[i].store(there ? static_cast<uint32_t>(table.read_window(at * 4, 4)) : 0, std::memory_order_relaxed);
  }
}

void PageDirectory::clear() {
  sets_.store(0, std::memory_order_relaxed);
  for (auto& entry : entries_) entry.store(0, std::memory_order_relaxed);
}

void PageDirectory::state(Archive& archive) {
  archive.section("page directory", 1);
  uint32_t sets = sets_.load(std::memory_order_relaxed);
  std::array<uint32_t, Format::entries> entries;
  for (uint32_t i = 0; i < Format::entries; ++i) entries[i] = entry(i);
  archive.value(sets);
  archive.value(entries);
  if (!archive.reading() || archive.failed()) return;
  sets_.store(sets, std::memory_order_relaxed);
  for (uint32_t i = 0; i < Format::entries; ++i) entries_[i].store(entries[i], std::memory_order_relaxed);
}

}  // namespace softgen::memory
