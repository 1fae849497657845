// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/cs/math.h"

#include <optional>

#include "hw/cs/decode/packets.h"

namespace softgen::cs {
namespace {

using Instruction = packets::MI_MATH_ALU_INSTRUCTION;
using Operand = packets::ALUOperand;

struct Alu {
  Gprs& gprs;
  uint64_t a = 0, b = 0, accumulator = 0;
  // Flags read as all ones or zero, which is what STORE of ZF/CF leaves in a register.
  uint64_t zero = 0, carry = 0;

  std::optional<uint64_t> source(Operand operand) const {
    if (const auto index = static_cast<uint32_t>(operand); index < gprs.size()) return gprs[index];
    switch (operand) {
      case Operand::MI_ALU_ACCU: return accumulator;
      case Operand::MI_ALU_ZF: return zero;
      case Operand::MI_ALU_CF: return carry;
      default: return std::nullopt;
    }
  }
  bool load(Operand into, uint64_t value) {
    if (into != Operand::MI_ALU_SRCA && into != Operand::MI_ALU_SRCB) return false;
    (into == Operand::MI_ALU_SRCA ? a : b) = value;
    return true;
  }
  void result(uint64_t value, bool carry_out) {
    accumulator = value;
    zero = value == 0 ? ~uint64_t{0} : 0;
    carry = carry_out ? ~uint64_t{0} : 0;
  }
  bool step(uint32_t instruction);
};

bool Alu::step(uint32_t instruction) {
  using enum Instruction::ALUOpcode;
  const Instruction::View fields({&instruction, 1});
  const Instruction::ALUOpcode opcode = fields.alu_opcode();
  const Operand first = fields.operand_1(), second = fields.operand_2();
  switch (opcode) {
    case MI_ALU_NOOP: return true;
    case MI_ALU_LOAD0: return load(first, 0);
    case MI_ALU_LOAD1: return load(first, ~uint64_t{0});
    case MI_ALU_LOAD:
    case MI_ALU_LOADINV: {
      const auto value = source(second);
      return value && load(first, opcode == MI_ALU_LOAD ? *value : ~*value);
    }
    case MI_ALU_STORE:
    case MI_ALU_STOREINV: {
      const auto value = source(second);
      const auto to = static_cast<uint32_t>(first);
      if (!value || to >= gprs.size()) return false;
      gprs[to] = opcode == MI_ALU_STORE ? *value : ~*value;
      return true;
    }
    case MI_ALU_ADD: result(a + b, a + b < a); return true;
    case MI_ALU_SUB: result(a - b, a < b); return true;
    case MI_ALU_AND: result(a & b, false); return true;
    case MI_ALU_OR: result(a | b, false); return true;
    case MI_ALU_XOR: result(a ^ b, false); return true;
    default: return false;
  }
}

}  // namespace

size_t run_math(std::span<const uint32_t> program, Gprs& gprs) {
  Alu alu{gprs};
  for (size_t i = 0; i < program.size(); ++i)
    if (!alu.step(program[i])) return i;
  return program.size();
}

}  // namespace softgen::cs
