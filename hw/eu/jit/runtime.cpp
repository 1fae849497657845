// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/eu/jit/runtime.h"

#include "hw/iface/engine.h"

namespace softgen::eu::jit {

namespace {

/// MXCSR.DAZ: denormal inputs of all arithmetic are zeros of their sign. Results stay as they are.
constexpr uint32_t daz = 1u << 6;

void set_denormals_are_zeros(bool on) {
#if defined(__x86_64__)
  const uint32_t now = __builtin_ia32_stmxcsr();
  __builtin_ia32_ldmxcsr(on ? now | daz : now & ~daz);
#else
  (void)on;
#endif
}

uint32_t step(Frame* frame, uint32_t n, uint32_t active) {
  Thread& thread = *frame->thread;
  const Op& op = thread.program()->ops()[n];
  thread.active = active;
  thread.index = static_cast<int32_t>(n);
  thread.ip = op.offset;
  if (op.reads_dynamic) {
    thread.regs.ip[0] = static_cast<uint32_t>(thread.program()->start()) + op.offset;
    thread.regs.channel_enable[0] = active;
  }
  const bool zeros = frame->code->variant.flush_f32;
  if (zeros) set_denormals_are_zeros(false);
  const Next next = op.execute(thread, op, *frame->state);
  if (zeros) set_denormals_are_zeros(true);
  return static_cast<uint32_t>(next);
}

/// The thread as the interpreter would have left it.
void restore(Frame& frame) {
  Thread& thread = *frame.thread;
  thread.active = frame.active;
  thread.index = static_cast<int32_t>(frame.index);
  thread.ip = thread.program()->ops()[frame.index].offset;
  const auto& offsets = frame.code->wait_offsets;
  for (size_t w = 0; w < offsets.size(); w++)
    for (uint32_t left = frame.waiting[w]; left; left &= left - 1) thread.channel_ip[static_cast<unsigned>(__builtin_ctz(left))] = offsets[w];
}

}  // namespace

RunResult run_compiled(const Compiled& compiled, Thread& thread, ThreadEnv& env, MessageTarget& target) {
  RunState state{env, target, float_mode(thread.regs)};
  static_assert(sizeof(StopFlag) == sizeof(uint32_t));
  Frame frame;
  frame.thread = &thread;
  frame.acc_size = &thread.acc_size;
  frame.active = thread.active;
  frame.stop = reinterpret_cast<const uint32_t*>(&env.stop);
  frame.step = step;
  frame.math = &math_lanes();
  frame.state = &state;
  frame.code = &compiled;
  const bool zeros = compiled.variant.flush_f32;
  if (zeros) set_denormals_are_zeros(true);
  const auto exit = static_cast<Exit>(compiled.code(&frame));
  if (zeros) set_denormals_are_zeros(false);
  switch (exit) {
    case Exit::finished: return RunResult::finished;
    case Exit::failed: return thread.failure ? RunResult::failed : RunResult::aborted;
    case Exit::aborted: return RunResult::aborted;
    case Exit::blocked: restore(frame); return RunResult::blocked;
    case Exit::interpret: break;
  }
  restore(frame);
  return interpret(thread, env, target);
}

}  // namespace softgen::eu::jit
