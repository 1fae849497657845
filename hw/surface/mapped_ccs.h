// SPDX-License-Identifier: GPL-2.0-or-later
// The color control surface that is found by the aux map (Gen12): four bits for each pair of cache lines of Y tiles, 256 bytes for 64 KiB. What the
// four bits say, and their order within the 16 bytes of a tile, is not public: both are ours. Zero must be "pass-through" (Mesa blorp_clear.c,
// blorp_ccs_ambiguate). The bytes of a tile are 4 by 8 pairs; 2 by 2 of them have 16 bits, 4 by 4 have 64.
#pragma once

#include <cstdint>

#include "hw/memory/view.h"
#include "hw/surface/ccs.h"

namespace softgen::surface::mapped {

constexpr uint32_t tile_columns = 4, tile_rows = 8;  ///< pairs
constexpr uint64_t y_tile_bytes = 4096, tile_control_bytes = 16;
constexpr unsigned code_bits = 4;

constexpr uint64_t bits_of(CcsCode code) { return code == CcsCode::clear ? 0xf : static_cast<uint64_t>(code); }
constexpr CcsCode code_of(uint64_t bits) {
  // What another wrote says "compressed": memory has the pixels as they are.
  return bits == 0 ? CcsCode::pass_through : bits == 0xf ? CcsCode::clear : CcsCode::compressed;
}

/// Bytes from a tile's first one to the pair at (column, row) of it: bits 11:10 of an address are the column, 8:6 the row.
constexpr uint32_t offset_in_tile(uint32_t column, uint32_t row) { return column << 10 | row << 6; }
/// Of the pair at (column, row) of a tile; 16 codes have a word of 64 bits.
constexpr uint32_t index_in_tile(uint32_t column, uint32_t row) {
  return (column & 1) | (row & 1) << 1 | (column >> 1 & 1) << 2 | (row >> 1 & 1) << 3 | (row >> 2 & 1) << 4;
}

/// Where the code of the pair that holds the byte at `address` is.
struct CodePlace {
  uint64_t byte = 0;  ///< 0: the aux map has none
  unsigned shift = 0;
};
/// Where codes follow one another from `control` on, as those of 64 KiB and of a plane of the display do; `offset` counts from the first one's tile.
constexpr CodePlace place_from(uint64_t control, uint64_t offset) {
  const uint32_t index = index_in_tile(static_cast<uint32_t>(offset >> 10 & 3), static_cast<uint32_t>(offset >> 6 & 7));
  return {control + offset / y_tile_bytes * tile_control_bytes + index / 2, index % 2 * code_bits};
}
CodePlace place_of(memory::View& view, uint64_t address);
/// Pairs that the aux map has no code for are "pass-through".
CcsCode code_at(memory::View& view, const CodePlace& place);

/// Whether pairs of the surface may be coded, where the aux map has codes for them.
bool has_codes(const Surface& surface);
/// The code of the pair that holds the byte at `address`.
CcsCode read_at(memory::View& view, uint64_t address);
/// For writes to single texels by threads in any order: if the pair is coded "clear", it gets `line` in both of its lines and is coded
/// "pass-through", once. `line` is 64 bytes.
void claim(memory::View& view, uint64_t address, const std::byte* line);

}  // namespace softgen::surface::mapped
