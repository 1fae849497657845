// SPDX-License-Identifier: GPL-2.0-or-later
// A host for display tests: a clock and timers that tests control, and an EEPROM with an EDID at one DDC pin pair.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "hw/iface/host.h"

namespace softgen::test {

class FakeHost final : public Host {
 public:
  int64_t clock_ns() override { return now; }
  void timer_set(unsigned id, int64_t deadline) override { timers[id] = deadline; }
  void interrupt(bool on) override {
    if (on && !level) edges++;
    level = on;
    if (on_interrupt) on_interrupt(on);
  }
  void display_changed(unsigned pipe) override { changes[pipe]++; }

  bool i2c_start(unsigned pin, uint8_t address, bool receive) override {
    starts++;
    if (pin != monitor_pin || address != 0x50) return false;
    selected = true;
    receiving = receive;
    if (!receive) offset_next = true;
    return true;
  }
  bool i2c_send(unsigned, uint8_t byte) override {
    if (!selected || refuse_data) return false;
    if (offset_next) {
      cursor = byte;
      offset_next = false;
    } else {
      eeprom[cursor++ % eeprom.size()] = byte;
    }
    return true;
  }
  uint8_t i2c_receive(unsigned) override { return selected ? eeprom[cursor++ % eeprom.size()] : 0xff; }
  void i2c_end(unsigned) override {
    ends++;
    selected = false;
  }

  int64_t now = 1'000'000;
  std::array<int64_t, SG_TIMER_COUNT> timers = [] {
    std::array<int64_t, SG_TIMER_COUNT> all{};
    all.fill(-1);
    return all;
  }();
  std::array<unsigned, SG_MAX_PIPES> changes{};
  bool level = false;
  unsigned edges = 0;
  std::function<void(bool)> on_interrupt;

  unsigned monitor_pin = 5;
  std::vector<uint8_t> eeprom = std::vector<uint8_t>(512);
  bool selected = false, receiving = false, offset_next = false, refuse_data = false;
  size_t cursor = 0;
  unsigned starts = 0, ends = 0;
};

}  // namespace softgen::test
