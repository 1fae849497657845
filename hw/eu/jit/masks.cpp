// SPDX-License-Identifier: GPL-2.0-or-later
// Channel masks and flags, as in interp/execute.cpp: integers with one bit per channel.
#include <algorithm>

#include "hw/eu/jit/emitter.h"

namespace softgen::eu::jit {

Value Emitter::active() {
  if (!masks_.active) masks_.active = ir_.load(ir_.i32, masks_.active_alloca, 4);
  return masks_.active;
}
void Emitter::set_active(Value v) {
  masks_.active = v;
  masks_.active_modified = true;
}
Value Emitter::flags() {
  if (!masks_.flags) masks_.flags = ir_.load(ir_.i64, masks_.flags_alloca, 8);
  return masks_.flags;
}
void Emitter::set_flags(Value v) {
  masks_.flags = v;
  masks_.flags_modified = true;
}

Value Emitter::enabled_mask(const Op& op) {
  if (op.no_mask) return ir_.c32(op.lanes_mask);
  return ir_.and_(ir_.lshr(active(), ir_.c32(op.shift)), ir_.c32(op.lanes_mask));
}

namespace {

/// For each group of `size` flag bits whether any (all) of them is set, in all bits of the group.
Value grouped(Ir& ir, Value word, unsigned size, bool all) {
  if (size == 32) {
    const Value c = all ? ir.icmp(LLVMIntEQ, word, ir.c32(~0u)) : ir.icmp(LLVMIntNE, word, ir.c32(0));
    return ir.sext(c, ir.i32);
  }
  // OR of all bits of a group into its lowest bit, which is then copied to all of them.
  const Value bits = all ? ir.not_(word) : word;
  Value joined = bits;
  for (unsigned step = 1; step < size; step *= 2) joined = ir.or_(joined, ir.lshr(joined, ir.c32(step)));
  uint32_t lowest = 0;
  for (unsigned n = 0; n < 32; n += size) lowest |= 1u << n;
  const Value spread = ir.mul(ir.and_(joined, ir.c32(lowest)), ir.c32((1u << size) - 1));
  return all ? ir.not_(spread) : spread;
}

}  // namespace

Value Emitter::predicate_mask(const Op& op) {
  if (!op.pred) return nullptr;
  Value word = ir_.trunc(ir_.lshr(flags(), ir_.c64(op.flag_bit)), ir_.i32);
  if (op.align16 && op.of_vectors) {
    if (op.pred >= 2 && op.pred <= 5) {
      // Each group of four channels uses one of its bits.
      const Value picked = ir_.and_(ir_.lshr(word, ir_.c32(op.pred - 2u)), ir_.c32(0x11111111));
      word = ir_.mul(picked, ir_.c32(15));
    }
    if (op.pred == 6 || op.pred == 7) word = grouped(ir_, word, 4, op.pred == 7);
  } else if (op.flag_halves && (op.pred == 2 || op.pred == 3)) {
    const Value low = ir_.trunc(flags(), ir_.i32), ones = ir_.c32(0xffff);
    const Value a = ir_.and_(low, ones), b = ir_.lshr(low, ir_.c32(16));
    word = op.pred == 2 ? ir_.or_(a, b) : ir_.and_(a, b);
  } else if (op.pred == 2 || op.pred == 3) {
    const Value a = ir_.lshr(ir_.trunc(flags(), ir_.i32), ir_.c32(op.flag_bit & 16));
    const Value b = ir_.lshr(ir_.trunc(ir_.lshr(flags(), ir_.c64(32)), ir_.i32), ir_.c32(op.flag_bit & 16));
    word = op.pred == 2 ? ir_.or_(a, b) : ir_.and_(a, b);
  } else if (op.pred >= 4 && op.pred <= 13) {
    word = grouped(ir_, word, 2u << (op.pred - 4) / 2, op.pred & 1);
  }
  if (op.pred_invert) word = ir_.not_(word);
  return ir_.lshr(word, ir_.c32(op.shift));
}

Value Emitter::execution_mask(const Op& op) {
  const Value enabled = enabled_mask(op), predicate = predicate_mask(op);
  return predicate ? ir_.and_(enabled, predicate) : enabled;
}

void Emitter::write_flags(const Op& op, Value mask, Value values) {
  const unsigned first = op.flag_bit + op.shift;
  if (first >= 64) return;
  const auto placed = [&](Value v) { return ir_.shl(ir_.zext(v, ir_.i64), ir_.c64(first)); };
  set_flags(ir_.or_(ir_.and_(flags(), ir_.not_(placed(mask))), placed(ir_.and_(values, mask))));
}

unsigned Emitter::lanes_of(const Op& op) const {
  // The operands of line and pln are laid out for eight channels at a time.
  const bool plane = op.opcode == Opcode::line || op.opcode == Opcode::pln;
  return std::min<unsigned>(op.exec_size, plane ? 8 : lanes_);
}

bool Emitter::full(const Op& op, Value mask) const {
  uint64_t value;
  return Ir::known(mask, &value) && (value & op.lanes_mask) == op.lanes_mask;
}

Value Emitter::lane_mask(const Op& op, Value mask, unsigned k) {
  if (full(op, mask)) return nullptr;
  const unsigned lanes = lanes_of(op);
  return ir_.bitcast(lane_bits(mask, lanes, k), ir_.vec(ir_.i1, lanes));
}

Value Emitter::lane_bits(Value mask, unsigned lanes, unsigned k) {
  return ir_.trunc(ir_.lshr(mask, ir_.c32(lanes * k)), ir_.int_type(lanes));
}

Value Emitter::bits_of(const std::vector<Value>& compares, unsigned lanes) {
  Value bits = nullptr;
  for (size_t k = 0; k < compares.size(); k++) {
    const Value part = ir_.shl(ir_.zext(ir_.bitcast(compares[k], ir_.int_type(lanes)), ir_.i32), ir_.c32(static_cast<uint32_t>(lanes * k)));
    bits = bits ? ir_.or_(bits, part) : part;
  }
  return bits;
}

}  // namespace softgen::eu::jit
