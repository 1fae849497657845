// SPDX-License-Identifier: GPL-2.0-or-later
// Decides which ops have native code, and emits their common parts: result conversion, flags, store.
#include <algorithm>

#include "hw/eu/interp/execute.h"
#include "hw/eu/jit/emitter.h"

namespace softgen::eu::jit {

bool Emitter::native_source(const Op& op, unsigned n) const {
  const Source& s = op.src[n];
  if (s.type == RegType::hf || s.type == RegType::df) return false;
  if (s.fetch == Fetch::none || s.fetch == Fetch::immediate) return true;
  if (s.fetch == Fetch::indirect || s.fetch == Fetch::indirect_vx) return false;
  const unsigned size = size_of(s.type);
  if (in_flags(element_offset(s, 0))) return op.exec_size == 1;
  for (unsigned k = 0; k < op.exec_size; k++) {
    const unsigned offset = element_offset(s, k);
    if (!is_slot(offset) || offset % size) return false;
  }
  return true;
}

bool Emitter::native_destination(const Op& op) const {
  const Destination& d = op.dst;
  if (d.place == Place::indirect || d.type == RegType::hf || d.type == RegType::df) return false;
  if (d.place == Place::none) return true;
  const unsigned size = size_of(d.type);
  if (in_flags(element_offset(d, 0))) return op.exec_size == 1;
  std::bitset<sizeof(Registers)> seen;
  for (unsigned k = 0; k < op.exec_size; k++) {
    const unsigned offset = element_offset(d, k);
    const bool sink = offset >= offsetof(Registers, sink);
    if (sink) continue;
    if (!is_slot(offset) || offset % size || seen[offset]) return false;
    seen.set(offset);
  }
  return true;
}

namespace {
/// Of sets whose arithmetic always writes the accumulator: floats that fit into acc0 and acc1.
bool accumulates_natively(const Op& op) {
  return op.of_vectors && op.kind == LaneKind::f32 && op.instruction->dst.type == RegType::f && (op.shift & 15u) + op.exec_size <= 16;
}
}  // namespace

bool Emitter::native(const Op& op) const {
  if (op.reads_dynamic || op.cond == static_cast<unsigned>(CondMod::o)) return false;
  if (op.acc_write && !accumulates_natively(op)) return false;
  if (op.align16 && op.pred > 1 && !op.of_vectors) return false;
  if (op.exec_size > 8 && op.exec_size % 8) return false;
  // f0 and f1 have 64 bits; flags beyond do not exist.
  if ((op.pred || op.cond) && op.flag_bit + op.shift + op.exec_size > 64) return false;
  if (!native_destination(op)) return false;
  for (unsigned n = 0; n < op.sources; n++)
    if (!native_source(op, n)) return false;
  return op.kind == LaneKind::f32 ? float_native(op) : integer_native(op);
}

void Emitter::work(size_t n) {
  const Op& op = ops_[n];
  // The predicate of sel chooses; it does not mask.
  const bool by_predicate = op.opcode == Opcode::sel && !op.cond;
  const Value mask = by_predicate ? enabled_mask(op) : execution_mask(op);
  if ((op.to_accumulator || op.acc_write) && op.execute != execute_compare) {
    const Value at = ir_.load(ir_.ptr, ir_.address(frame_, offsetof(Frame, acc_size)), 8);
    const Value any = ir_.icmp(LLVMIntNE, ir_.and_(mask, ir_.c32(op.lanes_mask)), ir_.c32(0));
    ir_.store(ir_.select(any, ir_.constant(ir_.i8, 0), ir_.load(ir_.i8, at, 1)), at, 1);
  }
  if (op.execute == execute_select) return select(op, mask);
  if (op.execute == execute_compare) return compare_op(op, mask);
  if (op.execute == execute_line) return line(op, mask);
  if (op.execute == execute_math) return math(op, mask);
  if (op.execute == execute_two_step_rounding) return two_step_rounding(op, mask);
  if (op.execute == execute_dot) return dot(op, mask);
  std::vector<Value> results;
  std::vector<uint8_t> raws;
  for (unsigned k = 0; k < groups_of(op); k++) {
    uint8_t raw = canonical;
    results.push_back(op.kind == LaneKind::f32 ? float_result(op, k, raw) : integer_result(op, k));
    raws.push_back(raw);
  }
  retire(op, mask, results, raws, true);
}

Value Emitter::compare(CondMod cond, Value a, Value b, bool floats, bool with_sign) {
  if (floats && variant_.flush_f32 && llvm::IsNull(b)) {
    // Where the sign is known, LLVM 19 turns comparisons with zero into those of integers, which ignore DAZ.
    if (cond == CondMod::z || cond == CondMod::nz) {
      const unsigned n = Ir::size(a);
      const Value exponent = ir_.and_(ir_.as_ints(a), ir_.splat_int(ir_.i32, 0x7f800000, n));
      return ir_.icmp(cond == CondMod::z ? LLVMIntEQ : LLVMIntNE, exponent, ir_.splat_int(ir_.i32, 0, n));
    }
    a = ir_.fence(a);
  }
  switch (cond) {
    case CondMod::z: return floats ? ir_.fcmp(LLVMRealOEQ, a, b) : ir_.icmp(LLVMIntEQ, a, b);
    case CondMod::nz: return floats ? ir_.fcmp(LLVMRealUNE, a, b) : ir_.icmp(LLVMIntNE, a, b);
    case CondMod::g: return floats ? ir_.fcmp(LLVMRealOGT, a, b) : ir_.icmp(with_sign ? LLVMIntSGT : LLVMIntUGT, a, b);
    case CondMod::ge: return floats ? ir_.fcmp(LLVMRealOGE, a, b) : ir_.icmp(with_sign ? LLVMIntSGE : LLVMIntUGE, a, b);
    case CondMod::l: return floats ? ir_.fcmp(LLVMRealOLT, a, b) : ir_.icmp(with_sign ? LLVMIntSLT : LLVMIntULT, a, b);
    case CondMod::le: return floats ? ir_.fcmp(LLVMRealOLE, a, b) : ir_.icmp(with_sign ? LLVMIntSLE : LLVMIntULE, a, b);
    case CondMod::u:
      if (floats) return ir_.fcmp(LLVMRealUNO, a, b);
      break;
    default: break;
  }
  return llvm::ConstNull(ir_.vec(ir_.i1, Ir::size(a)));
}

/// Converts results to the destination's type: floats, dwords (narrow integers extended by their type) or qwords.
Value Emitter::finish(const Op& op, Value v, uint8_t& raw) {
  const RegType to = op.dst.type;
  const unsigned n = Ir::size(v);
  if (op.kind == LaneKind::f32) {
    if (to == RegType::f) {
      if (op.saturate && !op.flush) {
        // Compared as integers, so that denormals count even with DAZ.
        const Value bits = ir_.as_ints(v), zero = ir_.splat_int(ir_.i32, 0, n), one = ir_.splat_int(ir_.i32, 0x3f800000, n);
        const Value positive = ir_.icmp(LLVMIntULT, ir_.sub(bits, ir_.splat_int(ir_.i32, 1, n)), ir_.splat_int(ir_.i32, 0x7f800000, n));
        v = ir_.as_floats(ir_.select(positive, ir_.select(ir_.icmp(LLVMIntULT, bits, one), bits, one), zero));
        raw = canonical;
      } else if (op.saturate) {
        const Value zero = ir_.splat_float(0, n), one = ir_.splat_float(1, n);
        v = ir_.select(ir_.fcmp(LLVMRealOGT, v, zero), v, zero);
        v = ir_.select(ir_.fcmp(LLVMRealOLT, v, one), v, one);
        raw &= static_cast<uint8_t>(~raw_nan);
      }
      if (variant_.alternate && (op.flush || op.saturate)) {
        v = alternate(v);
        raw &= static_cast<uint8_t>(~raw_nan);
      }
      if (op.flush && variant_.flush_f32) raw |= raw_denormal;
      return v;
    }
    raw = canonical;
    const Type element = ir_.int_type(size_of(to) * 8), type = ir_.vec(element, n);
    const Value whole = is_signed(to) ? ir_.intrinsic("llvm.fptosi.sat", {type, llvm::TypeOf(v)}, {v})
                                      : ir_.intrinsic("llvm.fptoui.sat", {type, llvm::TypeOf(v)}, {v});
    if (size_of(to) >= 4) return whole;
    return is_signed(to) ? ir_.sext(whole, ir_.vec(ir_.i32, n)) : ir_.zext(whole, ir_.vec(ir_.i32, n));
  }
  raw = canonical;
  if (to == RegType::f) return v;  // converted where the source was known (integer_result)
  if (size_of(to) == 8) return v;
  if (op.kind == LaneKind::i64) v = ir_.trunc(v, ir_.vec(ir_.i32, n));
  if (size_of(to) == 4) return v;
  const Value narrow = ir_.trunc(v, ir_.vec(ir_.int_type(size_of(to) * 8), n));
  return is_signed(to) ? ir_.sext(narrow, ir_.vec(ir_.i32, n)) : ir_.zext(narrow, ir_.vec(ir_.i32, n));
}

Value Emitter::narrowed(const Op& op, Value v) {
  const unsigned size = size_of(op.dst.type);
  return size >= 4 ? v : ir_.trunc(v, ir_.vec(ir_.int_type(size * 8), Ir::size(v)));
}

/// The result's copy in the accumulator: see write_accumulator() of interp/execute.cpp.
void Emitter::accumulate(const Op& op, unsigned k, Value v, Value mask, uint8_t raw) {
  Op copy = op;
  copy.dst.place = Place::contiguous;
  copy.dst.channels = 0xffffffff;
  copy.dst.base = static_cast<uint16_t>(offsetof(Registers, acc) + (op.shift & 15u) * 4);
  store(copy, k, v, mask, raw);
}

void Emitter::retire(const Op& op, Value mask, std::vector<Value>& results, std::vector<uint8_t>& raws, bool with_flags) {
  for (size_t k = 0; k < results.size(); k++) results[k] = finish(op, results[k], raws[k]);
  if (op.cond && with_flags) {
    const bool floats = op.dst.type == RegType::f;
    std::vector<Value> bits;
    // A denormal that the destination flushes compares as zero, by DAZ.
    for (const Value v : results)
      bits.push_back(compare(static_cast<CondMod>(op.cond), v, llvm::ConstNull(llvm::TypeOf(v)), floats,
                             is_signed(op.dst.type) || size_of(op.dst.type) < 4));
    write_flags(op, mask, bits_of(bits, lanes_of(op)));
  }
  if (op.acc_write)
    for (unsigned k = 0; k < results.size(); k++) accumulate(op, k, results[k], mask, raws[k]);
  if (op.dst.place == Place::none) return;
  for (unsigned k = 0; k < results.size(); k++) store(op, k, narrowed(op, results[k]), mask, raws[k]);
}

}  // namespace softgen::eu::jit
