// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/display/gmbus.h"

#include <algorithm>
#include <utility>

#include "hw/base/bits.h"
#include "hw/defs/registers/registers.h"

namespace softgen::display {

namespace field = reg::field;

namespace {

constexpr auto clear_interrupt = field::GMBUS1_SOFTWARE_CLEAR_INTERRUPT, software_ready = field::GMBUS1_SOFTWARE_READY,
               stop_cycle = field::GMBUS1_CYCLE_STOP, index_cycle = field::GMBUS1_CYCLE_INDEX, wait_cycle = field::GMBUS1_CYCLE_WAIT,
               byte_count = field::GMBUS1_TOTAL_BYTE_COUNT, slave_address = field::GMBUS1_SLAVE_ADDRESS,
               byte_count_override = field::GMBUS0_BYTE_COUNT_OVERRIDE, two_byte_index = field::GMBUS5_2_BYTE_INDEX_ENABLE;
constexpr uint32_t gmbus4_enables = field::GMBUS4_SLAVE_STALL_TIMEOUT_INTERRUPT_ENABLE.mask() | field::GMBUS4_NAK_INTERRUPT_ENABLE.mask() |
                                    field::GMBUS4_IDLE_INTERRUPT_ENABLE.mask() | field::GMBUS4_HARDWARE_WAIT_INTERRUPT_ENABLE.mask() |
                                    field::GMBUS4_HARDWARE_READY_INTERRUPT_ENABLE.mask();

}  // namespace

uint32_t Gmbus::read(unsigned index) {
  const uint32_t value = regs_[index];
  if (index == 2) regs_[2] |= in_use;  // a read that finds it clear takes the bus (semaphore between software parties)
  if (index == 3 && unread_) {
    unread_ = false;
    if (remaining_) {
      fetch();
    } else {
      finish_data();
    }
  }
  return value;
}

void Gmbus::write(unsigned index, uint32_t value) {
  switch (index) {
    case 0:
      regs_[0] = value;
      if ((regs_[2] & active) && pin() != bus_pin_) stop();
      break;
    case 1: command(value); break;
    case 2: regs_[2] &= ~(value & in_use); break;
    case 3:
      regs_[3] = value;
      if ((regs_[2] & active) && !receive_ && remaining_) push();
      break;
    case 4:
      regs_[4] = value & gmbus4_enables;
      if (condition(regs_[4])) interrupt_ = true;
      break;
    default: regs_[index] = value; break;
  }
}

bool Gmbus::take_interrupt() { return std::exchange(interrupt_, false); }

bool Gmbus::condition(uint32_t enables) const {
  const uint32_t status = regs_[2];
  return ((enables & ready_enable) && (status & hw_ready)) || ((enables & wait_enable) && (status & wait_phase)) ||
         ((enables & idle_enable) && !(status & active)) || ((enables & nak_enable) && (status & nak));
}

void Gmbus::command(uint32_t value) {
  regs_[1] = value;
  if (clear_interrupt.of(value)) {
    // Software clear: the controller starts anew, a slave error is forgotten.
    if (regs_[2] & active) stop();
    regs_[2] &= in_use;
    return;
  }
  // A slave error stays until software clears it; commands before that have no effect.
  if (!software_ready.of(value) || (regs_[2] & nak)) return;
  regs_[2] &= ~(hw_ready | wait_phase);
  if (byte_count.of(value) == 0 && !wait_cycle.of(value) && !index_cycle.of(value)) {
    if (stop_cycle.of(value)) stop();
    return;
  }
  begin(value);
  if (condition(regs_[4])) interrupt_ = true;
}

bool Gmbus::send_index(uint32_t value) {
  const uint8_t address = static_cast<uint8_t>(slave_address.of(value));
  const bool two_bytes = two_byte_index.of(regs_[5]) != 0;
  if (!two_bytes && !index_cycle.of(value)) return true;
  if (!host_.i2c_start(bus_pin_, address, false)) return false;
  if (two_bytes && !host_.i2c_send(bus_pin_, static_cast<uint8_t>(field::GMBUS5_2_BYTE_INDEX_HIGH.of(regs_[5])))) return false;
  return host_.i2c_send(bus_pin_, static_cast<uint8_t>(two_bytes ? field::GMBUS5_2_BYTE_INDEX_LOW.of(regs_[5])
                                                                 : field::GMBUS1_SLAVE_REGISTER_INDEX.of(value)));
}

void Gmbus::begin(uint32_t value) {
  const bool indexed = two_byte_index.of(regs_[5]) || index_cycle.of(value);
  bus_pin_ = pin();
  receive_ = field::GMBUS1_SLAVE_DIRECTION.of(value) != 0;
  unread_ = false;
  // With the override a count of 256 + n stands for 512 + n: the counter is kept above 255 once (i915 gmbus_xfer_read_chunk).
  remaining_ = byte_count.of(value);
  if (byte_count_override.of(regs_[0]) && remaining_ >= 256) remaining_ += 256;
  regs_[2] |= active;
  if (bus_pin_ == 0 || !send_index(value)) return fail();
  // An indexed write continues in the same direction; everything else needs a (repeated) start.
  if ((receive_ || !indexed) && !host_.i2c_start(bus_pin_, static_cast<uint8_t>(slave_address.of(value)), receive_)) return fail();
  if (remaining_ == 0) return finish_data();
  if (receive_) {
    fetch();
  } else {
    push();
  }
}

void Gmbus::fetch() {
  uint32_t data = 0;
  const unsigned n = std::min(remaining_, 4u);
  for (unsigned i = 0; i < n; i++) data |= uint32_t{host_.i2c_receive(bus_pin_)} << (8 * i);
  remaining_ -= n;
  regs_[3] = data;
  unread_ = true;
  regs_[2] |= hw_ready;
}

void Gmbus::push() {
  const unsigned n = std::min(remaining_, 4u);
  for (unsigned i = 0; i < n; i++) {
    if (!host_.i2c_send(bus_pin_, static_cast<uint8_t>(regs_[3] >> (8 * i)))) return fail();
  }
  remaining_ -= n;
  regs_[2] |= hw_ready;
  if (remaining_ == 0) finish_data();
}

void Gmbus::finish_data() {
  if (stop_cycle.of(regs_[1])) {
    stop();
  } else if (wait_cycle.of(regs_[1])) {
    regs_[2] |= wait_phase;
  }
}

void Gmbus::stop() {
  if (bus_pin_) host_.i2c_end(bus_pin_);
  regs_[2] &= ~(active | wait_phase);
  remaining_ = 0;
}

void Gmbus::fail() {
  stop();
  regs_[2] = (regs_[2] & ~hw_ready) | nak;
}

void Gmbus::hang(uint32_t command) {
  regs_[1] = command;
  regs_[2] = (regs_[2] & ~(hw_ready | wait_phase)) | active;
  remaining_ = 0;
}

void Gmbus::refuse(uint32_t command) {
  regs_[1] = command;
  fail();
  if (condition(regs_[4])) interrupt_ = true;
}

void Gmbus::reset() {
  if (regs_[2] & active) stop();
  std::fill(std::begin(regs_), std::end(regs_), 0u);
  bus_pin_ = remaining_ = 0;
  receive_ = unread_ = interrupt_ = false;
}

void Gmbus::state(Archive& ar) {
  ar.section("display.gmbus", 1);
  for (uint32_t& r : regs_) ar.value(r);
  ar.value(bus_pin_);
  ar.value(remaining_);
  ar.value(receive_);
  ar.value(unread_);
  ar.value(interrupt_);
  bus_pin_ &= pin_.of(~0u);
}

// ---- GPIO ---------------------------------------------------------------------------------------------------------------------

namespace {

// GPIO_CTL, clock half; the data half is the same some bits higher. Mask bits select which of their neighbours a write changes.
constexpr unsigned direction_mask = field::GPIO_CTL_GPIO_CLOCK_DIRECTION_MASK.low,
                   direction_out = field::GPIO_CTL_GPIO_CLOCK_DIRECTION_VALUE.low, value_mask = field::GPIO_CTL_GPIO_CLOCK_DATA_MASK.low,
                   value_out = field::GPIO_CTL_GPIO_CLOCK_DATA_VALUE.low, value_in = field::GPIO_CTL_GPIO_CLOCK_DATA_IN.low,
                   pull_up_off = field::GPIO_CTL_GPIO_CLOCK_PULLUP_DISABLE.low,
                   data_half = field::GPIO_CTL_GPIO_DATA_DIRECTION_MASK.low - direction_mask;

uint32_t merge_half(uint32_t old, uint32_t value, unsigned shift) {
  uint32_t half = old;
  const auto copy = [&](unsigned b) { half = (half & ~(1u << (b + shift))) | (value & (1u << (b + shift))); };
  if (bit(value, direction_mask + shift)) copy(direction_out);
  if (bit(value, value_mask + shift)) copy(value_out);
  copy(pull_up_off);
  return half;
}

bool driven_low(uint32_t control, unsigned shift) { return bit(control, direction_out + shift) && !bit(control, value_out + shift); }

}  // namespace

uint32_t GpioPair::read() const {
  uint32_t value = control_;
  if (clock_) value |= 1u << value_in;
  if (data_ && listener_data_) value |= 1u << (value_in + data_half);
  return value;
}

void GpioPair::write(uint32_t value) {
  control_ = merge_half(merge_half(control_, value, 0), value, data_half);
  const bool data = !driven_low(control_, data_half);
  const bool clock = !driven_low(control_, 0);
  // One line at a time, data first while the clock is low, so that a combined write makes no false start or stop.
  if (clock_) {
    lines(clock, clock ? data : data_);
    lines(clock, data);
  } else {
    lines(false, data);
    lines(clock, data);
  }
}

void GpioPair::lines(bool clock, bool data) {
  if (clock_ && clock && data_ != data) {
    listener_data_ = true;
    count_ = shift_ = 0;
    if (!data) {
      phase_ = address;  // start
    } else {
      if (on_bus_) host_.i2c_end(pin_);  // stop
      on_bus_ = false;
      phase_ = idle;
    }
  } else if (!clock_ && clock) {
    clock_rises(data);
  } else if (clock_ && !clock) {
    clock_falls();
  }
  clock_ = clock;
  data_ = data;
}

void GpioPair::clock_rises(bool data) {
  if (phase_ == address || phase_ == sending) {
    shift_ = static_cast<uint8_t>(shift_ << 1 | (data ? 1 : 0));
    count_++;
  } else if (phase_ == receiving) {
    count_++;
  } else if (phase_ == receiving_ack) {
    master_nak_ = data;
  }
}

void GpioPair::load() {
  shift_ = host_.i2c_receive(pin_);
  count_ = 0;
  listener_data_ = shift_ & 0x80;
  phase_ = receiving;
}

void GpioPair::clock_falls() {
  switch (phase_) {
    case address:
    case sending: {
      if (count_ != 8) break;
      const bool ack = phase_ == sending ? host_.i2c_send(pin_, shift_) : host_.i2c_start(pin_, shift_ >> 1, shift_ & 1);
      if (phase_ == address && ack) on_bus_ = true;
      listener_data_ = !ack;
      phase_ = !ack ? done : phase_ == sending ? sending_ack : address_ack;
      break;
    }
    case address_ack:
    case sending_ack: {
      const bool receive = phase_ == address_ack && (shift_ & 1);
      listener_data_ = true;
      count_ = 0;
      if (receive) {
        load();
      } else {
        phase_ = sending;
      }
      break;
    }
    case receiving:
      if (count_ < 8) {
        listener_data_ = (shift_ << count_) & 0x80;
      } else {
        listener_data_ = true;
        phase_ = receiving_ack;
      }
      break;
    case receiving_ack:
      if (master_nak_) {
        phase_ = done;
      } else {
        load();
      }
      break;
    case idle:
    case done: listener_data_ = true; break;
  }
}

void GpioPair::reset() {
  if (on_bus_) host_.i2c_end(pin_);
  control_ = 0;
  clock_ = data_ = listener_data_ = true;
  on_bus_ = master_nak_ = false;
  phase_ = idle;
  shift_ = count_ = 0;
}

void GpioPair::state(Archive& ar) {
  ar.section("display.gpio", 1);
  ar.value(control_);
  ar.value(clock_);
  ar.value(data_);
  ar.value(listener_data_);
  ar.value(on_bus_);
  ar.value(master_nak_);
  ar.value(phase_);
  ar.value(shift_);
  ar.value(count_);
  if (phase_ > done) phase_ = idle;
}

}  // namespace softgen::display
