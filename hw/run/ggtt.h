// SPDX-License-Identifier: GPL-2.0-or-later
// The global table: which of its addresses are allocated, and its entries behind BAR0. Guarded by the driver's lock.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "hw/run/arena.h"
#include "hw/run/chip.h"

namespace softgen::run {

/// Pages of the arena, mapped in the GGTT.
struct GgttMemory {
  uint64_t gpa = 0;
  uint32_t address = 0;  ///< in the GGTT
  uint32_t pages = 0;
};

class Ggtt {
 public:
  /// Throws std::bad_alloc when the arena is full.
  Ggtt(const GlobalTable& table, Registers registers, Arena& arena);
  Ggtt(const Ggtt&) = delete;
  Ggtt& operator=(const Ggtt&) = delete;

  /// Bytes of address space.
  uint64_t size() const { return uint64_t{table_.pages} << 12; }
  /// The first address, a multiple of `alignment` pages, of a free range; none: there is none that is large enough.
  std::optional<uint32_t> map(uint64_t gpa, uint32_t pages, uint32_t alignment);
  /// At this address. False: the range is not free.
  bool map_at(uint32_t address, uint64_t gpa, uint32_t pages);
  void unmap(uint32_t address, uint32_t pages);

  /// Zero-filled pages of the arena, at an address that is a multiple of `alignment` pages. Throws std::bad_alloc.
  GgttMemory allocate(uint32_t pages, uint32_t alignment = 1);
  void free(const GgttMemory& memory);

 private:
  void take(std::map<uint32_t, uint32_t>::iterator range, uint32_t first, uint32_t pages);
  void write(uint32_t first, uint32_t pages, uint64_t gpa);
  void store(uint32_t page, uint64_t entry) const;

  const GlobalTable& table_;
  const Registers registers_;
  Arena& arena_;
  uint64_t unused_ = 0;                ///< entry of a page that is not mapped: the scratch page's, or 0
  std::map<uint32_t, uint32_t> free_;  ///< first page -> pages
};

}  // namespace softgen::run
