// SPDX-License-Identifier: GPL-2.0-or-later
// Showing framebuffers: a flip waits for the drawing into its buffer, then for the vertical blank, then its event is sent.
#include <errno.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "hw/base/mutex.h"
#include "hw/base/signals.h"
#include "hw/run/drm_file.h"
#include "hw/run/frames.h"
#include "hw/run/kms.h"

namespace softgen::run {

Kms::Kms(const Options& options)
    : width_(options.width),
      height_(options.height),
      refresh_hz_(options.refresh_hz),
      sink_(std::make_unique<FrameSink>(options)),
      epoch_ns_(monotonic_ns()) {
  for (auto& channel : gamma_ramp_)  // as drm_mode_crtc_set_gamma_size() begins
    for (size_t i = 0; i < channel.size(); ++i) channel[i] = static_cast<uint16_t>(i << 8);
  const SignalsBlocked in_new_threads;
  thread_ = std::thread([this] { thread_main(); });
}

Kms::~Kms() {
  {
    MutexLock lock(mutex_);
    quit_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

Layer Kms::layer_of(const PlaneState& plane) const {
  const auto fb = framebuffers_.find(plane.fb);
  if (fb == framebuffers_.end()) return {};
  return {fb->second, plane.src_x >> 16, plane.src_y >> 16, plane.crtc_w, plane.crtc_h, plane.crtc_x, plane.crtc_y};
}

Kms::Flip Kms::flip_to(const State& state, DrmFile& file) {
  Flip flip;
  flip.file = &file;
  flip.active = state.active;
  // A pipe that has had no mode leaves the monitor black.
  flip.picture.screen_width = state.mode.hdisplay ? state.mode.hdisplay : width_;
  flip.picture.screen_height = state.mode.vdisplay ? state.mode.vdisplay : height_;
  if (!state.active) return flip;
  flip.picture.primary = layer_of(state.primary);
  flip.picture.cursor = layer_of(state.cursor);
  flip.picture.gamma = gamma_;
  MutexLock lock(file.driver().gpu.lock());
  if (const BoPtr& bo = flip.picture.primary.fb.bo; bo && bo->last_write) flip.waits.push_back(bo->last_write);
  if (const BoPtr& bo = flip.picture.cursor.fb.bo) flip.cursor_drawn = bo->last_write;
  return flip;
}

int Kms::set_crtc(DrmFile& file, drm_mode_crtc& r) {
  if (r.crtc_id != kms_id::crtc) return -ENOENT;
  State next;
  next.cursor = state_.cursor;
  next.vrr_enabled = state_.vrr_enabled;
  if (!r.mode_valid) {
    state_ = next;
    return 0;
  }
  const auto fb = framebuffers_.find(r.fb_id == ~0u ? state_.primary.fb : r.fb_id);
  if (fb == framebuffers_.end()) return -ENOENT;
  if (r.x + uint64_t{r.mode.hdisplay} > fb->second.width || r.y + uint64_t{r.mode.vdisplay} > fb->second.height) return -ENOSPC;
  PlaneState& plane = next.primary;
  plane.fb = fb->first;
  plane.crtc = next.connector_crtc = kms_id::crtc;
  plane.src_x = r.x << 16, plane.src_y = r.y << 16;
  plane.crtc_w = r.mode.hdisplay, plane.crtc_h = r.mode.vdisplay;
  plane.src_w = plane.crtc_w << 16, plane.src_h = plane.crtc_h << 16;
  next.active = true;
  next.mode = r.mode;
  const auto* mode = reinterpret_cast<const std::byte*>(&r.mode);
  blobs_[next.mode_blob = kms_id::legacy_mode].assign(mode, mode + sizeof r.mode);
  state_ = next;
  flips_.push_back(flip_to(state_, file));
  changed_.notify_all();
  return 0;
}

int Kms::page_flip(DrmFile& file, drm_mode_crtc_page_flip& r) {
  if (r.crtc_id != kms_id::crtc) return -ENOENT;
  const auto fb = framebuffers_.find(r.fb_id);
  if (fb == framebuffers_.end()) return -ENOENT;
  if (!state_.active || (r.flags & ~DRM_MODE_PAGE_FLIP_EVENT)) return -EINVAL;
  if (flip_pending_) return -EBUSY;
  PlaneState& plane = state_.primary;
  if ((plane.src_x >> 16) + uint64_t{plane.crtc_w} > fb->second.width || (plane.src_y >> 16) + uint64_t{plane.crtc_h} > fb->second.height)
    return -ENOSPC;
  plane.fb = fb->first;
  Flip flip = flip_to(state_, file);
  flip.user_data = r.user_data;
  flip.event = r.flags & DRM_MODE_PAGE_FLIP_EVENT;
  flip.is_flip = flip_pending_ = true;
  flips_.push_back(std::move(flip));
  changed_.notify_all();
  return 0;
}

/// Sleeps until the next vertical blank of the monitor; its time.
void Kms::wait_for_blank(int64_t* when_ns) {
  if (!refresh_hz_) {
    ++sequence_;
    return;
  }
  const int64_t period = 1'000'000'000 / refresh_hz_, now = *when_ns;
  const int64_t blank = epoch_ns_ + ((now - epoch_ns_) / period + 1) * period;
  const auto until = std::chrono::steady_clock::now() + std::chrono::nanoseconds(blank - now);
  while (!quit_ && changed_.wait_until(mutex_, until)) {}
  *when_ns = blank;
  sequence_ = static_cast<uint32_t>((blank - epoch_ns_) / period);
}

bool Kms::is_drawn(const Flip& flip) const {
  const auto done = [](const FencePtr& fence) { return !fence || FenceClock::get().signalled(fence); };
  return done(flip.cursor_drawn) && std::all_of(flip.waits.begin(), flip.waits.end(), done);
}

/// For the first flip; what it waits for can change meanwhile.
void Kms::wait_for_drawing() {
  while (!is_drawn(flips_.front())) {
    std::vector<FencePtr> fences = flips_.front().waits;
    if (flips_.front().cursor_drawn) fences.push_back(flips_.front().cursor_drawn);
    mutex_.unlock();
    for (const FencePtr& fence : fences) FenceClock::get().wait(INT64_MAX, [&] { return fence->signalled; });
    mutex_.lock();
  }
}

void Kms::thread_main() {
  prctl(PR_SET_NAME, "softgen-kms");
  MutexLock lock(mutex_);
  for (;;) {
    while (!quit_ && flips_.empty()) changed_.wait(mutex_);
    if (quit_) return;
    int64_t now = 0;
    do {
      wait_for_drawing();
      now = monotonic_ns();
      wait_for_blank(&now);
      if (quit_) return;
      while (flips_.front().is_refresh && flips_.size() > 1 && is_drawn(flips_[1])) flips_.pop_front();
    } while (!is_drawn(flips_.front()));
    flips_.front().showing = true;
    const Picture picture = flips_.front().picture;
    lock.unlock();
    sink_->show(picture);
    lock.lock();
    const Flip shown = flips_.front();  // closed() may have taken its file away meanwhile
    flips_.pop_front();
    flip_pending_ = std::any_of(flips_.begin(), flips_.end(), [](const Flip& f) { return f.is_flip; });
    // Only now: a client that gets the event may commit again at once.
    if (shown.shown) FenceClock::get().signal(shown.shown);
    if (shown.event) send_event(shown, now);
    changed_.notify_all();
  }
}

void Kms::send_event(const Flip& flip, int64_t when_ns) {
  if (!flip.file) return;
  drm_event_vblank event = {};
  event.base.type = DRM_EVENT_FLIP_COMPLETE;
  event.base.length = sizeof event;
  event.user_data = flip.user_data;
  event.tv_sec = static_cast<uint32_t>(when_ns / 1'000'000'000);
  event.tv_usec = static_cast<uint32_t>(when_ns % 1'000'000'000 / 1000);
  event.sequence = sequence_;
  event.crtc_id = kms_id::crtc;
  [[maybe_unused]] const ssize_t n = write(flip.file->event_fd(), &event, sizeof event);
}

}  // namespace softgen::run
