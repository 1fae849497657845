// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/memory/gate.h"

#include <cassert>

namespace softgen::memory {

void Gate::enter_slow() {
  std::unique_lock lock(mutex_);
  do {
    state_.fetch_sub(1, std::memory_order_release);
    changed_.notify_all();
    changed_.wait(lock, [&] { return state_.load(std::memory_order_relaxed) < one_closer; });
  } while (state_.fetch_add(1, std::memory_order_acquire) >= one_closer);
}

void Gate::leave_slow() {
  std::scoped_lock lock(mutex_);
  changed_.notify_all();
}

void Gate::close() {
  begin_close();
  wait_closed();
}

void Gate::begin_close() { state_.fetch_add(one_closer, std::memory_order_acq_rel); }

void Gate::wait_closed() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return static_cast<uint32_t>(state_.load(std::memory_order_acquire)) == 0; });
}

void Gate::open() {
  assert(state_.load() >= one_closer);
  std::scoped_lock lock(mutex_);
  state_.fetch_sub(one_closer, std::memory_order_acq_rel);
  changed_.notify_all();
}

}  // namespace softgen::memory
