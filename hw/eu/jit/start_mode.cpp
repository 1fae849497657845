// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/eu/jit/start_mode.h"

#include "hw/eu/program/op.h"

namespace softgen::eu::jit {
namespace {

constexpr uint32_t denormals = cr0::denorm_f16 | cr0::denorm_f32 | cr0::denorm_f64;
constexpr size_t max_before = 8;

bool is_mode(const Operand& o) { return o.is_arf(Arf::control) && o.subreg == 0 && o.type == RegType::ud && !o.negate && !o.abs; }

/// The denormal modes that the op turns on; 0: it is something else.
uint32_t turned_on(const Op& op) {
  const Instruction& i = *op.instruction;
  const bool plain = i.opcode == Opcode::or_ && op.exec_size == 1 && op.no_mask && !op.pred && !op.cond && !op.saturate && !op.acc_write;
  if (!plain || !is_mode(i.dst) || !is_mode(i.src[0]) || i.src[1].file != RegFile::imm || i.src[1].negate) return 0;
  if (i.src[1].type != RegType::uw && i.src[1].type != RegType::ud) return 0;
  const auto bits = static_cast<uint32_t>(i.imm) & (i.src[1].type == RegType::uw ? 0xffff : ~0u);
  return bits & ~denormals ? 0 : bits;
}

/// Moves bits between general registers.
bool moves(const Op& op) {
  const Instruction& i = *op.instruction;
  if (i.opcode == Opcode::nop || i.opcode == Opcode::sync) return !i.is_wait();
  const bool general = i.dst.file == RegFile::grf && (i.src[0].file == RegFile::grf || i.src[0].file == RegFile::imm);
  return i.opcode == Opcode::mov && general && !is_float(i.dst.type) && !is_float(i.src[0].type);
}

}  // namespace

StartMode start_mode(const Program& program) {
  const auto ops = program.ops();
  for (size_t n = 0; n < ops.size() && n <= max_before; n++) {
    if (const uint32_t bits = turned_on(ops[n])) return {n, bits};
    if (!moves(ops[n])) break;
  }
  return {};
}

}  // namespace softgen::eu::jit
