// SPDX-License-Identifier: GPL-2.0-or-later
// The interpreter's loop.
#include "hw/eu/interp/run.h"

#include "hw/base/denormals.h"
#include "hw/eu/interp/execute.h"
#include "hw/iface/engine.h"

namespace softgen::eu {

void make_dynamic(Thread& thread, const Op& op) {
  thread.regs.ip[0] = static_cast<uint32_t>(thread.program()->start()) + op.offset;
  if (thread.program()->isa().limits().mask_stacks) {
    const MaskStacks& masks = thread.masks;
    thread.regs.channel_enable[0] = (masks.active & 0xffff) | masks.branch << 16;
    thread.regs.channel_enable[1] = (masks.loop & 0xffff) | masks.continued << 16;
    thread.regs.stack_pointer[0] = masks.branch_depth | uint32_t{masks.loop_depth} << 16;
  } else {
    thread.regs.channel_enable[0] = thread.active;
  }
  const uint64_t clock = thread.instructions * 4;
  thread.regs.timestamp[0] = static_cast<uint32_t>(clock);
  thread.regs.timestamp[1] = static_cast<uint32_t>(clock >> 32);
}

void take_masks(Thread& thread) {
  MaskStacks& masks = thread.masks;
  const auto low = [](uint32_t& mask, uint32_t word) { mask = (mask & 0xffff0000u) | (word & 0xffff); };
  low(masks.active, thread.regs.channel_enable[0]), low(masks.branch, thread.regs.channel_enable[0] >> 16);
  low(masks.loop, thread.regs.channel_enable[1]), low(masks.continued, thread.regs.channel_enable[1] >> 16);
  thread.active = masks.running();
}

namespace {

/// Channels that waited for this instruction run again.
void join(Thread& thread, uint32_t offset) {
  for (uint32_t waiting = thread.dispatched & ~thread.active; waiting; waiting &= waiting - 1) {
    const auto channel = static_cast<unsigned>(__builtin_ctz(waiting));
    if (thread.channel_ip[channel] == offset) thread.active |= 1u << channel;
  }
}

template <typename Before>
RunResult loop(Thread& thread, RunState& state, HostRounding& rounding, Before&& before) {
  const Op* ops = thread.program()->ops().data();
  for (;;) {
    const Op& op = ops[thread.index];
    if (op.joins && thread.active != thread.dispatched) join(thread, op.offset);
    before(op);
    thread.instructions++;
    if (op.reads_dynamic) make_dynamic(thread, op);
    switch (op.execute(thread, op, state)) {
      case Next::advance: thread.index++; break;
      case Next::jumped: ops = thread.program()->ops().data(); break;
      case Next::finished: thread.ip = op.offset; return RunResult::finished;
      case Next::blocked:
        // After a message the thread resumes with the next instruction; a wait is executed again.
        if (!op.instruction->is_wait()) thread.index++;
        thread.ip = ops[thread.index].offset;
        return RunResult::blocked;
      // The thread's turn is over (ThreadEnv::turn); it stands where it jumped to.
      case Next::paused: thread.ip = thread.program()->ops()[static_cast<size_t>(thread.index)].offset; return RunResult::blocked;
      case Next::failed: thread.ip = op.offset; return thread.failure ? RunResult::failed : RunResult::aborted;
    }
    if (op.writes_masks) take_masks(thread);
    if (op.writes_control) {
      state.mode = float_mode(thread.regs);
      rounding.set(state.mode.rounding);
    }
  }
}

/// `before` is called with each op.
template <typename Before>
RunResult interpret_with(Thread& thread, ThreadEnv& env, MessageTarget& target, Before&& before) {
  if (env.control) env.control->restore();
  thread.clear_rest();
  RunState state{env, target, float_mode(thread.regs)};
  HostRounding rounding(state.mode.rounding);
  return loop(thread, state, rounding, before);
}

}  // namespace

RunResult interpret(Thread& thread, ThreadEnv& env, MessageTarget& target) {
  return interpret_with(thread, env, target, [](const Op&) {});
}

RunResult interpret_watched(Thread& thread, ThreadEnv& env, MessageTarget& target, Watcher& watcher) {
  return interpret_with(thread, env, target, [&](const Op& op) { watcher.before(thread, op); });
}

RunResult run(Thread& thread, ThreadEnv& env, MessageTarget& target) {
  RunResult result;
  // A thread that blocked resumes in the engine that ran it or in the interpreter; fast paths only take threads from their start. The interpreter alone
  // counts the jumps of a thread's turn.
  FastPath* const fast = thread.program()->fast_path();
  if (fast && !env.turn && (thread.index == 0 || fast->resumes()) && fast->run(thread, env, target, result)) return result;
  return interpret(thread, env, target);
}

}  // namespace softgen::eu
