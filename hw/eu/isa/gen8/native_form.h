// SPDX-License-Identifier: GPL-2.0-or-later
// The native form of Gen8 to Gen11, described once for both directions: Reader fills an Instruction from bits, Writer fills bits from an Instruction.
// What differs between those generations is a template argument, Set:
//   register_types and immediate_types (TypeCodes); opcodes (OpcodeTable); ternary(codec, instruction), the form of three sources.
// Layout: SKL PRM vol 7, "Instruction Formats"; Mesa brw_inst.h (columns "8+" and "9+").
#pragma once

#include <array>
#include <bit>
#include <cstring>
#include <iterator>
#include <optional>
#include <span>

#include "hw/base/bits.h"
#include "hw/eu/isa/instruction.h"

namespace softgen::eu::native_form {

/// A type field's value for each RegType, in its order; -1: there is none.
using TypeCodes = std::array<int8_t, std::size(reg_types)>;

/// RegType::invalid for codes the hardware reserves.
constexpr RegType type_of(const TypeCodes& codes, unsigned code) {
  for (unsigned i = 0; i < codes.size(); i++)
    if (codes[i] >= 0 && static_cast<unsigned>(codes[i]) == code) return static_cast<RegType>(i);
  return RegType::invalid;
}

struct OpcodeCode {
  Opcode opcode;
  uint8_t code;
};

/// The opcode field, [6:0], in both directions.
struct OpcodeTable {
  static constexpr unsigned codes = 128;
  std::array<Opcode, codes> by_code{};
  std::array<uint8_t, 256> by_opcode{};

  constexpr explicit OpcodeTable(std::span<const OpcodeCode> rows) {
    for (unsigned code = 0; code < codes; code++) by_code[code] = reserved_opcode(code);
    for (const OpcodeCode& row : rows) by_code[row.code] = row.opcode;
    for (unsigned code = 0; code < codes; code++) by_opcode[static_cast<unsigned>(by_code[code])] = static_cast<uint8_t>(code);
  }
};

template <class S>
struct Reader {
  using Set = S;
  const Native& bits;
  static constexpr bool writing = false;

  template <typename T>
  void field(T& value, unsigned high, unsigned low) const {
    value = static_cast<T>(bits.get(high, low));
  }
  void opcode(Opcode& value, unsigned high, unsigned low) const { value = Set::opcodes.by_code[bits.get(high, low)]; }
  void type(RegType& value, RegFile file, unsigned high, unsigned low) const {
    coded(value, file == RegFile::imm ? Set::immediate_types : Set::register_types, high, low);
  }
  void coded(RegType& value, const TypeCodes& codes, unsigned high, unsigned low) const {
    value = type_of(codes, static_cast<unsigned>(bits.get(high, low)));
  }
  void address_imm(int16_t& value, unsigned high, unsigned low, unsigned bit9, unsigned scale) const {
    const uint64_t raw = bits.get(high, low) << scale | bits.get(bit9, bit9) << 9;
    value = static_cast<int16_t>(sign_extend(raw, 10));
  }
};

template <class S>
struct Writer {
  using Set = S;
  Native& bits;
  static constexpr bool writing = true;

