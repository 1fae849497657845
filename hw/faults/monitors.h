// SPDX-License-Identifier: GPL-2.0-or-later
// The display's host while there is a plan: monitors that do not answer, or whose EDID is wrong (VESA E-EDID 1.4, E-DDC 1.2). GMBUS and GPIO read the
// same bytes through it.
#pragma once

#include <array>
#include <cstdint>

#include "hw/iface/faults.h"
#include "hw/iface/host.h"
#include "hw/mmio/register_file.h"

namespace softgen::faults {

class Monitors final : public Host {
 public:
  Monitors(Host& host, const mmio::RegisterFile& registers) : host_(host), registers_(registers) {}

  int64_t clock_ns() override { return host_.clock_ns(); }
  void timer_set(unsigned id, int64_t deadline_ns) override { host_.timer_set(id, deadline_ns); }
  void interrupt(bool level) override { host_.interrupt(level); }
  void display_changed(unsigned pipe) override { host_.display_changed(pipe); }
  void display_ready(unsigned pipe) override { host_.display_ready(pipe); }
  void gtt_changed() override { host_.gtt_changed(); }
  bool i2c_start(unsigned pin, uint8_t address, bool receive) override;
  bool i2c_send(unsigned pin, uint8_t byte) override;
  uint8_t i2c_receive(unsigned pin) override;
  void i2c_end(unsigned pin) override;
  uint8_t vga_read(uint16_t port) override { return host_.vga_read(port); }
  void vga_write(uint16_t port, uint8_t value) override { host_.vga_write(port, value); }
  uint8_t vga_latch() override { return host_.vga_latch(); }
  void vga_color(uint8_t index, uint8_t red, uint8_t green, uint8_t blue) override { host_.vga_color(index, red, green, blue); }
  void vga_page(uint32_t page) override { host_.vga_page(page); }

 private:
  /// A transfer of a pin pair, followed since there is a plan. Under the lock of the display's ports.
  struct Transfer {
    uint8_t address = 0;
    bool receives = false, offset_next = false;
    uint32_t segment = 0, offset = 0;
    FaultAnswer answer{};  ///< for what is read
  };
  static constexpr unsigned pins = 32;

  Host& host_;
  const mmio::RegisterFile& registers_;
  std::array<Transfer, pins> transfers_{};
};

}  // namespace softgen::faults
