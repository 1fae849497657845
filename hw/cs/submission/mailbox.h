// SPDX-License-Identifier: GPL-2.0-or-later
// The one list that waits for the streamer to take it. Any thread.
#pragma once

#include <optional>
#include <utility>

#include "hw/base/log.h"
#include "hw/base/mutex.h"
#include "hw/cs/execlists.h"

namespace softgen::cs {

class Mailbox {
 public:
  /// Replaces a list that has not been taken.
  void submit(const Execlist& list) {
    MutexLock lock(mutex_);
    if (list_) guest_error("execlist submitted while one is pending");
    list_ = list;
  }
  void put(const std::optional<Execlist>& list) {
    MutexLock lock(mutex_);
    list_ = list;
  }
  std::optional<Execlist> pending() const {
    MutexLock lock(mutex_);
    return list_;
  }
  std::optional<Execlist> take() {
    MutexLock lock(mutex_);
    return std::exchange(list_, std::nullopt);
  }

 private:
  mutable Mutex mutex_;
  std::optional<Execlist> list_ SG_GUARDED_BY(mutex_);
};

}  // namespace softgen::cs
