// SPDX-License-Identifier: GPL-2.0-or-later
// How an entry of a page table says what it maps.
#pragma once

#include <cstdint>

namespace softgen::defs {

/// Masks of an entry of eight bytes; zero: entries have no such bit.
struct PageFormat {
  uint64_t present, writable;
  uint64_t address;            ///< of the page or table, in place
  uint64_t page_2m, page_64k;  ///< of a page directory's entry: it maps 2 MiB; the table that it names maps pages of 64 KiB
};

/// Gen8 to Gen11 (SKL PRM vol 5, "Page Walk"; i915 gt/gen8_ppgtt.c): a physical address space of 39 bits. The entries of the global table have
/// present and address alone.
inline constexpr PageFormat gen8_ggtt_pages{.present = 1, .writable = 0, .address = 0x7f'ffff'f000, .page_2m = 0, .page_64k = 0};
inline constexpr PageFormat gen8_ppgtt_pages{
    .present = 1, .writable = 2, .address = 0x7f'ffff'f000, .page_2m = 1 << 7, .page_64k = 1 << 11};

}  // namespace softgen::defs
