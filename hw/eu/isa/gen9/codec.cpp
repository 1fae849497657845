// SPDX-License-Identifier: GPL-2.0-or-later
// What Gen9 adds to the form it shares with others: codes of types, opcodes, and three sources in align16.
#include "hw/eu/isa/gen8/compact_form.h"
#include "hw/eu/isa/gen8/native_form.h"
#include "hw/eu/isa/gen9/parts.h"

namespace softgen::eu::gen9 {

namespace {

using namespace native_form;

constexpr OpcodeCode opcode_codes[] = {
#define EU_CODE(id, code) {Opcode::id, code},
#include "hw/eu/isa/gen9/opcode_codes.inc"
#undef EU_CODE
};

// Mesa brw_reg_type.c, the gfx8 tables; here and in Set.
constexpr TypeCodes ternary_types{2, 1, -1, -1, -1, -1, 3, 0, -1, -1, 4, -1, -1, -1, -1, -1};

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
void transfer_types(Codec& c, I& i) {
  c.coded(i.dst.type, ternary_types, 48, 46);
  c.coded(i.src[0].type, ternary_types, 45, 43);
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
void align16_ternary(Codec& c, I& i) {
  if constexpr (!Codec::writing) i.dst.file = RegFile::grf;
  transfer_types(c, i);
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

struct Set {
  static constexpr TypeCodes register_types{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, -1, -1, -1, -1, -1};
  static constexpr TypeCodes immediate_types{0, 1, 2, 3, -1, -1, 10, 7, 8, 9, 11, 4, 6, 5, -1, -1};
  static constexpr OpcodeTable opcodes{opcode_codes};
  template <typename Codec, typename I>
  static void transfer(Codec& c, I& i) {
    native_form::transfer(c, i);
  }
  template <typename Codec, typename I>
  static void ternary(Codec& c, I& i) {
    align16_ternary(c, i);
  }
};

constexpr DatatypeTable datatypes = {
    0x040001, 0x040040, 0x040041, 0x0400c1, 0x04015d, 0x0405dd, 0x040741, 0x040745, 0x04075d, 0x041041, 0x043040,
    0x043041, 0x045145, 0x047144, 0x047145, 0x05c75d, 0x05d71d, 0x05d75c, 0x05d75d, 0x05f75c, 0x00040c, 0x04005d,
    0x040145, 0x041040, 0x045144, 0x047104, 0x049209, 0x05775d, 0x05f75d, 0x04f34c, 0x049248, 0x04b248,
};

constexpr CompactForm form(datatypes, native_form::is_ternary<Set>);

}  // namespace

Instruction decode(const Native& bits) { return native_form::decode<Set>(bits); }
bool has_opcode(Opcode opcode) { return native_form::has<Set>(opcode); }
Native encode(const Instruction& instruction) { return native_form::encode<Set>(instruction); }
std::optional<Instruction> decode(std::span<const std::byte> code) { return native_form::decode<Set>(code, uncompact); }
std::optional<uint64_t> compact(const Native& native) { return form.compact(native); }
Native uncompact(uint64_t compacted) { return form.uncompact(compacted); }

}  // namespace softgen::eu::gen9
