// SPDX-License-Identifier: GPL-2.0-or-later
// The table of opcodes (rows in opcodes.inc). Their numbers in instructions are an instruction set's own (isa.h).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "hw/eu/isa/types.h"

namespace softgen::eu {

/// In the order of the rows. A decoded instruction may also hold a reserved_opcode(), which has no row.
enum class Opcode : uint8_t {
#define EU_OPCODE(id, name, ndst, nsrc, form, dst, src, flags) id,
#include "hw/eu/isa/opcodes.inc"
#undef EU_OPCODE
};

/// What an opcode field holds that its instruction set reserves: below 128.
constexpr Opcode reserved_opcode(unsigned code) { return static_cast<Opcode>(0x80 | code); }
/// The field of a reserved opcode.
constexpr unsigned reserved_code(Opcode opcode) { return static_cast<unsigned>(opcode) & 0x7f; }

/// What an instruction consists of.
enum class Form : uint8_t {
  basic,       ///< destination and one or two sources
  math,        ///< as basic; [27:24] is the function
  ternary,     ///< three sources
  jump,        ///< jmpi: as basic; the distance is src1
  branch,      ///< JIP in [127:96], UIP in [95:64]
  call,        ///< destination; JIP in [127:96] or a register in src1
  ret,         ///< src0
  send,        ///< as basic; src1 is the descriptor, [27:24] the SFID
  split_send,  ///< two payloads
  sync,        ///< src0, which may be an immediate; cond_mod is the function
  nop,
};

struct OpcodeInfo {
  Opcode opcode;
  std::string_view name;
  uint8_t destinations, sources;
  Form form;
  std::string_view dst_types, src_types;  ///< letters, see allows()
  std::string_view flags;

  constexpr bool has(char flag) const { return flags.find(flag) != std::string_view::npos; }
};

constexpr bool is_send(const OpcodeInfo& row) { return row.form == Form::send || row.form == Form::split_send; }

/// All rows, by opcode.
std::span<const OpcodeInfo> opcodes();
/// Null: reserved.
const OpcodeInfo* find_opcode(Opcode opcode);
/// Whether a table cell (dst_types, src_types) has the type. Packed vectors count as their elements (W, F).
bool allows(std::string_view letters, RegType type);

/// Math functions, in [27:24] of `math` (SKL PRM vol 7, "Extended Math Function").
enum class MathFunction : uint8_t {
  inv = 1,
  log = 2,
  exp = 3,
  sqrt = 4,
  rsq = 5,
  sin = 6,
  cos = 7,
  fdiv = 9,
  pow = 10,
  int_div_both = 11,
  int_quotient = 12,
  int_remainder = 13,
  invm = 14,
  rsqtm = 15,
};
/// Those of the macros for division and square root, which madm belongs to as well.
constexpr bool is_macro(MathFunction function) { return function == MathFunction::invm || function == MathFunction::rsqtm; }
/// Empty: reserved.
std::string_view math_function_name(unsigned function);

/// Functions of `sync` (Mesa brw_eu_defines.h, tgl_sync_function).
enum class SyncFunction : uint8_t { nop = 0, allrd = 2, allwr = 3, bar = 14, host = 15 };
/// Empty: reserved.
std::string_view sync_function_name(unsigned function);

enum class CondMod : uint8_t { none = 0, z = 1, nz = 2, g = 3, ge = 4, l = 5, le = 6, r = 7, o = 8, u = 9 };
std::string_view cond_mod_name(unsigned cond_mod);

/// Architecture registers: the upper four bits of the register number (SKL PRM vol 7, "Architecture Register File"). Sets with mask stacks have the masks
/// in channel_enable's place and the stacks' depths in stack_pointer's.
enum class Arf : uint8_t {
  null = 0x00,
  address = 0x10,
  accumulator = 0x20,
  flag = 0x30,
  channel_enable = 0x40,
  mask_stack = 0x50,
  stack_pointer = 0x60,
  state = 0x70,
  control = 0x80,
  notification = 0x90,
  ip = 0xa0,
  thread_dependency = 0xb0,
  timestamp = 0xc0,
};

}  // namespace softgen::eu
