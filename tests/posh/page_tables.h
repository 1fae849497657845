// SPDX-License-Identifier: GPL-2.0-or-later
// Adds pages to a PPGTT of four levels, and to the memory behind it, without touching what is mapped already.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "hw/defs/page_format.h"
#include "hw/memory/sparse_memory.h"

namespace softgen::posh {

/// Physical pages that are unused elsewhere.
class PhysicalPages {
 public:
  explicit PhysicalPages(uint64_t first) : next_(first) {}
  uint64_t take(uint64_t pages = 1) {
    const uint64_t first = next_;
    next_ += pages * page_bytes;
    return first;
  }
  static constexpr uint64_t page_bytes = 4096;

 private:
  uint64_t next_;
};

class PageTables {
 public:
  /// Writes physical memory, `memory` included.
  using Write = std::function<void(uint64_t address, std::span<const std::byte> data)>;
  /// `root`: physical address of the PML4.
  PageTables(memory::SparseMemory& memory, Write write, PhysicalPages& pages, uint64_t root, const defs::PageFormat& format)
      : memory_(memory), write_(std::move(write)), pages_(pages), root_(root), format_(format) {}

  /// Maps [va, va + bytes) to pages in a row; returns the first one's physical address. `va`: aligned to a page.
  uint64_t map(uint64_t va, uint64_t bytes);
  /// An address of which nothing is mapped within the 512 GiB that an entry of the PML4 stands for. Throws std::runtime_error: there is none.
  uint64_t unused();

 private:
  uint64_t entry(uint64_t address);
  void set_entry(uint64_t address, uint64_t value);

  memory::SparseMemory& memory_;
  const Write write_;
  PhysicalPages& pages_;
  const uint64_t root_;
  const defs::PageFormat& format_;
};

}  // namespace softgen::posh
