// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/display/ports.h"

#include "hw/base/bits.h"

namespace softgen::display {

namespace {

// South display interrupts (i915 hpd_spt, SDE_GMBUS_CPT).
constexpr uint32_t sde_gmbus = 1u << 17;
constexpr uint32_t sde_hotplug(unsigned connector) { return 1u << (21 + connector); }
// SHOTPLUG_CTL: 8 bits a port from DDI B on; [4] enable, [1:0] status, 2: long pulse.
constexpr unsigned hotplug_shift(unsigned connector) { return connector * 8; }
constexpr uint32_t hotplug_enable = 1u << 4, hotplug_long = 2;
// DDI_AUX_CTL
constexpr unsigned aux_send = 31, aux_interrupt = 29;
constexpr uint32_t aux_done = 1u << 30, aux_timeout = 1u << 28;
// DE_PORT interrupts of AUX A..D.
constexpr uint32_t aux_interrupts[5] = {1u << 0, 1u << 25, 1u << 26, 1u << 27, 0};
// GPIO_CTL 3, 4, 5 are the pins of GMBUS pairs 4 (DDI C), 5 (DDI B), 6 (DDI D): i915 gmbus_pins_skl.
constexpr unsigned first_ddc_gpio = 3;

}  // namespace

Ports::Ports(mmio::RegisterFile& registers, mmio::InterruptTree& interrupts, Host& host, uint32_t connected)
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
      std::lock_guard lock(mutex_);
      return gmbus_.read(i);
    });
    registers_.on_write(offsets[i], [this, i](uint32_t, uint32_t value) {
      bool done;
      {
        std::lock_guard lock(mutex_);
        gmbus_.write(i, value);
        done = gmbus_.take_interrupt();
      }
      if (done) interrupts_.raise_pch(sde_gmbus);
    });
  }
}

void Ports::attach_gpio() {
  for (unsigned i = 0; i < gpio_.size(); i++) {
    registers_.on_read(reg::GPIO_CTL(first_ddc_gpio + i), [this, i](uint32_t) {
      std::lock_guard lock(mutex_);
      return gpio_[i].read();
    });
    registers_.on_write(reg::GPIO_CTL(first_ddc_gpio + i), [this, i](uint32_t, uint32_t value) {
      std::lock_guard lock(mutex_);
      gpio_[i].write(value);
    });
  }
}

// No DisplayPort sink is modelled, so nobody ever answers.
void Ports::attach_aux() {
  for (unsigned port = 0; port < 5; port++) {
    registers_.on_write(reg::DDI_AUX_CTL(port), [this, port](uint32_t offset, uint32_t written) {
      if (!bit(written, aux_send)) return;
      registers_.clear_bits(offset, 1u << aux_send);
      registers_.set_bits(offset, aux_done | aux_timeout);
      if (bit(written, aux_interrupt)) interrupts_.raise_port(aux_interrupts[port]);
    });
  }
}

// The panel power sequencer without its delays: on idle (8) or off idle (0). i915 display/intel_pps.c, IDLE_ON_VALUE.
void Ports::attach_panel() {
  registers_.on_read(reg::PP_STATUS, [this](uint32_t) { return bit(registers_.peek(reg::PP_CONTROL), 0) ? 1u << 31 | 8u : 0u; });
}

void Ports::show_live() {
  for (unsigned i = 0; i < 3; i++) interrupts_.set_live(mmio::InterruptTree::Block::pch, sde_hotplug(i), connected_ >> i & 1);
}

void Ports::plug(unsigned connector, bool connected) {
  {
    std::lock_guard lock(mutex_);
    if (connector > 2 || this->connected(connector) == connected) return;
    connected_ ^= 1u << connector;
    show_live();
  }
  const unsigned shift = hotplug_shift(connector);
  if (!(registers_.peek(reg::SHOTPLUG_CTL) & hotplug_enable << shift)) return;
  registers_.set_bits(reg::SHOTPLUG_CTL, hotplug_long << shift);
  interrupts_.raise_pch(sde_hotplug(connector));
}

void Ports::reset() {
  std::lock_guard lock(mutex_);
  gmbus_.reset();
  for (GpioPair& pair : gpio_) pair.reset();
  show_live();
}

void Ports::state(Archive& ar) {
  std::lock_guard lock(mutex_);
  ar.section("display.ports", 1);
  ar.value(connected_);
  connected_ &= 7;
  gmbus_.state(ar);
  for (GpioPair& pair : gpio_) pair.state(ar);
  if (ar.reading()) show_live();
}

}  // namespace softgen::display
