// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/cs/watchdog.h"

#include <algorithm>

#include "hw/mmio/timestamp.h"

namespace softgen::cs {

Watchdog::Ticks Watchdog::now() const { return mmio::read_timestamp(registers_, mmio_base_) & mmio::TimestampClock::mask; }

void Watchdog::follow(bool runs) {
  const bool counts = runs && registers_.peek(mmio_base_ + form_.control) != form_.stopped;
  if (!counts && !counts_.load(std::memory_order_acquire)) return;
  {
    const Ticks start = now();
    MutexLock lock(mutex_);
    if (counts && !counts_.load(std::memory_order_relaxed)) zero_ = start;
    counts_.store(counts, std::memory_order_release);
  }
  look();
}

void Watchdog::look() {
  if (!counts_.load(std::memory_order_acquire)) return;
  const Ticks at = now(), period = std::max<Ticks>(registers_.peek(mmio_base_ + form_.threshold), min_period);
  bool reached = false;
  Ticks left = 0;
  {
    MutexLock lock(mutex_);
    if (!counts_.load(std::memory_order_relaxed)) return;
    const Ticks elapsed = (at - zero_) & mmio::TimestampClock::mask;
    reached = elapsed >= period;
    if (reached) zero_ = (at - elapsed % period) & mmio::TimestampClock::mask;
    left = period - elapsed % period;
  }
  if (wake_) wake_(left);
  if (reached) interrupts_.raise(engine_, mmio::engine_event::watchdog);
}

}  // namespace softgen::cs
