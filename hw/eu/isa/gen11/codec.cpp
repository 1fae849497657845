// SPDX-License-Identifier: GPL-2.0-or-later
// What Gen11 has of its own: other codes of types, fewer opcodes and two more, three sources in align1 (Mesa brw_inst.h, 3src_a1_*; brw_eu_emit.c,
// brw_alu3), and another table of compacted data types (brw_eu_compact.c, gfx11_datatype_table).
#include <utility>

#include "hw/eu/isa/gen11/parts.h"
#include "hw/eu/isa/gen8/compact_form.h"
#include "hw/eu/isa/gen8/native_form.h"

namespace softgen::eu::gen11 {

namespace {

using namespace native_form;

constexpr OpcodeCode opcode_codes[] = {
#define EU_CODE(id, code) {Opcode::id, code},
#include "hw/eu/isa/gen11/opcode_codes.inc"
#undef EU_CODE
};

// Mesa brw_reg_type.c, the gfx11 tables; NF, the native float, as IGA encodes it.
constexpr TypeCodes integer_types{0, 1, 2, 3, 4, 5, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
constexpr TypeCodes float_types{-1, -1, -1, -1, -1, -1, 2, 1, -1, -1, 0, -1, -1, -1, 3, -1};

/// Strides are codes of their own here; Operand has those of other instructions: zero, or the logarithm plus one.
constexpr uint8_t vertical_strides[4] = {0, 2, 3, 4};
constexpr uint8_t vertical_code(uint8_t field) { return field < 2 ? 0 : static_cast<uint8_t>(field - 1 > 3 ? 3 : field - 1); }

/// "Width is equal to vertical stride when Horizontal Stride is zero", else their quotient (Mesa brw_disasm.c, implied_width).
constexpr uint8_t implied_width(uint8_t vstride, uint8_t hstride) {
  const unsigned v = vstride_elements(vstride), h = hstride_elements(hstride);
  const unsigned width = h ? v / h : v;
  return width ? static_cast<uint8_t>(std::countr_zero(width)) : 0;
}

/// Where the parts of a source stand.
struct SourceBits {
  unsigned type, vstride, hstride, subreg, reg;  ///< the lowest bit; vstride 0: it follows from hstride
  unsigned imm;                                  ///< 0: it cannot be an immediate
  unsigned file, abs, negate;
};
constexpr SourceBits source_bits[3] = {
    {.type = 64, .vstride = 67, .hstride = 69, .subreg = 71, .reg = 76, .imm = 67, .file = 43, .abs = 37, .negate = 38},
    {.type = 85, .vstride = 88, .hstride = 90, .subreg = 92, .reg = 97, .imm = 0, .file = 44, .abs = 39, .negate = 40},
    {.type = 106, .vstride = 0, .hstride = 111, .subreg = 113, .reg = 118, .imm = 109, .file = 45, .abs = 41, .negate = 42},
};

template <typename Codec, typename O>
void strides(Codec& c, O& src, const SourceBits& at) {
  if (at.vstride) {
    uint8_t code = Codec::writing ? vertical_code(src.vstride) : 0;
    c.field(code, at.vstride + 1, at.vstride);
    c.field(src.hstride, at.hstride + 1, at.hstride);
    if constexpr (!Codec::writing) {
      src.vstride = vertical_strides[code];
      src.width = implied_width(src.vstride, src.hstride);
    }
    return;
  }
  // Elements follow each other at the horizontal stride: rows of one element.
  c.field(src.vstride, at.hstride + 1, at.hstride);
  if constexpr (!Codec::writing) src.hstride = src.vstride;
}

template <typename Codec, typename I>
void source(Codec& c, I& i, unsigned n, const TypeCodes& types) {
  const SourceBits& at = source_bits[n];
  auto& src = i.src[n];
  c.coded(src.type, types, at.type + 2, at.type);
  // The other file is immediates where the form has room for one, else architecture registers, that is accumulators; so it is of NF, too.
  const RegFile other = at.imm && src.type != RegType::nf ? RegFile::imm : RegFile::arf;
  uint8_t file = Codec::writing && src.file == other;
  c.field(file, at.file, at.file);
  if constexpr (!Codec::writing) src.file = file ? other : RegFile::grf;
  c.field(src.abs, at.abs, at.abs);
  c.field(src.negate, at.negate, at.negate);
  if (src.file == RegFile::imm) {
    uint16_t value = static_cast<uint16_t>(i.imm);
    c.field(value, at.imm + 15, at.imm);
    if constexpr (!Codec::writing) i.imm = value;
    return;
  }
  strides(c, src, at);
  if (i.is_macro()) c.field(src.swizzle, at.subreg + 4, at.subreg + 1);
  else c.field(src.subreg, at.subreg + 4, at.subreg);
  c.field(src.reg, at.reg + 7, at.reg);
}

template <typename Codec, typename I>
void align1_ternary(Codec& c, I& i) {
  uint8_t floats = Codec::writing && is_float(i.src[0].type), arf = Codec::writing && i.dst.file == RegFile::arf;
  c.field(floats, 35, 35);
  c.field(arf, 36, 36);
  const TypeCodes& types = floats ? float_types : integer_types;
  c.coded(i.dst.type, types, 48, 46);
  uint8_t wide = Codec::writing && i.dst.hstride > 1, qword = static_cast<uint8_t>(i.dst.subreg / 8);
  c.field(wide, 49, 49);
  if (i.is_macro()) c.field(i.dst.writemask, 55, 52);
  else c.field(qword, 55, 54);
  if constexpr (!Codec::writing) {
    i.dst.file = arf ? RegFile::arf : RegFile::grf;
    i.dst.hstride = wide ? 2 : 1;
    if (!i.is_macro()) i.dst.subreg = static_cast<uint8_t>(qword * 8);
  }
  c.field(i.dst.reg, 63, 56);
  for (unsigned n = 0; n < 3; n++) source(c, i, n, types);
}

struct Set {
  static constexpr TypeCodes register_types{0, 1, 2, 3, 4, 5, 10, 9, 6, 7, 8, -1, -1, -1, 11, -1};
  static constexpr TypeCodes immediate_types{0, 1, 2, 3, -1, -1, 10, 9, 6, 7, 8, 4, 5, 11, -1, -1};
  static constexpr OpcodeTable opcodes{opcode_codes};
  template <typename Codec, typename I>
  static void transfer(Codec& c, I& i) {
    native_form::transfer(c, i);
  }
  template <typename Codec, typename I>
  static void ternary(Codec& c, I& i) {
    align1_ternary(c, i);
  }
  /// Without AccWrEn the opcode is MACL, multiply accumulate low: so IGC multiplies dwords (visa, G4_macl; IGA names both).
  /// Forward gotos jump where the predicate is true, as their name says (visa, gotoJumpOnTrue); before, where it is false.
  static void complete(Instruction& i) {
    i.low_product = i.opcode == Opcode::mach && !i.acc_write;
    i.goes_where_true = i.opcode == Opcode::goto_;
    if (i.is_macro()) take_special_accumulators(i);
  }
};

constexpr DatatypeTable datatypes = {
    0x040001, 0x040040, 0x040041, 0x0400c1, 0x040165, 0x040be5, 0x040941, 0x040945, 0x040965, 0x041041, 0x043040,
    0x043041, 0x045145, 0x047144, 0x047145, 0x064965, 0x065925, 0x065964, 0x065965, 0x067964, 0x00040c, 0x040065,
    0x040145, 0x041040, 0x045144, 0x047104, 0x049209, 0x06f965, 0x067965, 0x04f34c, 0x049248, 0x04b248,
};

/// The tables of three sources still select align16 (IGC, CompactionTable6 and 7): what is compacted is never valid.
constexpr CompactForm form(datatypes, native_form::is_ternary<Set>);

}  // namespace

Instruction decode(const Native& bits) { return native_form::decode<Set>(bits); }
bool has_opcode(Opcode opcode) { return native_form::has<Set>(opcode); }
Native encode(const Instruction& instruction) {
  return native_form::encode<Set>(instruction.is_macro() ? with_special_accumulators(instruction) : instruction);
}
std::optional<Instruction> decode(std::span<const std::byte> code) { return native_form::decode<Set>(code, uncompact); }
std::optional<uint64_t> compact(const Native& native) { return form.compact(native); }
Native uncompact(uint64_t compacted) { return form.uncompact(compacted); }

}  // namespace softgen::eu::gen11
