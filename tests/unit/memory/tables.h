// SPDX-License-Identifier: GPL-2.0-or-later
// Builds page tables in a SparseMemory, as i915 would.
#pragma once

#include <utility>

#include "hw/memory/address_space.h"
#include "hw/memory/sparse_memory.h"

namespace softgen::memory::test {

constexpr uint64_t present = 1, read_write = 2, page_2m = 1 << 7, page_64k = 1 << 11;

class Tables {
 public:
  explicit Tables(HostMemory& memory, uint64_t first_page = 0x10'0000) : memory_(memory), next_(first_page) {}

  uint64_t new_table() { return std::exchange(next_, next_ + 4096); }
  uint64_t entry(uint64_t table, uint64_t index) {
    return *reinterpret_cast<uint64_t*>(memory_.resolve((table & ~uint64_t{0xfff}) + index * 8, Access::write).data);
  }
  void set(uint64_t table, uint64_t index, uint64_t value) {
    *reinterpret_cast<uint64_t*>(memory_.resolve((table & ~uint64_t{0xfff}) + index * 8, Access::write).data) = value;
  }
  uint64_t below(uint64_t table, uint64_t index) {
    if (!(entry(table, index) & present)) set(table, index, new_table() | present | read_write);
    return entry(table, index) & 0x7f'ffff'f000;
  }
  /// The page directory that covers `va` in a 4-level tree.
  uint64_t directory(uint64_t pml4, uint64_t va) { return below(below(pml4, va >> 39 & 511), va >> 30 & 511); }
  void map(uint64_t pml4, uint64_t va, uint64_t gpa, uint64_t flags = present | read_write) {
    set(below(directory(pml4, va), va >> 21 & 511), va >> 12 & 511, gpa | flags);
  }

 private:
  HostMemory& memory_;
  uint64_t next_;
};

}  // namespace softgen::memory::test
