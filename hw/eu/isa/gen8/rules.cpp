// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/eu/isa/gen8/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace softgen::eu {

namespace {

using Result = std::string;

bool has_operands(const OpcodeInfo& row) { return row.form == Form::basic || row.form == Form::math || row.form == Form::ternary; }

Result check_controls(const Isa& isa, const Instruction& i, const OpcodeInfo& row) {
  if (i.exec_size > isa.limits().max_exec_size) return "the execution size is reserved";
  if (i.channel_offset() + i.exec_size > 32 && !i.no_mask) return "the channel group reaches beyond channel 31";
  const bool align16 = i.access_mode == AccessMode::align16;
  if (i.pred_control > (align16 ? 7 : 13)) return "the predicate control is reserved";
  if (i.pred_control && !row.has('p')) return "this opcode takes no predicate";
  if (i.saturate && !row.has('s') && !is_send(row)) return "this opcode cannot saturate";
  if (row.form == Form::sync) return {};
  if (row.form == Form::math) {
    if (math_function_name(i.cond_mod).empty()) return "the math function is reserved";
  } else if (!is_send(row) && i.cond_mod) {
    const bool rounds = isa.limits().rounds_in_two_steps && static_cast<CondMod>(i.cond_mod) == CondMod::r;
    if (cond_mod_name(i.cond_mod).empty() && !rounds) return "the conditional modifier is reserved";
    if (!row.has('c') && row.form != Form::branch) return "this opcode takes no conditional modifier";
  }
  if (i.thread_control == 3) return "the thread control is reserved";
  return {};
}

Result check_dst_type(const Isa& isa, const Instruction& i, const OpcodeInfo& row) {
  if (!row.destinations || is_send(row)) return {};
  const Operand& d = i.dst;
  const bool plain = row.form != Form::call;  // Gen12's call has neither type nor stride
  if (plain && d.type == RegType::invalid) return "the destination type is reserved";
  if (plain && !d.is_null() && !takes(isa.limits(), row, row.dst_types, d.type))
    return fmt::format("{} cannot write {}", row.name, info(d.type).name);
  if (d.file == RegFile::reserved || d.file == RegFile::imm) return "the destination register file is reserved";
  if (!d.indirect && d.file == RegFile::grf && d.reg >= isa.limits().registers + isa.limits().message_registers)
    return "the destination register number is beyond the last";
  if (plain && i.access_mode == AccessMode::align1 && d.hstride == 0) return "the destination stride is zero";
  return {};
}

Result check_source(const Isa& isa, const Instruction& i, const OpcodeInfo& row, unsigned n) {
  const Operand& s = i.src[n];
  if (s.file == RegFile::reserved) return "a source register file is reserved";
  if (s.type == RegType::invalid) return "a source type is reserved";
  if (s.file == RegFile::imm) {
    if (row.sources == 2 && n == 0) return "src0 of two sources is an immediate";
    if (n == 1 && size_of(s.type) == 8) return "src1 is a 64-bit immediate";
    if (!takes(isa.limits(), row, row.src_types, s.type) && !is_packed_vector(s.type))
      return fmt::format("{} cannot read {}", row.name, info(s.type).name);
    return {};
  }
  if (s.is_null()) return {};
  if (!takes(isa.limits(), row, row.src_types, s.type)) return fmt::format("{} cannot read {}", row.name, info(s.type).name);
  if (!s.indirect && s.file == RegFile::grf && s.reg >= isa.limits().registers) return "a source register number is beyond 127";
  if ((s.negate || s.abs) && !row.has('m')) return "this opcode takes no source modifiers";
  if (s.abs && row.has('n') && !isa.limits().logic_negates) return "logic operations have no absolute value";
  return {};
}

/// "Register Region Restrictions" 3.3.10.1, general rules on <VertStride; Width, HorzStride>.
Result check_region(const Instruction& i, const Operand& s) {
  if (s.file == RegFile::imm || s.is_null() || i.access_mode == AccessMode::align16) return {};
  if (s.vstride != vstride_indirect && s.vstride > 6) return "the vertical stride is reserved";
  if (s.width > 4) return "the width is reserved";
  if (s.vstride == vstride_indirect) return s.indirect ? Result() : "a VxH region needs an indirect address";
  const unsigned v = vstride_elements(s.vstride), w = width_elements(s.width), h = hstride_elements(s.hstride);
  const unsigned exec = i.exec_size;
  if (exec < w) return "the width exceeds the execution size";
  if (exec == w && h != 0 && v != w * h) return "execution size equals width: the vertical stride must be width times horizontal stride";
  if (w == 1 && h != 0) return "width 1 needs horizontal stride 0";
  if (exec == 1 && w == 1 && (v != 0 || h != 0)) return "a scalar needs strides of 0";
  if (v == 0 && h == 0 && w != 1) return "strides of 0 need width 1";
  if (s.indirect) return {};
  // Rows may not cross registers by themselves: a row lies within one or starts a new one.
  const unsigned size = size_of(s.type);
  const unsigned rows = exec / w;
  const unsigned last = s.subreg + ((rows - 1) * v + (w - 1) * h) * size + size - 1;
  if (last / 32 > 1) return "a source region spans more than two registers";
  return {};
}

Result check_dst_span(const Isa&, const Instruction& i, const OpcodeInfo& row) {
  const Operand& d = i.dst;
  if (!row.destinations || d.is_null() || d.indirect || d.file != RegFile::grf) return {};
  if (i.access_mode == AccessMode::align16) return {};
  const unsigned last = d.subreg + (i.exec_size - 1) * hstride_elements(d.hstride) * size_of(d.type) + size_of(d.type) - 1;
  if (last / 32 > 1) return "the destination spans more than two registers";
  if (d.subreg % size_of(d.type)) return "the destination is not aligned to its type";
  return {};
}

Result check_math(const Isa&, const Instruction& i, const OpcodeInfo& row) {
  if (row.form != Form::math) return {};
  const MathFunction function = i.math_function();
  const bool integer =
      function == MathFunction::int_div_both || function == MathFunction::int_quotient || function == MathFunction::int_remainder;
  if (integer == is_float(i.src[0].type)) return "the math function does not take this type";
  return integer && i.exec_size > 8 ? "integer division has at most 8 channels" : Result();
}

Result check_send(const Isa& isa, const Instruction& i, const OpcodeInfo& row) {
  if (!is_send(row)) return {};
  if (isa.sfid_name(i.sfid()).empty()) return "the shared function is reserved";
  if (row.form == Form::send && !isa.limits().message_registers && i.src[0].file != RegFile::grf && !i.src[0].indirect)
    return "a message payload must be in GRF";
  const bool direct = !i.src[0].indirect;
  if (i.end_of_thread && direct && i.src[0].reg < isa.limits().eot_register)
    return "a message with EOT must take its payload from g112 to g127";
  if (i.end_of_thread && row.form == Form::split_send && i.src[1].file == RegFile::grf && i.src[1].reg < isa.limits().eot_register)
    return "a message with EOT must take its payload from g112 to g127";
  if (i.descriptor_in_register) return {};
  const MessageFields fields = isa.message_fields(i.descriptor);
  if (fields.length == 0) return "the message length is zero";
  if (direct && !isa.limits().message_registers && i.src[0].reg + fields.length > isa.limits().registers)
    return "the payload reaches beyond g127";
  if (!i.dst.is_null() && !i.dst.indirect && i.dst.reg + fields.response_length > isa.limits().registers)
    return "the response reaches beyond g127";
  if (row.form == Form::split_send && !i.ex_descriptor_in_register && direct && i.src[1].file == RegFile::grf) {
    const unsigned a = i.src[0].reg, b = i.src[1].reg, length = isa.extended_message_length(i.ex_descriptor);
    if (b + length > isa.limits().registers) return "the second payload reaches beyond g127";
    if (a < b + length && b < a + fields.length) return "the two payloads overlap";
  }
  return {};
}

/// Execution types: integer and float sources do not mix, and with 64-bit types the destination stride keeps qwords apart.
Result check_exec_type(const Isa& isa, const Instruction& i, const OpcodeInfo& row) {
  if (!has_operands(row) || row.sources < 2 || isa.limits().mixes_floats) return {};
  const Operand &a = i.src[0], &b = i.src[1];
  if (i.opcode == Opcode::movi || b.is_null() || row.form == Form::math) return {};
  if (is_float(a.type) != is_float(b.type)) return "float and integer sources are mixed";
  return {};
}

}  // namespace

