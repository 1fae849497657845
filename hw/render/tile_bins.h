// SPDX-License-Identifier: GPL-2.0-or-later
// The tiles of the screen that a list of objects is drawn in, and the objects that touch each.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hw/render/draw_state.h"

namespace softgen::render {

/// Pixels of a rectangle; 0: it is empty.
inline int64_t pixels_of(const PixelRect& r) { return r.empty() ? 0 : int64_t{r.x1 - r.x0} * (r.y1 - r.y0); }

/// The least rectangle that holds the `bounds` of all items; empty without items.
template <typename Item>
PixelRect bounds_of(std::span<const Item> items) {
  PixelRect all = PixelRect::none();
  for (const Item& i : items) all.include(i.bounds);
  return all;
}

/// The tiles of `width` times `height` pixels (powers of two), at multiples of these, that touch `all`: row after row.
inline std::vector<PixelRect> tiles_of(const PixelRect& all, int32_t width, int32_t height) {
  std::vector<PixelRect> tiles;
  for (int32_t y = all.y0 & ~(height - 1); y < all.y1; y += height)
    for (int32_t x = all.x0 & ~(width - 1); x < all.x1; x += width) tiles.push_back({x, y, x + width, y + height});
  return tiles;
}

/// The objects that touch each tile, in order: those of tile t are items[first[t]] to items[first[t + 1] - 1]. Empty where that would be too much to be
/// remembered.
template <typename Item>
struct TileBins {
  std::vector<uint32_t> first;
  std::vector<Item> items;

  /// Those of tile `tile`, in order; `all`: those that the bins were made of.
  std::span<const Item> of(size_t tile, std::span<const Item> all) const {
    return first.empty() ? all : std::span(items).subspan(first[tile], first[tile + 1] - first[tile]);
  }
};

/// `items` have PixelRect bounds; `tiles`: of tiles_of(). Empty when `stop`(item) says that the work is dropped. `result`: its memory is used again.
template <typename Item, typename Stop>
void find_tile_bins(std::span<const Item> items, std::span<const PixelRect> tiles, Stop&& stop, TileBins<Item>& result) {
  result.first.clear();
  const PixelRect& corner = tiles.front();
  const int32_t width = corner.x1 - corner.x0, height = corner.y1 - corner.y0;
  const int column_bits = std::countr_zero(static_cast<uint32_t>(width)), row_bits = std::countr_zero(static_cast<uint32_t>(height));
  const int32_t columns = (tiles.back().x1 - corner.x0) >> column_bits, rows = (tiles.back().y1 - corner.y0) >> row_bits;
  const auto each = [&](const PixelRect& b, auto&& visit) {
    const int32_t x0 = std::max((b.x0 - corner.x0) >> column_bits, 0), x1 = std::min(((b.x1 - 1 - corner.x0) >> column_bits) + 1, columns);
    const int32_t y0 = std::max((b.y0 - corner.y0) >> row_bits, 0), y1 = std::min(((b.y1 - 1 - corner.y0) >> row_bits) + 1, rows);
    for (int32_t y = y0; y < y1; ++y)
      for (int32_t x = x0; x < x1; ++x) visit(static_cast<size_t>(y) * static_cast<size_t>(columns) + static_cast<size_t>(x));
  };
  constexpr uint64_t max_entries = 1 << 22;
  uint64_t all = 0;
  result.first.resize(tiles.size() + 1);
  uint32_t* const counts = result.first.data() + 1;
  for (const Item& i : items) {
    const PixelRect& b = i.bounds;
    all += ((static_cast<uint64_t>(std::max(b.x1 - b.x0, 0)) >> column_bits) + 2) *
           ((static_cast<uint64_t>(std::max(b.y1 - b.y0, 0)) >> row_bits) + 2);
    if (all > max_entries || stop(i)) return result.first.clear();
    each(b, [&](size_t tile) { ++counts[tile]; });
  }
  for (size_t t = 0; t < tiles.size(); ++t) result.first[t + 1] += result.first[t];
  result.items.resize(result.first.back());
  std::vector<uint32_t> next(result.first.begin(), result.first.end() - 1);
  for (const Item& i : items) {
    if (stop(i)) return result.first.clear();
    each(i.bounds, [places = next.data(), to = result.items.data(), &i](size_t tile) { to[places[tile]++] = i; });
  }
}

template <typename Item, typename Stop>
TileBins<Item> tile_bins(std::span<const Item> items, std::span<const PixelRect> tiles, Stop&& stop) {
  TileBins<Item> result;
  find_tile_bins(items, tiles, stop, result);
  return result;
}

}  // namespace softgen::render
