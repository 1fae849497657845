// SPDX-License-Identifier: GPL-2.0-or-later
// What an x86-64 instruction compares: a fuzzer tries such numbers as values of registers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace softgen::debug {

struct CompareOperands {
  enum class Operation : uint8_t { cmp, sub, test };
  enum class Kind : uint8_t {
    low,   ///< the register's low bytes
    high,  ///< bits 15:8 of the register: AH, CH, DH, BH
    memory,
    immediate,
  };
  struct Operand {
    Kind kind;
    uint8_t number = 0;  ///< the register's, as instructions encode it: 0 RAX, 1 RCX, 2 RDX, 3 RBX, 4 RSP, 5 RBP, 6 RSI, 7 RDI, 8 R8…
    uint64_t value = 0;  ///< the immediate's, sign-extended where the CPU does, and cut to the operation's size
    bool operator==(const Operand&) const = default;
  };
  Operation operation;
  uint8_t bytes;  ///< the operation's size: 1, 2, 4 or 8
  Operand left, right;
  bool operator==(const CompareOperands&) const = default;
};

/// Of CMP, SUB and TEST (Intel SDM vol 2: CMP, SUB, TEST, and 2.1 and 2.2.1 for prefixes, ModR/M and REX). Nothing: another instruction; both operands are the same
/// register; SUB of the stack pointer; an instruction with LOCK. `bytes`: one whole instruction of 64-bit code.
std::optional<CompareOperands> compare_operands(std::span<const uint8_t> bytes);

/// The constant of CMP or TEST with an immediate operand, its low 32 bits.
std::optional<uint32_t> compared_constant(std::span<const uint8_t> bytes);

}  // namespace softgen::debug
