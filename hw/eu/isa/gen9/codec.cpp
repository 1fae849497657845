// SPDX-License-Identifier: GPL-2.0-or-later
// The native form, described once for both directions: Reader fills an Instruction from bits, Writer fills bits from an Instruction.
// Layout: SKL PRM vol 7, "Instruction Formats"; Mesa brw_inst.h (columns "8+" and "9+").
#include <array>
#include <bit>
#include <cstring>
#include <iterator>

#include "hw/base/bits.h"
#include "hw/eu/isa/gen9/parts.h"

namespace softgen::eu::gen9 {

namespace {

/// One row per RegType, in its order: the field's values of a register's type, an immediate's, and a three-source operand's; -1: there is none
/// (Mesa brw_reg_type.c, the gfx8 tables).
struct TypeCodes {
  int8_t reg, imm, ternary;
};
constexpr TypeCodes type_codes[] = {
    {0, 0, 2},  {1, 1, 1},  {2, 2, -1},  {3, 3, -1},  {4, -1, -1}, {5, -1, -1}, {6, 10, 3},   {7, 7, 0},
    {8, 8, -1}, {9, 9, -1}, {10, 11, 4}, {-1, 4, -1}, {-1, 6, -1}, {-1, 5, -1}, {-1, -1, -1},
};
static_assert(std::size(type_codes) == std::size(reg_types));

constexpr const TypeCodes& codes_of(RegType type) { return type_codes[static_cast<unsigned>(type)]; }
/// RegType::invalid for codes the hardware reserves.
RegType type_of(int8_t TypeCodes::* column, unsigned code) {
  for (unsigned i = 0; i < std::size(type_codes); i++)
    if (type_codes[i].*column >= 0 && static_cast<unsigned>(type_codes[i].*column) == code) return static_cast<RegType>(i);
  return RegType::invalid;
}

struct OpcodeCode {
  Opcode opcode;
  uint8_t code;
};
constexpr OpcodeCode opcode_codes[] = {
#define EU_CODE(id, code) {Opcode::id, code},
#include "hw/eu/isa/gen9/opcode_codes.inc"
#undef EU_CODE
};

constexpr unsigned codes = 128;  // the field has seven bits
constexpr auto opcode_by_code = [] {
  std::array<Opcode, codes> table{};
  for (unsigned code = 0; code < codes; code++) table[code] = reserved_opcode(code);
  for (const OpcodeCode& row : opcode_codes) table[row.code] = row.opcode;
  return table;
}();
constexpr auto code_by_opcode = [] {
  std::array<uint8_t, 256> table{};
  for (unsigned code = 0; code < codes; code++) table[static_cast<unsigned>(opcode_by_code[code])] = static_cast<uint8_t>(code);
  return table;
}();

struct Reader {
  const Native& bits;
  static constexpr bool writing = false;

  template <typename T>
  void field(T& value, unsigned high, unsigned low) const {
    value = static_cast<T>(bits.get(high, low));
  }
  void opcode(Opcode& value, unsigned high, unsigned low) const { value = opcode_by_code[bits.get(high, low)]; }
  void type(RegType& value, RegFile file, unsigned high, unsigned low) const {
    const auto code = static_cast<unsigned>(bits.get(high, low));
    value = file == RegFile::imm ? type_of(&TypeCodes::imm, code) : type_of(&TypeCodes::reg, code);
  }
  void ternary_type(RegType& value, unsigned high, unsigned low) const {
    value = type_of(&TypeCodes::ternary, static_cast<unsigned>(bits.get(high, low)));
  }
  void address_imm(int16_t& value, unsigned high, unsigned low, unsigned bit9, unsigned scale) const {
    const uint64_t raw = bits.get(high, low) << scale | bits.get(bit9, bit9) << 9;
    value = static_cast<int16_t>(sign_extend(raw, 10));
  }
};

struct Writer {
  Native& bits;
  static constexpr bool writing = true;

