// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/memory/ggtt.h"

#include <array>

#include "hw/base/bits.h"

namespace softgen::memory {
namespace {

constexpr size_t block_entries = 512;  // saved state holds only blocks that are not all zero

}  // namespace

Ggtt::Ggtt() : table_(std::make_unique<std::atomic<uint64_t>[]>(entries)) {}

void Ggtt::set_pte(uint64_t index, uint64_t value) {
  const uint64_t old = table_[index].exchange(value, std::memory_order_acq_rel);
  if (old != value && (old & 1)) invalidate();
}

uint64_t Ggtt::read_window(uint64_t offset, unsigned size) const {
  const unsigned shift = offset % 8 * 8;
  const uint64_t value = pte(offset / 8) >> shift;
  return size == 8 ? value : value & ((uint64_t{1} << size * 8) - 1);
}

void Ggtt::write_window(uint64_t offset, uint64_t value, unsigned size) {
  if (size != 8) {
    const unsigned low = offset % 8 * 8;
    value = with_bits(pte(offset / 8), low + size * 8 - 1, low, value);
  }
  set_pte(offset / 8, value);
}

void Ggtt::reset() {
  for (uint64_t i = 0; i < entries; ++i) table_[i].store(0, std::memory_order_relaxed);
  invalidate();
}

void Ggtt::state(Archive& archive) {
  archive.section("ggtt", 1);
  std::array<uint64_t, block_entries> block;
  if (archive.reading()) {
    reset();
    const uint32_t count = archive.count(0, entries / block_entries);
    for (uint32_t i = 0; i < count && !archive.failed(); ++i) {
      const uint32_t at = archive.count(0, entries / block_entries - 1);
      archive.value(block);
      if (archive.failed()) return;
      for (size_t k = 0; k < block_entries; ++k)
        table_[at * block_entries + k].store(block[k], std::memory_order_relaxed);
    }
    invalidate();
    return;
  }
  const auto used = [&](uint64_t at) {
    for (size_t k = 0; k < block_entries; ++k)
      if (pte(at * block_entries + k)) return true;
    return false;
  };
  uint32_t count = 0;
  for (uint64_t at = 0; at < entries / block_entries; ++at) count += used(at);
  archive.count(count, entries / block_entries);
  for (uint32_t at = 0; at < entries / block_entries; ++at) {
    if (!used(at)) continue;
    archive.count(at, entries / block_entries - 1);
    for (size_t k = 0; k < block_entries; ++k) block[k] = pte(at * block_entries + k);
    archive.value(block);
  }
}

}  // namespace softgen::memory
