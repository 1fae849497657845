// SPDX-License-Identifier: GPL-2.0-or-later
// The host side when there is no machine: a clock; interrupts are ignored.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "hw/iface/quiet_host.h"

namespace softgen::replay {

/// No timers: the player asks the device to go on by itself.
class OfflineHost final : public QuietHost {
 public:
  /// `own_clock`: time advances by a microsecond each time it is read, so that timestamps do not depend on the host.
  explicit OfflineHost(bool own_clock) : own_clock_(own_clock) {}

  int64_t clock_ns() override { return own_clock_ ? ticks_.fetch_add(1000, std::memory_order_relaxed) : host_ns(); }

  static int64_t host_ns() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }

 private:
  const bool own_clock_;
  std::atomic<int64_t> ticks_{1'000'000'000};
};

}  // namespace softgen::replay
