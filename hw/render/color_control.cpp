// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/render/color_control.h"

#include <algorithm>
#include <bit>

namespace softgen::render {
namespace {

using surface::Ccs;
using surface::CcsCode;

/// The 64-byte lines of a pair; each is 16 bytes by 4 rows, in all tilings that have a CCS.
struct Lines {
  const std::byte *first, *second;
};

}  // namespace

void TouchedPairs::add(memory::View& view, const RenderTarget& rt, uint32_t slice, PixelRect part) {
  const surface::Extent& extent = rt.level->extent();
  part.clip({0, 0, static_cast<int32_t>(extent.width), static_cast<int32_t>(extent.height)});
  if (part.empty()) return;
  const int width_bits = std::countr_zero(rt.ccs.width());  // 32 bytes of formats of whole powers of two
  const auto x = static_cast<uint32_t>(part.x0), y = static_cast<uint32_t>(part.y0);
  const uint32_t first_column = (x & ~(tile - 1)) >> width_bits, first_row = (y & ~(tile - 1)) / Ccs::pair_rows;
  auto at = std::find_if(touched_.rbegin(), touched_.rend(),
                         [&](const Touched& t) { return t.slice == slice && (t.rt == &rt || t.rt->ccs == rt.ccs); });
  if (at == touched_.rend()) {
    touched_.push_back({&rt, slice, first_column, first_row, {}, {}});
    at = touched_.rbegin();
    find_clear(view, *at);
  }
  const uint32_t left = (x >> width_bits) - first_column, right = (static_cast<uint32_t>(part.x1 - 1) >> width_bits) - first_column;
  const uint32_t columns = (~uint32_t{0} >> (31 - (right - left))) << left;
  const uint32_t last = static_cast<uint32_t>(part.y1 - 1) / Ccs::pair_rows - first_row;
  uint32_t clear = 0;
  for (uint32_t row = y / Ccs::pair_rows - first_row; row <= last; ++row) {
    at->rows[row] |= columns;
    clear |= at->clear[row] & columns;
    at->clear[row] &= ~columns;
  }
  if (!clear) return;
  const surface::CcsRect rect{x, y, static_cast<uint32_t>(part.x1), static_cast<uint32_t>(part.y1)};
  // The next object of the tile must not find them clear again.
  if (expand_clears(view, rt.ccs, rt.surface, surface::ClearUse::rendering, *rt.level, rect, slice))
    rt.ccs.fill(view, rect, slice, CcsCode::pass_through);
}

void TouchedPairs::find_clear(memory::View& view, Touched& t) {
  const Ccs& ccs = t.rt->ccs;
  const surface::Extent& extent = t.rt->level->extent();
  const uint32_t width = ccs.width(), left = t.first_column * width, top = t.first_row * Ccs::pair_rows;
  ccs.each_clear(view, {left, top, std::min(left + tile, extent.width), std::min(top + tile, extent.height)}, t.slice,
                 [&](const surface::CcsRect& clear) {
                   const uint32_t from = clear.x0 / width - t.first_column, count = (clear.x1 - 1) / width - t.first_column - from;
                   for (uint32_t row = clear.y0 / Ccs::pair_rows; row * Ccs::pair_rows < clear.y1; ++row)
                     t.clear[row - t.first_row] |= (~uint32_t{0} >> (31 - count)) << from;
                 });
}

void TouchedPairs::encode(memory::View& view) {
  for (const Touched& t : touched_) encode(view, t);
  touched_.clear();
}

void TouchedPairs::encode(memory::View& view, const Touched& t) {
  const Ccs& ccs = t.rt->ccs;
  const surface::Level& level = *t.rt->level;
  const uint32_t width = ccs.width();
  // Smaller ones are taken as words.
  const unsigned element = std::max(t.rt->surface.format->block_bytes(), 4u);
  // Y tiles have columns of 512 bytes. Of levels that begin at an odd one (with HALIGN_4, which hardware does not allow with a CCS), the
  // second half of a pair may be in another tile.
  constexpr uint64_t column_bytes = 512;
  const bool plain = t.rt->surface.tiling == surface::Tiling::y && !(level.address(0, 0, t.slice) & column_bytes);
  const PixelKernels& kernels = pixel_kernels();
  const auto lines = [&](uint32_t column, uint32_t row) -> Lines {
    const uint32_t x = column * width, y = row * Ccs::pair_rows;
    const std::byte* const first = view.at(level.address(x, y, t.slice));
    if (plain) return {first, first + column_bytes};
    return {first, view.at(level.address(x + width / 2, y, t.slice))};
  };
  for (uint32_t row = 0; row < t.rows.size(); row += 2) {
    for (uint32_t left = t.rows[row] | t.rows[row + 1]; left;) {
      const auto column = static_cast<uint32_t>(std::countr_zero(left)) & ~1u;
      left &= ~(uint32_t{3} << column);
      uint32_t pairs = 0, compressed = 0;
      for (uint32_t i = 0; i < 4; ++i) {
        const uint32_t u = column + (i & 1), v = row + i / 2;
        if (!(t.rows[v] >> u & 1)) continue;
        pairs |= 1u << i;
        if (!ccs.compresses()) continue;
        const Lines pair = lines(t.first_column + u, t.first_row + v);
        if (kernels.pair_compresses(pair.first, pair.second, element)) compressed |= 1u << i;
      }
      ccs.update(view, t.first_column + column, t.first_row + row, t.slice, pairs, compressed);
    }
  }
}

}  // namespace softgen::render
