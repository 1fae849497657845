// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "hw/iface/host.h"

namespace softgen {

/// A host without interrupts, display and monitors; a subclass gives the clock.
class QuietHost : public Host {
 public:
  void timer_set(unsigned, int64_t) override {}
  void interrupt(bool) override {}
  void display_changed(unsigned) override {}
  bool i2c_start(unsigned, uint8_t, bool) override { return false; }
  bool i2c_send(unsigned, uint8_t) override { return false; }
  uint8_t i2c_receive(unsigned) override { return 0xff; }
  void i2c_end(unsigned) override {}
};

}  // namespace softgen
