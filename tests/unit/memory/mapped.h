// SPDX-License-Identifier: GPL-2.0-or-later
// A small memory whose GGTT maps some pages to themselves, for tests of the folders above hw/memory.
#pragma once

#include <initializer_list>

#include "hw/memory/address_space.h"
#include "hw/memory/ggtt.h"
#include "hw/memory/sparse_memory.h"
#include "hw/memory/view.h"

namespace softgen::memory::test {

struct Mapped {
  SparseMemory memory{2 << 20};
  Ggtt ggtt;
  View view{memory, nullptr};

  /// The pages that begin at these addresses.
  explicit Mapped(std::initializer_list<uint64_t> pages) : Mapped() {
    for (const uint64_t page : pages) map(page);
  }
  /// All pages of [first, end).
  Mapped(uint64_t first, uint64_t end) : Mapped() {
    for (uint64_t page = first; page < end; page += page_bytes) map(page);
  }

 private:
  static constexpr uint64_t page_bytes = 4096, present = 1;
  Mapped() { view.set_space(AddressSpace::ggtt(ggtt)); }
  void map(uint64_t page) { ggtt.set_pte(static_cast<uint32_t>(page / page_bytes), page | present); }
};

}  // namespace softgen::memory::test
