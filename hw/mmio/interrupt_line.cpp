// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/mmio/interrupt_line.h"

namespace softgen::mmio {

void InterruptLine::set(bool level, bool edge) {
  if (level && reported_ && (!level_ || edge)) fall_ = true;
  level_ = level;
  unreported_.store(level != reported_ || fall_, std::memory_order_release);
}

void InterruptLine::deliver() {
  if (!unreported_.load(std::memory_order_acquire)) return;
  MutexLock lock(mutex_);
  deliver(lock);
}

// The owner's mutex has two names here, which the analysis takes for two mutexes.
void InterruptLine::deliver(MutexLock& lock) SG_NO_THREAD_SAFETY_ANALYSIS {
  if (reporting_) return;
  reporting_ = true;
  while (reported_ != level_ || fall_) {
    reported_ = !reported_;
    if (!reported_) fall_ = false;
    const bool level = reported_;
    lock.unlock();
    host_.interrupt(level);
    lock.lock();
  }
  reporting_ = false;
  unreported_.store(false, std::memory_order_release);
}

}  // namespace softgen::mmio
