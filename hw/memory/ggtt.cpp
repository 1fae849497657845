// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/memory/ggtt.h"

#include <array>

#include "hw/base/bits.h"

namespace softgen::memory {

Ggtt::Ggtt(const defs::PageFormat& format) : format_(format), table_(format.entries), touched_(format.entries / block_entries) {}

void Ggtt::set_pte(uint64_t index, uint64_t value) {
  value = format_.entry_of(value);
  touched_[index / block_entries].store(true, std::memory_order_relaxed);
  const uint64_t old = table_[index].exchange(value, std::memory_order_acq_rel);
  if (old != value && (old & format_.present)) invalidate();
}

uint64_t Ggtt::read_window(uint64_t offset, unsigned size) const {
  const unsigned bytes = format_.entry_bytes;
  if (size > bytes) return read_window(offset, 4) | read_window(offset + 4, 4) << 32;
  const uint64_t value = pte(offset / bytes) >> offset % bytes * 8;
  return size == 8 ? value : value & ((uint64_t{1} << size * 8) - 1);
}

void Ggtt::write_window(uint64_t offset, uint64_t value, unsigned size) {
  const unsigned bytes = format_.entry_bytes;
  if (size > bytes) {
    write_window(offset, bits(value, 31, 0), 4);
    return write_window(offset + 4, value >> 32, 4);
  }
  if (size != bytes) {
    const auto low = static_cast<unsigned>(offset % bytes * 8);
    value = with_bits(pte(offset / bytes), low + size * 8 - 1, low, value);
  }
  set_pte(offset / bytes, value);
}

void Ggtt::reset() {
  for (uint64_t block = 0; block < blocks(); ++block) {
    if (!touched_[block].load(std::memory_order_relaxed)) continue;
    for (uint64_t k = 0; k < block_entries; ++k) table_[block * block_entries + k].store(0, std::memory_order_relaxed);
  }
  invalidate();
}

bool Ggtt::used(uint64_t block) const {
  if (!touched_[block].load(std::memory_order_relaxed)) return false;
  for (uint64_t k = 0; k < block_entries; ++k)
    if (pte(block * block_entries + k)) return true;
  return false;
}

void Ggtt::state(Archive& archive) {
  archive.section("ggtt", 1);
  std::array<uint64_t, block_entries> block;
  if (archive.reading()) {
    reset();
    const uint32_t count = archive.count(0, blocks());
    for (uint32_t i = 0; i < count && !archive.failed(); ++i) {
      const uint32_t at = archive.count(0, blocks() - 1);
      archive.value(block);
      if (archive.failed()) return;
      touched_[at].store(true, std::memory_order_relaxed);
      for (size_t k = 0; k < block_entries; ++k) table_[at * block_entries + k].store(block[k], std::memory_order_relaxed);
    }
    invalidate();
    return;
  }
  uint32_t count = 0;
  for (uint64_t at = 0; at < blocks(); ++at) count += used(at);
  archive.count(count, blocks());
  for (uint32_t at = 0; at < blocks(); ++at) {
    if (!used(at)) continue;
    archive.count(at, blocks() - 1);
    for (size_t k = 0; k < block_entries; ++k) block[k] = pte(at * block_entries + k);
    archive.value(block);
  }
}

}  // namespace softgen::memory
