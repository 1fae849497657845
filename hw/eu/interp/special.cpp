// SPDX-License-Identifier: GPL-2.0-or-later
// Floating-point operations that are no plain kernel: dot products, planes, mac, extended math and its macros.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "hw/eu/interp/access.h"
#include "hw/eu/interp/execute.h"
#include "hw/eu/interp/float_math.h"
#include "hw/eu/interp/math_lanes.h"

namespace softgen::eu {

namespace {
float quiet(float r) { return r == r ? r : std::numeric_limits<float>::quiet_NaN(); }
}  // namespace

namespace {
unsigned dot_terms(const Op& op) { return op.opcode == Opcode::dp2 ? 2 : op.opcode == Opcode::dp4 ? 4 : 3; }

/// The same of integers, exactly (chosen: hardware's width is in no source).
Next integer_dot(Thread& thread, const Op& op, RunState& state, uint32_t mask, const Lanes& a, const Lanes& b) {
  Lanes r;
  for (unsigned g = 0; g < op.groups * 8u; g += 4) {
    Int128 sum = op.opcode == Opcode::dph ? b.x[g + 3] : 0;
    for (unsigned n = 0; n < dot_terms(op); n++) sum += a.x[g + n] * b.x[g + n];
    for (unsigned n = 0; n < 4; n++) r.x[g + n] = sum;
  }
  retire(thread, op, state.mode, mask, r);
  return Next::advance;
}
}  // namespace

/// Each group of four channels gets one sum, in double precision and rounded once.
Next execute_dot(Thread& thread, const Op& op, RunState& state) {
  const uint32_t mask = execution_mask(thread, op);
  if (!mask) return Next::advance;
  Lanes a, b, r;
  load_source(thread, op, 0, state.mode, a);
  load_source(thread, op, 1, state.mode, b);
  if (op.kind == LaneKind::exact) return integer_dot(thread, op, state, mask, a, b);
  for (unsigned g = 0; g < op.groups * 8u; g += 4) {
    double sum = 0;
    for (unsigned n = 0; n < dot_terms(op); n++) sum += static_cast<double>(a.f[g + n]) * b.f[g + n];
    if (op.opcode == Opcode::dph) sum += b.f[g + 3];
    for (unsigned n = 0; n < 4; n++) r.f[g + n] = quiet(static_cast<float>(sum));
  }
  retire(thread, op, state.mode, mask, r);
  return Next::advance;
}

/// line: src0.0 * src1 + src0.3. pln: src0.0 * u + src0.1 * v + src0.3, where src1 names u and v in turns of eight channels
/// (SKL PRM vol 7, "Line", "Plane").
Next execute_line(Thread& thread, const Op& op, RunState& state) {
  const uint32_t mask = execution_mask(thread, op);
  if (!mask) return Next::advance;
  Lanes plane, u, v, r;
  Source coefficients = op.src[0];
  Offsets four{};
  if (coefficients.fetch == Fetch::scalar) {
    for (unsigned n = 0; n < 32; n++) four[n] = static_cast<uint16_t>(coefficients.base + n % 4 * 4);
    coefficients.fetch = Fetch::offsets;
    coefficients.offsets = &four;
  }
  coefficients.load(thread.regs, coefficients, 8, plane);
  apply_modifiers(plane, coefficients, op.kind, 4);
  flush_sources(plane, RegType::f, op.kind, state.mode, 4);
  if (op.opcode == Opcode::line) {
    load_source(thread, op, 1, state.mode, u);
    std::memset(&v, 0, sizeof(v.f));
    plane.f[1] = 0;
  } else {
    Source s = op.src[1];
    for (unsigned g = 0; g < op.groups; g++) {
      for (unsigned second = 0; second < 2; second++) {
        Lanes part;
        s.fetch = Fetch::contiguous;
        s.base = static_cast<uint16_t>((op.src[1].base + (g * 2 + second) * 32) & (grf_bytes - 1));
        s.load(thread.regs, s, 8, part);
        std::memcpy((second ? v.f : u.f) + g * 8, part.f, 32);
      }
    }
    for (Lanes* l : {&u, &v}) {
      apply_modifiers(*l, op.src[1], op.kind, op.groups * 8u);
      flush_sources(*l, RegType::f, op.kind, state.mode, op.groups * 8u);
    }
  }
  op.kernel(&r, &plane, &u, &v, op.groups);
  retire(thread, op, state.mode, mask, r);
  return Next::advance;
}

/// src0 * src1 + (1 - src0) * src2: the second product is rounded, and a denormal one is zero where sources that are denormal are.
Next execute_lrp(Thread& thread, const Op& op, RunState& state) {
  const uint32_t mask = execution_mask(thread, op);
  if (!mask) return Next::advance;
  Lanes lanes[3], rest, r;
  const void* in[3];
  for (unsigned n = 0; n < 3; n++) in[n] = operand(thread, op, n, state.mode, lanes[n]);
  op.kernel(&rest, in[0], in[1], in[2], op.groups);
  if (state.mode.flush_f32) state.table.flush_f32(&rest, &rest, op.groups);
  state.table.f32[static_cast<unsigned>(KernelOp::mad)](&r, &rest, in[0], in[1], op.groups);
  retire(thread, op, state.mode, mask, r);
  return Next::advance;
}

Next execute_mac(Thread& thread, const Op& op, RunState& state) {
  const uint32_t mask = execution_mask(thread, op);
  if (!mask) return Next::advance;
  Lanes acc, a, b, r;
  Source s;
  s.type = op.src[0].type;
  s.fetch = Fetch::contiguous;
  s.base = static_cast<uint16_t>(offsetof(Registers, acc) + (op.shift & 15u) * size_of(s.type));
  load_for(s.type, op.kind)(thread.regs, s, op.groups * 8u, acc);
  load_source(thread, op, 0, state.mode, a);
  load_source(thread, op, 1, state.mode, b);
  flush_sources(acc, s.type, op.kind, state.mode, op.groups * 8u);
  op.kernel(&r, &acc, &a, &b, op.groups);
  retire(thread, op, state.mode, mask, r);
  return Next::advance;
}

Division divide_integers(int64_t a, int64_t b, bool with_sign) {
  if (b == 0) {
    const int64_t q = !with_sign ? 0xffffffff : a >= 0 ? std::numeric_limits<int32_t>::max() : std::numeric_limits<int32_t>::min();
    return {q, a};
  }
  return {a / b, a % b};
}

namespace {

Next integer_division(Thread& thread, const Op& op, MathFunction function, uint32_t mask, RunState& state) {
  Lanes a, b, quotient, remainder;
  load_source(thread, op, 0, state.mode, a);
  load_source(thread, op, 1, state.mode, b);
  for (unsigned n = 0; n < op.groups * 8u; n++) {
    const Division d = divide_integers(a.q[n], b.q[n], is_signed(op.src[0].type));
    quotient.q[n] = d.quotient;
    remainder.q[n] = d.remainder;
  }
  if (function == MathFunction::int_div_both) {
    Destination second = op.dst;
    second.base = static_cast<uint16_t>((op.dst.base + op.groups * 32u) & (grf_bytes - 1));
    if (second.place == Place::contiguous) retire_to(thread, op, second, state.mode, mask, remainder, retire_store);
  }
  retire(thread, op, state.mode, mask, function == MathFunction::int_remainder ? remainder : quotient);
  return Next::advance;
}

/// acc2 to acc9 stand in the swizzle's and write mask's place; 8: none (SKL PRM vol 7, "Special Accumulators"; IGA GEDUtils).
unsigned special_source(const Operand& o) { return o.swizzle & 15; }
unsigned special_destination(const Operand& o) { return o.writemask & 15; }

Quad quad_from(const std::array<uint64_t, 2>& bits) {
  Quad q;
  static_assert(sizeof(q) <= sizeof(bits));
  std::memcpy(&q, &bits, sizeof(q));
  return q;
}
std::array<uint64_t, 2> quad_bits(Quad q) {
  std::array<uint64_t, 2> bits{};
  std::memcpy(&bits, &q, sizeof(q));
  return bits;
}

/// Macro operands take no swizzle: elements in order.
void load_macro_source(const Thread& thread, const Op& op, unsigned n, Lanes& lanes, Quad* wide) {
  const Operand& o = op.instruction->src[n];
  Source s = op.src[n];
  if (!o.replicate && s.fetch != Fetch::none) {
    s.fetch = Fetch::contiguous;
    s.base = static_cast<uint16_t>((o.reg & 127u) * 32 + o.subreg);
  }
  s.load(thread.regs, s, op.groups * 8u, lanes);
  const unsigned special = special_source(o);
  for (unsigned c = 0; c < op.exec_size; c++) {
    Quad value = op.kind == LaneKind::f64 ? static_cast<Quad>(lanes.d[c]) : static_cast<Quad>(lanes.f[c]);
    if (special < 8 && !o.replicate) value = quad_from(thread.macro_acc[special][(c + op.shift) & 15]);
    if (o.abs && value < 0) value = -value;
    if (o.negate) value = -value;
    wide[c] = value;
  }
}

void retire_macro(Thread& thread, const Op& op, RunState& state, uint32_t mask, const Quad* wide, Lanes& lanes) {
  const unsigned special = special_destination(op.instruction->dst);
  if (special < 8)
    for (unsigned c = 0; c < op.exec_size; c++)
      if (mask >> c & 1) thread.macro_acc[special][(c + op.shift) & 15] = quad_bits(wide[c]);
  Destination whole = op.dst;
  whole.channels = 0xffffffff;
  retire_to(thread, op, whole, state.mode, mask, lanes, op.opcode == Opcode::madm ? retire_flags : retire_store);
}

bool ordinary(double x) { return std::isfinite(x) && x != 0; }

/// invm, rsqtm: an estimate for the iterations that follow, or, with the channel's flag set, the final quotient (root).
Next macro_estimate(Thread& thread, const Op& op, MathFunction function, uint32_t mask, RunState& state) {
  Lanes a, b, r;
  Quad wide_a[32], wide_b[32], wide[32];
  load_macro_source(thread, op, 0, a, wide_a);
  const bool invert = function == MathFunction::invm;
  if (invert) load_macro_source(thread, op, 1, b, wide_b);
  uint32_t early = 0;
  for (unsigned c = 0; c < op.exec_size; c++) {
    const auto x = static_cast<double>(wide_a[c]), y = invert ? static_cast<double>(wide_b[c]) : 1.0;
    const bool iterate = ordinary(x) && ordinary(y) && (invert || x > 0);
    double value;
    if (iterate) {
      value = invert ? 1.0 / y : 1.0 / std::sqrt(x);
    } else {
      early |= 1u << c;
      value = invert ? x / y : std::sqrt(x);
    }
    if (value != value) value = std::numeric_limits<double>::quiet_NaN();
    wide[c] = static_cast<Quad>(value);
    if (op.kind == LaneKind::f64) r.d[c] = value;
    else r.f[c] = static_cast<float>(value);
  }
  write_flags(thread, op, mask, early);
  retire_macro(thread, op, state, mask, wide, r);
  return Next::advance;
}

}  // namespace

Next execute_madm(Thread& thread, const Op& op, RunState& state) {
  const uint32_t mask = execution_mask(thread, op);
  if (!mask) return Next::advance;
  Lanes lanes, r;
  Quad in[3][32], wide[32];
  for (unsigned n = 0; n < 3; n++) load_macro_source(thread, op, n, lanes, in[n]);
  for (unsigned c = 0; c < op.exec_size; c++) {
    wide[c] = quad_fma(in[1][c], in[2][c], in[0][c]);
    if (wide[c] != wide[c]) wide[c] = static_cast<Quad>(std::numeric_limits<float>::quiet_NaN());
    if (op.kind == LaneKind::f64) r.d[c] = static_cast<double>(wide[c]);
    else r.f[c] = static_cast<float>(wide[c]);
  }
  retire_macro(thread, op, state, mask, wide, r);
  return Next::advance;
}

Next execute_math(Thread& thread, const Op& op, RunState& state) {
  const uint32_t mask = execution_mask(thread, op);
  if (!mask) return Next::advance;
  const MathFunction function = op.instruction->math_function();
  if (is_macro(function)) return macro_estimate(thread, op, function, mask, state);
  if (op.kind == LaneKind::i64) return integer_division(thread, op, function, mask, state);
  if (op.kind != LaneKind::f32) return fail(thread, "math function on DF");
  Lanes a, b, r;
  load_source(thread, op, 0, state.mode, a);
  load_source(thread, op, 1, state.mode, b);
  const HostRounding nearest(Rounding::nearest_even);  // the math unit has its own rounding
  const auto compute = math_lanes()[static_cast<unsigned>(function)];
  for (unsigned g = 0; g < op.groups; g++) {
    if (compute) compute(r.f + 8 * g, a.f + 8 * g, b.f + 8 * g);
    else std::fill_n(r.f + 8 * g, 8, 0.0f);
  }
  retire(thread, op, state.mode, mask, r);
  return Next::advance;
}

}  // namespace softgen::eu
