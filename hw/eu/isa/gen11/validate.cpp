// SPDX-License-Identifier: GPL-2.0-or-later
// Rules of Gen11's own (Mesa brw_eu_validate.c; IGC's ModelGen11).
#include <algorithm>

#include "hw/eu/isa/gen11/isa.h"
#include "hw/eu/isa/gen11/parts.h"
#include "hw/eu/isa/gen8/rules.h"

namespace softgen::eu::gen11 {

namespace {

using Result = std::string;

bool is_byte(RegType type) { return size_of(type) == 1; }

Result check_access_mode(const Isa&, const Instruction& i, const OpcodeInfo&) {
  return i.access_mode == AccessMode::align16 ? "align16 is not there on Gen11" : Result();
}

/// Ice Lake's EUs lack 64-bit types (Mesa intel_device_info.c, has_64bit_float and has_64bit_int of Gfx11).
Result check_types(const Isa&, const Instruction& i, const OpcodeInfo& row) {
  if (is_send(row)) return {};
  const auto is_wide = [](const Operand& o) { return size_of(o.type) == 8 && o.type != RegType::nf; };
  const bool wide = (row.destinations && is_wide(i.dst)) || std::any_of(i.src, i.src + row.sources, is_wide);
  if (wide) return "types of 64 bits are not there on Gen11";
  if (row.sources == 2 && row.form == Form::basic && is_byte(i.src[1].type) && !i.src[1].is_null()) return "src1 of two sources is a byte";
  return {};
}

Result check_multiplication(const Isa&, const Instruction& i, const OpcodeInfo&) {
  if (i.opcode != Opcode::mul || is_float(i.src[0].type)) return {};
  return size_of(i.src[0].type) == 4 && size_of(i.src[1].type) == 4 ? "one factor of an integer product has at most 16 bits" : Result();
}

Result check_ternary_immediate(const Isa&, const Instruction& i, const OpcodeInfo& row) {
  if (row.form != Form::ternary || i.opcode == Opcode::mad) return {};
  const bool immediate = i.src[0].file == RegFile::imm || i.src[2].file == RegFile::imm;
  return immediate ? "of three-source instructions only mad takes an immediate" : Result();
}

}  // namespace

std::string validate(const Instruction& i) {
  static constexpr Rule rules[] = {check_access_mode,    check_types,   check_native_float,     check_macro,
                                   check_multiplication, check_ternary, check_ternary_immediate};
  return broken_rule(gen11_isa(), i, {has_opcode, rules});
}

}  // namespace softgen::eu::gen11
