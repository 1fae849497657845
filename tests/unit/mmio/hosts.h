// SPDX-License-Identifier: GPL-2.0-or-later
// Hosts for tests of registers and interrupts.
#pragma once

#include <cstdint>
#include <semaphore>
#include <vector>

#include "hw/iface/quiet_host.h"
#include "hw/mmio/interrupts.h"

namespace softgen::mmio {

/// Records the levels of the line; its clock stands still but for the test.
class LineHost final : public QuietHost {
 public:
  int64_t clock_ns() override { return now; }
  void interrupt(bool level) override { levels.push_back(level); }
  int64_t now = 0;
  std::vector<bool> levels;
};

/// Counts the line's rises for a driver's thread that waits for each, as an interrupt handler does.
class CountingHost final : public QuietHost {
 public:
  int64_t clock_ns() override { return 0; }
  void interrupt(bool level) override {
    in_order = in_order && level != last;
    last = level;
    if (level) rises.release();
  }
  bool last = false, in_order = true;
  std::counting_semaphore<> rises{0};
};

inline void raise_blank(Interrupts& tree, unsigned pipe) {
  tree.post(pipe, pipe_event::vertical_blank);
  tree.deliver();
}

}  // namespace softgen::mmio
