// SPDX-License-Identifier: GPL-2.0-or-later
// The interpreter's loop and the state of a thread.
#include <algorithm>
#include <cstring>
#include <utility>

#include "hw/base/denormals.h"
#include "hw/base/work.h"
#include "hw/eu/interp/execute.h"
#include "hw/iface/engine.h"

namespace softgen::eu {

void Thread::start(const ThreadStart& how) {
  count_work(Work::threads, 1);
  program_ = how.program;
  index = 0;
  ip = 0;
  const uint32_t vector_mask = how.vector_mask ? how.vector_mask : how.dispatch_mask;
  dispatched = active = how.run_vector_mask ? vector_mask : how.dispatch_mask;
  call_mask = 0xffffffff;
  acc_size = 0;
  instructions = 0;
  failure = nullptr;
  payload_ = std::min(how.payload, grf_count);
  fresh_ = true;
  // All architecture registers, so that no thread sees what another left.
  if (!std::exchange(clean_, false)) {
    std::memset(regs.acc, 0, sizeof regs.acc);
    std::memset(regs.bytes() + offsetof(Registers, address), 0, offsetof(Registers, null) - offsetof(Registers, address));
  }
  regs.state[0] = how.state0;
  regs.state[2] = how.dispatch_mask;
  regs.state[3] = vector_mask;
  // Half-float denormals are kept from the start: Mesa's kernels never ask for it, and piglit's packHalf2x16 and unpackHalf2x16 tests pass on
  // the chip ("Half-float denorms are always retained", KBL PRM vol 2a, math, as anv_device.c quotes it).
  regs.control[0] = cr0::denorm_f16 | (how.alt_mode ? cr0::alt_mode : 0) | (how.rounding & 3u) << cr0::rounding_shift |
                    (how.single_program_flow ? cr0::single_program_flow : 0) |
                    (how.keep_denorms ? cr0::denorm_f32 | cr0::denorm_f64 : 0);
}

void Thread::clear_registers() { std::memset(regs.bytes(), 0, grf_bytes); }

void Thread::clear(unsigned first, unsigned count) {
  const unsigned from = std::max(first, payload_), end = first + count;
  if (from + 1 == end) regs.grf[from] = {};
  else if (from < end) std::memset(regs.grf + from, 0, size_t{end - from} * sizeof(Grf));
}

void Thread::clear_guards() {
  std::memset(regs.guard, 0, sizeof regs.guard);
  std::memset(regs.acc_guard, 0, sizeof regs.acc_guard);
}

void Thread::clear_rest() {
  if (!std::exchange(fresh_, false)) return;
  clear(0, grf_count);
  clear_guards();
}

bool Thread::jump(int64_t offset) {
  const int32_t to = program_->index_at(offset);
  if (to < 0) return false;
  index = to;
  return true;
}

namespace {

/// Channels that waited for this instruction run again.
void join(Thread& thread, uint32_t offset) {
  for (uint32_t waiting = thread.dispatched & ~thread.active; waiting; waiting &= waiting - 1) {
    const auto channel = static_cast<unsigned>(__builtin_ctz(waiting));
    if (thread.channel_ip[channel] == offset) thread.active |= 1u << channel;
  }
}

/// Registers that have their value only when they are read. The clock counts instructions, so that it is the same in every run.
void make_dynamic(Thread& thread, const Op& op) {
  thread.regs.ip[0] = static_cast<uint32_t>(thread.program()->start()) + op.offset;
  thread.regs.channel_enable[0] = thread.active;
  const uint64_t clock = thread.instructions * 4;
  thread.regs.timestamp[0] = static_cast<uint32_t>(clock);
  thread.regs.timestamp[1] = static_cast<uint32_t>(clock >> 32);
}

RunResult interpret(Thread& thread, RunState& state, HostRounding& rounding) {
  const Op* ops = thread.program()->ops().data();
  for (;;) {
    const Op& op = ops[thread.index];
    if (op.joins && thread.active != thread.dispatched) join(thread, op.offset);
    thread.instructions++;
    if (op.reads_dynamic) make_dynamic(thread, op);
    switch (op.execute(thread, op, state)) {
      case Next::advance: thread.index++; break;
      case Next::jumped: break;
      case Next::finished: thread.ip = op.offset; return RunResult::finished;
      case Next::blocked:
        // A message goes on behind itself; wait is tried again.
        if (op.opcode != Opcode::wait) thread.index++;
        thread.ip = ops[thread.index].offset;
        return RunResult::blocked;
      case Next::failed:
        thread.ip = op.offset;
        return thread.failure ? RunResult::failed : RunResult::aborted;
    }
    if (op.writes_control) {
      state.mode = float_mode(thread.regs);
      rounding.set(state.mode.rounding);
    }
  }
}

}  // namespace

std::atomic<std::unique_ptr<FastPath> (*)(const Program&)> FastPath::maker{nullptr};

RunResult interpret(Thread& thread, ThreadEnv& env, MessageTarget& target) {
  if (env.control) env.control->restore();
  thread.clear_rest();
  RunState state{env, target, float_mode(thread.regs)};
  HostRounding rounding(state.mode.rounding);
  return interpret(thread, state, rounding);
}

RunResult run(Thread& thread, ThreadEnv& env, MessageTarget& target) {
  RunResult result;
  // What has waited goes on as it began or in the interpreter; fast paths take threads from their start.
  if (FastPath* fast = thread.program()->fast_path(); fast && thread.index == 0 && fast->run(thread, env, target, result)) return result;
  return interpret(thread, env, target);
}

}  // namespace softgen::eu
