// SPDX-License-Identifier: GPL-2.0-or-later
// TR-TT, tiled resource translation tables: within a range of 48-bit graphics addresses, each tile of 64 KiB is at another address, or nowhere (Mesa
// anv_sparse.c; registers GFX_TRTT_*). The tables, and what they lead to, are translated by the page tables alone.
#pragma once

#include <cstdint>

#include "hw/defs/translation_tables.h"

namespace softgen::memory {

struct TiledResources {
  bool enabled = false;
  uint8_t mask = 0, data = 0;  ///< of address bits 47:44: those to compare, and their values in the range
  uint64_t root = 0;           ///< graphics address of the table of level 3
  uint32_t null_tile = 0, invalid_tile = 0;

  bool covers(uint64_t va) const { return enabled && (va >> defs::TiledResourceTables::range_shift & mask) == (data & mask); }
  bool operator==(const TiledResources&) const = default;
};

enum class TileState : uint8_t { present, null, invalid };
struct Tile {
  TileState state = TileState::invalid;
  uint64_t address = 0;  ///< of the very byte asked for
};

/// `load(address, bytes)` reads an entry of 4 or 8 bytes at a graphics address; 0 where there is no memory.
Tile find_tile(const TiledResources& tables, uint64_t va, auto&& load) {
  using Tables = defs::TiledResourceTables;
  uint64_t table = tables.root & Tables::root;
  for (const defs::TableLevel& level : Tables::levels) {
    const uint64_t entry = load(table + (va >> level.shift & (level.entries - 1)) * sizeof(uint64_t), sizeof(uint64_t));
    if (entry & Tables::invalid) return {};
    if (entry & Tables::null) return {TileState::null};
    table = entry & level.next;
  }
  constexpr uint64_t in_tile = (uint64_t{1} << Tables::tile_shift) - 1;
  const auto entry =
      static_cast<uint32_t>(load(table + (va >> Tables::tile_shift & (Tables::tile_entries - 1)) * sizeof(uint32_t), sizeof(uint32_t)));
  if (entry == tables.null_tile) return {TileState::null};
  if (entry == tables.invalid_tile) return {};
  return {TileState::present, uint64_t{entry} << Tables::tile_shift | (va & in_tile)};
}

}  // namespace softgen::memory
