// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/eu/jit/products.h"

#include "hw/eu/jit/footprint.h"
#include "hw/eu/program/op.h"

namespace softgen::eu::jit {
namespace {

bool plain(const Op& op) { return !op.cond && !op.saturate && !op.acc_write && !op.align16; }

bool same_channels(const Instruction& a, const Instruction& b) {
  return a.exec_size == b.exec_size && a.no_mask == b.no_mask && a.qtr_control == b.qtr_control && a.nib_control == b.nib_control &&
         static_cast<const Predication&>(a) == static_cast<const Predication&>(b);
}

bool is_direct(const Source& s) { return s.fetch != Fetch::none && s.fetch != Fetch::indirect && s.fetch != Fetch::indirect_vx; }

bool is_dword(const Operand& o) { return size_of(o.type) == 4 && !is_float(o.type) && !o.negate && !o.abs; }

/// `word` reads the low words of the dwords that `dword` reads.
bool low_words(const Op& mul, const Op& mach) {
  const Source &word = mul.src[1], &dword = mach.src[1];
  const Operand& o = mul.instruction->src[1];
  if (word.type != RegType::uw || o.negate || o.abs || !is_direct(word) || !is_direct(dword)) return false;
  if (word.fetch == Fetch::immediate || dword.fetch == Fetch::immediate)
    return word.fetch == dword.fetch && (mul.instruction->imm & 0xffff) == (mach.instruction->imm & 0xffff);
  for (unsigned k = 0; k < mul.exec_size; k++)
    if (element_offset(word, k) != element_offset(dword, k) || !is_slot(element_offset(word, k))) return false;
  return true;
}

bool is_product(const Op& mul, const Op& mach) {
  const Instruction &m = *mul.instruction, &h = *mach.instruction;
  if (m.opcode != Opcode::mul || h.opcode != Opcode::mach || !h.low_product || !plain(mul) || !plain(mach) || !same_channels(m, h))
    return false;
  const bool to_acc0 = m.dst.is_arf(Arf::accumulator) && (m.dst.reg & 15) == 0 && m.dst.subreg == 0 && m.dst.type == m.src[0].type;
  return to_acc0 && m.src[0] == h.src[0] && is_dword(m.src[0]) && m.src[0].file == RegFile::grf && is_direct(mul.src[0]) &&
         is_dword(h.src[1]) && is_dword(h.dst) && h.dst.file == RegFile::grf && low_words(mul, mach);
}

bool touches_accumulators(const Footprint& f) {
  return f.all_reads || f.all_writes || f.reads[acc_slot] || f.reads[acc_slot + 1] || f.writes[acc_slot] || f.writes[acc_slot + 1];
}

/// A move to an accumulator.
bool only_writes(const Op& op) {
  const Instruction& i = *op.instruction;
  return i.opcode == Opcode::mov && i.dst.is_arf(Arf::accumulator) && !i.src[0].indirect && !i.src[0].is_arf(Arf::accumulator);
}

}  // namespace

Products find_products(const Program& program, const std::vector<bool>& leaders) {
  const auto ops = program.ops();
  Products found{.mach = std::vector<bool>(ops.size()), .alone = true};
  for (size_t n = 1; n < ops.size(); n++) found.mach[n] = !leaders[n] && is_product(ops[n - 1], ops[n]);
  for (size_t n = 0; n < ops.size(); n++) {
    const bool of_pair = found.mach[n] || (n + 1 < ops.size() && found.mach[n + 1]);
    if (!of_pair && !only_writes(ops[n]) && touches_accumulators(footprint(ops[n]))) found.alone = false;
  }
  return found;
}

}  // namespace softgen::eu::jit
