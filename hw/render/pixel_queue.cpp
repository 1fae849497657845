// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/render/pixel_queue.h"

#include <algorithm>
#include <utility>

#include "hw/base/work.h"

namespace softgen::render {
namespace {

/// Deferred draws cannot be preempted, so they must not take long: i915 waits 640 ms (Kconfig.profile, DRM_I915_PREEMPT_TIMEOUT).
constexpr double max_nanoseconds = 10e6;
/// For a pixel of a kernel that was not measured yet: more than the interpreter takes for one of some hundred instructions.
constexpr double unknown_pace = 2e3;
/// Pixels (or nanoseconds) below which everything else takes longer than the pixels.
constexpr double min_measured = 1024;
/// Less work is done before another thread has woken up.
constexpr double min_shared = 20e3;
constexpr size_t max_draws = 64, max_objects = 16384, max_paces = 64;

}  // namespace

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
void PixelQueue::note_time(std::span<PixelWork* const> works, TilePass::Duration time) {
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
  if (empty()) return true;
  return work.same_targets(deferred_.empty() ? *drawing_.back() : *deferred_.back());
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
  const size_t objects = work->object_count();
  const double time = nanoseconds(*work);
  const bool full =
      deferred_.size() >= max_draws || deferred_objects_ + objects > max_objects || deferred_nanoseconds_ + time > max_nanoseconds;
  if (full) start(env);
  deferred_objects_ += objects;
  deferred_nanoseconds_ += time;
  deferred_.push_back(std::move(work));
  if (deferred_nanoseconds_ >= min_background_ && (!pass_.started() || pass_.done())) start(env);
  return env.stop.aborting() ? ExecResult::aborted : ExecResult::done;
}

PixelQueue::Works PixelQueue::take_deferred() {
  deferred_objects_ = 0, deferred_nanoseconds_ = 0;
  return std::exchange(deferred_, {});
}

/// The workers begin with what is deferred, after what they draw now.
void PixelQueue::start(EngineEnv& env) {
  const auto began = std::chrono::steady_clock::now();
  finish_started(env);
  drawing_ = take_deferred();
  for (const auto& work : drawing_) pass_.add(*work);
  pass_.start(env);
  count_time(TimedStage::pixels, std::chrono::steady_clock::now() - began);
}

void PixelQueue::finish_started(EngineEnv& env) {
  if (drawing_.empty()) return;
  const Works works = std::exchange(drawing_, {});
  pass_.finish();
  end(works, env);
}

void PixelQueue::end(const Works& works, EngineEnv& env) {
  std::vector<PixelWork*> drawn;
  for (const auto& work : works) drawn.push_back(work.get());
  note_time(drawn, pass_.time());
  for (const auto& work : works) {
    work->count(env.registers);
    give_back(std::move(work->lists));
  }
}

ExecResult PixelQueue::finish(EngineEnv& env) {
  if (empty()) return ExecResult::done;
  const auto began = std::chrono::steady_clock::now();
  finish_started(env);
  const bool shared = deferred_nanoseconds_ >= min_shared;
  const Works works = take_deferred();
  for (const auto& work : works) pass_.add(*work);
  uint64_t tile = 0;
  pass_.draw(env, shared, tile, nullptr);
  end(works, env);
  count_time(TimedStage::pixels, std::chrono::steady_clock::now() - began);
  return env.stop.aborting() ? ExecResult::aborted : ExecResult::done;
}

bool PixelQueue::draw(PixelWork& work, EngineEnv& env, uint64_t& tile, const DrawClock* clock) {
  const bool whole = tile == 0;
  pass_.add(work);
  const bool done = pass_.draw(env, nanoseconds(work) >= min_shared, tile, clock);
  PixelWork* const drawn[] = {&work};
  if (done && whole) note_time(drawn, pass_.time());
  return done;
}

}  // namespace softgen::render
