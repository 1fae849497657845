// SPDX-License-Identifier: GPL-2.0-or-later
// Instruction to Op: which lanes the operands become, and which kernel works on them.
#include <algorithm>

#include "hw/base/log.h"
#include "hw/eu/program/handlers.h"

namespace softgen::eu {

namespace {

RegType unsigned_of(unsigned size) { return size == 8 ? RegType::uq : size == 4 ? RegType::ud : size == 2 ? RegType::uw : RegType::ub; }

const KernelTable& table() { return kernels(); }

Kernel kernel_of(LaneKind kind, KernelOp op) {
  const auto n = static_cast<unsigned>(op);
  switch (kind) {
    case LaneKind::i32: return table().i32[n];
    case LaneKind::i64: return table().i64[n];
    case LaneKind::f32: return table().f32[n];
    case LaneKind::f64: return table().f64[n];
    case LaneKind::exact: break;
  }
  return nullptr;
}

const CompareKernel* compares(LaneKind kind, bool with_sign) {
  switch (kind) {
    case LaneKind::i32: return with_sign ? table().compare_i32 : table().compare_u32;
    case LaneKind::i64: return with_sign ? table().compare_i64 : table().compare_u64;
    case LaneKind::f32: return table().compare_f32;
    case LaneKind::f64: return table().compare_f64;
    case LaneKind::exact: break;
  }
  return nullptr;
}

/// Handlers of control flow, messages, wait and nop.
Execute handler_of(Opcode opcode) {
  switch (opcode) {
    case Opcode::sync:
    case Opcode::nop: return execute_nop;
    case Opcode::send:
    case Opcode::sendc:
    case Opcode::sends:
    case Opcode::sendsc:
    case Opcode::send2:
    case Opcode::sendc2: return execute_send;
    case Opcode::jmpi: return execute_jmpi;
    case Opcode::if_: return execute_if;
    case Opcode::else_: return execute_else;
    case Opcode::endif:
    case Opcode::join: return execute_endif;
    case Opcode::while_: return execute_while;
    case Opcode::break_:
    case Opcode::cont:
    case Opcode::halt: return execute_break;
    case Opcode::goto_: return execute_goto;
    case Opcode::brd:
    case Opcode::brc: return execute_branch;
    case Opcode::call:
    case Opcode::calla: return execute_call;
    case Opcode::ret: return execute_ret;
    default: return execute_illegal;
  }
}

}  // namespace

bool OpBuilder::float_sources() const {
  for (unsigned n = 0; n < op_.sources; n++)
    if (is_float(op_.src[n].type) && !(n && op_.src[n].fetch == Fetch::none)) return true;
  return false;
}

bool OpBuilder::any_source(RegType type) const {
  for (unsigned n = 0; n < op_.sources; n++)
    if (op_.src[n].type == type && !(n && op_.src[n].fetch == Fetch::none)) return true;
  return false;
}

bool OpBuilder::modified() const {
  return std::any_of(op_.src, op_.src + op_.sources, [](const Source& s) { return s.negate || s.abs || s.bit_not; });
}

bool OpBuilder::touches_accumulator() const { return op_.acc_write || op_.to_accumulator; }

/// i32 where 32 bits hold all of it, else i64.
LaneKind OpBuilder::wrapping_kind() const {
  bool wide = size_of(op_.dst.type) == 8;
  for (unsigned n = 0; n < op_.sources; n++) wide = wide || size_of(op_.src[n].type) == 8;
  return wide ? LaneKind::i64 : LaneKind::i32;
}

void OpBuilder::use(KernelOp op) {
  op_.kernel = kernel_of(op_.kind, op);
  op_.execute = execute_kernel;
}

/// Values that are only moved: the same bits as unsigned integers.
void OpBuilder::raw_types(bool with_destination) {
  for (unsigned n = 0; n < op_.sources; n++)
    if (!is_packed_vector(op_.src[n].type)) op_.src[n].type = unsigned_of(size_of(op_.src[n].type));
  if (with_destination) op_.dst.type = unsigned_of(size_of(op_.dst.type));
}

void OpBuilder::choose_mov() {
  const RegType from = op_.src[0].type, to = op_.dst.type;
  const bool plain = !modified() && !op_.saturate && !op_.cond && !touches_accumulator();
  if (plain && from == to) {
    // A raw move keeps denormals and NaN as they are.
    raw_types(true);
    op_.kind = wrapping_kind();
  } else if (is_float(from)) {
    op_.kind = from == RegType::df || to == RegType::df ? LaneKind::f64 : LaneKind::f32;
    op_.flush = true;
    if (op_.kind == LaneKind::f32) return use(KernelOp::copy);
  } else if (op_.saturate || (is_float(to) && (from == RegType::uq || (from == RegType::q && modified()))) || touches_accumulator() ||
             op_.cond == 8) {
    return choose_exact();
  } else {
    op_.kind = is_float(to) ? LaneKind::i64 : wrapping_kind();
  }
  use(KernelOp::copy);
}

void OpBuilder::choose_sel() {
  const bool same = op_.src[0].type == op_.src[1].type && op_.src[0].type == op_.dst.type;
  op_.execute = execute_select;
  const bool with_sign = is_signed(op_.src[0].type);
  if (!op_.cond && same && !modified() && !op_.saturate) {
    raw_types(true);
    op_.kind = wrapping_kind();
    return;
  }
  if (float_sources()) {
    op_.kind = any_source(RegType::df) || op_.dst.type == RegType::df ? LaneKind::f64 : LaneKind::f32;
    op_.flush = op_.cond != 0;
  } else if (same && !modified() && !op_.saturate) {
    op_.kind = wrapping_kind();
    if (op_.kind == LaneKind::i32 && size_of(op_.src[0].type) < 4) op_.compare = compares(op_.kind, true);
  } else {
    op_.kind = LaneKind::exact;
  }
  if (!op_.compare) op_.compare = compares(op_.kind, with_sign);
}

/// The third source is compared with zero.
void OpBuilder::choose_csel() {
  const Source* const s = op_.src;
  const bool same = s[0].type == op_.dst.type && s[1].type == op_.dst.type && s[2].type == op_.dst.type;
  op_.execute = execute_select;
  op_.kind = float_sources() ? LaneKind::f32 : same && !modified() && !op_.saturate ? LaneKind::i32 : LaneKind::exact;
  op_.compare = compares(op_.kind, s[2].type != RegType::ud);
}

void OpBuilder::choose_cmp() {
  op_.execute = execute_compare;
  if (float_sources()) {
    op_.kind = any_source(RegType::df) ? LaneKind::f64 : LaneKind::f32;
    op_.flush = true;
    op_.compare = compares(op_.kind, true);
    return;
  }
  const RegType a = op_.src[0].type, b = op_.src[1].type;
  const unsigned largest = std::max(size_of(a), size_of(b));
  if (largest == 8) {
    const bool same_sign = is_signed(a) == is_signed(b) && !modified();
    op_.kind = same_sign ? LaneKind::i64 : LaneKind::exact;
    op_.compare = compares(op_.kind, is_signed(a));
  } else if (largest == 4 && (modified() || is_signed(a) != is_signed(b))) {
    op_.kind = LaneKind::i64;
    op_.compare = compares(op_.kind, true);
  } else {
    op_.kind = LaneKind::i32;
    op_.compare = compares(op_.kind, largest < 4 || is_signed(a));
  }
}

void OpBuilder::choose_logic(KernelOp op) {
  // Floats are bits here; narrow integers are extended as their type says.
  for (unsigned n = 0; n < op_.sources; n++)
    if (is_float(op_.src[n].type)) op_.src[n].type = unsigned_of(size_of(op_.src[n].type));
  if (is_float(op_.dst.type)) op_.dst.type = unsigned_of(size_of(op_.dst.type));
  op_.kind = wrapping_kind();
  use(op);
}

void OpBuilder::choose_shift() {
  op_.shift_mask = size_of(op_.dst.type) == 8 || size_of(op_.src[0].type) == 8 ? 63 : 31;
  const RegType value = op_.src[0].type;
  const bool modified_value = op_.src[0].negate || op_.src[0].abs;
  if (op_.saturate || op_.cond == 8 || touches_accumulator() || modified_value) return choose_exact();
  if (size_of(value) == 2 && i_.src[0].is_arf(Arf::accumulator)) return choose_exact();
  if (op_.opcode == Opcode::shr && is_signed(value) && size_of(value) != 4) return choose_exact();
  op_.kind = wrapping_kind();
  // 32 significant bits in 64-bit lanes: a logical shift needs zeros above them.
  if (op_.opcode == Opcode::shr && op_.kind == LaneKind::i64 && value == RegType::d) return choose_exact();
  if (i_.opcode == Opcode::shl) return use(KernelOp::shl);
  use(op_.opcode == Opcode::asr && is_signed(value) ? KernelOp::asr : KernelOp::shr);
}

void OpBuilder::choose_exact() {
  op_.kind = LaneKind::exact;
  op_.execute = execute_exact;
}

void OpBuilder::choose_float(KernelOp op) {
  // A fused sum of halves would be rounded twice by way of float; by way of double it is not.
  const bool fused_half = op == KernelOp::mad && op_.dst.type == RegType::hf && !any_source(RegType::f);
  op_.kind = any_source(RegType::df) || fused_half || i_.dst.type == RegType::nf ? LaneKind::f64 : LaneKind::f32;
  op_.flush = true;
  use(op);
}

void OpBuilder::choose_rounding(KernelOp op) {
  choose_float(op);
  if (limits_.rounds_in_two_steps) op_.execute = execute_two_step_rounding;
}

void OpBuilder::choose_arithmetic(KernelOp op) {
  if (float_sources()) return choose_float(op);
  if (op_.splits_first || op_.saturate || op_.cond == 8 || touches_accumulator() || is_float(op_.dst.type)) return choose_exact();
  op_.kind = wrapping_kind();
  use(op);
}

/// Flow instructions, where they push and pop masks.
bool OpBuilder::choose_mask_flow() {
  if (!limits_.mask_stacks) return false;
  switch (i_.opcode) {
    case Opcode::if_: op_.execute = execute_mask_if; break;
    case Opcode::iff: op_.execute = execute_mask_iff; break;
    case Opcode::else_: op_.execute = execute_mask_else; break;
    case Opcode::endif: op_.execute = execute_mask_endif; break;
    case Opcode::do_: op_.execute = execute_mask_do; break;
    case Opcode::while_: op_.execute = execute_mask_while; break;
    case Opcode::break_:
    case Opcode::cont: op_.execute = execute_mask_break; break;
    case Opcode::halt: op_.execute = execute_mask_halt; break;
    case Opcode::msave:
    case Opcode::mrest:
    case Opcode::push:
    case Opcode::pop: op_.execute = execute_illegal; break;
    default: return false;
  }
  return true;
}

void OpBuilder::choose() {
  if (choose_mask_flow()) return;
  switch (i_.opcode) {
    case Opcode::mov:
    case Opcode::movi: return choose_mov();
    case Opcode::sel: return choose_sel();
    case Opcode::cmp:
    case Opcode::cmpn: return choose_cmp();
    case Opcode::and_: return choose_logic(KernelOp::and_);
    case Opcode::or_: return choose_logic(KernelOp::or_);
    case Opcode::xor_: return choose_logic(KernelOp::xor_);
    case Opcode::not_: return choose_logic(KernelOp::not_);
    case Opcode::shl:
    case Opcode::shr:
    case Opcode::asr: return choose_shift();
    case Opcode::add: return choose_arithmetic(KernelOp::add);
    case Opcode::mul: return choose_arithmetic(KernelOp::mul);
    case Opcode::mad: return float_sources() ? choose_float(KernelOp::mad) : choose_exact();
    case Opcode::frc: return choose_float(KernelOp::frc);
    case Opcode::rndu: return choose_rounding(KernelOp::rndu);
    case Opcode::rndd: return choose_float(KernelOp::rndd);
    case Opcode::rnde: return choose_rounding(KernelOp::rnde);
    case Opcode::rndz: return choose_rounding(KernelOp::rndz);
    case Opcode::avg:
    case Opcode::lzd:
    case Opcode::fbh:
    case Opcode::fbl:
    case Opcode::cbit:
    case Opcode::addc:
    case Opcode::subb:
    case Opcode::sad2:
    case Opcode::sada2:
    case Opcode::bfrev:
    case Opcode::bfe:
    case Opcode::bfi1:
    case Opcode::bfi2:
    case Opcode::rol:
    case Opcode::ror:
    case Opcode::dp4a: return choose_exact();
    default: choose_special();
  }
}

/// madm, invm and rsqtm without the accumulators that their operands name: in align1 of Gen9.
bool OpBuilder::is_align1_macro() const { return i_.is_macro() && !op_.align16 && !i_.special_accumulators; }

/// What has a handler of its own.
void OpBuilder::choose_special() {
  if (is_align1_macro()) {
    unimplemented("EU madm, invm and rsqtm in align1", "at byte {} of the kernel", op_.offset);
    op_.execute = execute_illegal;
    return;
  }
  switch (i_.opcode) {
    case Opcode::csel: return choose_csel();
    case Opcode::lrp:
      choose_float(KernelOp::rest);
      op_.execute = execute_lrp;
      return;
    case Opcode::mac:
      if (!float_sources()) return choose_exact();
      choose_float(KernelOp::mad);
      op_.execute = execute_mac;
      return;
    case Opcode::mach:
      choose_exact();
      // The accumulator gets the destination's type, and holds integers here (SKL PRM vol 2a, "mach": D and UD).
      if (is_float(op_.dst.type)) op_.execute = execute_illegal;
      return;
    case Opcode::dp4:
    case Opcode::dph:
    case Opcode::dp3:
    case Opcode::dp2:
      float_sources() ? choose_float(KernelOp::copy) : choose_exact();
      op_.execute = execute_dot;
      return;
    case Opcode::line:
    case Opcode::pln:
      choose_float(KernelOp::pln);
      op_.execute = execute_line;
      return;
    case Opcode::math:
      op_.kind = float_sources() ? (any_source(RegType::df) ? LaneKind::f64 : LaneKind::f32) : LaneKind::i64;
      op_.flush = true;
      op_.cond = 0;
      op_.execute = execute_math;
      return;
    case Opcode::madm:
      op_.kind = any_source(RegType::df) ? LaneKind::f64 : LaneKind::f32;
      op_.execute = execute_madm;
      return;
    default: op_.execute = i_.is_wait() ? execute_wait : handler_of(i_.opcode);
  }
}

void OpBuilder::attach() {
  for (unsigned n = 0; n < op_.sources; n++) {
    Source& s = op_.src[n];
    s.load = load_for(s.type, op_.kind);
    if (!s.load) {
      op_.execute = execute_illegal;
      continue;
    }
    const bool plain = !s.negate && !s.abs && !s.bit_not;
    const bool same = op_.kind == LaneKind::f32 ? s.type == RegType::f
                      : op_.kind == LaneKind::f64
                          ? s.type == RegType::df
                          : op_.kind != LaneKind::exact && !is_float(s.type) && size_of(s.type) == (op_.kind == LaneKind::i32 ? 4u : 8u);
    // Hardware wants elements aligned, but a guest may write any region: kernels take aligned registers only.
    s.in_place = plain && same && s.fetch == Fetch::contiguous && s.base % size_of(s.type) == 0;
    s.splat = plain && same && s.fetch == Fetch::scalar && size_of(s.type) == 4;
    if (s.fetch == Fetch::immediate || s.fetch == Fetch::none) {
      Lanes& lanes = constants_.emplace_back();
      s.load(Registers(), s, 32, lanes);
      apply_modifiers(lanes, s, op_.kind, 32);
      s.lanes = &lanes;
    }
  }
  op_.dst.store = store_for(op_.dst.type);
  op_.finish = finish_for(op_.kind, op_.dst.type, op_.saturate, op_.flush);
  op_.result = result_kind(op_.dst.type);
  const bool dwords = op_.kind == LaneKind::f32 ? op_.dst.type == RegType::f
                                                : op_.kind == LaneKind::i32 && size_of(op_.dst.type) == 4 && !is_float(op_.dst.type);
  op_.store_32 = dwords && op_.dst.place == Place::contiguous && op_.dst.base % 4 == 0;
  op_.finish_f32 = op_.finish && op_.kind == LaneKind::f32 && op_.dst.type == RegType::f;
  op_.straight = op_.store_32 && op_.exec_size >= 8 && !op_.acc_write && !op_.to_accumulator && op_.dst.channels == 0xffffffff;
  const unsigned bytes = op_.exec_size * 4u;
  for (unsigned n = 0; n < op_.sources; n++) {
    const Source& s = op_.src[n];
    const bool overlaps = s.in_place && s.base != op_.dst.base && s.base < op_.dst.base + bytes && op_.dst.base < s.base + bytes;
    op_.straight = op_.straight && !overlaps;
  }
  op_.flag_compare = compares(op_.result, is_signed(op_.dst.type) || size_of(op_.dst.type) < 4);
}

}  // namespace softgen::eu
