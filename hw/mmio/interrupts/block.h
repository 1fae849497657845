// SPDX-License-Identifier: GPL-2.0-or-later
// What the trees of all generations have in common: blocks of ISR, IMR, IIR, IER (SKL PRM vol 2c, "Interrupt Registers"), and tables of bits by event.
//
//   event & ~IMR sets IIR; one more event of a bit that is set already is remembered, and sets it again once it is cleared
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "hw/defs/registers/registers.h"
#include "hw/mmio/interrupts.h"

namespace softgen::mmio {

struct InterruptBlock {
  /// From the block's ISR.
  enum Word : uint32_t {
    isr_word = 0,
    imr_word = reg::DE_PORT_IMR - reg::DE_PORT_ISR,
    iir_word = reg::DE_PORT_IIR - reg::DE_PORT_ISR,
    ier_word = reg::DE_PORT_IER - reg::DE_PORT_ISR
  };
  static constexpr uint32_t size = 16;

  uint32_t isr = 0, imr = ~0u, iir = 0, ier = 0;
  uint32_t again = 0;  ///< the second event that IIR holds back

  uint32_t read(uint32_t offset) const {
    switch (offset) {
      case isr_word: return isr;
      case imr_word: return imr;
      case iir_word: return iir;
      default: return ier;
    }
  }
  /// Whether something pending "momentarily goes low, then returns high".
  bool write(uint32_t offset, uint32_t value) {
    switch (offset) {
      case isr_word: return false;
      case imr_word: imr = value; return false;
      case iir_word: {
        const uint32_t back = iir & again & value;
        iir = (iir & ~value) | back;
        again &= ~value;
        return back & ier;
      }
      default: ier = value; return false;
    }
  }
  void post(uint32_t bits) {
    bits &= ~imr;
    again |= iir & bits;
    iir |= bits;
  }
  /// Forgets what the bits show and hold back, not what is pending: a reset of who raises them.
  void drop(uint32_t bits) {
    again &= ~bits;
    isr &= ~bits;
  }
  uint32_t pending() const { return iir & ier; }
  void show(uint32_t mask, bool on) { isr = on ? isr | mask : isr & ~mask; }
};

/// The bits of events: row i has those of bit i.
template <size_t n>
constexpr uint32_t bits_of(const std::array<uint32_t, n>& rows, uint32_t events) {
  uint32_t bits = 0;
  for (size_t i = 0; i < n; ++i)
    if (events >> i & 1) bits |= rows[i];
  return bits;
}

/// The events some bit of which is in `open`.
template <size_t n>
constexpr uint32_t events_with(const std::array<uint32_t, n>& rows, uint32_t open) {
  uint32_t events = 0;
  for (size_t i = 0; i < n; ++i)
    if (rows[i] & open) events |= 1u << i;
  return events;
}

static_assert(engine_event::watchdog == 1 << (engine_event::count - 1) && pipe_event::flip_done(0) == 1 << 3);

}  // namespace softgen::mmio
