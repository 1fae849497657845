// SPDX-License-Identifier: GPL-2.0-or-later
// Rules of Ironlake's own (Mesa elk_eu_validate.c, elk_eu_emit.c; ILK's manual of the EU is not among ours).
#include "hw/eu/isa/gen5/isa.h"
#include "hw/eu/isa/gen5/parts.h"
#include "hw/eu/isa/gen8/rules.h"

namespace softgen::eu::gen5 {

namespace {

using Result = std::string;

Result check_file(const Isa& isa, const Instruction& i, const OpcodeInfo& row) {
  const bool to_message = row.destinations && !i.dst.indirect && i.dst.file == RegFile::grf && i.dst.reg >= first_message_register;
  if (is_send(row) && to_message) return "a message is answered to general registers";
  if (i.interleaved_halves && i.compression != 2) return "only the halves of a compressed instruction are apart";
  if (row.form == Form::jump && i.exec_size != 1) return "jmpi has one channel";
  for (const Operand& s : i.src)
    if (s.file == RegFile::grf && !s.indirect && s.reg >= isa.limits().registers) return "a source register number is beyond 127";
  return {};
}

/// Halves of a compressed instruction are eight channels each, and their results go to registers that follow each other.
Result check_compression(const Isa&, const Instruction& i, const OpcodeInfo& row) {
  if (i.compression == 3) return "the compression control is reserved";
  if (i.compression == 2 && i.exec_size != 16) return "a compressed instruction has 16 channels";
  if (i.compression == 1 && i.exec_size > 8) return "the second half of a pair has at most 8 channels";
  if (i.compression == 2 && row.form == Form::branch) return "a branch is not compressed";
  return {};
}

Result check_align16(const Isa&, const Instruction& i, const OpcodeInfo& row) {
  if (i.access_mode != AccessMode::align16 || row.form != Form::basic) return {};
  if (i.dst.hstride != 1 && !i.dst.is_null()) return "align16 destinations need a stride of 1";
  for (unsigned n = 0; n < row.sources; n++)
    if (i.src[n].file == RegFile::grf && i.src[n].vstride != 0 && i.src[n].vstride != 3)
      return "align16 sources need a vertical stride of 0 or 4";
  return {};
}

/// Of a branch and a message, whose operands the common rules leave out.
Result check_reserved(const Isa&, const Instruction& i, const OpcodeInfo& row) {
  if (!is_send(row) && row.form != Form::branch && row.form != Form::jump) return {};
  for (const Operand* o : {&i.dst, &i.src[0], &i.src[1]})
    if (o->type == RegType::invalid || o->file == RegFile::reserved) return "a type or register file is reserved";
  return is_send(row) || i.dst.file == RegFile::arf ? Result() : "a branch has ip or null as destination";
}

Result check_message(const Isa& isa, const Instruction& i, const OpcodeInfo& row) {
  if (!is_send(row)) return {};
  if (i.src[0].file == RegFile::imm) return "src0 of a message is an immediate";
  if (i.descriptor_in_register) return i.src[1].is_arf(Arf::address) ? Result() : "a descriptor in a register is in a0";
  const unsigned length = isa.message_fields(i.descriptor).length;
  return i.first_message + length > message_registers ? "the message reaches beyond m15" : Result();
}

}  // namespace

std::string validate(const Instruction& i) {
  static constexpr Rule rules[] = {check_file, check_compression, check_align16, check_reserved, check_message};
  Instruction common = i;
  if (i.opcode == Opcode::frc) common.saturate = false;  // Mesa's tests have frc.sat
  return broken_rule(gen5_isa(), common, {has_opcode, rules});
}

}  // namespace softgen::eu::gen5
