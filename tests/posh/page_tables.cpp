// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/posh/page_tables.h"

#include <stdexcept>

namespace softgen::posh {
namespace {

constexpr unsigned page_bits = 12, index_bits = 9, levels = 4;
constexpr uint64_t entries = 1 << index_bits;

/// Of the entry of `va` in its table of this level; 0: the one that maps the page.
constexpr uint64_t index_of(uint64_t va, unsigned level) { return va >> (page_bits + level * index_bits) & (entries - 1); }

}  // namespace

uint64_t PageTables::entry(uint64_t address) {
  uint64_t value = 0;
  memory_.read(address, &value, sizeof value);
  return value;
}

void PageTables::set_entry(uint64_t address, uint64_t value) { write_(address, std::as_bytes(std::span(&value, 1))); }

uint64_t PageTables::map(uint64_t va, uint64_t bytes) {
  const uint64_t count = (bytes + PhysicalPages::page_bytes - 1) / PhysicalPages::page_bytes;
  const uint64_t first = pages_.take(count);
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t page = va + i * PhysicalPages::page_bytes;
    uint64_t table = root_;
    for (unsigned level = levels - 1; level > 0; --level) {
      const uint64_t at = table + index_of(page, level) * sizeof(uint64_t);
      if (!(entry(at) & format_.present)) set_entry(at, pages_.take() | format_.present | format_.writable);
      table = entry(at) & format_.address;
    }
    set_entry(table + index_of(page, 0) * sizeof(uint64_t), (first + i * PhysicalPages::page_bytes) | format_.present | format_.writable);
  }
  return first;
}

uint64_t PageTables::unused() {
  // The lower half: its addresses are the same in canonical form.
  for (uint64_t index = 1; index < entries / 2; ++index)
    if (!(entry(root_ + index * sizeof(uint64_t)) & format_.present)) return index << (page_bits + (levels - 1) * index_bits);
  throw std::runtime_error("no address is left in a context's page tables");
}

}  // namespace softgen::posh
