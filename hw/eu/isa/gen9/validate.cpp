// SPDX-License-Identifier: GPL-2.0-or-later
// Rules of Gen9's own: align16, and what three-source instructions and math functions take (SKL PRM vol 7).
#include "hw/eu/isa/gen8/rules.h"
#include "hw/eu/isa/gen9/isa.h"
#include "hw/eu/isa/gen9/parts.h"

namespace softgen::eu::gen9 {

namespace {

using Result = std::string;

Result check_align16(const Isa&, const Instruction& i, const OpcodeInfo& row) {
  if (i.access_mode != AccessMode::align16 || row.form == Form::ternary || is_send(row)) return {};
  if (i.dst.indirect || i.src[0].indirect) return {};
  for (unsigned n = 0; n < row.sources; n++) {
    const Operand& s = i.src[n];
    if (s.file == RegFile::grf && s.vstride != 0 && s.vstride != 3 && s.vstride != 2)
      return "align16 sources need a vertical stride of 0, 2 or 4";
  }
  const auto wide = [&](const Operand& o, unsigned from) {
    return o.file == RegFile::grf && !o.indirect && from + i.exec_size * size_of(o.type) > 64;
  };
  bool spans = row.destinations && wide(i.dst, i.dst.subreg);
  for (unsigned n = 0; n < row.sources; n++) spans = spans || (i.src[n].vstride && wide(i.src[n], i.src[n].subreg));
  if (spans) return "an align16 operand spans more than two registers";
  if (i.dst.hstride != 1 && !i.dst.is_null()) return "align16 destinations need a stride of 1";
  return {};
}

Result check_ternary(const Isa& isa, const Instruction& i, const OpcodeInfo& row) {
  if (row.form != Form::ternary) return {};
  if (i.access_mode != AccessMode::align16) return "three-source instructions are align16 on Gen9";
  if (!allows("DHFL", i.dst.type) || !allows("DHFL", i.src[0].type)) return "three sources are D, UD, HF, F or DF on Gen9";
  if (i.opcode == Opcode::csel && i.dst.type != RegType::f) return "csel takes F on Gen9";
  if (i.dst.reg >= isa.limits().registers) return "the destination register number is beyond 127";
  return {};
}

Result check_math(const Isa&, const Instruction& i, const OpcodeInfo& row) {
  if (row.form != Form::math) return {};
  const bool macro = i.is_macro();
  if (macro && i.access_mode != AccessMode::align16) return "invm and rsqtm are align16";
  return i.src[0].type == RegType::df && !macro ? "this math function does not take DF" : Result();
}

}  // namespace

std::string validate(const Instruction& i) {
  static constexpr Rule rules[] = {check_align16, check_ternary, check_math};
  return broken_rule(gen9_isa(), i, {has_opcode, rules});
}

}  // namespace softgen::eu::gen9
