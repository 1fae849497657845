// SPDX-License-Identifier: GPL-2.0-or-later
// How an entry of a page table says what it maps.
#pragma once

#include <cstdint>

#include "hw/base/bits.h"

namespace softgen::defs {

/// Masks of an entry; zero: entries have no such bit.
struct PageFormat {
  uint64_t present, writable;
  uint64_t address;            ///< of the page or table, in place
  uint64_t page_2m, page_64k;  ///< of a page directory's entry: it maps 2 MiB; the table that it names maps pages of 64 KiB
  /// Of a global table: bytes per entry, 8 or 4, and entries. Entries of four bytes have bits 35:32 of the address in 7:4; `address` is of the
  /// entry with these bits in place.
  unsigned entry_bytes = 8;
  uint64_t entries = uint64_t{1} << 20;

  /// Bytes of an entry that maps `page`.
  constexpr uint64_t bytes_of(uint64_t page) const {
    return present | (entry_bytes == 8 ? page & address : bits(page & address, 31, 0) | bits(page & address, 35, 32) << 4);
  }
  /// The entry that `bytes` make, with all bits of its address in place.
  constexpr uint64_t entry_of(uint64_t bytes) const { return entry_bytes == 8 ? bytes : bits(bytes, 31, 0) | bits(bytes, 7, 4) << 32; }
};

/// Gen8 to Gen11 (SKL PRM vol 5, "Page Walk"; i915 gt/gen8_ppgtt.c): a physical address space of 39 bits. The entries of the global table have
/// present and address alone.
inline constexpr PageFormat gen8_ggtt_pages{.present = 1, .writable = 0, .address = 0x7f'ffff'f000, .page_2m = 0, .page_64k = 0};
inline constexpr PageFormat gen8_ppgtt_pages{
    .present = 1, .writable = 2, .address = 0x7f'ffff'f000, .page_2m = 1 << 7, .page_64k = 1 << 11};

/// Gen5: 2 GiB, entries of four bytes (char/agp/intel-gtt.c, i965_write_entry; ILK PRM vol 1 part 2, 1.2.1 and 5.7.1).
inline constexpr PageFormat gen5_ggtt_pages{
    .present = 1, .writable = 0, .address = 0xf'ffff'f000, .page_2m = 0, .page_64k = 0, .entry_bytes = 4, .entries = uint64_t{1} << 19};

/// Gen5's two-level per-process table (ILK PRM vol 1 part 2, 1.3.1 and 1.3.2): entries of four bytes on both levels, of tables of 4 KiB. A directory
/// entry stands for 4 MiB.
struct TwoLevelPages {
  static constexpr uint32_t present = 1;
  static constexpr uint32_t big = 2;  ///< of a directory entry: pages of 32 KiB
  static constexpr uint64_t big_bytes = 0x8000;
  static constexpr unsigned entries = 1024;
  static constexpr unsigned per_set = 16;  ///< directory entries that a bit of PP_DCLV stands for; 64 bytes, the unit of PP_DIR_BASE
  static constexpr unsigned sets = 32;
  static constexpr uint32_t directory_bits = 0xffff'f0f1;  ///< of a directory entry that PP_DCDR shows (1.3.2.3)
  static constexpr uint64_t table_of(uint32_t pde) { return (pde & ~0xfffu) | uint64_t{bits(pde, 7, 4)} << 32; }
  static constexpr uint64_t page_of(uint32_t pte) { return (pte & ~0xfffu) | uint64_t{bits(pte, 11, 4)} << 32; }
};

}  // namespace softgen::defs
