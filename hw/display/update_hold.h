// SPDX-License-Identifier: GPL-2.0-or-later
// Keeps a vertical blank from falling into the middle of a driver's plane update.
//
// Drivers write double-buffered registers in a window that they place well before the next vertical blank, and i915 logs an error
// when the frame counter differs before and after (i915 display/intel_crtc.c, intel_pipe_update_end). On hardware the window is
// a few microseconds; a virtual CPU may be taken off its host CPU for milliseconds right there. So between the two reads of the
// frame counter the pipe's time stands still just before the blank. Blanks stay on their exact grid: one that was held is only
// seen late, like an interrupt that was delivered late.
#pragma once

#include <algorithm>
#include <cstdint>

namespace softgen::display {

class UpdateHold {
 public:
  /// The frame counter was read; `blank` is when the next vertical blank is due.
  void counter_read(int64_t now, int64_t blank) {
    if (writing_) {
      // The closing read. The driver looks at the counter again at once, to name the frame in which the update shows.
      writing_ = false;
      grace_ = now + grace_ns;
      until_ = grace_;
    } else {
      until_ = std::min(now + open_ns, std::max(blank + open_ns, grace_));
    }
  }
  /// A register of a universal plane was written.
  void plane_written(int64_t now, int64_t blank) {
    if (now >= until_) return;
    writing_ = true;
    until_ = std::min(now + 50 * open_ns, blank + 20 * open_ns);
  }
  /// A vertical blank was let through, or the pipe stopped.
  void clear() { until_ = grace_ = 0, writing_ = false; }
  int64_t until() const { return until_; }

 private:
  static constexpr int64_t open_ns = 1'000'000, grace_ns = 300'000;
  int64_t until_ = 0, grace_ = 0;
  bool writing_ = false;
};

}  // namespace softgen::display
