// SPDX-License-Identifier: GPL-2.0-or-later
// Flow instructions of sets with mask stacks (program/mask_stacks.h). With cr0's single program flow channel 0 decides for all in those of one channel.
// Wider ones go by their channels then, too, and the stacks work: crocus runs Ironlake's vertex shaders so, two vertices a thread, whose if jumps to an
// else that must know why it is reached (crocus_state.c, brw_vec4_generator.cpp).
// Sources: what Mesa brw_eu_emit.c (patch_IF_ELSE, brw_patch_break_cont, brw_HALT) expects of Gfx4 and Gfx5; i965-va-driver's kernels.
#include "hw/base/log.h"
#include "hw/eu/interp/execute.h"

namespace softgen::eu {

namespace {

bool single_flow(const Thread& thread, const Op& op) { return op.exec_size == 1 && (thread.regs.control[0] & cr0::single_program_flow); }

uint32_t channels(const Op& op, uint32_t mask) { return mask << op.shift; }

/// As masks say, from now on.
void follow(Thread& thread) { thread.active = thread.masks.running(); }

Next broken_stack(Thread& thread, const Op& op) {
  guest_error("EU mask stack", "{} at byte {} finds it {}", op.instruction->info()->name, op.offset,
              op.opcode == Opcode::if_ || op.opcode == Opcode::iff || op.opcode == Opcode::do_ ? "full" : "without its entry");
  return fail(thread, "mask stack");
}

Next jump_if(bool jumps, Thread& thread, const Op& op, RunState& state) {
  return jumps ? jump(thread, op, op.jip_offset, state) : Next::advance;
}

/// Channels that the predicate sends on their way, and those of the instruction that it leaves out.
uint32_t taken(const Thread& thread, const Op& op) {
  if (single_flow(thread, op)) return predicate_mask(thread, op) & 1 ? 0xffffffff : 0;
  return channels(op, execution_mask(thread, op));
}
uint32_t left_out(const Thread& thread, const Op& op) {
  if (single_flow(thread, op)) return ~taken(thread, op);
  return channels(op, enabled_mask(thread, op)) & ~taken(thread, op);
}

}  // namespace

/// Without a channel that takes the branch the thread goes to else or endif, which find the entry.
Next execute_mask_if(Thread& thread, const Op& op, RunState& state) {
  const uint32_t out = left_out(thread, op);
  if (!thread.masks.push_branch()) return broken_stack(thread, op);
  thread.masks.branch &= ~out;
  follow(thread);
  return jump_if(!thread.active, thread, op, state);
}

/// An if without else: it jumps behind the endif, and then leaves no entry.
Next execute_mask_iff(Thread& thread, const Op& op, RunState& state) {
  const uint32_t out = left_out(thread, op);
  if (!(thread.active & ~out)) return jump(thread, op, op.jip_offset, state);
  if (!thread.masks.push_branch()) return broken_stack(thread, op);
  thread.masks.branch &= ~out;
  follow(thread);
  return Next::advance;
}

Next execute_mask_else(Thread& thread, const Op& op, RunState& state) {
  MaskStacks& masks = thread.masks;
  if (!masks.branch_depth) return broken_stack(thread, op);
  masks.branch = masks.branches[masks.branch_depth - 1] & ~masks.branch;
  follow(thread);
  if (thread.active) return Next::advance;
  if (!masks.pop_branches(popped_branches(op))) return broken_stack(thread, op);
  follow(thread);
  return jump(thread, op, op.jip_offset, state);
}

Next execute_mask_endif(Thread& thread, const Op& op, RunState&) {
  if (!thread.masks.pop_branches(popped_branches(op))) return broken_stack(thread, op);
  follow(thread);
  return Next::advance;
}

/// A loop has those that enter it; its mask need not show who is outside of enclosing branches.
Next execute_mask_do(Thread& thread, const Op& op, RunState&) {
  if (!thread.masks.push_loop()) return broken_stack(thread, op);
  thread.masks.loop = thread.active, thread.masks.continued = 0xffffffff;
  return Next::advance;
}

Next execute_mask_while(Thread& thread, const Op& op, RunState& state) {
  MaskStacks& masks = thread.masks;
  if (!masks.loop_depth) return broken_stack(thread, op);
  masks.continued = 0xffffffff;
  follow(thread);
  masks.loop &= ~left_out(thread, op);
  follow(thread);
  if (thread.active) return jump(thread, op, op.jip_offset, state);
  masks.pop_loop();
  follow(thread);
  return Next::advance;
}

/// Where no channel is left in the loop (in its round), the entries of the branches inside it go, and for break the loop's.
Next execute_mask_break(Thread& thread, const Op& op, RunState& state) {
  MaskStacks& masks = thread.masks;
  if (!masks.loop_depth) return broken_stack(thread, op);
  const bool leaves = op.opcode == Opcode::break_;
  (leaves ? masks.loop : masks.continued) &= ~taken(thread, op);
  follow(thread);
  if (masks.active & masks.loop & masks.continued) return Next::advance;
  // Others may wait for the round's end: they are at the while.
  if (leaves && (masks.active & masks.loop)) return Next::advance;
  if (!masks.pop_branches(popped_branches(op))) return broken_stack(thread, op);
  if (leaves) masks.pop_loop();
  follow(thread);
  return jump(thread, op, op.jip_offset, state);
}

/// AMask is set again by the kernel, where all meet.
Next execute_mask_halt(Thread& thread, const Op& op, RunState& state) {
  thread.masks.active &= ~taken(thread, op);
  follow(thread);
  return jump_if(!thread.masks.active, thread, op, state);
}

}  // namespace softgen::eu
