// SPDX-License-Identifier: GPL-2.0-or-later
// Integer arithmetic: wrapping operations as in interp/kernels.cpp, and exact operations (interp/exact.cpp) of which only the low dword is
// observable.
#include <algorithm>

#include "hw/eu/interp/execute.h"
#include "hw/eu/jit/emitter.h"

namespace softgen::eu::jit {

namespace {

bool dwords_only(const Op& op) {
  for (unsigned n = 0; n < op.sources; n++)
    if (size_of(op.src[n].type) != 4 || is_float(op.src[n].type) || op.src[n].abs || op.src[n].negate) return false;
  return size_of(op.dst.type) == 4 && !is_float(op.dst.type) && !op.saturate && !op.to_accumulator;
}

/// An exact operation on bytes and words whose result fits into 32 bits, or of which only the low bits are observable.
bool words_only(const Op& op) {
  for (unsigned n = 0; n < op.sources; n++)
    if (size_of(op.src[n].type) > 2 || is_float(op.src[n].type)) return false;
  const bool product = op.opcode == Opcode::mul;
  return size_of(op.dst.type) <= 4 && !is_float(op.dst.type) && !(op.saturate && product) && !op.cond && !op.acc_write &&
         !op.to_accumulator;
}

/// A conversion to F whose source fits into 32 bits: it rounds once, in 32 or 64 bits.
bool narrow_to_float(const Op& op) {
  return op.kind == LaneKind::i64 && op.dst.type == RegType::f && size_of(op.src[0].type) <= 4 && !op.src[0].negate && !op.src[0].abs;
}

}  // namespace

/// Signedness by the compare function that OpBuilder chose.
bool Emitter::compares_signed(const Op& op) const { return op.compare == kernels().compare_i32 || op.compare == kernels().compare_i64; }

bool Emitter::integer_native(const Op& op) const {
  if (op.kind == LaneKind::exact) {
    switch (op.opcode) {
      case Opcode::mach: return graph_.products.mach[static_cast<size_t>(&op - ops_.data())] && dwords_only(op);
      case Opcode::mov:
      case Opcode::add:
      case Opcode::mul:
      case Opcode::avg: return words_only(op);
      case Opcode::mad:
      case Opcode::lzd:
      case Opcode::fbh:
      case Opcode::fbl:
      case Opcode::cbit:
      case Opcode::bfrev:
      case Opcode::bfe:
      case Opcode::bfi1:
      case Opcode::bfi2:
      case Opcode::rol:
      case Opcode::ror: return dwords_only(op);
      default: return false;
    }
  }
  if (op.kind == LaneKind::f64) return false;
  if (op.dst.type == RegType::f && op.opcode != Opcode::sel) return narrow_to_float(op) && op.opcode == Opcode::mov;
  switch (op.opcode) {
    case Opcode::mov:
    case Opcode::add:
    case Opcode::mul:
    case Opcode::and_:
    case Opcode::or_:
    case Opcode::xor_:
    case Opcode::not_:
    case Opcode::shl:
    case Opcode::shr:
    case Opcode::asr: return op.execute == execute_kernel;
    case Opcode::sel:
    case Opcode::csel: return !is_float(op.dst.type);
    case Opcode::cmp:
    case Opcode::cmpn: return true;
    default: return false;
  }
}

Value Emitter::bit_field(const Op& op, const Value* in) {
  const unsigned n = lanes_of(op);
  const Type type = ir_.vec(ir_.i32, n), bit = ir_.i1;
  const auto c = [&](uint32_t v) { return ir_.splat_int(ir_.i32, v, n); };
  const Value zero = c(0);
  const auto count_zeros = [&](const char* name, Value v) { return ir_.intrinsic(name, {type}, {v, ir_.constant(bit, 0)}); };
  const auto is_zero = [&](Value v) { return ir_.icmp(LLVMIntEQ, v, zero); };
  switch (op.opcode) {
    case Opcode::lzd: return count_zeros("llvm.ctlz", in[0]);
    case Opcode::fbl: return ir_.select(is_zero(in[0]), c(~0u), count_zeros("llvm.cttz", in[0]));
    case Opcode::fbh: {
      Value v = in[0];
      if (is_signed(op.src[0].type)) v = ir_.xor_(v, ir_.ashr(v, c(31)));
      return ir_.select(is_zero(v), c(~0u), count_zeros("llvm.ctlz", v));
    }
    case Opcode::cbit: return ir_.intrinsic("llvm.ctpop", {type}, {in[0]});
    case Opcode::bfrev: return ir_.intrinsic("llvm.bitreverse", {type}, {in[0]});
    case Opcode::bfe: {
      const Value width = ir_.and_(in[0], c(31)), offset = ir_.and_(in[1], c(31));
      const Value inside = ir_.icmp(LLVMIntULT, ir_.add(offset, width), c(32));
      const Value up = ir_.and_(ir_.sub(ir_.sub(c(32), width), offset), c(31));
      const Value value = ir_.select(inside, ir_.shl(in[2], up), in[2]);
      const Value down = ir_.and_(ir_.select(inside, ir_.sub(c(32), width), offset), c(31));
      return ir_.select(is_zero(width), zero, is_signed(op.dst.type) ? ir_.ashr(value, down) : ir_.lshr(value, down));
    }
    case Opcode::bfi1: {
      const Value ones = ir_.sub(ir_.shl(c(1), ir_.and_(in[0], c(31))), c(1));
      return ir_.shl(ones, ir_.and_(in[1], c(31)));
    }
    case Opcode::rol: return ir_.intrinsic("llvm.fshl", {type}, {in[0], in[0], in[1]});
    case Opcode::ror: return ir_.intrinsic("llvm.fshr", {type}, {in[0], in[0], in[1]});
    default: {  // bfi2
      const Value mask = in[0];
      const Value moved = ir_.select(is_zero(mask), zero, ir_.shl(in[1], ir_.and_(count_zeros("llvm.cttz", mask), c(31))));
      return ir_.or_(ir_.and_(moved, mask), ir_.and_(in[2], ir_.not_(mask)));
    }
  }
}

/// `v`: signed dwords, exact.
Value Emitter::clamped(const Op& op, Value v) {
  const RegType to = op.dst.type;
  const unsigned n = Ir::size(v), bits = size_of(to) * 8;
  const auto bound = [&](LLVMIntPredicate beyond, int64_t limit) {
    const Value at = ir_.splat_int(ir_.i32, static_cast<uint32_t>(limit), n);
    v = ir_.select(ir_.icmp(beyond, v, at), at, v);
  };
  const int64_t range = int64_t{1} << bits;
  if (bits < 32 || !is_signed(to)) bound(LLVMIntSLT, is_signed(to) ? -range / 2 : 0);
  if (bits < 32) bound(LLVMIntSGT, is_signed(to) ? range / 2 - 1 : range - 1);
  return v;
}

Value Emitter::integer_result(const Op& op, unsigned k) {
  if (narrow_to_float(op)) {
    Op narrow = op;
    narrow.kind = LaneKind::i32;
    const Type to = ir_.vec(ir_.f32, lanes_of(op));
    if (op.src[0].fetch == Fetch::immediate) return ir_.sitofp(source(op, 0, k, Want::bits), to);
    const Value v = source(narrow, 0, k, Want::bits);
    return is_signed(op.src[0].type) ? ir_.sitofp(v, to) : ir_.uitofp(v, to);
  }
  Value in[3] = {};
  for (unsigned s = 0; s < op.sources; s++) in[s] = source(op, s, k, Want::bits);
  const auto count = [&] {
    return ir_.and_(in[1], ir_.splat_int(op.kind == LaneKind::i64 ? ir_.i64 : ir_.i32, op.shift_mask, lanes_of(op)));
  };
  const auto saturated = [&](Value v) { return op.kind == LaneKind::exact && op.saturate ? clamped(op, v) : v; };
  switch (op.opcode) {
    case Opcode::mov: return saturated(in[0]);
    case Opcode::add: return saturated(ir_.add(in[0], in[1]));
    case Opcode::avg:
      return saturated(
          ir_.ashr(ir_.add(ir_.add(in[0], in[1]), ir_.splat_int(ir_.i32, 1, lanes_of(op))), ir_.splat_int(ir_.i32, 1, lanes_of(op))));
    case Opcode::mul:
    case Opcode::mach: return ir_.mul(in[0], in[1]);
    case Opcode::mad: return ir_.add(in[0], ir_.mul(in[1], in[2]));
    case Opcode::and_: return ir_.and_(in[0], in[1]);
    case Opcode::or_: return ir_.or_(in[0], in[1]);
    case Opcode::xor_: return ir_.xor_(in[0], in[1]);
    case Opcode::not_: return ir_.not_(in[0]);
    case Opcode::shl: return ir_.shl(in[0], count());
    case Opcode::shr: return ir_.lshr(in[0], count());
    case Opcode::asr: return is_signed(op.src[0].type) ? ir_.ashr(in[0], count()) : ir_.lshr(in[0], count());
    default: {
      const Value v = bit_field(op, in);
      // A constant that LLVM's optimizer alone would find: not all of its constant folding respects DAZ.
      return std::all_of(in, in + op.sources, [](Value s) { return llvm::IsConstant(s); }) ? ir_.fence(v) : v;
    }
  }
}

}  // namespace softgen::eu::jit
