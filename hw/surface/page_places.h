// SPDX-License-Identifier: GPL-2.0-or-later
// Where the bytes of a page are whose tiling has 16-byte columns (Y, Yf, Ys).
#pragma once

#include <array>
#include <cstdint>

namespace softgen::surface {

/// Spreads the low bits of `value` over the set bits of `mask`.
constexpr uint32_t deposit(uint32_t value, uint32_t mask) {
  uint32_t result = 0;
  for (unsigned bit = 0; mask >> bit; ++bit) {
    if (!(mask >> bit & 1)) continue;
    result |= (value & 1) << bit;
    value >>= 1;
  }
  return result;
}

/// The inverse of deposit().
constexpr uint32_t extract(uint32_t value, uint32_t mask) {
  uint32_t result = 0;
  for (unsigned bit = 0, to = 0; mask >> bit; ++bit)
    if (mask >> bit & 1) result |= (value >> bit & 1) << to++;
  return result;
}

/// Rows 4n to 4n + 3 of a column are one line of 64 bytes in all these tilings.
struct PagePlaces {
  static constexpr unsigned max_columns = 16, max_rows = 64, lines = 64;

  std::array<uint16_t, max_columns> column{};                  ///< offset of a column
  std::array<uint16_t, max_rows> row{};                        ///< offset of a row
  std::array<uint8_t, lines> column_of_line{}, row_of_line{};  ///< of a line of memory: its column and its first row
};

/// `x_mask`: the bits of an offset in the page that come from x; the others come from y.
constexpr PagePlaces page_places(uint16_t x_mask) {
  PagePlaces p;
  const uint32_t columns = x_mask & 0xff0, rows = ~x_mask & 0xfff;
  for (unsigned i = 0; i < p.max_columns; ++i) p.column[i] = static_cast<uint16_t>(deposit(i, columns));
  for (unsigned i = 0; i < p.max_rows; ++i) p.row[i] = static_cast<uint16_t>(deposit(i, rows));
  for (unsigned i = 0; i < p.lines; ++i) {
    p.column_of_line[i] = static_cast<uint8_t>(extract(64 * i, columns));
    p.row_of_line[i] = static_cast<uint8_t>(extract(64 * i, rows));
  }
  return p;
}

}  // namespace softgen::surface