  template <typename T>
  void field(const T& value, unsigned high, unsigned low) {
    bits.set(high, low, static_cast<uint64_t>(value));
  }
  void opcode(Opcode value, unsigned high, unsigned low) { bits.set(high, low, code_by_opcode[static_cast<unsigned>(value)]); }
  void type(RegType value, RegFile file, unsigned high, unsigned low) {
    const int8_t code = file == RegFile::imm ? codes_of(value).imm : codes_of(value).reg;
    bits.set(high, low, code < 0 ? 15u : static_cast<unsigned>(code));
  }
  void ternary_type(RegType value, unsigned high, unsigned low) {
    const int8_t code = codes_of(value).ternary;
    bits.set(high, low, code < 0 ? 7u : static_cast<unsigned>(code));
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

template <typename Codec, typename O>
void ternary_source(Codec& c, O& src, unsigned rep, unsigned extra_subreg, unsigned negate, unsigned abs) {
  // RepCtrl, swizzle, SubRegNum[4:2], register number are adjacent; SubRegNum[1] is not.
  c.field(src.replicate, rep, rep);
  c.field(src.swizzle, rep + 8, rep + 1);
  uint8_t dword = static_cast<uint8_t>(src.subreg / 4), word = static_cast<uint8_t>(src.subreg / 2 % 2);
  c.field(dword, rep + 11, rep + 9);
  c.field(word, extra_subreg, extra_subreg);
  if constexpr (!Codec::writing) {
    src.subreg = static_cast<uint8_t>(dword * 4 + word * 2);
    src.file = RegFile::grf;
  }
  c.field(src.reg, rep + 19, rep + 12);
  c.field(src.negate, negate, negate);
  c.field(src.abs, abs, abs);
}

template <typename Codec, typename I>
void ternary_types(Codec& c, I& i) {
  c.ternary_type(i.dst.type, 48, 46);
  c.ternary_type(i.src[0].type, 45, 43);
  // A float SrcType is source 0's alone; Src1Type and Src2Type say HF (1) or F (0): the Bspec's "srcType", which Mesa quotes
  // (brw_eu_emit.c:brw_alu3).
  const RegType base = i.src[0].type;
  const bool floats = base == RegType::f || base == RegType::hf;
  for (unsigned n : {1u, 2u}) {
    bool half = floats && i.src[n].type == RegType::hf;
    c.field(half, 37 - n, 37 - n);
    if constexpr (!Codec::writing) i.src[n].type = !floats ? base : half ? RegType::hf : RegType::f;
  }
}

template <typename Codec, typename I>
void ternary(Codec& c, I& i) {
  if constexpr (!Codec::writing) i.dst.file = RegFile::grf;
  ternary_types(c, i);
  c.field(i.dst.reg, 63, 56);
  uint8_t dword = static_cast<uint8_t>(i.dst.subreg / 4);
  c.field(dword, 55, 53);
  if constexpr (!Codec::writing) i.dst.subreg = static_cast<uint8_t>(dword * 4);
  c.field(i.dst.writemask, 52, 49);
  if constexpr (!Codec::writing) i.dst.hstride = 1;
  ternary_source(c, i.src[0], 64, 84, 38, 37);
  ternary_source(c, i.src[1], 85, 105, 40, 39);
  ternary_source(c, i.src[2], 106, 126, 42, 41);
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
    case Form::ternary: ternary(c, i); break;
    case Form::branch: branch(c, i); break;
    case Form::call: call(c, i); break;
    case Form::send: send(c, i); break;
    case Form::split_send: split_send(c, i); break;
    case Form::nop: break;
  }
}

}  // namespace

const OpcodeInfo* find_row(unsigned code) { return find_opcode(opcode_by_code[code % codes]); }

Instruction decode(const Native& bits) {
  Instruction result;
  Reader reader{bits};
  transfer(reader, result);
  return result;
}

Native encode(const Instruction& instruction) {
  Native bits;
  Writer writer{bits};
  transfer(writer, instruction);
  return bits;
}

std::optional<Instruction> decode(std::span<const std::byte> code) {
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
  Instruction result = decode(bits);
  result.compacted = short_form;
  return result;
}

}  // namespace softgen::eu::gen9
