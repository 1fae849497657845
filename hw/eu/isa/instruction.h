// SPDX-License-Identifier: GPL-2.0-or-later
// One instruction, decoded into plain fields, and the longer of its binary forms. An Isa (isa.h) makes one of the other.
#pragma once

#include <cstdint>

#include "hw/eu/isa/opcodes.h"

namespace softgen::eu {

/// The native form; bit n of the manual is bit n % 64 of q[n / 64].
struct Native {
  uint64_t q[2] = {0, 0};

  /// [high:low], within one of the two words.
  constexpr uint64_t get(unsigned high, unsigned low) const {
    const uint64_t word = q[high / 64] >> (low % 64);
    const unsigned width = high - low + 1;
    return width == 64 ? word : word & ((uint64_t{1} << width) - 1);
  }
  constexpr void set(unsigned high, unsigned low, uint64_t value) {
    const unsigned width = high - low + 1;
    const uint64_t mask = width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
    q[high / 64] = (q[high / 64] & ~(mask << (low % 64))) | ((value & mask) << (low % 64));
  }
  bool operator==(const Native&) const = default;
};

enum class AccessMode : uint8_t { align1 = 0, align16 = 1 };

constexpr uint8_t vstride_indirect = 15;  ///< Operand::vstride of Vx1 and VxH regions (field value)

/// A destination or source. Strides and width are the hardware's field values; see vstride_elements() and friends.
struct Operand {
  RegFile file = RegFile::arf;
  RegType type = RegType::ud;
  bool negate = false, abs = false;
  bool indirect = false;
  uint8_t reg = 0;      ///< direct: register number (ARF: kind in the upper four bits)
  uint8_t subreg = 0;   ///< direct: bytes
  uint8_t vstride = 0;  ///< sources; 15: VxH / Vx1
  uint8_t width = 0;    ///< sources
  uint8_t hstride = 0;
  uint8_t addr_subreg = 0;  ///< indirect: a0.N
  int16_t addr_imm = 0;     ///< indirect: bytes, -512..511
  uint8_t swizzle = 0xe4;   ///< align16 sources: two bits a channel, x in [1:0]; madm, invm, rsqtm: 0 to 7: acc2 to acc9, 8: none
  uint8_t writemask = 0xf;  ///< align16 destinations; the same
  bool replicate = false;   ///< ternary sources: RepCtrl

  bool operator==(const Operand&) const = default;
  bool is_null() const { return file == RegFile::arf && !indirect && (reg & 0xf0) == 0; }
  bool is_arf(Arf kind) const { return file == RegFile::arf && !indirect && (reg & 0xf0) == static_cast<uint8_t>(kind); }
};

/// In elements.
constexpr unsigned vstride_elements(uint8_t field) { return field ? 1u << (field - 1) : 0; }
constexpr unsigned width_elements(uint8_t field) { return 1u << field; }
constexpr unsigned hstride_elements(uint8_t field) { return field ? 1u << (field - 1) : 0; }

struct Predication {
  uint8_t pred_control = 0;
  bool pred_invert = false;
  bool goes_where_true = false;   ///< a forward goto jumps where its predicate is true: see gen11/codec.cpp
  bool jumps_from_start = false;  ///< jmpi's distance counts from itself, not from the next instruction (Gen12)
  uint8_t flag_reg = 0, flag_subreg = 0;

  bool operator==(const Predication&) const = default;
};

/// send, sends, send2
struct SendFields {
  uint32_t descriptor = 0;                 ///< [30:0] when it is not in a register
  uint32_t ex_descriptor = 0;              ///< split sends: [31:16] and [9:6] of the extended descriptor; Gen12: [31:6]
  bool descriptor_in_register = false;     ///< a0.0
  bool ex_descriptor_in_register = false;  ///< split sends: a0.N
  uint8_t ex_descriptor_subreg = 0;        ///< in dwords of a0
  bool end_of_thread = false;

  bool operator==(const SendFields&) const = default;
};

/// See gen11/codec.cpp.
struct AccumulatorFields {
  bool low_product = false;           ///< mach gives the product's low dword, and leaves the accumulator
  bool special_accumulators = false;  ///< madm, invm, rsqtm in align1: operands name them

  bool operator==(const AccumulatorFields&) const = default;
};

/// What Gen5 alone has.
struct Gen5Fields {
  uint8_t compression = 0;          ///< 1: the second half of a pair, 2: both halves in one instruction
  uint8_t pop_count = 0;            ///< of branches: entries that leave the mask stack
  uint8_t first_message = 0;        ///< of send: message register
  bool interleaved_halves = false;  ///< the halves of a destination in the message registers are four apart, not one
  bool no_stack_mask = false;       ///< MaskCtrlEx, [28]
  uint8_t jump_unit = 1;            ///< bytes that jmpi's distance in a register counts

  bool operator==(const Gen5Fields&) const = default;
};

struct Instruction : Predication, SendFields, AccumulatorFields, Gen5Fields {
  Opcode opcode = Opcode::illegal;
  AccessMode access_mode = AccessMode::align1;
  bool no_dd_clear = false, no_dd_check = false;
  uint8_t nib_control = 0;
  uint8_t qtr_control = 0;
  uint8_t thread_control = 0;
  uint8_t exec_size = 1;   ///< channels (the field is its logarithm; 64 and 128 are reserved)
  uint8_t cond_mod = 0;    ///< CondMod, MathFunction, SyncFunction or SFID
  bool acc_write = false;  ///< AccWrEn, or BranchCtrl of if, else, brd, goto
  uint8_t swsb = 0;        ///< Gen12's software scoreboard (scoreboard.h); results do not depend on it
  bool debug = false;
  bool saturate = false;
  bool no_mask = false;

  Operand dst;
  Operand src[3];
  uint64_t imm = 0;          ///< bits of the immediate source, in its type's width (16-bit types: low half)
  int32_t jip = 0, uip = 0;  ///< bytes, from this instruction's start (jmpi: src1, from jump_base())

  bool compacted = false;  ///< how it was found; encode() ignores it

  bool operator==(const Instruction&) const = default;
  const OpcodeInfo* info() const { return find_opcode(opcode); }
  /// For a notification's count in n0: number notification().
  bool is_wait() const {
    return opcode == Opcode::wait ||
           (opcode == Opcode::sync && (sync_function() == SyncFunction::bar || sync_function() == SyncFunction::host));
  }
  unsigned notification() const { return opcode == Opcode::wait ? dst.subreg / 4 & 3 : sync_function() == SyncFunction::host ? 1 : 0; }
  unsigned sfid() const { return cond_mod; }
  SyncFunction sync_function() const { return static_cast<SyncFunction>(cond_mod); }
  MathFunction math_function() const { return static_cast<MathFunction>(cond_mod); }
  /// madm, invm, rsqtm
  bool is_macro() const { return opcode == Opcode::madm || (opcode == Opcode::math && eu::is_macro(math_function())); }
  /// First channel of the dispatch this instruction works on.
  unsigned channel_offset() const { return qtr_control * 8u + nib_control * 4u; }
  unsigned size() const { return compacted ? 8 : 16; }
  /// Bytes from this instruction's start to where jmpi counts from.
  unsigned jump_base() const { return jumps_from_start ? 0 : size(); }
};

}  // namespace softgen::eu
