// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/surface/volume.h"

#include <array>
#include <bit>
#include <cstddef>
#include <string_view>

namespace softgen::surface {
namespace {

constexpr unsigned column_bits = 4;  // adjacent bytes of one row

struct Places {
  uint8_t x_bits = 0, y_bits = 0, z_bits = 0;
  std::array<uint16_t, 16> column{};  ///< of 16 bytes
  std::array<uint16_t, 32> row{}, slice{};
};

constexpr Places places(std::string_view order) {
  Places p;
  for (unsigned bit = 0; bit < order.size(); ++bit) {
    const char axis = order[order.size() - 1 - bit];
    const auto place = static_cast<uint16_t>(1u << bit);
    const auto add = [&](auto& table, unsigned of) {
      for (size_t i = 0; i < table.size(); ++i)
        if (i >> of & 1) table[i] |= place;
    };
    if (axis == 'Y') add(p.row, p.y_bits++);
    else if (axis == 'Z') add(p.slice, p.z_bits++);
    else if (p.x_bits++; p.x_bits > column_bits) add(p.column, p.x_bits - 1u - column_bits);
  }
  return p;
}

/// By the logarithm of the element's bytes.
using Orders = std::array<Places, 5>;
constexpr Orders yf{places("YZYZZZYYXXXX"), places("YZYZZZYYXXXX"), places("YZXYZZYYXXXX"), places("YZXXZZYYXXXX"), places("YZXXZZYYXXXX")};
constexpr Orders ys{places("XYZXYZYZZZYYXXXX"), places("XYZXYZYZZZYYXXXX"), places("XYZXYZXYZZYYXXXX"), places("XYZXYZXXZZYYXXXX"),
                    places("XYZXYZXXZZYYXXXX")};

const Places& find_places(Tiling tiling, unsigned element) {
  return (tiling == Tiling::ys ? ys : yf)[static_cast<size_t>(std::countr_zero(element)) % yf.size()];
}

}  // namespace

TileVolume tile_volume(Tiling tiling, unsigned element) {
  const Places& p = find_places(tiling, element);
  return {1u << p.x_bits, 1u << p.y_bits, 1u << p.z_bits};
}

uint64_t volume_offset(Tiling tiling, unsigned element, uint32_t x, uint32_t y, uint32_t z, uint32_t pitch, uint32_t qpitch) {
  const Places& p = find_places(tiling, element);
  const uint64_t row = uint64_t{z >> p.z_bits} * (qpitch >> p.y_bits) + (y >> p.y_bits), tile = row * (pitch >> p.x_bits) + (x >> p.x_bits);
  const uint32_t column = (x & ((1u << p.x_bits) - 1)) >> column_bits;
  return (tile << (p.x_bits + p.y_bits + p.z_bits)) + p.column[column] + (x & ((1u << column_bits) - 1)) +
         p.row[y & ((1u << p.y_bits) - 1)] + p.slice[z & ((1u << p.z_bits) - 1)];
}

}  // namespace softgen::surface
