// SPDX-License-Identifier: GPL-2.0-or-later
// Flow by mask stacks, as in interp/mask_flow.cpp. The masks are values in allocas; so are the stacks' entries, as it is known how deep they are
// (mask_depths.h).
#include <cstddef>

#include "hw/eu/jit/emitter.h"

namespace softgen::eu::jit {

void Emitter::place_masks() {
  if (!program_.isa().limits().mask_stacks) return;
  auto& m = masks_.stacks;
  for (Value* v : {&m.active, &m.branch, &m.loop, &m.continued}) *v = ir_.alloca(ir_.i32);
  for (unsigned n = 0; n < MaskStacks::max_depth; n++) {
    m.branches[n] = ir_.alloca(ir_.i32);
    m.loops[n] = {ir_.alloca(ir_.i32), ir_.alloca(ir_.i32)};
  }
}

void Emitter::start_masks() {
  if (!program_.isa().limits().mask_stacks) return;
  const auto& m = masks_.stacks;
  set_mask(m.active, masks_.dispatched);
  for (const Value v : {m.branch, m.loop, m.continued}) set_mask(v, ir_.c32(~0u));
}

/// The channels that run by the four masks.
void Emitter::take_running() {
  const auto& m = masks_.stacks;
  set_active(ir_.and_(ir_.and_(mask_of(m.active), mask_of(m.branch)), ir_.and_(mask_of(m.loop), mask_of(m.continued))));
}

/// Before op n, for the interpreter.
void Emitter::store_masks(size_t n) {
  if (!program_.isa().limits().mask_stacks) return;
  const auto& m = masks_.stacks;
  const MaskDepth& depth = graph_.depths[n];
  const Value to = ir_.load(ir_.ptr, ir_.address(frame_, offsetof(Frame, masks)), 8);
  const auto put = [&](Value v, size_t offset) { ir_.store(v, ir_.address(to, offset), 4); };
  put(mask_of(m.active), offsetof(MaskStacks, active));
  put(mask_of(m.branch), offsetof(MaskStacks, branch));
  put(mask_of(m.loop), offsetof(MaskStacks, loop));
  put(mask_of(m.continued), offsetof(MaskStacks, continued));
  for (unsigned d = 0; d < depth.branches; d++) put(mask_of(m.branches[d]), offsetof(MaskStacks, branches) + d * sizeof(uint32_t));
  for (unsigned d = 0; d < depth.loops; d++) {
    const size_t at = offsetof(MaskStacks, loops) + d * sizeof(MaskStacks::Loop);
    put(mask_of(m.loops[d][0]), at + offsetof(MaskStacks::Loop, loop));
    put(mask_of(m.loops[d][1]), at + offsetof(MaskStacks::Loop, continued));
  }
  ir_.store(ir_.constant(ir_.i8, depth.branches), ir_.address(to, offsetof(MaskStacks, branch_depth)), 1);
  ir_.store(ir_.constant(ir_.i8, depth.loops), ir_.address(to, offsetof(MaskStacks, loop_depth)), 1);
}

/// After an op that the interpreter executed has written masks.
void Emitter::load_masks() {
  const auto& m = masks_.stacks;
  const Value from = ir_.load(ir_.ptr, ir_.address(frame_, offsetof(Frame, masks)), 8);
  const auto take = [&](Value to, size_t offset) { set_mask(to, ir_.load(ir_.i32, ir_.address(from, offset), 4)); };
  take(m.active, offsetof(MaskStacks, active));
  take(m.branch, offsetof(MaskStacks, branch));
  take(m.loop, offsetof(MaskStacks, loop));
  take(m.continued, offsetof(MaskStacks, continued));
  take_running();
}

/// Channels that the predicate sends on their way. In single program flow instructions of one channel decide for all.
Value Emitter::taken(const Op& op) {
  const Value by_channel = ir_.shl(execution_mask(op), ir_.c32(op.shift));
  if (op.exec_size != 1) return by_channel;
  const Value predicate = predicate_mask(op);
  const Value decision = predicate ? ir_.sext(ir_.trunc(predicate, ir_.i1), ir_.i32) : ir_.c32(~0u);
  return ir_.select(single_flow(), decision, by_channel);
}

/// Channels of the instruction that it leaves out.
Value Emitter::left_out(const Op& op) {
  const Value rest = ir_.not_(taken(op));
  const Value by_channel = ir_.and_(ir_.shl(enabled_mask(op), ir_.c32(op.shift)), rest);
  return op.exec_size == 1 ? ir_.select(single_flow(), rest, by_channel) : by_channel;
}

Value Emitter::single_flow() {
  const Value control = ir_.load(ir_.i32, ir_.address(regs_, offsetof(Registers, control)), 4);
  return ir_.icmp(LLVMIntNE, ir_.and_(control, ir_.c32(cr0::single_program_flow)), ir_.c32(0));
}

void Emitter::push_branch(size_t n) { set_mask(masks_.stacks.branches[graph_.depths[n].branches], mask_of(masks_.stacks.branch)); }

void Emitter::pop_branches(size_t n) {
  const unsigned count = popped_branches(ops_[n]);
  if (count) set_mask(masks_.stacks.branch, mask_of(masks_.stacks.branches[graph_.depths[n].branches - count]));
}

void Emitter::pop_loop(size_t n) {
  const auto& entry = masks_.stacks.loops[graph_.depths[n].loops - 1u];
  set_mask(masks_.stacks.loop, mask_of(entry[0]));
  set_mask(masks_.stacks.continued, mask_of(entry[1]));
}

void Emitter::clear_mask(Value mask, Value channels) { set_mask(mask, ir_.and_(mask_of(mask), ir_.not_(channels))); }

/// Goes on to the next op if `stays` has a channel. The code that follows is for the other case.
void Emitter::go_on_if_any(size_t n, Value stays) {
  flush(n);
  const Block away = ir_.block();
  ir_.branch(ir_.icmp(LLVMIntNE, stays, ir_.c32(0)), block_after(ops_[n]), away);
  ir_.at(away);
  place_.open = true;
}

void Emitter::go_on(size_t n) {
  flush(n);
  ir_.jump(block_after(ops_[n]));
  place_.open = false;
}

void Emitter::mask_if(size_t n) {
  const Value out = left_out(ops_[n]);
  push_branch(n);
  clear_mask(masks_.stacks.branch, out);
  take_running();
  go_on_if_any(n, active());
  go(n, ops_[n].jip_offset);
}

/// It jumps without an entry.
void Emitter::mask_iff(size_t n) {
  const Value out = left_out(ops_[n]);
  go_if(n, ir_.icmp(LLVMIntEQ, ir_.and_(active(), ir_.not_(out)), ir_.c32(0)), ops_[n].jip_offset);
  push_branch(n);
  clear_mask(masks_.stacks.branch, out);
  take_running();
  go_on(n);
}

void Emitter::mask_else(size_t n) {
  const auto& m = masks_.stacks;
  set_mask(m.branch, ir_.and_(mask_of(m.branches[graph_.depths[n].branches - 1u]), ir_.not_(mask_of(m.branch))));
  take_running();
  go_on_if_any(n, active());
  pop_branches(n);
  take_running();
  go(n, ops_[n].jip_offset);
}

void Emitter::mask_do(size_t n) {
  const auto& m = masks_.stacks;
  const auto& entry = m.loops[graph_.depths[n].loops];
  set_mask(entry[0], mask_of(m.loop));
  set_mask(entry[1], mask_of(m.continued));
  set_mask(m.loop, active());
  set_mask(m.continued, ir_.c32(~0u));
  go_on(n);
}

void Emitter::mask_while(size_t n) {
  set_mask(masks_.stacks.continued, ir_.c32(~0u));
  take_running();
  clear_mask(masks_.stacks.loop, left_out(ops_[n]));
  take_running();
  go_if(n, ir_.icmp(LLVMIntNE, active(), ir_.c32(0)), ops_[n].jip_offset);
  pop_loop(n);
  take_running();
  go_on(n);
}

void Emitter::mask_break(size_t n) {
  const auto& m = masks_.stacks;
  const bool leaves = ops_[n].opcode == Opcode::break_;
  clear_mask(leaves ? m.loop : m.continued, taken(ops_[n]));
  take_running();
  const Value in_loop = ir_.and_(mask_of(m.active), mask_of(m.loop));
  go_on_if_any(n, leaves ? in_loop : ir_.and_(in_loop, mask_of(m.continued)));
  pop_branches(n);
  if (leaves) pop_loop(n);
  take_running();
  go(n, ops_[n].jip_offset);
}

/// False: the op has nothing to do with mask stacks.
bool Emitter::mask_flow(size_t n) {
  const Execute execute = ops_[n].execute;
  if (execute == execute_mask_if) return mask_if(n), true;
  if (execute == execute_mask_iff) return mask_iff(n), true;
  if (execute == execute_mask_else) return mask_else(n), true;
  if (execute == execute_mask_do) return mask_do(n), true;
  if (execute == execute_mask_while) return mask_while(n), true;
  if (execute == execute_mask_break) return mask_break(n), true;
  if (execute == execute_mask_endif) {
    pop_branches(n);
    take_running();
    return go_on(n), true;
  }
  if (execute != execute_mask_halt) return false;
  clear_mask(masks_.stacks.active, taken(ops_[n]));
  take_running();
  go_on_if_any(n, mask_of(masks_.stacks.active));
  return go(n, ops_[n].jip_offset), true;
}

}  // namespace softgen::eu::jit
