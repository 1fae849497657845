// SPDX-License-Identifier: GPL-2.0-or-later
// Messages from the message registers: what send moves there, and extended math, which is a shared function here.
#include <algorithm>
#include <cstring>

#include "hw/eu/interp/access.h"
#include "hw/eu/interp/execute.h"
#include "hw/eu/interp/math_lanes.h"

namespace softgen::eu {

namespace {

constexpr unsigned register_bytes = 32, half_channels = 8;

/// One half of a compressed message to the math unit, or a message of up to eight channels.
struct MathPart {
  const MessageOp& message;
  const Grf* operands;  ///< one register each
  unsigned operand_count;
  Op op;  ///< stores and finishes the result

  const Grf& operand(unsigned n) const { return operands[std::min(n, operand_count - 1)]; }
};

void load_floats(const MathPart& part, unsigned n, const FloatMode& mode, Lanes& lanes) {
  std::memcpy(lanes.f, &part.operand(n), register_bytes);
  if (part.message.scalar) std::fill_n(lanes.u, half_channels, lanes.u[0]);
  flush_sources(lanes, RegType::f, LaneKind::f32, mode, half_channels);
}

/// Result `n` of the message.
void store(Thread& thread, const MathPart& part, unsigned n, const FloatMode& mode, uint32_t mask, Lanes& result) {
  Destination to = part.op.dst;
  to.base = static_cast<uint16_t>((to.base + n * register_bytes) & (grf_bytes - 1));
  retire_to(thread, part.op, to, mode, mask, result, retire_store);
}

void compute(Thread& thread, const MathPart& part, MathFunction function, unsigned n, RunState& state, uint32_t mask) {
  Lanes a, b, r;
  load_floats(part, 0, state.mode, a);
  load_floats(part, 1, state.mode, b);
  const auto lanes = math_lanes()[static_cast<unsigned>(function)];
  if (lanes) lanes(r.f, a.f, b.f);
  else std::fill_n(r.f, half_channels, 0.0f);
  store(thread, part, n, state.mode, mask, r);
}

/// The first operand is the denominator (Mesa brw_vec4_generator.cpp, generate_math2_gfx4, quotes ILK PRM vol 4 part 1, 6.1.13).
void divide(Thread& thread, const MathPart& part, RunState& state, uint32_t mask) {
  Lanes quotient, remainder;
  for (unsigned n = 0; n < half_channels; n++) {
    const unsigned from = part.message.scalar ? 0 : n;
    const uint32_t b = part.operand(0).dw[from], a = part.operand(1).dw[from];
    const bool with_sign = part.message.is_signed;
    const auto value = [&](uint32_t v) { return with_sign ? int64_t{static_cast<int32_t>(v)} : int64_t{v}; };
    const Division d = divide_integers(value(a), value(b), with_sign);
    quotient.i[n] = static_cast<int32_t>(d.quotient), remainder.i[n] = static_cast<int32_t>(d.remainder);
  }
  const auto function = static_cast<MathFunction>(part.message.operation);
  if (function == MathFunction::int_div_both) store(thread, part, 1, state.mode, mask, remainder);
  store(thread, part, 0, state.mode, mask, function == MathFunction::int_remainder ? remainder : quotient);
}

bool divides_integers(const MessageOp& message) {
  const auto function = static_cast<MathFunction>(message.operation);
  return function == MathFunction::int_div_both || function == MathFunction::int_quotient || function == MathFunction::int_remainder;
}

}  // namespace

Op math_result(const Op& op, const SendForm& form, unsigned half) {
  const bool integer = divides_integers(form.op);
  Op result = op;
  result.exec_size = static_cast<uint8_t>(std::min<unsigned>(op.exec_size, half_channels));
  result.groups = 1;
  result.shift = static_cast<uint8_t>(op.shift + half * half_channels);
  result.lanes_mask = (1u << result.exec_size) - 1;
  result.kind = integer ? LaneKind::i32 : LaneKind::f32;
  result.cond = 0;
  result.flush = !integer;
  result.saturate = !integer && (op.saturate || form.op.saturates);
  result.acc_write = result.to_accumulator = result.store_32 = result.finish_f32 = false;
  result.dst.type = integer ? RegType::ud : RegType::f;
  result.dst.place = Place::contiguous;
  result.dst.base = static_cast<uint16_t>(
      (form.response.first * register_bytes + op.instruction->dst.subreg + half * form.response.count * register_bytes) & (grf_bytes - 1));
  result.dst.store = store_for(result.dst.type);
  result.finish = finish_for(result.kind, result.dst.type, result.saturate, result.flush);
  return result;
}

bool math_is_inside(const Op& op, const SendForm& form) {
  const unsigned halves = op.exec_size > half_channels ? 2 : 1;
  return form.response.first + halves * form.response.count <= grf_count &&
         form.payload.first + halves * form.payload.count <= grf_count + guard_count;
}

void move_to_message(Thread& thread, const Op& op) {
  const Instruction& i = *op.instruction;
  const unsigned compressed = 2;
  const unsigned registers = i.compression == compressed ? 2 : 1;
  const unsigned first = grf_count + i.first_message;
  if (first + registers > grf_count + guard_count) return;
  auto* const to = reinterpret_cast<std::byte*>(thread.regs.at(first));
  const Source& source = op.src[0];
  const bool plain = source.fetch == Fetch::contiguous && !source.negate && !source.abs;
  if (plain) {
    std::memmove(to, thread.regs.bytes() + source.base, size_t{registers} * register_bytes);
    return;
  }
  if (!source.load) return;
  Lanes lanes;
  const unsigned count = std::min<unsigned>(op.exec_size, registers * register_bytes / size_of(source.type));
  source.load(thread.regs, source, op.groups * 8u, lanes);
  if (source.negate || source.abs) apply_modifiers(lanes, source, op.kind, op.groups * 8u);
  Destination message;
  message.place = Place::contiguous, message.type = source.type;
  message.base = static_cast<uint16_t>(first * register_bytes);
  store_for(source.type)(thread.regs, message, count, 0xffffffff, lanes);
}

Next send_to_math(Thread& thread, const Op& op, RunState& state, const SendForm& form, uint32_t mask) {
  const auto function = static_cast<MathFunction>(form.op.operation);
  const unsigned halves = op.exec_size > half_channels ? 2 : 1;
  if (!math_is_inside(op, form)) return fail(thread, "message beyond the registers");
  for (unsigned half = 0; half < halves; half++) {
    const unsigned at = form.payload.first + half * form.payload.count;
    const uint32_t part_mask = mask >> half * half_channels & 0xff;
    if (!part_mask || !form.response.count) continue;
    // Operands may be overwritten by the result only after all are read: they are in other registers.
    const MathPart part{form.op, thread.regs.at(at), form.payload.count, math_result(op, form, half)};
    if (divides_integers(form.op)) {
      divide(thread, part, state, part_mask);
    } else if (form.op.operation == MessageOp::sine_and_cosine) {
      compute(thread, part, MathFunction::sin, 0, state, part_mask);
      compute(thread, part, MathFunction::cos, 1, state, part_mask);
    } else {
      compute(thread, part, function, 0, state, part_mask);
    }
  }
  return Next::advance;
}

}  // namespace softgen::eu
