// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/render/pixel_queue.h"

#include <algorithm>
#include <utility>

#include "hw/base/work.h"
#include "hw/mmio/register_file.h"

namespace softgen::render {
namespace {

constexpr int32_t tile_size = 64;
/// Pixels of an object's bounds in a tile from which on the wider of two kernels is worth its idle channels.
constexpr int64_t wide_pixels = 64;
/// Deferred draws cannot be preempted, so they must not take long: i915 waits 640 ms (Kconfig.profile, DRM_I915_PREEMPT_TIMEOUT).
constexpr double max_nanoseconds = 10e6;
/// For a pixel of a kernel that was not measured yet: more than the interpreter takes for one of some hundred instructions.
constexpr double unknown_pace = 2e3;
/// Pixels (or nanoseconds) below which everything else takes longer than the pixels.
constexpr double min_measured = 1024;
/// Less work is done before another thread has woken up.
constexpr double min_shared = 20e3;
constexpr size_t max_draws = 64, max_objects = 16384, max_paces = 64;

size_t object_count(const PixelWork& work) {
  size_t sum = 0;
  for (const auto& list : work.lists) sum += list->objects.size();
  return sum;
}

/// Whether both are the same memory, laid out the same way.
bool same_target(const RenderTarget& a, const RenderTarget& b) {
  const surface::Surface &s = a.surface, &t = b.surface;
  return a.level.has_value() == b.level.has_value() &&
         (!a.level ||
          (s.base == t.base && s.format == t.format && s.tiling == t.tiling && s.pitch == t.pitch && s.mip_count == t.mip_count &&
           s.min_array_element == t.min_array_element && s.samples == t.samples && a.ccs == b.ccs && s.clear_color == t.clear_color));
}

}  // namespace

PixelWork::PixelWork(const DrawState& now, EngineEnv& env, MessageTarget* shared)
    : state(now),
      raster(state, last_geometry_stage(state)),
      pixels{state, raster, {}, 8, DepthStencil(state), OutputMerger(state), {}, shared, env.stop, counts} {}

void PixelWork::count(mmio::RegisterFile& registers) const {
  count_work(Work::pixels, counts.invocations);
  if (pixels.coarse && state.pixel.coarse.viewports[0].statistics) registers.add64(reg::CPS_INVOCATION_COUNT(0), counts.invocations);
  if (!state.pixel.statistics) return;
  registers.add64(reg::PS_INVOCATION_COUNT(0), counts.invocations);
  registers.add64(reg::PS_DEPTH_COUNT(0), counts.depth);
}

PixelQueue::Lists PixelQueue::spare_lists() {
  if (spare_.empty()) return {};
  Lists lists = std::move(spare_.back());
  spare_.pop_back();
  for (auto& list : lists) list->clear();
  return lists;
}

void PixelQueue::give_back(Lists&& lists) {
  if (spare_.size() < max_draws) spare_.push_back(std::move(lists));
}

// -- deferring

PixelQueue::Pace* PixelQueue::find_pace(const PixelWork& work) {
  const auto at = std::find_if(paces_.begin(), paces_.end(), [&](const Pace& p) { return p.program == work.pixels.kernel.program; });
  return at == paces_.end() ? nullptr : &*at;
}

/// Of draws that were drawn together: the part of `time` that the known kernels do not explain is the new ones'; without new ones, all
/// known paces are corrected by the same factor.
void PixelQueue::note_time(std::span<PixelWork* const> works, Clock::duration time) {
  const double nanoseconds = std::chrono::duration<double, std::nano>(time).count();
  double known = 0, fresh = 0;
  for (const PixelWork* work : works) {
    const Pace* const pace = find_pace(*work);
    const auto pixels = static_cast<double>(work->bounds_pixels);
    (pace ? known : fresh) += pace ? pixels * pace->nanoseconds : pixels;
  }
  if (fresh > min_measured) {
    if (paces_.size() + works.size() > max_paces) paces_.clear();
    for (const PixelWork* work : works)
      if (!find_pace(*work)) paces_.push_back({work->pixels.kernel.program, std::max(nanoseconds - known, nanoseconds / 8) / fresh});
  } else if (known > min_measured) {
    const double factor = std::clamp(nanoseconds / known, 0.25, 4.0);
    for (Pace& pace : paces_)
      if (std::any_of(works.begin(), works.end(), [&](const PixelWork* work) { return work->pixels.kernel.program == pace.program; }))
        pace.nanoseconds *= (3 + factor) / 4;
  }
}

bool PixelQueue::may_defer(const PixelWork& work) const {
  const Kernel& kernel = work.pixels.kernel;
  return pool_ && pool_->workers() && (!kernel || !kernel.program->uses_data_port());
}

bool PixelQueue::same_targets(const PixelWork& work) const {
  if (deferred_.empty()) return true;
  const PixelWork& other = *deferred_.back();
  if (work.state.depth.version != other.state.depth.version) return false;
  const auto &a = work.pixels.targets, &b = other.pixels.targets;
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same_target);
}

double PixelQueue::nanoseconds(const PixelWork& work) {
  const Pace* const pace = find_pace(work);
  return static_cast<double>(work.bounds_pixels) * (pace ? pace->nanoseconds : unknown_pace);
}

bool PixelQueue::is_short(PixelWork& work) {
  work.bounds_pixels = 0;
  for (const auto& list : work.lists)
    for (const PreparedObject& object : list->objects) work.bounds_pixels += pixels_of(object.bounds);
  return nanoseconds(work) <= max_nanoseconds;
}

