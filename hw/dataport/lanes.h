// SPDX-License-Identifier: GPL-2.0-or-later
// The channels of a message and their registers: channel n of an operand is in register n / 8, 64-bit ones in n / 4. SIMD4x2 has two
// channels, each with a half of every register: its parameters are the half's dwords (Mesa brw_vec4_surface_builder.cpp).
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "hw/defs/messages/headers.h"
#include "hw/iface/message_target.h"

namespace softgen::dataport {

/// `count` channels (8, 16, or the 2 of SIMD4x2) of which the instruction enables some.
class Lanes {
 public:
  static constexpr unsigned simd4x2 = MessageOp::simd4x2;

  Lanes(const Message& message, unsigned count) : count_(count), mask_(message.exec_mask & ((1u << count) - 1)) {
    if (pairs()) mask_ = ((message.exec_mask & 0xf) != 0) | ((message.exec_mask & 0xf0) != 0) << 1;
  }

  unsigned count() const { return count_; }
  /// SIMD4x2.
  bool pairs() const { return count_ == simd4x2; }
  /// Registers that `parameters` dwords of each channel take.
  size_t span(unsigned parameters) const { return pairs() ? parameters != 0 : size_t{parameters} * registers(); }
  /// Registers that an operand of 32-bit (64-bit) channels takes.
  unsigned registers() const { return count_ / 8; }
  unsigned registers64() const { return count_ / 4; }
  uint32_t mask() const { return mask_; }
  void restrict(uint32_t mask) { mask_ &= mask; }
  template <typename F>
  void each(F&& body) const {
    for (uint32_t left = mask_; left; left &= left - 1) body(static_cast<unsigned>(std::countr_zero(left)));
  }

 private:
  unsigned count_;
  uint32_t mask_;
};

/// Parameter `number` of those that begin at `reg`.
inline uint32_t parameter(const Message& m, const Lanes& lanes, size_t reg, unsigned number, unsigned lane) {
  return lanes.pairs() ? m.reg(reg).dw[4 * lane + number] : m.reg(reg + number * lanes.registers() + lane / 8).dw[lane % 8];
}
inline uint32_t operand(const Message& m, size_t reg, unsigned lane) { return m.reg(reg + lane / 8).dw[lane % 8]; }
inline uint64_t operand64(const Message& m, size_t reg, unsigned lane) {
  uint64_t value;
  std::memcpy(&value, &m.reg(reg + lane / 4).dw[lane % 4 * 2], 8);
  return value;
}
/// Into the response, if it is that long.
inline void answer(const Message& m, size_t reg, unsigned lane, uint32_t value) {
  if (reg + lane / 8 < m.response.size()) m.response[reg + lane / 8].dw[lane % 8] = value;
}
/// The same for component `number` of those that begin at `reg`.
inline void answer_component(const Message& m, const Lanes& lanes, size_t reg, unsigned number, unsigned lane, uint32_t value) {
  if (!lanes.pairs()) return answer(m, reg + number * lanes.registers(), lane, value);
  if (reg < m.response.size()) m.response[reg].dw[4 * lane + number] = value;
}
inline void answer64(const Message& m, size_t reg, unsigned lane, uint64_t value) {
  if (reg + lane / 4 < m.response.size()) std::memcpy(&m.response[reg + lane / 4].dw[lane % 4 * 2], &value, 8);
}

}  // namespace softgen::dataport
