// SPDX-License-Identifier: GPL-2.0-or-later
// The global graphics translation table, in the upper half of BAR0: 2^20 entries of 8 bytes for 4 GiB (SKL PRM vol 5, "Global GTT"; i915
// gt/intel_ggtt.c), or as the PageFormat says. Of an entry what the PageFormat names has an effect; the rest is kept (the driver relies on none).
#pragma once

#include <atomic>
#include <cstdint>

#include "hw/base/archive.h"
#include "hw/base/zeroed_array.h"
#include "hw/defs/page_format.h"

namespace softgen::memory {

class Ggtt {
 public:
  /// `format` outlives it.
  explicit Ggtt(const defs::PageFormat& format = defs::gen8_ggtt_pages);

  const defs::PageFormat& format() const { return format_; }
  uint64_t entries() const { return format_.entries; }
  /// Bytes of the window in BAR0.
  uint64_t window_size() const { return entries() * format_.entry_bytes; }

  /// Any thread. `index` < entries(). An entry of four bytes has all bits of its address in place, as PageFormat::address has them.
  uint64_t pte(uint64_t index) const { return table_[index].load(std::memory_order_relaxed); }
  /// As MI_UPDATE_GTT writes it; `value` has the bytes of an entry. Any thread.
  void set_pte(uint64_t index, uint64_t value);

  /// The window of BAR0; size 1, 2, 4 or 8, offset + size <= window_size(), an access may not cross 8 bytes (it cannot on the bus).
  uint64_t read_window(uint64_t offset, unsigned size) const;
  void write_window(uint64_t offset, uint64_t value, unsigned size);

  /// GFX_FLSH_CNTL: drops all cached GGTT translations. (Changing a present entry does so too: hardware may,
  /// drivers do not mind.)
  void invalidate() { generation_.fetch_add(1, std::memory_order_release); }
  const std::atomic<uint64_t>& generation() const { return generation_; }

  void reset();
  void state(Archive& archive);

 private:
  // A page of host memory each: reset and save visit only those that were ever written.
  static constexpr uint64_t block_entries = 512;
  uint64_t blocks() const { return entries() / block_entries; }
  bool used(uint64_t block) const;

  const defs::PageFormat& format_;
  ZeroedArray<std::atomic<uint64_t>> table_;
  ZeroedArray<std::atomic<bool>> touched_;
  std::atomic<uint64_t> generation_{1};
};

}  // namespace softgen::memory
