// SPDX-License-Identifier: GPL-2.0-or-later
// The one list that waits for the streamer to take it. Any thread.
#pragma once

#include <mutex>
#include <optional>
#include <utility>

#include "hw/base/log.h"
#include "hw/cs/execlists.h"

namespace softgen::cs {

class Mailbox {
 public:
  /// Replaces a list that has not been taken.
  void submit(const Execlist& list) {
    std::scoped_lock lock(mutex_);
    if (list_) guest_error("execlist submitted while one is pending");
    list_ = list;
  }
  void put(const std::optional<Execlist>& list) {
    std::scoped_lock lock(mutex_);
    list_ = list;
  }
  std::optional<Execlist> pending() const {
    std::scoped_lock lock(mutex_);
    return list_;
  }
  std::optional<Execlist> take() {
    std::scoped_lock lock(mutex_);
    return std::exchange(list_, std::nullopt);
  }

 private:
  mutable std::mutex mutex_;
  std::optional<Execlist> list_;
};

}  // namespace softgen::cs
