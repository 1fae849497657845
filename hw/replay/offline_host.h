// SPDX-License-Identifier: GPL-2.0-or-later
// What stands for the rest of the machine when there is none: a clock, and nobody to interrupt.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "hw/iface/host.h"

namespace softgen::replay {

class OfflineHost final : public Host {
 public:
  /// `own_clock`: time goes on by a microsecond each time it is asked for, so that timestamps do not depend on the host.
  explicit OfflineHost(bool own_clock) : own_clock_(own_clock) {}

  int64_t clock_ns() override { return own_clock_ ? ticks_.fetch_add(1000, std::memory_order_relaxed) : host_ns(); }
  void timer_set(unsigned, int64_t) override {}  // the player asks the device to go on by itself
  void interrupt(bool) override {}
  void display_changed(unsigned) override {}
  bool i2c_start(unsigned, uint8_t, bool) override { return false; }
  bool i2c_send(unsigned, uint8_t) override { return false; }
  uint8_t i2c_receive(unsigned) override { return 0xff; }
  void i2c_end(unsigned) override {}

  static int64_t host_ns() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }

 private:
  const bool own_clock_;
  std::atomic<int64_t> ticks_{1'000'000'000};
};

}  // namespace softgen::replay
