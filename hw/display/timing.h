// SPDX-License-Identifier: GPL-2.0-or-later
// Raster time of one pipe: where the beam is and when vertical blank starts, computed from the host clock on demand.
#pragma once

#include <cstdint>

#include "hw/display/size_limits.h"

namespace softgen::display {

/// What the transcoder timing registers, the pixel clock and TRANS_CONF say. Counts are real counts (registers hold count - 1).
struct Timing {
  uint32_t hactive = 0, htotal = 0;
  uint32_t vactive = 0, vtotal = 0, vblank_start = 0;
  uint64_t pixel_clock_hz = 0;
  bool interlaced = false;  ///< a vertical blank every half frame

  bool operator==(const Timing&) const = default;
  /// A raster that can run: ordered counts, and between 1 and 1000 fields a second (a bound of ours against hostile values).
  bool valid() const;
  /// No larger than the chip's pipes.
  bool fits(const Limits& limits) const { return hactive <= limits.pipe_width && vactive <= limits.pipe_height; }
  /// Lines between two vertical blanks.
  uint32_t lines() const { return interlaced ? vtotal / 2 : vtotal; }
  uint32_t blank_line() const { return interlaced ? (vblank_start + 1) / 2 : vblank_start; }
  uint64_t pixels() const { return uint64_t{htotal} * lines(); }
  /// Milli-Hertz of vertical blanks, rounded; 0 when not valid.
  uint32_t refresh_mhz() const;
};

/// Timing registers in their own form (SKL PRM vol 2c, TRANS_HTOTAL, TRANS_VTOTAL, TRANS_VBLANK: [12:0] active or start, [28:16] total or end).
Timing decode_timing(uint32_t htotal, uint32_t vtotal, uint32_t vblank, bool interlaced, uint64_t pixel_clock_hz);

/// A raster in motion. Times are guest nanoseconds. All arithmetic is exact, so nothing drifts.
class Raster {
 public:
  /// Line 0 of field 0 starts at `now`. Requires timing.valid().
  void start(const Timing& timing, int64_t now);
  void stop() { running_ = false; }
  bool running() const { return running_; }
  const Timing& timing() const { return timing_; }
  int64_t start_time() const { return start_; }

  /// Vertical blanks started in (start, now].
  uint64_t blanks(int64_t now) const;
  /// When the blank number `index` (0: first) starts: the first nanosecond `t` with blanks(t) == index + 1.
  int64_t blank_time(uint64_t index) const;
  /// Line the beam is on, 0 = first active line.
  uint32_t line(int64_t now) const;
  /// When the beam next leaves the active part of a line.
  int64_t hblank_time(int64_t now) const;
  /// When the beam next comes to `line`, which it is not on.
  int64_t line_time(int64_t now, uint32_t line) const;

 private:
  int64_t pixel_time(uint64_t pixels) const;
  uint64_t pixels_at(int64_t now) const;

  Timing timing_;
  int64_t start_ = 0;
  bool running_ = false;
};

}  // namespace softgen::display