  template <typename T>
  void field(const T& value, unsigned high, unsigned low) {
    bits.set(high, low, static_cast<uint64_t>(value));
  }
  void opcode(Opcode value, unsigned high, unsigned low) { bits.set(high, low, Set::opcodes.by_opcode[static_cast<unsigned>(value)]); }
  void type(RegType value, RegFile file, unsigned high, unsigned low) {
    coded(value, file == RegFile::imm ? Set::immediate_types : Set::register_types, high, low);
  }
  /// A type without a code becomes the field's last value, which all fields reserve.
  void coded(RegType value, const TypeCodes& codes, unsigned high, unsigned low) {
    const int8_t code = codes[static_cast<unsigned>(value)];
    bits.set(high, low, code < 0 ? ~uint64_t{0} : static_cast<uint64_t>(code));
  }
  void address_imm(int16_t value, unsigned high, unsigned low, unsigned bit9, unsigned scale) {
    const auto raw = static_cast<uint64_t>(value) & 0x3ff;
    bits.set(high, low, raw >> scale);
    bits.set(bit9, bit9, raw >> 9);
  }
};

template <typename Codec, typename I>
void header(Codec& c, I& i) {
  c.opcode(i.opcode, 6, 0);
  c.field(i.access_mode, 8, 8);
  c.field(i.no_dd_clear, 9, 9);
  c.field(i.no_dd_check, 10, 10);
  c.field(i.nib_control, 11, 11);
  c.field(i.qtr_control, 13, 12);
  c.field(i.thread_control, 15, 14);
  c.field(i.pred_control, 19, 16);
  c.field(i.pred_invert, 20, 20);
  uint8_t exec_size_log2 = Codec::writing ? static_cast<uint8_t>(std::countr_zero(i.exec_size)) : 0;
  c.field(exec_size_log2, 23, 21);
  if constexpr (!Codec::writing) i.exec_size = static_cast<uint8_t>(1u << exec_size_log2);
  c.field(i.cond_mod, 27, 24);
  c.field(i.acc_write, 28, 28);
  c.field(i.debug, 30, 30);
  c.field(i.saturate, 31, 31);
  c.field(i.flag_subreg, 32, 32);
  c.field(i.flag_reg, 33, 33);
  c.field(i.no_mask, 34, 34);
}

template <typename Codec, typename O>
void destination(Codec& c, O& dst, AccessMode mode) {
  c.field(dst.file, 36, 35);
  c.type(dst.type, RegFile::grf, 40, 37);
  c.field(dst.hstride, 62, 61);
  c.field(dst.indirect, 63, 63);
  if (dst.indirect) {
    c.field(dst.addr_subreg, 60, 57);
    if (mode == AccessMode::align1) {
      c.address_imm(dst.addr_imm, 56, 48, 47, 0);
    } else {
      c.address_imm(dst.addr_imm, 56, 52, 47, 4);
      c.field(dst.writemask, 51, 48);
    }
    return;
  }
  c.field(dst.reg, 60, 53);
  if (mode == AccessMode::align1) {
    c.field(dst.subreg, 52, 48);
  } else {
    uint8_t half = dst.subreg / 16;
    c.field(half, 52, 52);
    if constexpr (!Codec::writing) dst.subreg = static_cast<uint8_t>(half * 16);
    c.field(dst.writemask, 51, 48);
  }
}

/// Bits of a source that stand in the same order for src0 (base 64) and src1 (base 96).
template <typename Codec, typename O>
void source_region(Codec& c, O& src, AccessMode mode, unsigned base) {
  const unsigned imm_bit9 = base == 64 ? 95 : 121;
  c.field(src.abs, base + 13, base + 13);
  c.field(src.negate, base + 14, base + 14);
  c.field(src.indirect, base + 15, base + 15);
  c.field(src.vstride, base + 24, base + 21);
  if (mode == AccessMode::align1) {
    c.field(src.hstride, base + 17, base + 16);
    c.field(src.width, base + 20, base + 18);
  } else {
    uint8_t xy = src.swizzle & 15, zw = src.swizzle >> 4;
    c.field(xy, base + 3, base);
    c.field(zw, base + 19, base + 16);
    if constexpr (!Codec::writing) src.swizzle = static_cast<uint8_t>(xy | zw << 4);
  }
  if (src.indirect) {
    c.field(src.addr_subreg, base + 12, base + 9);
    if (mode == AccessMode::align1) c.address_imm(src.addr_imm, base + 8, base, imm_bit9, 0);
    else c.address_imm(src.addr_imm, base + 8, base + 4, imm_bit9, 4);
    return;
  }
  c.field(src.reg, base + 12, base + 5);
  if (mode == AccessMode::align1) {
    c.field(src.subreg, base + 4, base);
  } else {
    uint8_t half = src.subreg / 16;
    c.field(half, base + 4, base + 4);
    if constexpr (!Codec::writing) src.subreg = static_cast<uint8_t>(half * 16);
  }
}

template <typename Codec, typename I>
void basic(Codec& c, I& i) {
  destination(c, i.dst, i.access_mode);
  c.field(i.src[0].file, 42, 41);
  c.type(i.src[0].type, i.src[0].file, 46, 43);
  if (i.src[0].file == RegFile::imm && size_of(i.src[0].type) == 8) {
    c.field(i.imm, 127, 64);
    return;
  }
  c.field(i.src[1].file, 90, 89);
  c.type(i.src[1].type, i.src[1].file, 94, 91);
  if (i.src[0].file == RegFile::imm || i.src[1].file == RegFile::imm) c.field(i.imm, 127, 96);
  else source_region(c, i.src[1], i.access_mode, 96);
  if (i.src[0].file != RegFile::imm) source_region(c, i.src[0], i.access_mode, 64);
}

template <typename Codec, typename I>
void branch(Codec& c, I& i) {
  destination(c, i.dst, i.access_mode);
  c.field(i.src[0].file, 42, 41);
  c.type(i.src[0].type, i.src[0].file, 46, 43);
  const bool has_uip = i.info() && i.info()->has('u');
  if (i.src[0].file != RegFile::imm && i.src[0].file != RegFile::arf) {  // brd, brc: offsets in a register
    source_region(c, i.src[0], i.access_mode, 64);
    c.field(i.src[1].file, 90, 89);
    c.type(i.src[1].type, i.src[1].file, 94, 91);
    return;
  }
  c.field(i.jip, 127, 96);
  if (has_uip) {
    c.field(i.uip, 95, 64);
  } else {
    c.field(i.src[1].file, 90, 89);
    c.type(i.src[1].type, i.src[1].file, 94, 91);
  }
}

template <typename Codec, typename I>
void call(Codec& c, I& i) {
  destination(c, i.dst, i.access_mode);
  c.field(i.src[0].file, 42, 41);
  c.type(i.src[0].type, i.src[0].file, 46, 43);
  source_region(c, i.src[0], i.access_mode, 64);
  c.field(i.src[1].file, 90, 89);
  c.type(i.src[1].type, i.src[1].file, 94, 91);
  if (i.src[1].file == RegFile::imm) c.field(i.jip, 127, 96);
  else source_region(c, i.src[1], i.access_mode, 96);
}

template <typename Codec, typename I>
void send(Codec& c, I& i) {
  destination(c, i.dst, i.access_mode);
  c.field(i.src[0].file, 42, 41);
  c.type(i.src[0].type, i.src[0].file, 46, 43);
  source_region(c, i.src[0], i.access_mode, 64);
  c.field(i.src[1].file, 90, 89);
  c.field(i.end_of_thread, 127, 127);
  if constexpr (!Codec::writing) i.descriptor_in_register = i.src[1].file != RegFile::imm;
  c.type(i.src[1].type, i.src[1].file, 94, 91);
  if (!i.descriptor_in_register) {
    c.field(i.descriptor, 126, 96);
    return;
  }
  source_region(c, i.src[1], i.access_mode, 96);
}

template <typename Codec, typename I>
void split_send(Codec& c, I& i) {
  uint8_t dst_file = i.dst.file == RegFile::grf, src1_file = i.src[1].file == RegFile::grf;
  c.field(dst_file, 35, 35);
  c.field(src1_file, 36, 36);
  c.type(i.dst.type, RegFile::grf, 40, 37);
  c.field(i.src[0].file, 42, 41);
  c.field(i.src[1].reg, 51, 44);
  c.field(i.dst.indirect, 63, 63);
  uint8_t dst_half = i.dst.subreg / 16, src_half = i.src[0].subreg / 16;
  if (i.dst.indirect) {
    c.field(i.dst.addr_subreg, 60, 57);
    c.address_imm(i.dst.addr_imm, 56, 52, 62, 4);
  } else {
    c.field(i.dst.reg, 60, 53);
    c.field(dst_half, 52, 52);
  }
  c.field(i.ex_descriptor_in_register, 61, 61);
  c.field(i.descriptor_in_register, 77, 77);
  c.field(i.src[0].indirect, 79, 79);
  if (i.src[0].indirect) {
    c.field(i.src[0].addr_subreg, 76, 73);
    c.address_imm(i.src[0].addr_imm, 72, 68, 78, 4);
  } else {
    c.field(i.src[0].reg, 76, 69);
    c.field(src_half, 68, 68);
  }
  uint32_t ex_length = i.ex_descriptor >> 6 & 15, ex_function = i.ex_descriptor >> 16;
  c.field(ex_length, 67, 64);
  if (i.ex_descriptor_in_register) c.field(i.ex_descriptor_subreg, 82, 80);
  else c.field(ex_function, 95, 80);
  c.field(i.descriptor, 126, 96);
  c.field(i.end_of_thread, 127, 127);
  if constexpr (!Codec::writing) {
    i.dst.file = dst_file ? RegFile::grf : RegFile::arf;
    i.src[1].file = src1_file ? RegFile::grf : RegFile::arf;
    i.dst.subreg = static_cast<uint8_t>(dst_half * 16);
    i.src[0].subreg = static_cast<uint8_t>(src_half * 16);
    i.ex_descriptor = ex_length << 6 | ex_function << 16;
  }
}

template <typename Codec, typename I>
void transfer(Codec& c, I& i) {
  header(c, i);
  const OpcodeInfo* row = i.info();
  switch (row ? row->form : Form::nop) {
    case Form::basic:
    case Form::math:
    case Form::ret: basic(c, i); break;
    case Form::jump:
      basic(c, i);
      if constexpr (!Codec::writing) i.jip = static_cast<int32_t>(i.imm);
      break;
    case Form::ternary: Codec::Set::ternary(c, i); break;
    case Form::branch: branch(c, i); break;
    case Form::call: call(c, i); break;
    case Form::send: send(c, i); break;
    case Form::split_send: split_send(c, i); break;
    case Form::nop: break;
  }
}

/// Whether the set has an opcode for it.
template <class Set>
constexpr bool has(Opcode opcode) {
  return Set::opcodes.by_code[Set::opcodes.by_opcode[static_cast<unsigned>(opcode)]] == opcode;
}

/// Whether the opcode field's value is of an instruction of three sources.
template <class Set>
bool is_ternary(unsigned code) {
  const OpcodeInfo* row = find_opcode(Set::opcodes.by_code[code % OpcodeTable::codes]);
  return row && row->form == Form::ternary;
}

template <class Set>
Instruction decode(const Native& bits) {
  Instruction result;
  Reader<Set> reader{bits};
  transfer(reader, result);
  if constexpr (requires { Set::complete(result); }) Set::complete(result);
  return result;
}

template <class Set>
Native encode(const Instruction& instruction) {
  Native bits;
  Writer<Set> writer{bits};
  transfer(writer, instruction);
  return bits;
}

/// CmptCtrl of either form.
constexpr bool is_compacted(uint64_t first_word) { return first_word >> 29 & 1; }

/// The instruction at the start of `code`; empty when it is too short. `uncompact`: the set's.
template <class Set>
std::optional<Instruction> decode(std::span<const std::byte> code, Native (*uncompact)(uint64_t)) {
  Native bits;
  if (code.size() < 8) return std::nullopt;
  std::memcpy(&bits.q[0], code.data(), 8);
  const bool short_form = is_compacted(bits.q[0]);
  if (short_form) {
    bits = uncompact(bits.q[0]);
  } else {
    if (code.size() < 16) return std::nullopt;
    std::memcpy(&bits.q[1], code.data() + 8, 8);
  }
  Instruction result = decode<Set>(bits);
  result.compacted = short_form;
  return result;
}

}  // namespace softgen::eu::native_form
