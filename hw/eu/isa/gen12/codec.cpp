// SPDX-License-Identifier: GPL-2.0-or-later
// The native form of Gen12.0, which has nothing in common with that of Gen8 to Gen11 but its length (Mesa brw_eu_inst.h, columns "12+"; what Mesa does
// not use, such as calls and special accumulators, is where IGA 1.0.12504 has it).
#include "hw/eu/isa/codec.h"

#include <utility>

#include "hw/eu/isa/gen12/parts.h"

namespace softgen::eu::gen12 {

namespace {

using namespace native_form;

constexpr OpcodeCode opcode_codes[] = {
#define EU_CODE(id, code) {Opcode::id, code},
#include "hw/eu/isa/gen12/opcode_codes.inc"
#undef EU_CODE
};

// Mesa brw_reg_type.c, the gfx12 tables; here and in Set. NF as IGA encodes it, of three sources alone.
constexpr TypeCodes integer_types{2, 6, 1, 5, 0, 4, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
constexpr TypeCodes float_types{-1, -1, -1, -1, -1, -1, 3, 2, -1, -1, 1, -1, -1, -1, 7, -1};

template <typename Codec, typename I>
void header(Codec& c, I& i) {
  c.opcode(i.opcode, 6, 0);
  c.field(i.swsb, 15, 8);
  execution_size(c, i, 18, 16);
  c.field(i.nib_control, 19, 19);
  c.field(i.qtr_control, 21, 20);
  c.field(i.flag_subreg, 22, 22);
  c.field(i.flag_reg, 23, 23);
  c.field(i.pred_control, 27, 24);
  c.field(i.pred_invert, 28, 28);
  c.field(i.debug, 30, 30);
  c.field(i.no_mask, 31, 31);
  c.field(i.thread_control, 32, 32);
  c.field(i.acc_write, 33, 33);
}

/// One bit; an indirect operand's belongs to its address.
template <typename Codec, typename O>
void register_file(Codec& c, O& operand, unsigned bit) {
  uint8_t grf = Codec::writing && operand.file == RegFile::grf;
  c.field(grf, bit, bit);
  if constexpr (!Codec::writing) operand.file = grf ? RegFile::grf : RegFile::arf;
}

template <typename Codec, typename O>
void destination(Codec& c, O& dst) {
  c.field(dst.indirect, 35, 35);
  c.type(dst.type, RegFile::grf, 39, 36);
  c.field(dst.hstride, 49, 48);
  if (dst.indirect) {
    if constexpr (!Codec::writing) dst.file = RegFile::grf;
    c.address_imm(dst.addr_imm, 58, 50, 59, 0);
    c.field(dst.addr_subreg, 63, 60);
    return;
  }
  register_file(c, dst, 50);
  c.field(dst.subreg, 55, 51);
  c.field(dst.reg, 63, 56);
}

/// Bits of a source that stand in the same order for src0 (base 64) and src1 (base 96).
template <typename Codec, typename O>
void source_region(Codec& c, O& src, unsigned base) {
  c.field(src.hstride, base + 1, base);
  c.field(src.indirect, base + 16, base + 16);
  c.field(src.width, base + 19, base + 17);
  c.field(src.vstride, base + 23, base + 20);
  if (src.indirect) {
    if constexpr (!Codec::writing) src.file = RegFile::grf;
    c.address_imm(src.addr_imm, base + 10, base + 2, base + 11, 0);
    c.field(src.addr_subreg, base + 15, base + 12);
    return;
  }
  register_file(c, src, base + 2);
  c.field(src.subreg, base + 7, base + 3);
  c.field(src.reg, base + 15, base + 8);
}

template <typename Codec, typename O>
bool is_immediate(Codec& c, O& src, unsigned bit) {
  uint8_t immediate = Codec::writing && src.file == RegFile::imm;
  c.field(immediate, bit, bit);
  if constexpr (!Codec::writing)
    if (immediate) src.file = RegFile::imm;
  return immediate;
}

template <typename Codec, typename I>
void basic(Codec& c, I& i) {
  destination(c, i.dst);
  const bool first = is_immediate(c, i.src[0], 46), second = is_immediate(c, i.src[1], 47);
  c.type(i.src[0].type, i.src[0].file, 43, 40);
  c.field(i.src[0].abs, 44, 44);
  c.field(i.src[0].negate, 45, 45);
  if (first && size_of(i.src[0].type) == 8) {
    uint32_t high = static_cast<uint32_t>(i.imm >> 32), low = static_cast<uint32_t>(i.imm);
    c.field(high, 95, 64);
    c.field(low, 127, 96);
    if constexpr (!Codec::writing) i.imm = uint64_t{high} << 32 | low;
    return;
  }
  c.field(i.cond_mod, 95, 92);
  c.type(i.src[1].type, i.src[1].file, 91, 88);
  if (!first) source_region(c, i.src[0], 64);
  if (first || second) {
    c.field(i.imm, 127, 96);
    return;
  }
  source_region(c, i.src[1], 96);
  c.field(i.src[1].abs, 120, 120);
  c.field(i.src[1].negate, 121, 121);
}

/// The place of src0, for operands that other instruction sets have in src1.
template <typename Codec, typename I, typename O>
void target(Codec& c, I& i, O& src) {
  const bool immediate = is_immediate(c, src, 46);
  if (immediate) c.field(i.jip, 127, 96);
  else source_region(c, src, 64);
}

/// The hardware takes src0; Mesa has the instruction pointer there and the distance in src1.
template <typename Codec, typename I>
void jump(Codec& c, I& i) {
  Operand first;
  if constexpr (Codec::writing) {
    first = i.src[0];
  } else {
    Instruction copy = i;
    basic(c, copy);
    first = copy.src[0];
    i.jumps_from_start = true;
  }
  if (first.is_arf(Arf::ip)) {
    basic(c, i);
    if constexpr (!Codec::writing) i.jip = static_cast<int32_t>(i.imm);
    return;
  }
  target(c, i, i.src[1]);
  if constexpr (!Codec::writing) i.src[1].type = RegType::d;
}

template <typename Codec, typename I>
void branch(Codec& c, I& i) {
  destination(c, i.dst);
  const bool immediate = is_immediate(c, i.src[0], 46), second = is_immediate(c, i.src[1], 47);
  c.type(i.src[0].type, i.src[0].file, 43, 40);
  if (!immediate) source_region(c, i.src[0], 64);
  if (i.src[0].file == RegFile::grf) return;  // brd, brc: offsets in a register
  c.field(i.jip, 127, 96);
  if (second || (i.info() && i.info()->has('u'))) c.field(i.uip, 95, 64);
  else c.field(i.cond_mod, 95, 92);
}

template <typename Codec, typename I>
void call(Codec& c, I& i) {
  destination(c, i.dst);
  target(c, i, i.src[1]);
}

/// Bits of a descriptor, and where they stand.
struct Part {
  unsigned high, low, at;
};
constexpr Part descriptor_parts[] = {{31, 30, 122}, {29, 25, 67}, {24, 20, 51}, {19, 11, 113}, {10, 0, 81}};
constexpr Part extended_parts[] = {{31, 28, 124}, {27, 26, 96}, {25, 24, 64}, {23, 19, 43}, {15, 11, 35}, {10, 6, 99}};
constexpr Part extended_middle{18, 16, 40};

template <typename Codec, typename T>
void descriptor_part(Codec& c, T& value, const Part& part) {
  uint32_t bits = value >> part.low;
  c.field(bits, part.at + part.high - part.low, part.at);
  if constexpr (!Codec::writing) value |= bits << part.low;
}

template <typename Codec, typename I>
void send(Codec& c, I& i) {
  register_file(c, i.dst, 50);
  c.field(i.dst.reg, 63, 56);
  register_file(c, i.src[0], 66);
  c.field(i.src[0].reg, 79, 72);
  register_file(c, i.src[1], 98);
  c.field(i.src[1].reg, 111, 104);
  c.field(i.cond_mod, 95, 92);
  c.field(i.end_of_thread, 34, 34);
  c.field(i.descriptor_in_register, 48, 48);
  c.field(i.ex_descriptor_in_register, 49, 49);
  for (const Part& part : descriptor_parts) descriptor_part(c, i.descriptor, part);
  for (const Part& part : extended_parts) descriptor_part(c, i.ex_descriptor, part);
  if (i.ex_descriptor_in_register) c.field(i.ex_descriptor_subreg, extended_middle.at + 2, extended_middle.at);
  else descriptor_part(c, i.ex_descriptor, extended_middle);
}

/// Strides are codes of their own in three sources; Operand has those of other instructions: zero, or the logarithm plus one.
constexpr uint8_t vertical_strides[4] = {0, 1, 3, 4};
constexpr uint8_t vertical_code(uint8_t field) { return field < 2 ? field : field < 4 ? 2 : 3; }

/// "Width is equal to vertical stride when Horizontal Stride is zero", else their quotient (Mesa brw_disasm.c, implied_width).
constexpr uint8_t implied_width(uint8_t vstride, uint8_t hstride) {
  const unsigned v = vstride_elements(vstride), h = hstride_elements(hstride);
  const unsigned width = h ? v / h : v;
  return width ? static_cast<uint8_t>(std::countr_zero(width)) : 0;
}

/// Where the parts of a source of three stand. vstride: the two bits; 0: it follows from hstride. imm: 0: it cannot be an immediate.
struct SourceBits {
  unsigned type, vstride_high, vstride_low, base, abs, negate, imm_flag, imm;
};
constexpr SourceBits source_bits[3] = {
    {.type = 40, .vstride_high = 43, .vstride_low = 35, .base = 64, .abs = 44, .negate = 45, .imm_flag = 46, .imm = 64},
    {.type = 88, .vstride_high = 91, .vstride_low = 83, .base = 96, .abs = 86, .negate = 87, .imm_flag = 0, .imm = 0},
    {.type = 80, .vstride_high = 0, .vstride_low = 0, .base = 112, .abs = 84, .negate = 85, .imm_flag = 47, .imm = 112},
};

template <typename Codec, typename O>
void strides(Codec& c, O& src, const SourceBits& at) {
  if (!at.vstride_high) {
    // Elements follow each other at the horizontal stride: rows of one element.
    c.field(src.vstride, at.base + 1, at.base);
    if constexpr (!Codec::writing) src.hstride = src.vstride;
    return;
  }
  const uint8_t code = vertical_code(src.vstride);
  uint8_t high = code >> 1, low = code & 1;
  c.field(high, at.vstride_high, at.vstride_high);
  c.field(low, at.vstride_low, at.vstride_low);
  c.field(src.hstride, at.base + 1, at.base);
  if constexpr (!Codec::writing) {
    src.vstride = vertical_strides[high << 1 | low];
    src.width = implied_width(src.vstride, src.hstride);
  }
}

template <typename Codec, typename I>
void ternary_source(Codec& c, I& i, unsigned n, const TypeCodes& types) {
  const SourceBits& at = source_bits[n];
  auto& src = i.src[n];
  c.coded(src.type, types, at.type + 2, at.type);
  c.field(src.abs, at.abs, at.abs);
  c.field(src.negate, at.negate, at.negate);
  if (at.imm_flag && is_immediate(c, src, at.imm_flag)) {
    uint16_t value = static_cast<uint16_t>(i.imm);
    c.field(value, at.imm + 15, at.imm);
    if constexpr (!Codec::writing) i.imm = value;
    return;
  }
  strides(c, src, at);
  register_file(c, src, at.base + 2);
  if (i.is_macro()) c.field(src.swizzle, at.base + 6, at.base + 3);
  else c.field(src.subreg, at.base + 7, at.base + 3);
  c.field(src.reg, at.base + 15, at.base + 8);
}

template <typename Codec, typename I>
void ternary(Codec& c, I& i) {
  uint8_t floats = Codec::writing && is_float(i.dst.type);
  c.field(floats, 39, 39);
  const TypeCodes& types = floats ? float_types : integer_types;
  c.coded(i.dst.type, types, 38, 36);
  uint8_t wide = Codec::writing && i.dst.hstride > 1, qword = static_cast<uint8_t>(i.dst.subreg / 8);
  c.field(wide, 48, 48);
  register_file(c, i.dst, 50);
  if (i.is_macro()) c.field(i.dst.writemask, 54, 51);
  else c.field(qword, 55, 54);
  if constexpr (!Codec::writing) {
    i.dst.hstride = wide ? 2 : 1;
    if (!i.is_macro()) i.dst.subreg = static_cast<uint8_t>(qword * 8);
  }
  c.field(i.dst.reg, 63, 56);
  c.field(i.cond_mod, 95, 92);
  for (unsigned n = 0; n < 3; n++) ternary_source(c, i, n, types);
}

struct Set {
  static constexpr TypeCodes register_types{2, 6, 1, 5, 0, 4, 11, 10, 3, 7, 9, -1, -1, -1, -1, -1};
  static constexpr TypeCodes immediate_types{2, 6, 1, 5, -1, -1, 11, 10, 3, 7, 9, 0, 4, 8, -1, -1};
  static constexpr OpcodeTable opcodes{opcode_codes};
  template <typename Codec, typename I>
  static void transfer(Codec& c, I& i) {
    header(c, i);
    const OpcodeInfo* row = i.info();
    const Form form = row ? row->form : Form::nop;
    if (!row || !is_send(*row)) c.field(i.saturate, 34, 34);
    switch (form) {
      case Form::basic:
      case Form::math:
      case Form::sync:
      case Form::ret: basic(c, i); break;
      case Form::jump: jump(c, i); break;
      case Form::ternary: ternary(c, i); break;
      case Form::branch: branch(c, i); break;
      case Form::call: call(c, i); break;
      case Form::send:
      case Form::split_send: send(c, i); break;
      case Form::nop: break;
    }
  }
  /// As on Gen11: mach without AccWrEn gives the low product, and gotos jump where the predicate is true.
  static void complete(Instruction& i) {
    i.low_product = i.opcode == Opcode::mach && !i.acc_write;
    i.goes_where_true = i.opcode == Opcode::goto_;
    if (i.is_macro()) take_special_accumulators(i);
  }
};

}  // namespace

Instruction decode(const Native& bits) { return native_form::decode<Set>(bits); }
bool has_opcode(Opcode opcode) { return native_form::has<Set>(opcode); }
bool is_ternary(unsigned code) { return native_form::is_ternary<Set>(code); }
Native encode(const Instruction& instruction) {
  return native_form::encode<Set>(instruction.is_macro() ? with_special_accumulators(instruction) : instruction);
}
std::optional<Instruction> decode(std::span<const std::byte> code) { return native_form::decode<Set>(code, uncompact); }

}  // namespace softgen::eu::gen12
