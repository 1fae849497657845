// SPDX-License-Identifier: GPL-2.0-or-later
// Keeps a vertical blank from falling into the middle of a driver's plane update.
//
// Drivers write double-buffered registers in a window that they place before the next vertical blank, and i915 logs an error when
// the frame counter differs before and after (i915 display/intel_crtc.c, intel_pipe_update_start and _end). On hardware the window is
// a few microseconds; a virtual CPU may be taken off its host CPU for milliseconds right there. So between the two reads of the
// frame counter the pipe's time stops just before the blank. Blanks stay on their exact grid: one that was held is only
// seen late, like an interrupt that was delivered late.
//
// Both reads follow a read of the scan line. The kernel's own counting reads the counter first, then the scan line, then the counter
// again (drm_update_vblank_count), which does not end the hold.
#pragma once

#include <algorithm>
#include <cstdint>

namespace softgen::display {

class UpdateHold {
 public:
  void line_read() {
    if (reads_ == Reads::none) reads_ = Reads::line;
  }
  /// The frame counter was read; `blank` is when the next vertical blank is due.
  void counter_read(int64_t now, int64_t blank) {
    const bool after_line = reads_ == Reads::line;
    reads_ = reads_ == Reads::none ? Reads::counter : Reads::none;
    if (writing_) {
      // The closing read. The driver reads the counter again at once, to name the frame in which the update shows.
      writing_ = false;
      until_ = now + grace_ns;
    } else if (after_line) {
      until_ = std::max(until_, std::min(now, blank) + open_ns);
    }
  }
  /// A register of a universal plane or the cursor was written.
  void plane_written(int64_t now, int64_t blank) {
    if (now >= until_) return;
    writing_ = true;
    until_ = std::min(now + write_ns, blank + late_ns);
  }
  /// A vertical blank was let through, or the pipe stopped.
  void clear() { *this = UpdateHold{}; }
  int64_t until() const { return until_; }

 private:
  enum class Reads : uint8_t { none, line, counter };
  // Chosen: from the first reads to the first write (a virtual CPU was seen away for 5.3 ms there), from the last write on, at most after the
  // blank's time, and for the reads after the closing one.
  static constexpr int64_t open_ns = 10'000'000, write_ns = 50'000'000, late_ns = 20'000'000, grace_ns = 300'000;
  int64_t until_ = 0;
  bool writing_ = false;
  Reads reads_ = Reads::none;
};

}  // namespace softgen::display
