// SPDX-License-Identifier: GPL-2.0-or-later
// Rules of Gen12's own (Mesa brw_eu_validate.c; IGA's GEN12p1).
#include <algorithm>

#include "hw/eu/isa/gen12/isa.h"
#include "hw/eu/isa/gen12/parts.h"
#include "hw/eu/isa/gen8/rules.h"

namespace softgen::eu::gen12 {

namespace {

using Result = std::string;

bool is_byte(RegType type) { return size_of(type) == 1; }

/// Tiger Lake's EUs lack 64-bit types (Mesa intel_device_info.c, has_64bit_float and has_64bit_int of Gfx12.0).
Result check_types(const Isa&, const Instruction& i, const OpcodeInfo& row) {
  if (is_send(row)) return {};
  const auto is_wide = [&](const Operand& o) { return size_of(o.type) == 8 && (o.type != RegType::nf || row.form != Form::ternary); };
  const bool wide = (row.destinations && is_wide(i.dst)) || std::any_of(i.src, i.src + row.sources, is_wide);
  if (wide) return "types of 64 bits are not there on Gen12.0";
  if (row.sources == 2 && row.form == Form::basic && is_byte(i.src[1].type) && !i.src[1].is_null()) return "src1 of two sources is a byte";
  return {};
}

/// has_integer_dword_mul is false; of mul, mac and mad (Mesa intel_device_info.c).
Result check_multiplication(const Isa&, const Instruction& i, const OpcodeInfo&) {
  if (is_float(i.src[0].type)) return {};
  const unsigned first = i.opcode == Opcode::mad ? 1 : 0;
  if (i.opcode != Opcode::mul && i.opcode != Opcode::mad) return {};
  const Operand &a = i.src[first], &b = i.src[first + 1];
  if (size_of(a.type) == 4 && size_of(b.type) == 4) return "one factor of an integer product has at most 16 bits";
  return {};
}

Result check_dp4a(const Isa&, const Instruction& i, const OpcodeInfo&) {
  if (i.opcode != Opcode::dp4a) return {};
  const bool dwords = size_of(i.src[1].type) == 4 && (size_of(i.src[2].type) == 4 || i.src[2].file == RegFile::imm);
  return dwords ? Result() : "dp4a multiplies bytes of dwords";
}

Result check_sync(const Isa&, const Instruction& i, const OpcodeInfo& row) {
  if (row.form != Form::sync) return {};
  if (sync_function_name(i.cond_mod).empty()) return "the function of sync is reserved";
  return i.src[0].file == RegFile::imm || i.src[0].is_null() ? Result() : "sync takes an immediate or nothing";
}

}  // namespace

std::string validate(const Instruction& i) {
  static constexpr Rule rules[] = {check_types,   check_native_float, check_macro, check_multiplication,
                                   check_ternary, check_dp4a,         check_sync};
  return broken_rule(gen12_isa(), i, {has_opcode, rules});
}

}  // namespace softgen::eu::gen12
