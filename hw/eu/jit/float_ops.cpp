// SPDX-License-Identifier: GPL-2.0-or-later
// Arithmetic on F, with the operations of interp/kernels.cpp and interp/special.cpp.
#include <cmath>

#include "hw/eu/interp/execute.h"
#include "hw/eu/interp/math_lanes.h"
#include "hw/eu/jit/emitter.h"

namespace softgen::eu::jit {

bool Emitter::float_native(const Op& op) const {
  switch (op.opcode) {
    case Opcode::dp2:
    case Opcode::dp3:
    case Opcode::dp4:
    case Opcode::dph: return op.of_vectors && op.exec_size % 4 == 0 && op.dst.type == RegType::f;
    case Opcode::mac: return op.acc_write && op.src[0].type == RegType::f;
    case Opcode::mov:
    case Opcode::add:
    case Opcode::mul:
    case Opcode::mad:
    case Opcode::lrp:
    case Opcode::frc:
    case Opcode::rndu:
    case Opcode::rndd:
    case Opcode::rnde:
    case Opcode::rndz:
    case Opcode::sel:
    case Opcode::csel:
    case Opcode::cmp:
    case Opcode::cmpn: return op.execute != execute_illegal;
    case Opcode::line:
    case Opcode::pln: {
      const Source& p = op.src[0];
      if (op.exec_size < 8 || p.fetch != Fetch::scalar || p.base % 4 || p.base % 32 > 16 || p.type != RegType::f) return false;
      if (op.src[1].type != RegType::f || op.src[1].fetch == Fetch::none || op.src[1].fetch == Fetch::immediate) return false;
      return op.opcode == Opcode::line || (op.src[1].base % 32 == 0 && op.src[1].base / 32 + 2u * op.groups <= grf_count);
    }
    case Opcode::math: return has_math_lane(op.instruction->math_function()) && op.dst.type == RegType::f;
    default: return false;
  }
}

Value Emitter::float_result(const Op& op, unsigned k, uint8_t& raw) {
  const unsigned n = lanes_of(op);
  const Type type = ir_.vec(ir_.f32, n);
  // mov preserves the bits of a NaN.
  if (op.opcode == Opcode::mov) return source(op, 0, k, op.saturate || op.dst.type != RegType::f ? Want::floats : Want::selected, &raw);
  Value in[3] = {};
  for (unsigned s = 0; s < op.sources; s++) in[s] = source(op, s, k, Want::floats);
  raw = raw_nan;
  const auto fma = [&](Value a, Value b, Value c) { return ir_.intrinsic("llvm.fma", {type}, {a, b, c}); };
  // LLVM rounds a constant as if DAZ were off, also one that only its optimizer finds.
  const auto round = [&](const char* name) { return ir_.intrinsic(name, {type}, {ir_.fence(in[0])}); };
  switch (op.opcode) {
    case Opcode::add: return ir_.fadd(in[0], in[1]);
    case Opcode::mac: {
      std::array<unsigned, 16> offsets{};
      for (unsigned i = 0; i < n; i++) offsets[i] = static_cast<unsigned>(offsetof(Registers, acc)) + ((op.shift & 15u) + n * k + i) * 4;
      Value sum = ir_.as_floats(elements(offsets, n, 4, Want::floats, nullptr, running_channels(op, k)));
      if (variant_.flush_f32 && llvm::IsConstant(sum)) sum = flushed(sum);
      return fma(in[0], in[1], alternate(sum));
    }
    case Opcode::mul: return ir_.fmul(in[0], in[1]);
    case Opcode::mad: return fma(in[1], in[2], in[0]);
    case Opcode::lrp: return fma(in[0], in[1], ir_.fmul(ir_.fsub(ir_.splat_float(1, n), in[0]), in[2]));
    case Opcode::rndu: return round("llvm.ceil");
    case Opcode::rndd: return round("llvm.floor");
    case Opcode::rnde: return round("llvm.roundeven");
    case Opcode::rndz: return round("llvm.trunc");
    default: {
      const Value r = ir_.fsub(in[0], round("llvm.floor"));
      return ir_.select(ir_.fcmp(LLVMRealOGE, r, ir_.splat_float(1, n)), ir_.splat_float(0x1.fffffep-1f, n), r);
    }
  }
}

/// Down; where 1 is to be added for the mode, the condition .r says so.
void Emitter::two_step_rounding(const Op& op, Value mask) {
  const bool says = static_cast<CondMod>(op.cond) == CondMod::r;
  const char* const name = op.opcode == Opcode::rndu ? "llvm.ceil" : op.opcode == Opcode::rnde ? "llvm.roundeven" : "llvm.trunc";
  const Type type = ir_.vec(ir_.f32, lanes_of(op));
  std::vector<Value> results, above;
  std::vector<uint8_t> raws;
  for (unsigned k = 0; k < groups_of(op); k++) {
    const Value in = ir_.fence(source(op, 0, k, Want::floats)), down = ir_.intrinsic("llvm.floor", {type}, {in});
    if (says) above.push_back(ir_.fcmp(LLVMRealOGT, ir_.intrinsic(name, {type}, {in}), down));
    results.push_back(down);
    raws.push_back(raw_nan);
  }
  if (says) write_flags(op, mask, bits_of(above, lanes_of(op)));
  retire(op, mask, results, raws, !says);
}

/// Products of two floats are exact in double precision, so are summed and rounded as in interp/special.cpp.
void Emitter::dot(const Op& op, Value mask) {
  const unsigned n = lanes_of(op), groups = n / 4;
  const unsigned terms = op.opcode == Opcode::dp2 ? 2 : op.opcode == Opcode::dp4 ? 4 : 3;
  const Type doubles = ir_.vec(ir_.f64, groups), floats = ir_.vec(ir_.f32, groups);
  std::vector<Value> results;
  std::vector<uint8_t> raws;
  for (unsigned k = 0; k < groups_of(op); k++) {
    // LLVM widens a constant as if DAZ were off, also one that only its optimizer finds.
    const Value a = ir_.fence(source(op, 0, k, Want::floats)), b = ir_.fence(source(op, 1, k, Want::floats));
    const auto component = [&](Value v, unsigned c) {
      std::array<int, 4> picks{};
      for (unsigned g = 0; g < groups; g++) picks[g] = static_cast<int>(4 * g + c);
      return ir_.fpext(ir_.shuffle(v, nullptr, std::span(picks).first(groups)), doubles);
    };
    Value sum = ir_.splat_double(0, groups);
    for (unsigned c = 0; c < terms; c++) sum = ir_.fadd(sum, ir_.fmul(component(a, c), component(b, c)));
    if (op.opcode == Opcode::dph) sum = ir_.fadd(sum, component(b, 3));
    std::array<int, 16> spread{};
    for (unsigned i = 0; i < n; i++) spread[i] = static_cast<int>(i / 4);
    results.push_back(ir_.shuffle(ir_.fptrunc(sum, floats), nullptr, std::span(spread).first(n)));
    raws.push_back(raw_nan);
  }
  retire(op, mask, results, raws, true);
}

/// The lanes in which a minimum (.l) or maximum is `a`. A NaN loses against a number, and -0 is less than +0 (hw/eu/interp/execute.cpp,
/// extreme()).
Value Emitter::extreme(CondMod cond, Value a, Value b) {
  const bool least = cond == CondMod::l;
  const Value bits = ir_.as_ints(a);
  const Value signed_so = ir_.icmp(least ? LLVMIntSLT : LLVMIntSGE, bits, llvm::ConstNull(llvm::TypeOf(bits)));
  const Value tie = ir_.and_(ir_.fcmp(LLVMRealOEQ, a, b), signed_so);
  return ir_.or_(ir_.or_(ir_.fcmp(least ? LLVMRealOLT : LLVMRealOGT, a, b), tie), ir_.fcmp(LLVMRealUNO, b, b));
}

/// sel, csel; sel.l and sel.ge are minimum and maximum.
void Emitter::select(const Op& op, Value mask) {
  std::vector<Value> results;
  std::vector<uint8_t> raws;
  const bool floats = op.kind == LaneKind::f32;
  const auto cond = static_cast<CondMod>(op.cond);
  const Value predicate = op.opcode == Opcode::sel && !op.cond ? predicate_mask(op) : nullptr;
  for (unsigned k = 0; k < groups_of(op); k++) {
    const Want want = op.flush ? Want::selected : Want::bits;
    const Value a = source(op, 0, k, want), b = source(op, 1, k, want);
    Value take;
    if (op.opcode == Opcode::csel) {
      Value tested = source(op, 2, k, floats ? Want::floats : Want::bits);
      if (floats) tested = alternate(tested);
      take = compare(cond, tested, llvm::ConstNull(llvm::TypeOf(tested)), floats, compares_signed(op));
    } else if (!op.cond) {
      take = predicate ? lane_mask(op, predicate, k) : nullptr;
    } else {
      take = floats && (cond == CondMod::l || cond == CondMod::ge) ? extreme(cond, a, b) : compare(cond, a, b, floats, compares_signed(op));
    }
    // As integers: LLVM would turn this into a float maximum, also with a denormal constant, which is zero under DAZ.
    results.push_back(!take ? a : floats ? ir_.as_floats(ir_.select(take, ir_.as_ints(a), ir_.as_ints(b))) : ir_.select(take, a, b));
    raws.push_back(canonical);
  }
  retire(op, mask, results, raws, false);
}

void Emitter::compare_op(const Op& op, Value mask) {
  std::vector<Value> holds;
  const bool floats = op.kind == LaneKind::f32;
  const auto cond = static_cast<CondMod>(op.cond);
  for (unsigned k = 0; k < groups_of(op); k++) {
    const Value a = source(op, 0, k, Want::floats), b = source(op, 1, k, Want::floats);
    Value bits = compare(cond, a, b, floats, compares_signed(op));
    if (op.opcode == Opcode::cmpn && floats && (cond == CondMod::l || cond == CondMod::ge))
      bits = ir_.or_(bits, ir_.fcmp(LLVMRealUNO, b, b));
    holds.push_back(bits);
  }
  if (op.cond) write_flags(op, mask, bits_of(holds, lanes_of(op)));
  if (op.dst.place == Place::none) return;
  const Type ones = ir_.vec(ir_.int_type(size_of(op.dst.type) * 8), lanes_of(op));
  for (unsigned k = 0; k < holds.size(); k++) store(op, k, ir_.sext(holds[k], ones), mask, canonical);
}

/// line: p * u + r. pln: p * u + q * v + r, in double precision and rounded once. Products of two floats are exact in double, so fused
/// operations give the same result.
void Emitter::line(const Op& op, Value mask) {
  const bool plane = op.opcode == Opcode::pln;
  const Type doubles = ir_.vec(ir_.f64, 8), floats = ir_.vec(ir_.f32, 8);
  // LLVM widens a constant as if DAZ were off, also one that only its optimizer finds.
  const auto widen = [&](Value v) { return ir_.fpext(ir_.fence(v), doubles); };
  // Widened as a vector: one instruction together with the load.
  const auto coefficient = [&](unsigned n) {
    if (reads_wide(place_.op)) return ir_.splat(ir_.load(ir_.f64, wide_element(op.src[0].base + 4 * n), 8), 8);
    const Value v = ir_.splat(scalar(op.src[0].base + 4 * n, 4, Want::floats, nullptr), 8);
    return widen(alternate(modified(ir_.as_floats(v), op.src[0], LaneKind::f32)));
  };
  const Value p = coefficient(0), q = plane ? coefficient(1) : nullptr, s = coefficient(3);
  const auto fma = [&](Value a, Value b, Value c) { return ir_.intrinsic("llvm.fma", {doubles}, {a, b, c}); };
  std::vector<Value> results;
  std::vector<uint8_t> raws;
  for (unsigned k = 0; k < op.groups; k++) {
    Value u, sum;
    if (plane) {
      const unsigned first = op.src[1].base / 32 + 2 * k;
      u = alternate(modified(ir_.as_floats(slot(first)), op.src[1], LaneKind::f32));
      const Value v = alternate(modified(ir_.as_floats(slot(first + 1)), op.src[1], LaneKind::f32));
      sum = fma(q, widen(v), s);
    } else {
      u = source(op, 1, k, Want::floats);
      sum = ir_.fadd(s, ir_.bitcast(ir_.splat_int(ir_.i64, 0, 8), doubles));
    }
    // Pinned here: if LLVM moved it after the next message, its operands would occupy more registers than its result.
    results.push_back(ir_.pinned(ir_.fptrunc(fma(p, widen(u), sum), floats)));
    raws.push_back(raw_nan);
  }
  retire(op, mask, results, raws, true);
}

/// Like the interpreter: in double precision, then rounded.
Value Emitter::inverse_root_exactly(Value a) {
  const unsigned n = Ir::size(a);
  const Type doubles = ir_.vec(ir_.f64, n);
  const Value root = ir_.intrinsic("llvm.sqrt", {doubles}, {ir_.fpext(ir_.fence(a), doubles)});
  return ir_.fptrunc(ir_.fdiv(ir_.splat_double(1, n), root), ir_.vec(ir_.f32, n));
}

/// The same bits, computed in floats. With x * e * e = 1 + off, 1 / sqrt(x) is e + off * (e * (-1/2 + 3/8 off - 5/16 off^2 ...)); off is
/// computed as a sum of two floats. The processor's estimate e has a relative error of 2^-14 (AVX-512) or 1.5 * 2^-12 (AVX), so before its
/// last rounding the result has one below 2^-36.2 or 2^-33.8. The rounding is then certain unless the value is that near to the middle
/// between two floats. If a lane of `counting` (bits by lane; null: all) is uncertain, or not a positive normal number,
/// inverse_root_exactly() computes the result.
Value Emitter::inverse_root(Value x, Value counting) {
  const unsigned n = Ir::size(x);
  if (n < 8) return inverse_root_exactly(x);
  const Type floats = ir_.vec(ir_.f32, n);
  const auto all = [&](float v) { return ir_.splat_float(v, n); };
  const auto bits = [&](uint32_t v) { return ir_.splat_int(ir_.i32, v, n); };
  const auto fma = [&](Value a, Value b, Value c) { return ir_.intrinsic("llvm.fma", {floats}, {a, b, c}); };
  const Value estimate = n == 16 ? ir_.intrinsic("llvm.x86.avx512.rsqrt14.ps.512", {}, {x, all(0), ir_.constant(ir_.i16, 0xffff)})
                                 : ir_.intrinsic("llvm.x86.avx.rsqrt.ps.256", {}, {x});
  const Value root = ir_.fmul(x, estimate), rest = fma(x, estimate, ir_.fneg(root)), most = fma(root, estimate, all(-1));
  const Value off = fma(rest, estimate, most);
  // Arranged so that only one operation remains once `off`, the last input, is known.
  const Value linear = ir_.fmul(estimate, all(0.375f)), bent = n == 16 ? linear : fma(most, ir_.fmul(estimate, all(-0.3125f)), linear);
  const Value step = fma(most, bent, ir_.fmul(estimate, all(-0.5f)));
  const Value result = fma(off, step, estimate);
  // The error of the last rounding, compared with nearly its maximum.
  const float nearly = 0x1p-24f * (1 - (n == 16 ? 0x1p-11f : 0x1.4p-9f));
  const Value taken = ir_.and_(ir_.as_ints(fma(off, step, ir_.fsub(estimate, result))), bits(0x7fffffff));
  const Value exponent = ir_.as_floats(ir_.and_(ir_.as_ints(result), bits(0x7f800000)));
  const Value middle = ir_.fcmp(LLVMRealOGT, ir_.as_floats(taken), ir_.fmul(exponent, all(nearly)));
  const Value other = ir_.icmp(LLVMIntUGE, ir_.sub(ir_.as_ints(x), bits(0x00800000)), bits(0x7f000000));
  Value doubtful = ir_.bitcast(ir_.or_(middle, other), ir_.int_type(n));
  if (counting) doubtful = ir_.and_(doubtful, counting);
  const Block quick = ir_.here(), exact = ir_.block(), done = ir_.block();
  ir_.branch(ir_.icmp(LLVMIntNE, doubtful, ir_.constant(ir_.int_type(n), 0)), exact, done);
  ir_.at(exact);
  const Value slow = inverse_root_exactly(x);
  ir_.jump(done);
  ir_.at(done);
  return ir_.phi(result, quick, slow, exact);
}

/// `a`, `b` (null: none): of group k of an op for the channels of `mask`.
Value Emitter::math_value(MathFunction function, Value a, Value b, const Op& op, Value mask, unsigned k) {
  const unsigned n = Ir::size(a);
  const Type type = ir_.vec(ir_.f32, n), whole = ir_.vec(ir_.f32, 8);
  const auto call = [&](Value x, Value y) {
    ir_.store(x, scratch_[1], 32);
    if (y) ir_.store(y, scratch_[2], 32);
    const Value table = ir_.load(ir_.ptr, ir_.address(frame_, offsetof(Frame, math)), 8);
    const Value target = ir_.load(ir_.ptr, ir_.address(table, 8 * static_cast<unsigned>(function)), 8);
    ir_.call(target, ir_.void_type(), {scratch_[0], scratch_[1], scratch_[2]});
    return ir_.load(whole, scratch_[0], 32);
  };
  // Eight lanes at a time; of fewer, missing lanes get the first one's value.
  const auto calls = [&] {
    std::array<int, 16> picks{};
    for (unsigned i = 0; i < n; i++) picks[i] = static_cast<int>(i);
    const auto part = [&](Value v, unsigned first) {
      return v && n != 8 ? ir_.shuffle(v, nullptr, std::span(picks).subspan(first, 8)) : v;
    };
    const Value r = call(part(a, 0), part(b, 0));
    if (n == 16) return ir_.shuffle(r, call(part(a, 8), part(b, 8)), picks);
    return n < 8 ? ir_.shuffle(r, nullptr, std::span(picks).first(n)) : r;
  };
  switch (function) {
    case MathFunction::inv: return ir_.fdiv(ir_.splat_float(1, n), a);
    case MathFunction::fdiv: return ir_.fdiv(a, b);
    case MathFunction::sqrt: return ir_.intrinsic("llvm.sqrt", {type}, {ir_.fence(a)});  // as float_result() rounds
    case MathFunction::rsq: return inverse_root(a, full(op, mask) ? nullptr : lane_bits(mask, n, k));
    default: return calls();
  }
}

void Emitter::math(const Op& op, Value mask) {
  const MathFunction function = op.instruction->math_function();
  std::vector<Value> results;
  std::vector<uint8_t> raws;
  for (unsigned k = 0; k < groups_of(op); k++) {
    const Value a = source(op, 0, k, Want::floats);
    const bool two = function == MathFunction::fdiv || function == MathFunction::pow;
    const Value b = two ? source(op, 1, k, Want::floats) : nullptr;
    results.push_back(math_value(function, a, b, op, mask, k));
    raws.push_back(raw_nan);
  }
  retire(op, mask, results, raws, false);
}

}  // namespace softgen::eu::jit