std::string check_macro(const Isa&, const Instruction& i, const OpcodeInfo& row) {
  if (!i.special_accumulators) return {};
  const auto plain = [](const Operand& o) { return o.file == RegFile::grf && !o.indirect && o.type == RegType::f; };
  const unsigned sources = i.opcode == Opcode::math && i.math_function() == MathFunction::rsqtm ? 1 : row.sources;
  return plain(i.dst) && std::all_of(i.src, i.src + sources, plain) ? Result() : "madm, invm and rsqtm take F in general registers";
}

std::string check_native_float(const Isa&, const Instruction& i, const OpcodeInfo& row) {
  const auto other_than_accumulator = [](const Operand& o) { return o.type == RegType::nf && (!o.is_arf(Arf::accumulator) || o.subreg); };
  const bool stray = (row.destinations && other_than_accumulator(i.dst)) || std::any_of(i.src, i.src + row.sources, other_than_accumulator);
  if (stray) return "NF is of accumulators, from their beginning";
  const bool last = row.sources > 1 && i.src[row.sources - 1].type == RegType::nf;
  if (last) return "the last source is NF";
  return i.dst.type == RegType::nf && i.acc_write ? "an instruction that writes NF updates no accumulator besides" : Result();
}

std::string check_ternary(const Isa& isa, const Instruction& i, const OpcodeInfo& row) {
  if (row.form != Form::ternary) return {};
  if (i.dst.file == RegFile::grf && i.dst.reg >= isa.limits().registers) return "the destination register number is beyond 127";
  if (size_of(i.src[1].type) == 1 || size_of(i.src[2].type) == 1) return "src1 or src2 of three sources is a byte";
  const bool first = i.src[0].file == RegFile::imm, last = i.src[2].file == RegFile::imm;
  if (first && last) return "two sources are immediates";
  if ((first && size_of(i.src[0].type) != 2) || (last && size_of(i.src[2].type) != 2)) return "an immediate of three sources has 16 bits";
  return {};
}

std::string broken_rule(const Isa& isa, const Instruction& i, const OwnRules& own) {
  const OpcodeInfo* row = i.info();
  if (!row || !own.has(i.opcode)) return "the opcode is reserved";
  if (i.opcode == Opcode::illegal) return "the opcode is illegal";
  Result why = check_controls(isa, i, *row);
  if (why.empty()) why = check_dst_type(isa, i, *row);
  if (has_operands(*row)) {
    for (unsigned n = 0; n < row->sources && why.empty(); n++) {
      why = check_source(isa, i, *row, n);
      if (why.empty() && row->form != Form::ternary) why = check_region(i, i.src[n]);
    }
  }
  for (Rule rule : {check_dst_span, check_math, check_send, check_exec_type})
    if (why.empty()) why = rule(isa, i, *row);
  for (Rule rule : own.rules)
    if (why.empty()) why = rule(isa, i, *row);
  return why;
}

}  // namespace softgen::eu
