// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/cs/math.h"

#include <optional>

#include "hw/base/bits.h"

namespace softgen::cs {
namespace {

enum Opcode : uint32_t {
  op_noop = 0x000, op_load = 0x080, op_load0 = 0x081, op_loadinv = 0x480, op_load1 = 0x481,
  op_add = 0x100, op_sub = 0x101, op_and = 0x102, op_or = 0x103, op_xor = 0x104,
  op_store = 0x180, op_storeinv = 0x580,
};
enum Operand : uint32_t { srca = 0x20, srcb = 0x21, accu = 0x31, zf = 0x32, cf = 0x33 };

struct Alu {
  Gprs& gprs;
  uint64_t a = 0, b = 0, accumulator = 0;
  // Flags read as all ones or zero, which is what STORE of ZF/CF leaves in a register.
  uint64_t zero = 0, carry = 0;

  std::optional<uint64_t> source(uint32_t operand) const {
    if (operand < gprs.size()) return gprs[operand];
    switch (operand) {
      case accu: return accumulator;
      case zf: return zero;
      case cf: return carry;
      default: return std::nullopt;
    }
  }
  bool load(uint32_t into, uint64_t value) {
    if (into != srca && into != srcb) return false;
    (into == srca ? a : b) = value;
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
  const uint32_t opcode = bits(instruction, 31, 20), first = bits(instruction, 19, 10), second = bits(instruction, 9, 0);
  switch (opcode) {
    case op_noop: return true;
    case op_load0: return load(first, 0);
    case op_load1: return load(first, ~uint64_t{0});
    case op_load:
    case op_loadinv: {
      const auto value = source(second);
      return value && load(first, opcode == op_load ? *value : ~*value);
    }
    case op_store:
    case op_storeinv: {
      const auto value = source(second);
      if (!value || first >= gprs.size()) return false;
      gprs[first] = opcode == op_store ? *value : ~*value;
      return true;
    }
    case op_add: result(a + b, a + b < a); return true;
    case op_sub: result(a - b, a < b); return true;
    case op_and: result(a & b, false); return true;
    case op_or: result(a | b, false); return true;
    case op_xor: result(a ^ b, false); return true;
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
