// SPDX-License-Identifier: GPL-2.0-or-later
// GMBUS, the I2C controller of the DDC pins. SKL PRM vol 2c, GMBUS0..GMBUS5; i915 display/intel_gmbus.c.
#pragma once

#include <cstdint>

#include "hw/base/archive.h"
#include "hw/defs/registers/registers.h"
#include "hw/iface/host.h"

namespace softgen::display {

/// Bus cycles take no guest time: a poll of GMBUS2 always finds the result of the last command.
class Gmbus {
 public:
  /// `pin`: where GMBUS0 names the pin pair.
  Gmbus(Host& host, reg::Bits pin) : host_(host), pin_(pin) {}

  /// GMBUS2 status and GMBUS4 enable bits.
  enum Status : uint32_t {
    in_use = reg::field::GMBUS2_IN_USE.mask(),
    wait_phase = reg::field::GMBUS2_HARDWARE_WAIT_PHASE.mask(),
    hw_ready = reg::field::GMBUS2_HARDWARE_READY.mask(),
    nak = reg::field::GMBUS2_NAK_INDICATOR.mask(),
    active = reg::field::GMBUS2_GMBUS_ACTIVE.mask(),
  };
  enum Enable : uint32_t {
    ready_enable = reg::field::GMBUS4_HARDWARE_READY_INTERRUPT_ENABLE.mask(),
    wait_enable = reg::field::GMBUS4_HARDWARE_WAIT_INTERRUPT_ENABLE.mask(),
    idle_enable = reg::field::GMBUS4_IDLE_INTERRUPT_ENABLE.mask(),
    nak_enable = reg::field::GMBUS4_NAK_INTERRUPT_ENABLE.mask(),
  };

  /// Register number 0..5 (GMBUS0..GMBUS5).
  uint32_t read(unsigned index);
  void write(unsigned index, uint32_t value);
  /// True once after an enabled condition came true: the PCH GMBUS interrupt.
  bool take_interrupt();

  /// The pin pair that GMBUS0 selects.
  unsigned pin() const { return pin_.of(regs_[0]); }
  /// The command has no end: neither ready nor refused.
  void hang(uint32_t command);
  /// No device acknowledges.
  void refuse(uint32_t command);

  void reset();
  void state(Archive& ar);

 private:
  void command(uint32_t value);
  void begin(uint32_t value);
  bool send_index(uint32_t value);
  void fetch();
  void push();
  void finish_data();
  void stop();
  void fail();
  bool condition(uint32_t enables) const;

  Host& host_;
  reg::Bits pin_;
  uint32_t regs_[6] = {};   ///< 2 is the status
  uint32_t bus_pin_ = 0;    ///< pin of the cycle under way
  uint32_t remaining_ = 0;  ///< bytes of the cycle not yet moved over the bus
  bool receive_ = false;
  bool unread_ = false;  ///< GMBUS3 holds received bytes
  bool interrupt_ = false;
};

/// A GPIO pin pair (clock, data) that software drives bit by bit; the listener is the same DDC bus. SKL PRM vol 2c, GPIO_CTL.
class GpioPair {
 public:
  GpioPair(Host& host, unsigned pin) : host_(host), pin_(pin) {}
  uint32_t read() const;
  void write(uint32_t value);
  void reset();
  void state(Archive& ar);

 private:
  enum Phase : uint8_t { idle, address, address_ack, sending, sending_ack, receiving, receiving_ack, done };
  void lines(bool clock, bool data);
  void clock_rises(bool data);
  void clock_falls();
  void load();

  Host& host_;
  unsigned pin_;
  uint32_t control_ = 0;             ///< direction, value and pull-up bits as last written
  bool clock_ = true, data_ = true;  ///< levels the master drives (true: released)
  bool listener_data_ = true;        ///< level the listener drives
  bool on_bus_ = false;
  bool master_nak_ = false;
  Phase phase_ = idle;
  uint8_t shift_ = 0, count_ = 0;
};

}  // namespace softgen::display
