// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/display/ports.h"

#include "hw/defs/registers/registers.h"

namespace softgen::display {

namespace field = reg::field;

namespace {

// SHOTPLUG_CTL has the same fields for each port from DDI B on. HPD Status 2: long pulse.
constexpr unsigned hotplug_shift(unsigned connector) {
  return connector * (field::SHOTPLUG_CTL_DDI_C_HPD_STATUS.low - field::SHOTPLUG_CTL_DDI_B_HPD_STATUS.low);
}
constexpr uint32_t hotplug_enable = field::SHOTPLUG_CTL_DDI_B_HPD_INPUT_ENABLE.mask(),
                   hotplug_long = field::SHOTPLUG_CTL_DDI_B_HPD_STATUS.with(0, 2);
constexpr auto aux_send = field::DDI_AUX_CTL_SEND_BUSY, aux_interrupt = field::DDI_AUX_CTL_INTERRUPT_ON_DONE;
constexpr uint32_t aux_done = field::DDI_AUX_CTL_DONE.mask(), aux_timeout = field::DDI_AUX_CTL_TIME_OUT_ERROR.mask();
// GPIO_CTL 3, 4, 5 are the pins of GMBUS pairs 4 (DDI C), 5 (DDI B), 6 (DDI D): i915 gmbus_pins_skl.
constexpr unsigned first_ddc_gpio = 3;
// PP_STATUS: Internal Sequence State
constexpr uint32_t on_idle = 8;

}  // namespace

Ports::Ports(mmio::RegisterFile& registers, mmio::Interrupts& interrupts, Host& host, uint32_t connected)
    : registers_(registers),
      interrupts_(interrupts),
      gmbus_(host),
      gpio_{GpioPair(host, 4), GpioPair(host, 5), GpioPair(host, 6)},
      connected_(connected & 7) {
  attach_gmbus();
  attach_gpio();
  attach_aux();
  attach_panel();
  show_live();
}

void Ports::attach_gmbus() {
  const uint32_t offsets[] = {reg::GMBUS0, reg::GMBUS1, reg::GMBUS2, reg::GMBUS3, reg::GMBUS4, reg::GMBUS5};
  for (unsigned i = 0; i < 6; i++) {
    registers_.on_read(offsets[i], [this, i](uint32_t) {
      MutexLock lock(mutex_);
      return gmbus_.read(i);
    });
    registers_.on_write(offsets[i], [this, i](uint32_t, uint32_t value) {
      bool done;
      {
        MutexLock lock(mutex_);
        gmbus_.write(i, value);
        done = gmbus_.take_interrupt();
      }
      if (done) interrupts_.raise_gmbus();
    });
  }
}

void Ports::attach_gpio() {
  for (unsigned i = 0; i < gpio_pairs; i++) {
    registers_.on_read(reg::GPIO_CTL(first_ddc_gpio + i), [this, i](uint32_t) {
      MutexLock lock(mutex_);
      return gpio_[i].read();
    });
    registers_.on_write(reg::GPIO_CTL(first_ddc_gpio + i), [this, i](uint32_t, uint32_t value) {
      MutexLock lock(mutex_);
      gpio_[i].write(value);
    });
  }
}

// No DisplayPort sink is modelled: transactions time out.
void Ports::attach_aux() {
  for (unsigned port = 0; port < 5; port++) {
    registers_.on_write(reg::DDI_AUX_CTL(port), [this, port](uint32_t offset, uint32_t written) {
      if (!aux_send.of(written)) return;
      registers_.clear_bits(offset, aux_send.mask());
      registers_.set_bits(offset, aux_done | aux_timeout);
      if (aux_interrupt.of(written)) interrupts_.raise_aux_done(port);
    });
  }
}

// The panel power sequencer without its delays: on idle or off idle. i915 display/intel_pps.c, IDLE_ON_VALUE.
void Ports::attach_panel() {
  registers_.on_read(reg::PP_STATUS, [this](uint32_t) {
    const bool on = field::PP_CONTROL_POWER_STATE_TARGET.of(registers_.peek(reg::PP_CONTROL)) != 0;
    return on ? field::PP_STATUS_PANEL_POWER_ON_STATUS.mask() | field::PP_STATUS_INTERNAL_SEQUENCE_STATE.with(0, on_idle) : 0u;
  });
}

void Ports::show_live() {
  for (unsigned i = 0; i < 3; i++) interrupts_.show_connected(i, connected_ >> i & 1);
}

void Ports::plug(unsigned connector, bool connected) {
  {
    MutexLock lock(mutex_);
    if (connector > 2 || this->connected(connector) == connected) return;
    connected_ ^= 1u << connector;
    show_live();
  }
  const unsigned shift = hotplug_shift(connector);
  if (!(registers_.peek(reg::SHOTPLUG_CTL) & hotplug_enable << shift)) return;
  registers_.set_bits(reg::SHOTPLUG_CTL, hotplug_long << shift);
  interrupts_.raise_hot_plug(connector);
}

void Ports::reset() {
  MutexLock lock(mutex_);
  gmbus_.reset();
  for (GpioPair& pair : gpio_) pair.reset();
  show_live();
}

void Ports::state(Archive& ar) {
  MutexLock lock(mutex_);
  ar.section("display.ports", 1);
  ar.value(connected_);
  connected_ &= 7;
  gmbus_.state(ar);
  for (GpioPair& pair : gpio_) pair.state(ar);
  if (ar.reading()) show_live();
}

}  // namespace softgen::display
