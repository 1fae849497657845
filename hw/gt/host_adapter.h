// SPDX-License-Identifier: GPL-2.0-or-later
// sg_host_ops as the units' Host.
#pragma once

#include "hw/iface/host.h"
#include "softgen/softgen.h"

namespace softgen::gt {

class HostAdapter final : public Host {
 public:
  explicit HostAdapter(const sg_host_ops& ops) : ops_(ops) {}

  int64_t clock_ns() override { return ops_.clock_ns(ops_.opaque); }
  void timer_set(unsigned id, int64_t deadline_ns) override { ops_.timer_set(ops_.opaque, id, deadline_ns); }
  void interrupt(bool level) override { ops_.interrupt(ops_.opaque, level); }
  void display_changed(unsigned pipe) override {
    if (ops_.display_changed) ops_.display_changed(ops_.opaque, pipe);
  }
  void display_ready(unsigned pipe) override {
    if (ops_.display_ready) ops_.display_ready(ops_.opaque, pipe);
  }
  void gtt_changed() override {
    if (ops_.gtt_changed) ops_.gtt_changed(ops_.opaque);
  }
  bool i2c_start(unsigned pin, uint8_t address, bool receive) override {
    return ops_.i2c_start && ops_.i2c_start(ops_.opaque, pin, address, receive) == 0;
  }
  bool i2c_send(unsigned pin, uint8_t byte) override { return ops_.i2c_send && ops_.i2c_send(ops_.opaque, pin, byte) == 0; }
  uint8_t i2c_receive(unsigned pin) override { return ops_.i2c_receive ? ops_.i2c_receive(ops_.opaque, pin) : 0xff; }
  void i2c_end(unsigned pin) override {
    if (ops_.i2c_end) ops_.i2c_end(ops_.opaque, pin);
  }
  uint8_t vga_read(uint16_t port) override { return ops_.vga_read ? ops_.vga_read(ops_.opaque, port) : 0xff; }
  void vga_write(uint16_t port, uint8_t value) override {
    if (ops_.vga_write) ops_.vga_write(ops_.opaque, port, value);
  }
  uint8_t vga_latch() override { return ops_.vga_latch ? ops_.vga_latch(ops_.opaque) : 0; }
  void vga_color(uint8_t index, uint8_t red, uint8_t green, uint8_t blue) override {
    if (ops_.vga_color) ops_.vga_color(ops_.opaque, index, red, green, blue);
  }
  void vga_page(uint32_t page) override {
    if (ops_.vga_page) ops_.vga_page(ops_.opaque, page);
  }
  void fault_fired(const sg_fault& fault) override {
    if (ops_.fault) ops_.fault(ops_.opaque, &fault);
  }

 private:
  const sg_host_ops ops_;
};

}  // namespace softgen::gt
