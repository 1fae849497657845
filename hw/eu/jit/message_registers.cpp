// SPDX-License-Identifier: GPL-2.0-or-later
// What a send moves to its message registers, and messages to the math unit, as in interp/message_registers.cpp.
#include "hw/eu/jit/message_registers.h"

#include <algorithm>
#include <array>

#include "hw/eu/interp/math_lanes.h"
#include "hw/eu/jit/emitter.h"

namespace softgen::eu::jit {

namespace {

constexpr unsigned register_bytes = 32, half_channels = 8;
constexpr unsigned compressed = 2;

bool moves_nothing(const Op& op) { return op.instruction->src[0].is_null() || op.src[0].fetch == Fetch::none; }

bool move_is_native(const Op& op) {
  if (moves_nothing(op)) return true;
  const Source& s = op.src[0];
  const unsigned size = size_of(s.type);
  if (op.reads_dynamic || !s.load || size > 4 || s.type == RegType::hf) return false;
  if (s.fetch == Fetch::indirect || s.fetch == Fetch::indirect_vx || s.fetch == Fetch::immediate) return false;
  if (op.instruction->first_message + moved_registers(op) > guard_count) return false;
  if (moves_whole_registers(op)) return s.base % 4 == 0 && is_slot(s.base) && is_slot(s.base + moved_registers(op) * register_bytes - 1);
  for (unsigned n = 0; n < moved_elements(op); n++)
    if (!is_slot(element_offset(s, n)) || element_offset(s, n) % size) return false;
  return true;
}

bool math_is_native(const Op& op) {
  static const Thread no_thread{};
  if (!has_fixed_form(op) || op.instruction->end_of_thread) return false;
  const SendForm form = send_form(no_thread, op);
  if (!form.valid || !form.response.count || !math_is_inside(op, form) || op.instruction->dst.subreg % 4) return false;
  return has_math_lane(static_cast<MathFunction>(form.op.operation));
}

/// A mov of the same elements for all channels.
Op move_of(const Op& op) {
  Op move = op;
  move.opcode = Opcode::mov;
  move.execute = nullptr;
  move.sources = 1;
  move.shift = move.pred = move.cond = 0;
  move.no_mask = true;
  move.saturate = move.acc_write = move.flush = false;
  unsigned count = moved_elements(op);
  if (moves_whole_registers(op)) {
    move.kind = LaneKind::i32;
    move.src[0].type = RegType::ud;
    count = moved_registers(op) * half_channels;
  }
  move.exec_size = static_cast<uint8_t>(count);
  move.groups = static_cast<uint8_t>((count + 7) / 8);
  move.lanes_mask = count == 32 ? ~0u : (1u << count) - 1;
  move.dst = {};
  move.dst.place = Place::contiguous;
  move.dst.type = move.src[0].type;
  move.dst.base = static_cast<uint16_t>((grf_count + op.instruction->first_message) * register_bytes);
  return move;
}

}  // namespace

unsigned moved_registers(const Op& op) { return moves_nothing(op) ? 0 : op.instruction->compression == compressed ? 2 : 1; }

bool moves_whole_registers(const Op& op) {
  const Source& s = op.src[0];
  return s.fetch == Fetch::contiguous && !s.negate && !s.abs;
}

unsigned moved_elements(const Op& op) {
  return std::min<unsigned>(op.exec_size, moved_registers(op) * register_bytes / size_of(op.src[0].type));
}

bool message_is_native(const Op& op) {
  const bool math = op.message && op.message->kind == MessageKind::math;
  return move_is_native(op) && (!math || math_is_native(op));
}

bool message_is_compiled(const Op& op) {
  // After one to the math unit the thread goes on, whatever it says of its end.
  return !op.instruction->end_of_thread || (op.message && op.message->kind != MessageKind::math && message_is_native(op));
}

/// `mask`: of the message, which is skipped without a channel unless it is the last one.
void Emitter::move_to_message(const Op& op, Value mask) {
  if (!moved_registers(op)) return;
  const Op move = move_of(op);
  Value where = ir_.c32(move.lanes_mask);
  if (uint64_t known; !op.instruction->end_of_thread && !(Ir::known(mask, &known) && known))
    where = ir_.select(ir_.icmp(LLVMIntNE, mask, ir_.c32(0)), where, ir_.c32(0));
  std::vector<Value> values;
  for (unsigned k = 0; k < groups_of(move); k++) values.push_back(narrowed(move, source(move, 0, k, Want::bits)));
  for (unsigned k = 0; k < values.size(); k++) store(move, k, values[k], where, canonical);
}

/// One of 16 channels is two, of eight, one after the other.
void Emitter::math_message(size_t n, Value mask) {
  static const Thread no_thread{};
  const Op& op = ops_[n];
  const SendForm form = send_form(no_thread, op);
  const auto function = static_cast<MathFunction>(form.op.operation);
  for (unsigned half = 0; half < (op.exec_size > half_channels ? 2 : 1); half++) {
    const unsigned first = form.payload.first + half * form.payload.count;
    const auto operand = [&](unsigned number) {
      Value v = ir_.as_floats(slot(first + std::min(number, form.payload.count - 1)));
      if (form.op.scalar) v = ir_.splat(ir_.extract(v, 0), half_channels);
      // Not all of LLVM's constant folding respects DAZ.
      return alternate(variant_.flush_f32 && llvm::IsConstant(v) ? flushed(v) : v);
    };
    const Value a = operand(0), b = operand(1);
    const Op part = math_result(op, form, half);
    const Value part_mask = ir_.and_(ir_.lshr(mask, ir_.c32(half * half_channels)), ir_.c32(part.lanes_mask));
    Value result = math_value(function, a, b, part, part_mask, 0);
    if (const unsigned lanes = lanes_of(part); lanes < half_channels) {
      constexpr std::array<int, half_channels> order = {0, 1, 2, 3, 4, 5, 6, 7};
      result = ir_.shuffle(result, nullptr, std::span(order).first(lanes));
    }
    std::vector<Value> results{result};
    std::vector<uint8_t> raws{raw_nan};
    retire(part, part_mask, results, raws, false);
  }
}

/// The interpreter moves and sends; not a last message.
void Emitter::send_by_step(size_t n) {
  place_.stepped++;
  const Value result = call_out(n, nullptr);
  const Block failed = ir_.block(), on = ir_.block();
  ir_.branch(ir_.icmp(LLVMIntEQ, result, ir_.c32(static_cast<uint32_t>(Next::advance))), on, failed);
  ir_.at(failed);
  ir_.ret(ir_.c32(static_cast<uint32_t>(Exit::failed)));
  ir_.at(on);
}

}  // namespace softgen::eu::jit
