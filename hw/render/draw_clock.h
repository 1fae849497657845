// SPDX-License-Identifier: GPL-2.0-or-later
// When a draw was started, and when it has to stop for a preemption.
#pragma once

#include <algorithm>
#include <chrono>

#include "hw/iface/engine.h"

namespace softgen::render {

class DrawClock {
 public:
  using Clock = std::chrono::steady_clock;
  using Duration = Clock::duration;

  /// `minimum_run`: see Drawer; zero: the draw stops wherever it is asked.
  DrawClock(const StopFlag& stop, std::chrono::nanoseconds minimum_run) : stop_(stop), minimum_run_(minimum_run) {}

  Clock::time_point started() const { return started_; }
  /// The draw is where it had been preempted, or at its first batch; only the first call counts.
  void note_caught_up(Clock::time_point now) {
    if (!catching_up_.count()) catching_up_ = now - started_;
  }

  /// Asked between tiles and batches. Each run of the draw gets on for some time, and for longer than it had to catch up: a timeslice of i915's is
  /// 1 ms, after which it waits 640 ms for the preemption (Kconfig.profile, DRM_I915_TIMESLICE_DURATION, DRM_I915_PREEMPT_TIMEOUT). What is drawn
  /// does not depend on when this happens.
  bool must_stop() const {
    if (stop_.aborting()) return true;
    const uint32_t reasons = stop_.reasons();
    if (reasons & StopFlag::pause) return true;  // a pause that takes long abandons the draw
    if (!(reasons & StopFlag::preempt)) return false;
    if (!minimum_run_.count()) return true;
    return Clock::now() - started_ >= std::max<Duration>(minimum_run_, 2 * catching_up_);
  }

 private:
  const StopFlag& stop_;
  const std::chrono::nanoseconds minimum_run_;
  const Clock::time_point started_ = Clock::now();
  Duration catching_up_{};
};

}  // namespace softgen::render
