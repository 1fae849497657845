// SPDX-License-Identifier: GPL-2.0-or-later
// Kernels of media threads: what they send, in the way of i965-va-driver's (src/shaders/h264/ildb: AVC_ILDB_SpawnChild.asm, AVC_ILDB_OpenGateway.asm,
// AVC_ILDB_ForwardMsg.asm, AVC_ILDB_Root_Y.asm).
#pragma once

#include <vector>

#include "tests/unit/eu/gen5_program.h"

namespace softgen::media::vfe::test {

using eu::Arf, eu::CondMod, eu::Instruction, eu::Opcode, eu::RegType;
using eu::test::arf, eu::test::dst_of, eu::test::grf, eu::test::imm, eu::test::message, eu::test::message_register, eu::test::mov_imm;
using eu::test::null, eu::test::op, eu::test::op_imm, eu::test::predicated, eu::test::scalar, eu::test::with_condition;

constexpr auto UD = RegType::ud, UW = RegType::uw, D = RegType::d;
constexpr unsigned gateway_sfid = 3, write_sfid = 5, urb_sfid = 6, spawner_sfid = 7;
constexpr uint32_t one_register = 1u << 25, key = 0x1212;
constexpr unsigned opened = 40;  ///< first of the two registers that the root opens
constexpr unsigned first_row = 60;
constexpr unsigned before = ~0u;  ///< the distance of the descriptor before the sender's

using Code = std::vector<Instruction>;

inline void set(Code& code, unsigned reg, unsigned element, uint32_t value) {
  code.push_back(mov_imm(1, scalar(reg, UD, element), UD, value));
}
inline void copy(Code& code, unsigned to, unsigned from) { code.push_back(op(Opcode::mov, 8, grf(to, UD), grf(from, UD))); }
inline void wait(Code& code) {
  Instruction i = op(Opcode::wait, 1, arf(Arf::notification, UD), null());
  i.no_mask = true;
  code.push_back(i);
}
/// `flags`: of the message's descriptor.
inline void end(Code& code, uint32_t flags = 0) {
  code.push_back(message(8, null(UW), 1, grf(0, UD), spawner_sfid, one_register | flags, true));
}

/// Opens two registers.
inline void open_gateway(Code& code, uint32_t its_key = key) {
  copy(code, 30, 0);
  set(code, 30, 5, opened << 21 | 1 << 8);
  code.push_back(mov_imm(1, scalar(30, UW, 8), UW, its_key));
  code.push_back(message(8, null(UD), 7, grf(30, UD), gateway_sfid, one_register));
}

/// Starts a thread of the next descriptor (`distance` further) with r0 as the sender's and r1 = {number, ...}; r0.3 has the sender's name.
inline void spawn(Code& code, unsigned number, unsigned distance = 1) {
  const unsigned row = first_row + number;
  copy(code, 20, 0);
  code.push_back(op_imm(Opcode::add, 1, scalar(20, UD, 2), scalar(0, UD, 2), UD, 16 * distance));
  code.push_back(op(Opcode::mov, 1, scalar(20, UW, 6), arf(Arf::state, UW)));
  code.push_back(mov_imm(8, grf(21, UD), UD, number));
  code.push_back(mov_imm(8, grf(22, UD), UD, 0));
  set(code, 22, 0, row);
  code.push_back(op(Opcode::mov, 8, message_register(1, UD), grf(20, UD)));
  code.push_back(op(Opcode::mov, 8, message_register(2, UD), grf(21, UD)));
  code.push_back(message(8, null(UW), 0, grf(22, UD), urb_sfid, 3u << 25 | 1u << 19));
  copy(code, 23, 0);
  code.push_back(op_imm(Opcode::add, 1, scalar(23, UD, 2), scalar(0, UD, 2), UD, 16 * distance));
  set(code, 23, 4, 1 << 10 | row * 2);
  code.push_back(message(8, null(UD), 1, grf(23, UD), spawner_sfid, one_register | 1));
}

/// Forwards r1.0 + `add` as `1 << length` bytes to byte r1.0 * 4 of the parent's gateway.
inline void forward(Code& code, uint32_t add, bool last, unsigned length = 2, uint32_t its_key = key, uint32_t flags = 1 << 15) {
  code.push_back(mov_imm(8, grf(10, UD), UD, 0));
  code.push_back(op_imm(Opcode::add, 1, scalar(10, UD), scalar(1, UD), UD, add));
  code.push_back(op_imm(Opcode::shl, 1, scalar(10, UD, 5), scalar(1, UD), UD, 18));
  code.push_back(op_imm(Opcode::add, 1, scalar(10, UD, 5), scalar(10, UD, 5), UD, length << 8));
  code.push_back(mov_imm(1, scalar(10, UW, 8), UW, its_key));
  code.push_back(op(Opcode::mov, 1, scalar(10, UW, 9), scalar(0, UW, 6)));
  code.push_back(message(8, null(UD), 1, grf(10, UD), gateway_sfid, one_register | 2 | flags, last));
}

/// Back to the `count` instructions before this one.
inline Instruction jump_over(size_t count) {
  Instruction jump;
  jump.opcode = Opcode::jmpi;
  jump.dst = dst_of(arf(Arf::ip, UD));
  jump.src[0] = arf(Arf::ip, UD);
  jump.src[1] = imm(D);
  // In halves of instructions, from the next one.
  jump.imm = static_cast<uint32_t>(-2 * static_cast<int>(count + 1));
  return jump;
}
/// Where the flag is set.
inline void jump_back(Code& code, size_t count) { code.push_back(predicated(jump_over(count))); }

/// Compares and jumps back while r`opened`.`element` is 0.
inline void spin(Code& code, unsigned element) {
  Instruction compare = op_imm(Opcode::cmp, 1, null(UD), scalar(opened, UD, element), UD, 0);
  code.push_back(with_condition(compare, CondMod::z));
  jump_back(code, 1);
}

/// Sends registers [first, first + count) to the data port's oword block write, at most 14, behind one for the header.
inline void send_registers(Code& code, unsigned first, unsigned count) {
  for (unsigned i = 0; i < count; ++i) code.push_back(op(Opcode::mov, 8, message_register(2 + i, UD), grf(first + i, UD)));
  code.push_back(message(8, null(UW), 1, grf(0, UD), write_sfid, (count + 1) << 25 | 1u << 19));
}

/// A kernel that sends those, and ends. `flags`: of the end's descriptor.
inline Code sending_kernel(unsigned first, unsigned count, uint32_t flags = 0) {
  Code code;
  send_registers(code, first, count);
  end(code, flags);
  return code;
}

}  // namespace softgen::media::vfe::test
