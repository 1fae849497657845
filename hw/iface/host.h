// SPDX-License-Identifier: GPL-2.0-or-later
// What the units ask of the world outside the chip. gt adapts the C ABI's sg_host_ops to it; tests and offline front ends implement it.
#pragma once

#include <cstdint>

#include "softgen/softgen.h"

namespace softgen {

class Host {
 public:
  virtual ~Host() = default;
  /// Guest time, ns. Any thread.
  virtual int64_t clock_ns() = 0;
  /// enum sg_timer; deadline < 0 disarms. Any thread.
  virtual void timer_set(unsigned id, int64_t deadline_ns) = 0;
  /// Level of the interrupt line. Any thread; the interrupt tree calls it in order.
  virtual void interrupt(bool level) = 0;
  virtual void display_changed(unsigned pipe) = 0;
  /// A picture that Display::refresh() asked for is there. Any thread.
  virtual void display_ready(unsigned) {}
  /// An engine wrote entries of the GTT. Any thread.
  virtual void gtt_changed() {}
  /// I2C (DDC) of a GMBUS pin pair. start returns false when no device acknowledges.
  virtual bool i2c_start(unsigned pin, uint8_t address, bool receive) = 0;
  virtual bool i2c_send(unsigned pin, uint8_t byte) = 0;
  virtual uint8_t i2c_receive(unsigned pin) = 0;
  virtual void i2c_end(unsigned pin) = 0;
  /// The VGA core behind display::LegacyVga, as sg_host_ops has it.
  virtual uint8_t vga_read(uint16_t) { return 0xff; }
  virtual void vga_write(uint16_t, uint8_t) {}
  virtual uint8_t vga_latch() { return 0; }
  virtual void vga_color(uint8_t, uint8_t, uint8_t, uint8_t) {}
  virtual void vga_page(uint32_t) {}
  /// A line of the fault plan has fired, and is logged. Any thread.
  virtual void fault_fired(const sg_fault&) {}
};

}  // namespace softgen
