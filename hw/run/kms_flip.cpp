// SPDX-License-Identifier: GPL-2.0-or-later
// Showing framebuffers: a flip waits for the drawing into its buffer, then for the vertical blank, then its event is sent.
#include <errno.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "hw/base/log.h"
#include "hw/run/drm_file.h"
#include "hw/run/frames.h"
#include "hw/run/kms.h"

namespace softgen::run {

Kms::Kms(const Options& options)
    : width_(options.width), height_(options.height), refresh_hz_(options.refresh_hz), frames_(options.frames),
      epoch_ns_(monotonic_ns()) {
  thread_ = std::thread([this] { thread_main(); });
}

Kms::~Kms() {
  {
    std::scoped_lock lock(mutex_);
    quit_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

int Kms::set_crtc(DrmFile& file, drm_mode_crtc& r) {
  if (!r.mode_valid) {
    active_ = false;
    current_fb_ = 0;
    return 0;
  }
  const auto fb = framebuffers_.find(r.fb_id == ~0u ? current_fb_ : r.fb_id);
  if (fb == framebuffers_.end()) return -ENOENT;
  if (r.x + uint64_t{r.mode.hdisplay} > fb->second.width || r.y + uint64_t{r.mode.vdisplay} > fb->second.height) return -ENOSPC;
  active_ = true;
  current_fb_ = fb->first;
  flips_.push_back({fb->first, fb->second, 0, &file, false, false});
  changed_.notify_all();
  return 0;
}

int Kms::page_flip(DrmFile& file, drm_mode_crtc_page_flip& r) {
  const auto fb = framebuffers_.find(r.fb_id);
  if (fb == framebuffers_.end()) return -ENOENT;
  if (!active_ || (r.flags & ~DRM_MODE_PAGE_FLIP_EVENT)) return -EINVAL;
  if (flip_pending_) return -EBUSY;
  flip_pending_ = true;
  flips_.push_back({fb->first, fb->second, r.user_data, &file, (r.flags & DRM_MODE_PAGE_FLIP_EVENT) != 0, true});
  changed_.notify_all();
  return 0;
}

void Kms::thread_main() {
  prctl(PR_SET_NAME, "softgen-kms");
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return quit_ || !flips_.empty(); });
    if (quit_) return;
    const Flip flip = flips_.front();
    lock.unlock();
    if (flip.picture.bo->last_write)
      FenceClock::get().wait(INT64_MAX, [&] { return flip.picture.bo->last_write->signalled; });
    lock.lock();
    int64_t now = monotonic_ns();
    if (refresh_hz_) {
      const int64_t period = 1'000'000'000 / refresh_hz_;
      const int64_t blank = epoch_ns_ + ((now - epoch_ns_) / period + 1) * period;
      changed_.wait_for(lock, std::chrono::nanoseconds(blank - now), [this] { return quit_; });
      if (quit_) return;
      now = blank;
      sequence_ = static_cast<uint32_t>((blank - epoch_ns_) / period);
    } else {
      ++sequence_;
    }
    current_fb_ = framebuffers_.contains(flip.fb) ? flip.fb : 0;
    lock.unlock();
    show(flip);
    lock.lock();
    const Flip shown = flips_.front();  // closed() may have taken its file away meanwhile
    flips_.pop_front();
    if (shown.event) send_event(shown, now);
    flip_pending_ = std::any_of(flips_.begin(), flips_.end(), [](const Flip& f) { return f.is_flip; });
  }
}

void Kms::show(const Flip& flip) {
  if (frames_.empty()) return;
  const std::string path = fmt::format("{}/frame{:05}.png", frames_, frames_saved_++);
  if (const std::string error = save_frame(flip.picture, path); !error.empty()) unsupported("frame not saved", "{}", error);
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
  event.crtc_id = 10;
  [[maybe_unused]] const ssize_t n = write(flip.file->event_fd(), &event, sizeof event);
}

}  // namespace softgen::run
