// SPDX-License-Identifier: GPL-2.0-or-later
// The color control surface that is found by the aux map (Gen12): four bits for each pair of cache lines of Y or Yf tiles, 256 bytes for 64 KiB. What the
// four bits say, and their order within the 16 bytes of a tile, is not public: both are ours. Zero must be "pass-through" (Mesa blorp_clear.c,
// blorp_ccs_ambiguate). The bytes of a tile are 4 by 8 pairs; 2 by 2 of them have 16 bits, 4 by 4 have 64.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "hw/memory/view.h"
#include "hw/surface/ccs.h"

namespace softgen::surface::mapped {

constexpr uint32_t tile_columns = 4, tile_rows = 8;  ///< pairs
constexpr uint64_t tile_size = 4096, tile_control_bytes = 16;
constexpr unsigned code_bits = 4;

constexpr uint64_t bits_of(CcsCode code) { return code == CcsCode::clear ? 0xf : static_cast<uint64_t>(code); }
constexpr CcsCode code_of(uint64_t bits) {
  // What another wrote says "compressed": memory has the pixels as they are.
  return bits == 0 ? CcsCode::pass_through : bits == 0xf ? CcsCode::clear : CcsCode::compressed;
}

/// Which bits of an offset within a tile are a pair's column and row, lowest first, and which one distinguishes its lines. The tiles have the same shape.
struct PairBits {
  std::array<uint8_t, 2> column;
  std::array<uint8_t, 3> row;
  uint8_t line;
};
constexpr PairBits y_bits{{10, 11}, {6, 7, 8}, 9}, yf_bits{{9, 11}, {6, 8, 10}, 7};
constexpr const PairBits& pair_bits(Tiling tiling) { return tiling == Tiling::yf ? yf_bits : y_bits; }
/// Bytes from a pair's first line to its second one.
constexpr uint64_t second_line(Tiling tiling) { return uint64_t{1} << pair_bits(tiling).line; }

/// Bytes from a tile's first one to the pair at (column, row) of it.
constexpr uint32_t offset_in_tile(Tiling tiling, uint32_t column, uint32_t row) {
  const PairBits& at = pair_bits(tiling);
  uint32_t offset = 0;
  for (unsigned i = 0; i < at.column.size(); ++i) offset |= (column >> i & 1) << at.column[i];
  for (unsigned i = 0; i < at.row.size(); ++i) offset |= (row >> i & 1) << at.row[i];
  return offset;
}
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
constexpr CodePlace place_from(Tiling tiling, uint64_t control, uint64_t offset) {
  const PairBits& at = pair_bits(tiling);
  uint32_t column = 0, row = 0;
  for (unsigned i = 0; i < at.column.size(); ++i) column |= static_cast<uint32_t>(offset >> at.column[i] & 1) << i;
  for (unsigned i = 0; i < at.row.size(); ++i) row |= static_cast<uint32_t>(offset >> at.row[i] & 1) << i;
  const uint32_t index = index_in_tile(column, row);
  return {control + offset / tile_size * tile_control_bytes + index / 2, index % 2 * code_bits};
}
CodePlace place_of(memory::View& view, Tiling tiling, uint64_t address);
/// Pairs that the aux map has no code for are "pass-through".
CcsCode code_at(memory::View& view, const CodePlace& place);
/// No effect on them. Other threads may store codes of the same byte.
void store_code(memory::View& view, const CodePlace& place, CcsCode code);

/// Whether pairs of lines of such a tiling have codes. `bits`: of an element.
constexpr bool has_codes(Tiling tiling, unsigned bits) {
  if (tiling == Tiling::yf) return bits == 16 || bits == 32;  // whose tiles are as wide and high as Y's
  return tiling == Tiling::y && std::has_single_bit(bits) && bits >= 8 && bits <= 128;
}
/// Whether pairs of the surface may be coded, where the aux map has codes for them.
bool has_codes(const Surface& surface);
/// The code of the pair that holds the byte at `address`.
CcsCode read_at(memory::View& view, Tiling tiling, uint64_t address);
/// For writes to single texels by threads in any order: if the pair is coded "clear", it gets `line` in both of its lines and is coded
/// "pass-through", once. `line` is 64 bytes.
void claim(memory::View& view, Tiling tiling, uint64_t address, const std::byte* line);

}  // namespace softgen::surface::mapped
