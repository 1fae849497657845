// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/render/covered_fill.h"

#include <bit>
#include <cstddef>

#include "hw/render/fill.h"
#include "hw/render/tile_bins.h"

namespace softgen::render {

FilledPixels fill_covered(const CoveredFill& how, const Coverage& part, const RasterState& state, const PixelRect& tile,
                          ThreadCount& threads) {
  const RenderTarget& rt = how.target;
  const PixelRect there = rt.bounds();
  FilledPixels out;
  PartRaster raster(part, state);
  PixelRect rect = tile;
  rect.clip(part.bounds);
  if (!rect.empty() && raster.covers(rect)) {
    out.covered = static_cast<uint64_t>(pixels_of(rect));
    threads.add_rect(rect);
    rect.clip(there);
    if (!how.slice) return out;
    out.written = static_cast<uint64_t>(pixels_of(rect));
    fill(how.view, rt.surface, *rt.level, rect, *how.slice, 0, reinterpret_cast<const std::byte*>(&how.word),
         {how.stop, StopFlag::dropping});
    return out;
  }
  raster.each_block(tile, [&](uint32_t x, uint32_t y, uint64_t covered) {
    if (how.stop.aborting()) return false;
    out.covered += static_cast<uint64_t>(std::popcount(covered));
    threads.add_block(covered);
    if (!how.slice) return true;
    const uint64_t inside = covered & PartRaster::within(there, static_cast<int32_t>(x), static_cast<int32_t>(y));
    out.written += static_cast<uint64_t>(std::popcount(inside));
    rt.fill_block(how.view, x, y, *how.slice, inside, how.word);
    return true;
  });
  return out;
}

}  // namespace softgen::render
