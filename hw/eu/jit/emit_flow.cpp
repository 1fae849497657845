// SPDX-License-Identifier: GPL-2.0-or-later
// Branches as in interp/flow.cpp: channels that leave wait in the mask of their target; the thread jumps when no channel remains.
#include "hw/eu/jit/emitter.h"
#include "hw/eu/jit/message_registers.h"
#include "hw/iface/engine.h"

namespace softgen::eu::jit {

Value Emitter::wait_mask(int place) { return ir_.load(ir_.i32, masks_.wait_allocas[static_cast<size_t>(place)], 4); }
void Emitter::set_wait_mask(int place, Value mask) { ir_.store(mask, masks_.wait_allocas[static_cast<size_t>(place)], 4); }

/// The active channels of `mask` (bit n: channel n) leave and wait at `offset`.
void Emitter::suspend(Value mask, int64_t offset) {
  const Value leaving = ir_.and_(mask, active());
  set_active(ir_.and_(active(), ir_.not_(leaving)));
  const int place = graph_.wait_of(program_, offset);
  set_wait_mask(place, ir_.or_(wait_mask(place), leaving));
}

void Emitter::go(size_t n, int64_t offset) {
  flush(n);
  const Block to = blocks_[static_cast<size_t>(program_.index_at(offset))];
  if (offset <= ops_[n].offset) {
    const Block on = ir_.block(), stop = ir_.block();
    const Value reasons = ir_.load_atomic(ir_.i32, ir_.load(ir_.ptr, ir_.address(frame_, offsetof(Frame, stop)), 8), 4);
    ir_.branch(ir_.icmp(LLVMIntNE, ir_.and_(reasons, ir_.c32(StopFlag::dropping)), ir_.c32(0)), stop, on);
    ir_.at(stop);
    ir_.ret(ir_.c32(static_cast<uint32_t>(Exit::aborted)));
    ir_.at(on);
  }
  ir_.jump(to);
  place_.open = false;
}

void Emitter::go_on_or_jump(size_t n) {
  const Op& op = ops_[n];
  const int32_t next = program_.index_at(op.next_offset);
  Value here = active();
  if (const int place = graph_.wait_at[static_cast<size_t>(next)]; place >= 0) here = ir_.or_(here, wait_mask(place));
  flush(n);
  const Block away = ir_.block();
  ir_.branch(ir_.icmp(LLVMIntNE, here, ir_.c32(0)), blocks_[static_cast<size_t>(next)], away);
  ir_.at(away);
  go(n, op.jip_offset);
}

/// If channels are active and none of them leaves, jumps to `offset` with all masks unchanged, so that a loop's values do not depend on a
/// comparison. The code that follows is for the other case.
void Emitter::stay_if_none(size_t n, Value leaving, int64_t offset) {
  const Value none = ir_.icmp(LLVMIntEQ, ir_.and_(leaving, active()), ir_.c32(0)), any = ir_.icmp(LLVMIntNE, active(), ir_.c32(0));
  go_if(n, ir_.and_(none, any), offset);
}

void Emitter::go_if(size_t n, Value condition, int64_t offset) {
  flush(n);
  const Block goes = ir_.block(), stays = ir_.block();
  ir_.branch(condition, goes, stays);
  ir_.at(goes);
  go(n, offset);
  ir_.at(stays);
  place_.open = true;
}

void Emitter::jump(size_t n) {
  const Op& op = ops_[n];
  const int64_t target = jump_target(program_, op);
  const Value predicate = predicate_mask(op);
  if (!predicate) return go(n, target);
  flush(n);
  const Block away = ir_.block();
  ir_.branch(ir_.trunc(predicate, ir_.i1), away, block_after(op));
  ir_.at(away);
  go(n, target);
}

/// while: the channels of `again` jump back, the others wait for them after the loop.
void Emitter::repeat(size_t n, Value again) {
  const Op& op = ops_[n];
  stay_if_none(n, ir_.not_(again), op.jip_offset);
  // If no channel jumps back, all continue.
  const Value any = ir_.icmp(LLVMIntNE, again, ir_.c32(0));
  suspend(ir_.select(any, ir_.and_(active(), ir_.not_(again)), ir_.c32(0)), op.next_offset);
  flush(n);
  const Block away = ir_.block();
  ir_.branch(any, away, block_after(op));
  ir_.at(away);
  go(n, op.jip_offset);
}

/// goto with BranchCtrl: the channels of `taken` jump back to UIP; the thread follows if there are any.
void Emitter::go_back(size_t n, Value taken) {
  const Op& op = ops_[n];
  const Value any = ir_.icmp(LLVMIntNE, taken, ir_.c32(0));
  suspend(ir_.select(any, ir_.and_(active(), ir_.not_(taken)), ir_.c32(0)), op.next_offset);
  suspend(taken, op.uip_offset);
  // If there are none, it continues as without BranchCtrl.
  const Value stays = ir_.and_(ir_.not_(ir_.sext(any, ir_.i32)), active());
  Value here = stays;
  if (const int place = graph_.wait_at[static_cast<size_t>(program_.index_at(op.next_offset))]; place >= 0)
    here = ir_.or_(here, ir_.and_(ir_.not_(ir_.sext(any, ir_.i32)), wait_mask(place)));
  flush(n);
  const Block away = ir_.block();
  ir_.branch(ir_.icmp(LLVMIntNE, here, ir_.c32(0)), block_after(op), away);
  ir_.at(away);
  go(n, op.uip_offset);
}

void Emitter::branch(size_t n) {
  const Op& op = ops_[n];
  const auto channels = [&](Value mask) { return ir_.shl(mask, ir_.c32(op.shift)); };
  if (graph_.steps[n] == Step::jump) return jump(n);
  if (mask_flow(n)) return;
  switch (op.opcode) {
    case Opcode::if_: {
      const Value leaving = channels(ir_.and_(enabled_mask(op), ir_.not_(execution_mask(op))));
      stay_if_none(n, leaving, op.next_offset);
      suspend(leaving, op.jip_offset);
      return go_on_or_jump(n);
    }
    case Opcode::else_: suspend(channels(enabled_mask(op)), op.uip_offset); return go_on_or_jump(n);
    case Opcode::while_: return repeat(n, ir_.and_(channels(execution_mask(op)), active()));
    case Opcode::break_:
    case Opcode::cont:
    case Opcode::halt: {
      const Value leaving = channels(execution_mask(op));
      stay_if_none(n, leaving, op.next_offset);
      suspend(leaving, op.uip_offset);
      return go_on_or_jump(n);
    }
    case Opcode::goto_: {
      const bool forward = !op.instruction->acc_write;
      const bool where_false = forward && !op.instruction->goes_where_true;
      const Value going = where_false ? ir_.and_(enabled_mask(op), ir_.not_(execution_mask(op))) : execution_mask(op);
      const Value taken = ir_.and_(channels(going), active());
      if (!forward) return go_back(n, taken);
      suspend(taken, op.uip_offset);
      return go_on_or_jump(n);
    }
    case Opcode::brd:
    case Opcode::brc:
      suspend(channels(execution_mask(op)), op.opcode == Opcode::brc ? op.uip_offset : op.jip_offset);
      return go_on_or_jump(n);
    default: return go_on_or_jump(n);  // endif, join
  }
}

/// Calls a function of the Frame, with the op's registers in memory. `mask`: channels of a message; null: the interpreter executes the op.
Value Emitter::call_out(size_t n, Value mask) {
  const Footprint f = footprint(ops_[n]);
  const Slots replaced =
      mask ? written_whole(ops_[n], variant_.channels && graph_.waits_before[n].none(), variant_.channels) & ~f.reads : Slots{};
  for (unsigned s = 0; s < slot_count; s++) {
    const bool needed = graph_.used[s] && (f.reads[s] || f.writes[s] || f.all_reads || f.all_writes);
    // In a series, memory has values of the previous thread.
    if (!needed || replaced[s] || (untouched(s) && !variant_.of_series())) continue;
    slot(s);
    canonicalize(s);
    if (!slots_[s].in_memory) ir_.store(slots_[s].value, ir_.address(regs_, s * 32), 32);
    slots_[s].in_memory = true;
  }
  if (!mask) ir_.store(flags(), ir_.address(regs_, offsetof(Registers, flag)), 4);
  if (!mask && ops_[n].reads_dynamic) store_masks(n);
  const auto step = [&] {
    const Value function = ir_.load(ir_.ptr, ir_.address(frame_, offsetof(Frame, step)), 8);
    return ir_.call(function, ir_.i32, {frame_, ir_.c32(static_cast<uint32_t>(n)), active()});
  };
  const Value result = mask ? send_call(n, mask) : step();
  for (unsigned s = 0; s < slot_count; s++) {
    if (!graph_.used[s] || !(f.writes[s] || f.all_writes) || (mask && f.moved[s])) continue;
    set_slot(s, ir_.load(ir_.vec(ir_.i32, 8), ir_.address(regs_, s * 32), 32), canonical);
    slots_[s].in_memory = true;
  }
  if (f.flags || f.all_writes) set_flags(ir_.load(ir_.i64, ir_.address(regs_, offsetof(Registers, flag)), 4));
  if (ops_[n].writes_masks) load_masks();
  return result;
}

namespace {
bool may_fail(const Op& op) { return op.opcode == Opcode::math; }
}  // namespace

void Emitter::step(size_t n) {
  place_.stepped++;
  const Value result = call_out(n, nullptr);
  if (!may_fail(ops_[n])) return;
  const Block failed = ir_.block(), on = ir_.block();
  ir_.branch(ir_.icmp(LLVMIntEQ, result, ir_.c32(static_cast<uint32_t>(Next::advance))), on, failed);
  ir_.at(failed);
  ir_.ret(ir_.c32(static_cast<uint32_t>(Exit::failed)));
  ir_.at(on);
}

void Emitter::send(size_t n) {
  const bool last = graph_.steps[n] == Step::end_of_thread;
  const bool has_registers = ops_[n].message_registers;
  if (has_registers && !message_is_native(ops_[n])) return send_by_step(n);
  if (last && variant_.keep_registers) write_back();
  const Value mask = execution_mask(ops_[n]);
  if (has_registers) move_to_message(ops_[n], mask);
  if (has_registers && ops_[n].message && ops_[n].message->kind == MessageKind::math) return math_message(n, mask);
  if (last) end_silently(n);
  if (Components first; find_colors(n, first)) write_colors(n, first, mask);
  if (const auto row = last ? std::nullopt : find_row(n)) return move_row(n, *row, mask);
  send_out(n, mask);
}

/// Sends a message by a call. The thread ends with its last message.
void Emitter::send_out(size_t n, Value mask) {
  const bool last = graph_.steps[n] == Step::end_of_thread;
  const Value result = call_out(n, mask);
  const Block failed = ir_.block(), on = ir_.block();
  const Next good = last ? Next::finished : Next::advance;
  ir_.branch(ir_.icmp(LLVMIntEQ, result, ir_.c32(static_cast<uint32_t>(good))), on, failed);
  ir_.at(failed);
  // Only the gateway can block a thread.
  if (!last && ops_[n].instruction->sfid() == static_cast<unsigned>(Sfid::gateway)) {
    const Block blocked = ir_.block(), error = ir_.block();
    ir_.branch(ir_.icmp(LLVMIntEQ, result, ir_.c32(static_cast<uint32_t>(Next::blocked))), blocked, error);
    ir_.at(blocked);
    leave_for(n + 1, Exit::blocked);
    ir_.at(error);
  }
  ir_.ret(ir_.c32(static_cast<uint32_t>(Exit::failed)));
  ir_.at(on);
  place_.open = !last;
  if (last) finish_thread();
}

/// leave() on a side path: the state of the current block stays valid for the code that follows.
void Emitter::leave_for(size_t n, Exit how) {
  const auto slots = slots_;
  const auto wide = wide_;
  const Value active = masks_.active, flags = masks_.flags;
  leave(n, how);
  slots_ = slots;
  wide_ = wide;
  masks_.active = active;
  masks_.flags = flags;
  place_.open = true;
}

void Emitter::wait(size_t n) {
  place_.stepped++;
  const Value result = call_out(n, nullptr);
  const Block blocked = ir_.block(), on = ir_.block();
  ir_.branch(ir_.icmp(LLVMIntEQ, result, ir_.c32(static_cast<uint32_t>(Next::advance))), on, blocked);
  ir_.at(blocked);
  leave_for(n, Exit::blocked);
  ir_.at(on);
}

}  // namespace softgen::eu::jit
