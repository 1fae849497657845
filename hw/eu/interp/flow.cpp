// SPDX-License-Identifier: GPL-2.0-or-later
// Control flow by per-channel instruction pointers (SKL PRM vol 7, "Flow Control", and each instruction's pseudocode). A channel that
// leaves the common path waits at an offset; run() lets it join when the thread gets there. The thread itself moves only by JIP, and
// only when no channel is left for the next instruction.
#include <cstring>

#include "hw/base/log.h"
#include "hw/eu/interp/execute.h"
#include "hw/eu/interp/inspect.h"
#include "hw/iface/engine.h"

namespace softgen::eu {

Next jump(Thread& thread, const Op& op, int64_t offset, RunState& state) {
  if (!thread.jump(offset)) {
    // Code may call itself in circles.
    if (state.env.stop.aborting()) return fail(thread, nullptr);
    if (thread.leave_program(offset, state.env)) return Next::jumped;
    guest_error("EU jump out of the kernel", "from byte {} to byte {}", op.offset, offset);
    return fail(thread, "jump out of the kernel");
  }
  if (offset <= op.offset) {
    if (state.env.stop.aborting()) return fail(thread, nullptr);
    Inspector::passed(thread, op.offset);
    if (uint32_t* const turn = state.env.turn; turn && (!*turn || !--*turn)) return Next::paused;
  }
  return Next::jumped;
}

namespace {

uint32_t channels(const Op& op, uint32_t mask) { return mask << op.shift; }

void suspend(Thread& thread, uint32_t mask, int64_t offset) {
  mask &= thread.active;
  thread.active &= ~mask;
  for (; mask; mask &= mask - 1) thread.channel_ip[static_cast<unsigned>(__builtin_ctz(mask))] = static_cast<uint32_t>(offset);
}

bool any_at(const Thread& thread, int64_t offset) {
  if (thread.active) return true;
  for (uint32_t waiting = thread.dispatched; waiting; waiting &= waiting - 1)
    if (thread.channel_ip[static_cast<unsigned>(__builtin_ctz(waiting))] == static_cast<uint32_t>(offset)) return true;
  return false;
}

Next go_on_or_jump(Thread& thread, const Op& op, RunState& state) {
  return any_at(thread, op.next_offset) ? Next::advance : jump(thread, op, op.jip_offset, state);
}

uint32_t read_dword(const Thread& thread, const Operand& o, unsigned n) {
  uint32_t value = 0;
  unsigned at = (o.reg & 127u) * 32 + o.subreg + n * 4;
  if (o.indirect) at = static_cast<unsigned>(thread.regs.address[o.addr_subreg & 15] + o.addr_imm) + n * 4;
  if (o.file == RegFile::grf) std::memcpy(&value, thread.regs.bytes() + (at & (grf_bytes - 4)), 4);
  if (o.is_arf(Arf::ip)) value = thread.regs.ip[0];
  if (o.is_arf(Arf::address)) std::memcpy(&value, reinterpret_cast<const char*>(thread.regs.address) + ((o.subreg + n * 4) & 28), 4);
  return value;
}

void write_dword(Thread& thread, const Operand& o, unsigned n, uint32_t value) {
  if (o.file != RegFile::grf || o.indirect) return;
  const unsigned at = (o.reg & 127u) * 32 + o.subreg + n * 4;
  std::memcpy(thread.regs.bytes() + (at & (grf_bytes - 4)), &value, 4);
}

/// call(1) and ret(1), and those with NoMask, move all channels together.
bool uniform(const Op& op) { return op.exec_size == 1 || op.no_mask; }

}  // namespace

Next execute_jmpi(Thread& thread, const Op& op, RunState& state) {
  if (!(predicate_mask(thread, op) & 1)) return Next::advance;
  const Instruction& i = *op.instruction;
  const int64_t distance =
      i.src[1].file == RegFile::imm ? i.jip : int64_t{static_cast<int32_t>(read_dword(thread, i.src[1], 0))} * i.jump_unit;
  return jump(thread, op, int64_t{op.offset} + i.jump_base() + distance, state);
}

// How i965's kernels return from subroutines (shaders/vme), and Ironlake's jump in single program flow. All channels follow.
Next execute_to_ip(Thread& thread, const Op& op, RunState& state) {
  if (!(predicate_mask(thread, op) & 1)) return Next::advance;
  const Instruction& i = *op.instruction;
  uint32_t target = 0;
  for (unsigned n = 0; n < i.info()->sources; n++)
    target += i.src[n].file == RegFile::imm ? static_cast<uint32_t>(i.imm) : read_dword(thread, i.src[n], 0);
  return jump(thread, op, int64_t{target} - static_cast<int64_t>(thread.program()->start()), state);
}

Next execute_if(Thread& thread, const Op& op, RunState& state) {
  const uint32_t enabled = enabled_mask(thread, op), taken = execution_mask(thread, op);
  suspend(thread, channels(op, enabled & ~taken), op.jip_offset);
  return go_on_or_jump(thread, op, state);
}

Next execute_else(Thread& thread, const Op& op, RunState& state) {
  suspend(thread, channels(op, enabled_mask(thread, op)), op.uip_offset);
  return go_on_or_jump(thread, op, state);
}

Next execute_endif(Thread& thread, const Op& op, RunState& state) { return go_on_or_jump(thread, op, state); }

Next execute_while(Thread& thread, const Op& op, RunState& state) {
  const uint32_t again = channels(op, execution_mask(thread, op)) & thread.active;
  if (!again) return Next::advance;
  suspend(thread, thread.active & ~again, op.next_offset);
  return jump(thread, op, op.jip_offset, state);
}

Next execute_break(Thread& thread, const Op& op, RunState& state) {
  suspend(thread, channels(op, execution_mask(thread, op)), op.uip_offset);
  return go_on_or_jump(thread, op, state);
}

/// Until Gfx10 a channel goes forward where the predicate is false, and back (BranchCtrl) where it is true: IGC turns the predicates of forward
/// ones around for BDW and SKL, and clears a flag where all shall go (visa SIMDCF lowering, gotoJumpOnTrue). JIP of those that go back is where the others go on.
Next execute_goto(Thread& thread, const Op& op, RunState& state) {
  const bool branch_control = op.instruction->acc_write;
  const bool where_true = branch_control || op.instruction->goes_where_true;
  const uint32_t wanted = execution_mask(thread, op), going = where_true ? wanted : enabled_mask(thread, op) & ~wanted;
  const uint32_t taken = channels(op, going) & thread.active;
  if (branch_control && taken) {
    // The thread follows the channels that jump; the others wait after the instruction.
    suspend(thread, thread.active & ~taken, op.next_offset);
    suspend(thread, taken, op.uip_offset);
    return jump(thread, op, op.uip_offset, state);
  }
  suspend(thread, taken, op.uip_offset);
  return go_on_or_jump(thread, op, state);
}

Next execute_branch(Thread& thread, const Op& op, RunState& state) {
  const uint32_t taken = channels(op, execution_mask(thread, op));
  const Operand& offsets = op.instruction->src[0];
  int64_t jip = op.jip_offset, uip = op.opcode == Opcode::brc ? op.uip_offset : op.jip_offset;
  if (offsets.file == RegFile::grf) {
    jip = op.offset + static_cast<int32_t>(read_dword(thread, offsets, 0));
    uip = op.opcode == Opcode::brc ? op.offset + static_cast<int32_t>(read_dword(thread, offsets, 1)) : jip;
  }
  suspend(thread, taken, uip);
  return any_at(thread, op.next_offset) ? Next::advance : jump(thread, op, jip, state);
}

/// dst.0 is the return address (from Instruction Base), dst.1 the caller's call mask.
Next execute_call(Thread& thread, const Op& op, RunState& state) {
  const Instruction& i = *op.instruction;
  const auto start = static_cast<int64_t>(thread.program()->start());
  int64_t target = op.jip_offset;
  if (i.src[1].file != RegFile::imm) {
    const auto distance = static_cast<int32_t>(read_dword(thread, i.src[1], 0));
    target = i.opcode == Opcode::calla ? static_cast<uint32_t>(distance) - start : op.offset + int64_t{distance};
  }
  const bool all = uniform(op);
  if (all && !(predicate_mask(thread, op) & 1)) return Next::advance;
  const uint32_t taken = all ? thread.active : channels(op, execution_mask(thread, op)) & thread.active;
  if (!all && !taken) return Next::advance;
  write_dword(thread, i.dst, 0, static_cast<uint32_t>(start + op.next_offset));
  write_dword(thread, i.dst, 1, thread.call_mask);
  thread.call_mask = all ? 0xffffffffu : taken;
  suspend(thread, thread.active & ~taken, op.next_offset);
  return jump(thread, op, target, state);
}

Next execute_ret(Thread& thread, const Op& op, RunState& state) {
  const Operand& from = op.instruction->src[0];
  const int64_t back = int64_t{read_dword(thread, from, 0)} - static_cast<int64_t>(thread.program()->start());
  const uint32_t outer = read_dword(thread, from, 1);
  if (uniform(op)) {
    if (!(predicate_mask(thread, op) & 1)) return Next::advance;
    thread.call_mask = outer;
    return jump(thread, op, back, state);
  }
  const uint32_t taken = channels(op, execution_mask(thread, op)) & thread.active;
  suspend(thread, taken, back);
  thread.call_mask &= ~taken;
  if (thread.call_mask & thread.dispatched) return Next::advance;
  thread.call_mask = outer;
  return jump(thread, op, back, state);
}

}  // namespace softgen::eu
