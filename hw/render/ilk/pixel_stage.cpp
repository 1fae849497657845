// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/render/ilk/pixel_stage.h"

#include "hw/base/work.h"
#include "hw/render/tile_bins.h"

namespace softgen::render::ilk {
namespace {

constexpr int32_t tile_size = 32;
/// Pixels of bounds: less is drawn before another thread has woken up.
constexpr int64_t shared_pixels = 1024;
/// Pixels of bounds: for less, threads that look for one colour are not worth their time.
constexpr int64_t filled_pixels = 1024;

}  // namespace

PixelObject PixelList::object(size_t n, const RasterState& raster) const {
  const Entry& e = entries[n];
  return {.prepared = prepared.objects[e.prepared],
          .raster = raster,
          .planes = std::span(planes).subspan(n * plane_dwords, plane_dwords),
          .x = e.x,
          .y = e.y,
          .line = e.line,
          .topology = e.topology,
          .fill = e.fill};
}

struct PixelStage::Item {
  size_t number;
  PixelRect bounds;
};

struct PixelStage::Host {
  EngineEnv env;
  Windowizer windowizer;
  Host(const DrawContext& context, unsigned slot) : env(context.hosts.env(context.env, slot)), windowizer(context, env, slot) {}
};

PixelStage::PixelStage(const DrawContext& context, const RasterState& raster)
    : context_(context), raster_(raster), threads_(context.hosts.count()) {}

PixelStage::~PixelStage() = default;

Windowizer& PixelStage::windowizer(unsigned slot) {
  auto& host = threads_[slot];
  if (!host) host = std::make_unique<Host>(context_, slot);
  return host->windowizer;
}

PixelTally PixelStage::tally() const {
  PixelTally sum;
  for (const auto& host : threads_)
    if (host) sum.add(host->windowizer.tally());
  return sum;
}

/// By the first host thread, so that what is run and filled does not depend on how many there are.
void PixelStage::find_fills() {
  for (size_t n = 0; n < list_.entries.size() && !context_.env.stop.aborting(); ++n) {
    PixelList::Entry& entry = list_.entries[n];
    const PixelRect& bounds = list_.prepared.objects[entry.prepared].bounds;
    if (pixels_of(bounds) >= filled_pixels) entry.fill = windowizer(0).uniform_color(list_.object(n, raster_));
  }
}

void PixelStage::draw_list() {
  const StageClock clock(TimedStage::pixels);
  find_fills();
  std::vector<Item> items;
  int64_t pixels = 0;
  for (size_t n = 0; n < list_.entries.size(); ++n) {
    const PixelRect& bounds = list_.prepared.objects[list_.entries[n].prepared].bounds;
    if (bounds.empty()) continue;
    items.push_back({n, bounds});
    pixels += pixels_of(bounds);
  }
  const std::span<const Item> all = items;
  if (!items.empty()) {
    const std::vector<PixelRect> tiles = tiles_of(bounds_of(all), tile_size, tile_size);
    const auto bins = tile_bins(all, std::span<const PixelRect>(tiles), [&](const Item&) { return context_.env.stop.aborting(); });
    const auto draw_tile = [&](size_t tile, unsigned slot) {
      Windowizer& thread = windowizer(slot);
      for (const Item& item : bins.of(tile, all))
        if (!context_.env.stop.aborting()) thread.draw(list_.object(item.number, raster_), tiles[tile]);
    };
    const auto enough = [&] { return context_.asked_to_stop(); };
    uint64_t& next = context_.progress.tiles;
    next =
        for_each_until(pixels >= shared_pixels ? context_.hosts.pool(context_.state.wm) : nullptr, next, tiles.size(), draw_tile, enough);
    if (next < tiles.size()) context_.preempted = true;
  }
  list_.clear();
}

}  // namespace softgen::render::ilk
