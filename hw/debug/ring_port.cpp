// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/debug/ring_port.h"

#include <array>
#include <utility>

#include "hw/defs/register.h"
#include "hw/defs/registers/registers.h"

namespace softgen::debug {
namespace {

namespace field = reg::field;

constexpr uint32_t page = 4096;
constexpr std::array<uint32_t, 5> ring_registers{reg::RING_START, reg::RING_HEAD, reg::RING_TAIL, reg::RING_CTL, reg::RING_MI_MODE};

}  // namespace

std::span<const uint32_t> RingPort::registers() { return ring_registers; }

std::optional<RingWork> RingPort::write(uint32_t reg, uint32_t value) {
  switch (reg) {
    case reg::RING_START:
      start_ = field::RING_START_STARTING_ADDRESS.in_place(value);
      head_ = 0;
      break;
    case reg::RING_HEAD: head_ = field::RING_HEAD_HEAD_OFFSET.in_place(value); break;
    case reg::RING_TAIL: tail_ = field::RING_TAIL_TAIL_OFFSET.in_place(value); break;
    case reg::RING_CTL: control_ = value; break;
    case reg::RING_MI_MODE:
      if (const uint32_t stop = field::RING_MI_MODE_STOP_RINGS.mask(); value >> 16 & stop) stopped_ = value & stop;
      break;
    default: break;
  }
  if (stopped_ || !field::RING_CTL_RING_BUFFER_ENABLE.of(control_) || head_ == tail_) return std::nullopt;
  return RingWork{
      .start = start_, .size = (field::RING_CTL_BUFFER_LENGTH.of(control_) + 1) * page, .head = std::exchange(head_, tail_), .tail = tail_};
}

}  // namespace softgen::debug
