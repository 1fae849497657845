// SPDX-License-Identifier: GPL-2.0-or-later
// A condition variable for Mutex.
#pragma once

#include <errno.h>
#include <pthread.h>
#include <time.h>

#include <algorithm>
#include <chrono>

#include "hw/base/mutex.h"

namespace softgen {

/// Waits release the mutex and hold it again when they return, also spuriously: callers loop on their condition, so that the analysis sees
/// it read with the mutex held.
class Condition {
 public:
  Condition() = default;
  Condition(const Condition&) = delete;
  Condition& operator=(const Condition&) = delete;

  void wait(Mutex& mutex) SG_REQUIRES(mutex) { pthread_cond_wait(&condition_, &mutex.mutex_); }
  /// False: it is `time`.
  bool wait_until(Mutex& mutex, std::chrono::steady_clock::time_point time) SG_REQUIRES(mutex) {
    using namespace std::chrono;
    const nanoseconds all = std::max<nanoseconds>(time.time_since_epoch(), nanoseconds{0});
    const seconds whole = duration_cast<seconds>(all);
    const timespec at{whole.count(), (all - whole).count()};
    return pthread_cond_clockwait(&condition_, &mutex.mutex_, CLOCK_MONOTONIC, &at) != ETIMEDOUT;
  }
  void notify_one() { pthread_cond_signal(&condition_); }
  void notify_all() { pthread_cond_broadcast(&condition_); }

 private:
  pthread_cond_t condition_ = PTHREAD_COND_INITIALIZER;
};

}  // namespace softgen
