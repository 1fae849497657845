// SPDX-License-Identifier: GPL-2.0-or-later
// Isolated guest memory with a 48-bit PPGTT in which every kind of address is to be had. Virtual pages:
//   0 …             as they lie in memory: the state's own pages first
//   0x40'0000 …     the same in reverse order: neighbours are apart, and each page has two addresses
//   0x60'0000 …     may not be written
//   0x80'0000 …     the page tables themselves, writable
//   0xa0'0000 …     every third one is not mapped, every third one has no memory
//   0xffff'0000 …   the last 16 pages below 4 GiB
//   0xffff'ffff'0000 …  the last 16 of all
#pragma once

#include <vector>

#include "hw/memory/view.h"
#include "tests/fuzz/isolated_memory.h"
#include "tests/unit/memory/tables.h"

namespace softgen::fuzz {

class GuestMap {
 public:
  static constexpr uint32_t table_pages = 32;

  /// `pages` of data, the first `state_pages` of them not among addresses().
  explicit GuestMap(uint32_t pages, uint32_t state_pages = 0) : memory(pages + table_pages), view(memory, nullptr), pages_(pages) {
    memory::test::Tables tables{memory, pages * page_size};
    const uint64_t root = tables.new_table();
    const auto map = [&](uint64_t va, uint64_t page, uint64_t flags = memory::test::present | memory::test::read_write) {
      tables.map(root, va, page * page_size, flags);
      if (page >= state_pages) addresses_.push_back(va);
    };
    for (uint32_t i = 0; i < pages; ++i) map(i * page_size, i), map(0x40'0000 + i * page_size, pages - 1 - i);
    for (uint32_t i = 0; i < 16; ++i) {
      const uint32_t page = state_pages + i * 5 % (pages - state_pages);
      map(0x60'0000 + i * page_size, page, memory::test::present);
      if (i % 3 == 0) map(0xa0'0000 + i * page_size, page);
      if (i % 3 == 1) map(0xa0'0000 + i * page_size, 0x10'0000 + i);
      map(0xffff'0000 + i * page_size, page);
      map(0xffff'ffff'0000 + i * page_size, page);
    }
    for (uint32_t i = 0; i < table_pages; ++i) map(0x80'0000 + i * page_size, pages + i);
    space = memory::AddressSpace::ppgtt48(root, generation);
    view.set_space(space);
    memory.keep();
  }

  std::span<const uint64_t> addresses() const { return addresses_; }
  uint32_t pages() const { return pages_; }

  IsolatedMemory memory;
  memory::TlbGeneration generation;
  memory::AddressSpace space;
  memory::View view;

 private:
  uint32_t pages_;
  std::vector<uint64_t> addresses_;
};

}  // namespace softgen::fuzz
