// SPDX-License-Identifier: GPL-2.0-or-later
// Isolated pages (tests/fuzz/isolated_memory.h) that the GGTT maps to themselves: one byte beyond a page is a SIGSEGV.
#pragma once

#include "hw/memory/address_space.h"
#include "hw/memory/ggtt.h"
#include "hw/memory/view.h"
#include "tests/fuzz/isolated_memory.h"

namespace softgen::memory::test {

struct Isolated {
  fuzz::IsolatedMemory memory;
  fuzz::GuardedNowhere nowhere;  ///< what is not mapped is isolated, too
  Ggtt ggtt;
  View view{memory, nullptr};

  explicit Isolated(uint32_t pages) : memory(pages) {
    constexpr uint64_t present = 1;
    for (uint32_t page = 0; page < pages; ++page) ggtt.set_pte(page, page * fuzz::page_size | present);
    view.set_space(AddressSpace::ggtt(ggtt));
  }
};

}  // namespace softgen::memory::test
