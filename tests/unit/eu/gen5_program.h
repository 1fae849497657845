// SPDX-License-Identifier: GPL-2.0-or-later
// Short ways to write Ironlake's instructions, as Mesa's compiler writes them for it.
#pragma once

#include "hw/eu/isa/gen5/isa.h"
#include "hw/eu/isa/gen5/parts.h"
#include "tests/unit/eu/harness.h"

namespace softgen::eu::test {

/// A destination in the message registers.
inline Operand message_register(unsigned n, RegType type) { return grf(gen5::first_message_register + n, type); }

/// `jump` and `pop` as Mesa's disassembler prints them: halves of native instructions from this one, and entries.
inline Instruction flow(Opcode opcode, unsigned exec, int jump, unsigned pop = 0, unsigned predicate = 0, bool inverted = false) {
  Instruction i;
  i.opcode = opcode;
  i.exec_size = static_cast<uint8_t>(exec);
  i.dst = dst_of(arf(Arf::ip, RegType::ud));
  i.src[0] = arf(Arf::ip, RegType::ud);
  i.src[1] = imm(RegType::d);
  i.imm = (static_cast<uint32_t>(jump) & 0xffff) | pop << 16;
  i.pred_control = static_cast<uint8_t>(predicate);
  i.pred_invert = inverted;
  return i;
}

/// `src0` is moved to m`first`; null: not.
inline Instruction message(unsigned exec, Operand dst, unsigned first, Operand src0, unsigned sfid, uint32_t descriptor,
                           bool last = false) {
  Instruction i;
  i.opcode = Opcode::send;
  i.exec_size = static_cast<uint8_t>(exec);
  i.dst = dst_of(dst);
  i.src[0] = src0;
  i.src[1] = imm(RegType::ud);
  i.first_message = static_cast<uint8_t>(first);
  i.cond_mod = static_cast<uint8_t>(sfid);
  i.descriptor = descriptor;
  i.end_of_thread = last;
  return i;
}

/// Of mlen operands and rlen results.
constexpr uint32_t math_descriptor(unsigned function, unsigned mlen, unsigned rlen, uint32_t flags = 0) {
  return function | flags | rlen << 20 | mlen << 25;
}
constexpr uint32_t math_signed = 1u << 4, math_saturate = 1u << 6, math_scalar = 1u << 7;

inline Instruction compressed(Instruction i) {
  i.compression = 2;
  return i;
}
inline Instruction second_half(Instruction i) {
  i.compression = 1;
  i.qtr_control = 1;
  return i;
}
inline Instruction predicated(Instruction i, unsigned control = 1, bool inverted = false, unsigned flag_half = 0) {
  i.pred_control = static_cast<uint8_t>(control);
  i.pred_invert = inverted;
  i.flag_subreg = static_cast<uint8_t>(flag_half);
  return i;
}
inline Instruction with_condition(Instruction i, CondMod condition, unsigned flag_half = 0) {
  i.cond_mod = static_cast<uint8_t>(condition);
  i.flag_subreg = static_cast<uint8_t>(flag_half);
  return i;
}
inline Instruction without_mask(Instruction i) {
  i.no_mask = true;
  return i;
}

}  // namespace softgen::eu::test
