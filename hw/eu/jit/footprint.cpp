// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/eu/jit/footprint.h"

#include <algorithm>

#include "hw/eu/jit/message_registers.h"

namespace softgen::eu::jit {

namespace {

void mark(Slots& slots, unsigned byte, unsigned size) {
  for (unsigned at = byte; at < byte + size; at++)
    if (is_slot(at)) slots.set(at / 32);
}

void mark_registers(Slots& slots, unsigned first, unsigned count) {
  for (unsigned r = first; r < std::min(first + count, grf_count); r++) slots.set(r);
}

void mark_accumulators(Footprint& f, bool writes) {
  for (unsigned n = 0; n < 2; n++) {
    f.reads.set(acc_slot + n);
    if (writes) f.writes.set(acc_slot + n);
  }
}

/// With a descriptor in a register the lengths are unknown: the largest are assumed.
void send(const Op& op, Footprint& f) {
  const Instruction& i = *op.instruction;
  const bool split = i.info()->form == Form::split_send;
  f.all_reads = i.src[0].indirect;
  f.all_writes = i.dst.indirect;
  if (i.descriptor_in_register || i.ex_descriptor_in_register) f.reads.set(address_slot);
  const unsigned length = op.message ? op.message->length : 15, answer = op.message ? op.message->response_length : 31;
  mark_registers(f.reads, i.src[0].reg, length);
  if (split && i.src[1].file == RegFile::grf)
    mark_registers(f.reads, i.src[1].reg, i.ex_descriptor_in_register ? 15 : op.message ? op.message->extended_length : op.second_length);
  if (!i.dst.is_null()) mark_registers(f.writes, i.dst.reg, answer);
}

void source(const Op& op, unsigned n, Footprint& f);

/// A send from message registers.
void message(const Op& op, Footprint& f) {
  const Instruction& i = *op.instruction;
  const unsigned first = grf_count + i.first_message;
  if (op.message) {
    const bool math = op.message->kind == MessageKind::math;
    const unsigned halves = math && op.exec_size > 8 ? 2 : 1;
    f.all_reads = i.src[0].indirect;
    f.all_writes = i.dst.indirect;
    mark(f.reads, first * 32, op.message->length * halves * 32);
    const unsigned to = i.dst.reg * 32u + (math ? i.dst.subreg : 0u), answer = i.dst.is_null() ? 0 : op.message->response_length * 32;
    mark(f.writes, to, answer * halves);
    // Functions with two results have the second one in the next register, whatever the message's length.
    for (unsigned half = 0; math && answer && half < halves; half++) mark(f.writes, (to + half * answer + 32) & (grf_bytes - 1), 32);
  } else {
    f.all_reads = f.all_writes = true;
    f.reads.set(address_slot);
  }
  const unsigned moved = moved_registers(op);
  if (!moved) return;
  mark(f.moved, first * 32, moved * 32);
  f.writes |= f.moved;
  if (moves_whole_registers(op)) mark(f.reads, op.src[0].base, moved * 32);
  else source(op, 0, f);
}

void source(const Op& op, unsigned n, Footprint& f) {
  const Source& s = op.src[n];
  switch (s.fetch) {
    case Fetch::none:
    case Fetch::immediate: return;
    case Fetch::indirect:
    case Fetch::indirect_vx:
      f.reads.set(address_slot);
      f.all_reads = true;
      return;
    default:
      for (unsigned k = 0; k < op.exec_size; k++) mark(f.reads, element_offset(s, k), size_of(s.type));
  }
}

/// Operands that are not accessed as their region says.
void special(const Op& op, Footprint& f) {
  const Instruction& i = *op.instruction;
  switch (i.opcode) {
    case Opcode::line:
    case Opcode::pln:
      mark(f.reads, op.src[0].base, 16);
      if (i.opcode == Opcode::pln) mark(f.reads, op.src[1].base, op.groups * 64);
      break;
    case Opcode::dp2:
    case Opcode::dp3:
    case Opcode::dp4:
    case Opcode::dph:
      // Each group of four channels reads four elements.
      f.all_reads = f.all_reads || !op.of_vectors || op.exec_size % 4;
      break;
    case Opcode::madm: f.all_reads = true; break;
    case Opcode::math: {
      if (i.is_macro()) f.all_reads = true;
      if (i.math_function() == MathFunction::int_div_both && op.dst.place == Place::contiguous)
        mark(f.writes, (op.dst.base + op.groups * 32u) & (grf_bytes - 1), op.exec_size * 4);
      break;
    }
    case Opcode::mac:
    case Opcode::sada2: mark_accumulators(f, false); break;
    case Opcode::mach: mark_accumulators(f, !op.instruction->low_product); break;
    case Opcode::addc:
    case Opcode::subb: mark_accumulators(f, true); break;
    default: break;
  }
}

}  // namespace

Footprint footprint(const Op& op) {
  Footprint f;
  const Instruction& i = *op.instruction;
  const OpcodeInfo* row = i.info();
  if (!row || op.writes_control) return f;  // see start_mode.h
  if (is_send(*row)) {
    op.message_registers ? message(op, f) : send(op, f);
    return f;
  }
  if (row->form != Form::basic && row->form != Form::math && row->form != Form::ternary) return f;
  for (unsigned n = 0; n < op.sources; n++) source(op, n, f);
  if (op.dst.place == Place::indirect) {
    f.reads.set(address_slot);
    f.all_writes = true;
  }
  if (op.dst.place == Place::contiguous || op.dst.place == Place::offsets)
    for (unsigned k = 0; k < op.exec_size; k++) {
      mark(f.writes, element_offset(op.dst, k), size_of(op.dst.type));
      f.flags = f.flags || in_flags(element_offset(op.dst, k));
    }
  if (op.acc_write || op.to_accumulator) mark_accumulators(f, true);
  f.flags = f.flags || op.cond || i.opcode == Opcode::math;
  special(op, f);
  return f;
}

}  // namespace softgen::eu::jit
