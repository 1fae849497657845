// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/display/ports.h"

#include "hw/defs/registers/registers.h"

namespace softgen::display {

namespace field = reg::field;

namespace {

// HPD Status
constexpr uint32_t long_pulse = 2;
constexpr auto aux_send = field::DDI_AUX_CTL_SEND_BUSY, aux_interrupt = field::DDI_AUX_CTL_INTERRUPT_ON_DONE;
constexpr uint32_t aux_done = field::DDI_AUX_CTL_DONE.mask(), aux_timeout = field::DDI_AUX_CTL_TIME_OUT_ERROR.mask();
// PP_STATUS: Internal Sequence State
constexpr uint32_t on_idle = 8;
constexpr uint32_t all_connectors = (1u << PortModel::count) - 1;

}  // namespace

Ports::Ports(mmio::RegisterFile& registers, mmio::Interrupts& interrupts, Host& host, const PortModel& model, uint32_t connected)
    : registers_(registers),
      interrupts_(interrupts),
      model_(model),
      gmbus_(host, model.gmbus_pin),
      gpio_{GpioPair(host, model.gpio[0].pin), GpioPair(host, model.gpio[1].pin), GpioPair(host, model.gpio[2].pin)},
      connected_(connected & all_connectors) {
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
        write_gmbus(i, value);
        done = gmbus_.take_interrupt();
      }
      if (done) interrupts_.raise_gmbus();
    });
  }
}

void Ports::write_gmbus(unsigned index, uint32_t value) {
  const bool begins = index == 1 && field::GMBUS1_SOFTWARE_READY.of(value) && !field::GMBUS1_SOFTWARE_CLEAR_INTERRUPT.of(value);
  if (begins) {
    const FaultAnswer answer = ask(registers_.faults(), {.point = FaultPoint::gmbus, .unit = gmbus_.pin()});
    if (answer.action == FaultAction::never) return gmbus_.hang(value);
    if (answer.action == FaultAction::nak) return gmbus_.refuse(value);
  }
  gmbus_.write(index, value);
}

void Ports::attach_gpio() {
  for (unsigned i = 0; i < PortModel::count; i++) {
    registers_.on_read(model_.gpio[i].offset, [this, i](uint32_t) {
      MutexLock lock(mutex_);
      return gpio_[i].read();
    });
    registers_.on_write(model_.gpio[i].offset, [this, i](uint32_t, uint32_t value) {
      MutexLock lock(mutex_);
      gpio_[i].write(value);
    });
  }
}

// No DisplayPort sink is modelled: transactions time out.
void Ports::attach_aux() {
  for (unsigned port = 0; port < model_.aux_channels; port++) {
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
  for (unsigned i = 0; i < PortModel::count; i++) interrupts_.show_connected(i, connected_ >> i & 1);
}

void Ports::plug(unsigned connector, bool connected) {
  {
    MutexLock lock(mutex_);
    if (connector >= PortModel::count || this->connected(connector) == connected) return;
    connected_ ^= 1u << connector;
    show_live();
  }
  pulse(connector);
}

void Ports::pulse(unsigned connector) {
  if (connector >= PortModel::count) return;
  const HotPlugRow& row = model_.hot_plugs[connector];
  if (!row.enable.of(registers_.peek(row.offset))) return;
  registers_.set_bits(row.offset, row.status.with(0, long_pulse));
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
  connected_ &= all_connectors;
  gmbus_.state(ar);
  for (GpioPair& pair : gpio_) pair.state(ar);
  if (ar.reading()) show_live();
}

}  // namespace softgen::display
