// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/memory/gate.h"

#include <cassert>

namespace softgen::memory {

void Gate::enter_slow() {
  MutexLock lock(mutex_);
  do {
    state_.fetch_sub(1, std::memory_order_release);
    changed_.notify_all();
    while (state_.load(std::memory_order_relaxed) >= one_closer) changed_.wait(mutex_);
  } while (state_.fetch_add(1, std::memory_order_acquire) >= one_closer);
}

void Gate::leave_slow() {
  MutexLock lock(mutex_);
  changed_.notify_all();
}

void Gate::close() {
  begin_close();
  wait_closed();
}

void Gate::begin_close() { state_.fetch_add(one_closer, std::memory_order_acq_rel); }

void Gate::wait_closed() {
  MutexLock lock(mutex_);
  while (static_cast<uint32_t>(state_.load(std::memory_order_acquire)) != 0) changed_.wait(mutex_);
}

void Gate::open() {
  assert(state_.load() >= one_closer);
  MutexLock lock(mutex_);
  state_.fetch_sub(one_closer, std::memory_order_acq_rel);
  changed_.notify_all();
}

}  // namespace softgen::memory
