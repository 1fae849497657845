// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/render/tile_pass.h"

#include <algorithm>

namespace softgen::render {
namespace {

constexpr int32_t tile_size = 64;
/// Pixels of an object's bounds in a tile from which on the wider of two kernels is worth its idle channels.
constexpr int64_t wide_pixels = 64;
/// Items whose memory is kept for the next pass.
constexpr size_t max_kept = 65536;

}  // namespace

TilePass::TilePass(WorkerPool* pool) : pool_(pool) {
  if (pool) background_.emplace(*pool);
}

/// Objects are large, and the following passes read the bounds of all of them a few times.
void TilePass::add(PixelWork& work) {
  constexpr size_t bounds_ahead = 8;
  const size_t before = items_.size();
  int64_t pixels = 0;
  PixelRect all = bounds_;
  items_.resize(before + work.object_count());
  Item* to = items_.data() + before;
  for (const auto& list : work.lists) {
    const PreparedObject* const objects = list->objects.data();
    for (size_t i = 0, count = list->objects.size(); i < count; ++i) {
      __builtin_prefetch(objects + std::min(i + bounds_ahead, count - 1));
      const PixelRect b = objects[i].bounds;
      if (b.empty()) continue;
      pixels += pixels_of(b);
      all.include(b);
      *to++ = {&work, objects + i, b};
    }
  }
  work.bounds_pixels = pixels;
  items_.resize(static_cast<size_t>(to - items_.data()));
  bounds_ = all;
  if (items_.size() != before && !work.controlled.empty()) controlled_ = true;
}

/// Of tiles that have as many pixels as the usual ones: less where all items are in few rows, as copies of buffers are, so that their threads run
/// together. Targets with a CCS keep to the tiles of its bytes.
int32_t TilePass::tile_height() const {
  if (controlled_) return tile_size;
  constexpr int32_t least = 8;
  int32_t height = tile_size;
  while (height > least && (bounds_.y0 & ~(height / 2 - 1)) + height / 2 >= bounds_.y1) height /= 2;
  return height;
}

/// Of a pass with items. False: the work is to be dropped.
bool TilePass::begin(EngineEnv& env) {
  while (slots_.size() < slots_of(pool_)) slots_.push_back(std::make_unique<Slot>(env.view.memory(), static_cast<unsigned>(slots_.size())));
  for (auto& slot : slots_) slot->worker.view().set_space(env.view.space()), slot->time = {};
  const int32_t height = tile_height();
  tiles_ = tiles_of(bounds_, tile_size * tile_size / height, height);
  find_tile_bins(
      std::span<const Item>(items_), std::span<const PixelRect>(tiles_), [](const Item& i) { return i.work->pixels.stop.aborting(); },
      bins_);
  return !env.stop.aborting();
}

void TilePass::clear() {
  for (auto& slot : slots_) slot->worker.finish();
  items_.clear(), bins_.items.clear();
  if (items_.capacity() > max_kept) items_.shrink_to_fit();
  if (bins_.items.capacity() > max_kept) bins_.items.shrink_to_fit();
  bounds_ = PixelRect::none();
  controlled_ = false;
}

TilePass::Duration TilePass::time() const {
  Duration sum{};
  for (const auto& slot : slots_) sum += slot->time;
  return sum / slots_of(pool_);
}

/// The objects of a tile are scattered in memory: prefetches what is read of the next ones.
void TilePass::fetch_ahead(std::span<const Item> items, size_t at) {
  constexpr size_t lists_ahead = 2, object_ahead = 4, line = 64;
  const auto fetch = [](const void* from, size_t bytes) {
    for (size_t i = 0; i < bytes; i += line) __builtin_prefetch(static_cast<const std::byte*>(from) + i);
  };
  if (at + object_ahead < items.size()) fetch(items[at + object_ahead].object, sizeof(PreparedObject));
  if (at + lists_ahead >= items.size()) return;
  const PreparedObject& next = *items[at + lists_ahead].object;
  fetch(next.parts.begin(), sizeof(Coverage));
  fetch(next.attributes.begin(), sizeof(AttributeSetup));
}

void TilePass::draw_object(Slot& slot, const Item& item, const PixelRect& tile, HeldControlWord& control) {
  PixelRect part = item.bounds;
  part.clip(tile);
  if (part.empty() || item.work->pixels.stop.aborting()) return;
  for (const RenderTarget* rt : item.work->controlled)
    if (item.object->layer < rt->surface.view_extent)
      slot.touched.add(slot.worker.view(), *rt, item.object->layer + rt->surface.min_array_element, part);
  slot.worker.draw(item.work->wide && pixels_of(part) >= wide_pixels ? *item.work->wide : item.work->pixels, *item.object, tile, control);
}

void TilePass::draw_tile(size_t index, Slot& slot) {
  const auto began = std::chrono::steady_clock::now();
  HeldControlWord control;
  const std::span<const Item> in_tile = bins_.of(index, items_);
  for (size_t i = 0; i < in_tile.size(); ++i) {
    fetch_ahead(in_tile, i);
    draw_object(slot, in_tile[i], tiles_[index], control);
  }
  slot.worker.end_tile();
  slot.touched.encode(slot.worker.view());
  slot.time += std::chrono::steady_clock::now() - began;
}

bool TilePass::draw(EngineEnv& env, bool shared, uint64_t& tile, const DrawClock* clock) {
  const End end(*this);
  if (items_.empty()) return true;
  if (!begin(env)) return false;
  const auto enough = [&] { return clock ? clock->must_stop() : env.stop.aborting(); };
  const auto body = [this](size_t index, unsigned slot) { draw_tile(index, *slots_[slot]); };
  tile = for_each_until(shared ? pool_ : nullptr, tile, tiles_.size(), body, enough);
  return tile >= tiles_.size();
}

void TilePass::start(EngineEnv& env) {
  if (items_.empty() || !begin(env)) return clear();
  background_->start(tiles_.size(), [this](size_t index, unsigned slot) { draw_tile(index, *slots_[slot]); });
}

void TilePass::finish() {
  const End end(*this);
  background_->finish();
}

}  // namespace softgen::render
