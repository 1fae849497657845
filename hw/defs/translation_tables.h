// SPDX-License-Identifier: GPL-2.0-or-later
// Tables that graphics addresses lead through besides the page tables: those of the aux map and of tiled resources. They lie at graphics addresses.
#pragma once

#include <cstdint>

namespace softgen::defs {

/// One level of tables: entry `address >> shift` modulo `entries`.
struct TableLevel {
  unsigned shift;
  uint32_t entries;
  uint64_t next;  ///< bits of an entry that are the address of what it leads to
};

/// From 64 KiB of main memory to 256 bytes of its control surface (Mesa intel_aux_map.c; register GFX_AUX_TABLE_BASE_ADDR).
struct AuxTables {
  static constexpr uint64_t root = 0x0000'ffff'ffff'8000;
  static constexpr TableLevel levels[] = {
      {36, 4096, 0x0000'ffff'ffff'8000}, {24, 4096, 0x0000'ffff'ffff'e000}, {16, 256, 0x0000'ffff'ffff'ff00}};
  static constexpr uint64_t valid = 1;
  static constexpr unsigned block_shift = 16, block_bytes = 1 << block_shift, control_bytes = 256;
};

/// TR-TT: from 64 KiB tiles of sparse resources to other graphics addresses (Mesa anv_sparse.c; registers GFX_TRTT_*). Entries of levels 3 and 2 have 8
/// bytes, those of level 1 have 4: address bits 47:16, or one of two values that software chooses.
struct TiledResourceTables {
  static constexpr uint64_t root = 0x0000'ffff'ffff'f000;
  static constexpr TableLevel levels[] = {{35, 512, 0x0000'ffff'ffff'f000}, {26, 512, 0x0000'ffff'ffff'f000}};
  static constexpr uint64_t invalid = 1 << 0, null = 1 << 1;
  static constexpr unsigned tile_shift = 16, tile_entries = 1024;
  static constexpr unsigned range_shift = 44;  ///< of what the mask and the data of GFX_TRTT_VA_RANGE are compared with
};

}  // namespace softgen::defs