ExecResult PixelQueue::defer(std::unique_ptr<PixelWork> work, EngineEnv& env) {
  const size_t objects = object_count(*work);
  const double time = nanoseconds(*work);
  const bool full =
      deferred_.size() >= max_draws || deferred_objects_ + objects > max_objects || deferred_nanoseconds_ + time > max_nanoseconds;
  if (full)
    if (const ExecResult finished = finish(env); finished != ExecResult::done) return finished;
  deferred_objects_ += objects;
  deferred_nanoseconds_ += time;
  deferred_.push_back(std::move(work));
  return ExecResult::done;
}

ExecResult PixelQueue::finish(EngineEnv& env) {
  if (deferred_.empty()) return ExecResult::done;
  const auto began = Clock::now();
  const auto works = std::exchange(deferred_, {});
  deferred_objects_ = 0;
  const double expected = std::exchange(deferred_nanoseconds_, 0);
  for (const auto& work : works) add_items(*work);
  uint64_t tile = 0;
  draw_items(expected, env, tile, nullptr);
  const auto time = Clock::now() - began;
  count_time(TimedStage::pixels, time);
  std::vector<PixelWork*> drawn;
  for (const auto& work : works) drawn.push_back(work.get());
  note_time(drawn, time);
  for (const auto& work : works) {
    work->count(env.registers);
    give_back(std::move(work->lists));
  }
  return env.stop.aborting() ? ExecResult::aborted : ExecResult::done;
}

// -- drawing

/// Objects are large, and the following passes read the bounds of all of them a few times.
void PixelQueue::add_items(PixelWork& work) {
  constexpr size_t bounds_ahead = 8;
  const size_t before = items_.size();
  int64_t pixels = 0;
  PixelRect all = bounds_;
  items_.resize(before + object_count(work));
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

bool PixelQueue::draw(PixelWork& work, EngineEnv& env, uint64_t& tile, const DrawClock* clock) {
  const auto began = Clock::now();
  const bool whole = tile == 0;
  add_items(work);
  const bool done = draw_items(nanoseconds(work), env, tile, clock);
  PixelWork* const drawn[] = {&work};
  if (done && whole) note_time(drawn, Clock::now() - began);
  return done;
}

void PixelQueue::draw_object(unsigned slot, const Item& item, const PixelRect& tile, HeldControlWord& control) {
  PixelRect part = item.bounds;
  part.clip(tile);
  if (part.empty() || item.work->pixels.stop.aborting()) return;
  for (const RenderTarget* rt : item.work->controlled)
    if (item.object->layer < rt->surface.view_extent)
      touched_[slot].add(workers_[slot]->view(), *rt, item.object->layer + rt->surface.min_array_element, part);
  workers_[slot]->draw(item.work->wide && pixels_of(part) >= wide_pixels ? *item.work->wide : item.work->pixels, *item.object, tile,
                       control);
}

/// Of tiles that have as many pixels as the usual ones: less where all items are in few rows, as copies of buffers are, so that their threads run
/// together. Targets with a CCS keep to the tiles of its bytes.
int32_t PixelQueue::tile_height() const {
  if (controlled_) return tile_size;
  constexpr int32_t least = 8;
  int32_t height = tile_size;
  while (height > least && (bounds_.y0 & ~(height / 2 - 1)) + height / 2 >= bounds_.y1) height /= 2;
  return height;
}

bool PixelQueue::draw_items(double nanoseconds, EngineEnv& env, uint64_t& tile, const DrawClock* clock) {
  const bool done = items_.empty() || draw_tiles(nanoseconds, env, tile, clock);
  // The memory is kept for the next draw, up to a limit.
  constexpr size_t kept = 4 * max_objects;
  items_.clear(), bins_.items.clear();
  if (items_.capacity() > kept) items_.shrink_to_fit();
  if (bins_.items.capacity() > kept) bins_.items.shrink_to_fit();
  bounds_ = PixelRect::none();
  controlled_ = false;
  return done;
}

/// The objects of a tile are scattered in memory: prefetches what is read of the next ones.
void PixelQueue::fetch_ahead(std::span<const Item> items, size_t at) {
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

bool PixelQueue::draw_tiles(double nanoseconds, EngineEnv& env, uint64_t& tile, const DrawClock* clock) {
  const std::span<const Item> items = items_;
  const int32_t height = tile_height(), width = tile_size * tile_size / height;
  const std::vector<PixelRect> tiles = tiles_of(bounds_, width, height);
  const unsigned slots = slots_of(pool_);
  while (workers_.size() < slots)
    workers_.push_back(std::make_unique<PixelWorker>(env.view.memory(), static_cast<unsigned>(workers_.size())));
  for (auto& worker : workers_) worker->view().set_space(env.view.space());
  touched_.resize(workers_.size());
  find_tile_bins(items, std::span<const PixelRect>(tiles), [](const Item& i) { return i.work->pixels.stop.aborting(); }, bins_);
  if (env.stop.aborting()) return false;
  const auto draw_tile = [&](size_t index, unsigned slot) {
    HeldControlWord control;
    const std::span<const Item> in_tile = bins_.of(index, items);
    for (size_t i = 0; i < in_tile.size(); ++i) {
      fetch_ahead(in_tile, i);
      draw_object(slot, in_tile[i], tiles[index], control);
    }
    workers_[slot]->end_tile();
    touched_[slot].encode(workers_[slot]->view());
  };
  const auto enough = [&] { return clock ? clock->must_stop() : env.stop.aborting(); };
  if (pool_ && nanoseconds >= min_shared) tile = pool_->for_each_until(tile, tiles.size(), draw_tile, enough);
  else
    while (tile < tiles.size()) {
      draw_tile(tile++, 0);
      if (enough()) break;
    }
  for (auto& worker : workers_) worker->finish();
  return tile >= tiles.size();
}

}  // namespace softgen::render
