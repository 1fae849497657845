// SPDX-License-Identifier: GPL-2.0-or-later
// MI commands that decide what runs next: batches, conditions, semaphores, predicates (SKL PRM vol 2a).
#include "hw/base/log.h"
#include "hw/cs/executor.h"
#include "hw/defs/gen9/ids.h"

namespace softgen::cs {
namespace {

uint64_t memory_address(uint32_t low, uint32_t high, uint32_t alignment) {
  return (low | uint64_t{high & 0xffff} << 32) & ~uint64_t{alignment - 1};
}

/// MI_SEMAPHORE_WAIT [14:12], with SAD the dword in memory and SDD the one in the command.
bool compare(uint32_t operation, uint32_t sad, uint32_t sdd) {
  switch (operation) {
    case 0: return sad > sdd;
    case 1: return sad >= sdd;
    case 2: return sad < sdd;
    case 3: return sad <= sdd;
    case 4: return sad == sdd;
    case 5: return sad != sdd;
    default: return true;  // reserved: not waiting is what cannot hang
  }
}

}  // namespace

// Only the ring's own MI_BATCH_BUFFER_START is an arbitration point: a batch that loops by chaining to itself is a hang that i915 must
// see (IGT lib/igt_dummyload.c, IGT_SPIN_NO_PREEMPTION).
Flow Executor::start_batch(Dwords dw, const Cursor& behind) {
  // Predication Enable (SKL PRM vol 2a): ignored when MI_PREDICATE_RESULT_1 is clear.
  if (bit(dw[0], 15) && !reg::predicate_bit.of(s_.get(reg::predicate_result_1))) return Flow::next();
  if (behind.level() == 0 && !s_.in_workaround_) {
    if (s_.attention()) s_.must_leave();
    if (s_.switch_wanted() && s_.arbitration()) return stop(Reason::arbitration);
  }
  Flow flow = batch_start(dw, behind);
  if (flow.kind == Flow::Kind::jump) ++s_.jumps;
  if (bit(dw[0], 16)) flow.address += s_.get(reg::bb_offset);  // Add Offset Enable
  const unsigned level = flow.kind == Flow::Kind::call ? behind.level() + 1 : behind.level();
  const uint32_t state = flow.ppgtt ? reg::batch_ppgtt : 0;
  if (level == 1) {
    s_.set(reg::bb_start_addr, static_cast<uint32_t>(flow.address)), s_.set(reg::bb_start_addr_udw, static_cast<uint32_t>(flow.address >> 32));
    s_.set(reg::bb_state, state);
  } else {
    s_.set(reg::sbb_state, state);
  }
  return flow;
}

// The batch goes on while the dword in memory is greater than the one in the command. With Compare Mask Mode the dword behind it is
// a mask. Without Compare Semaphore nothing is compared and the batch goes on.
Flow Executor::conditional_end(Dwords dw) {
  if (!bit(dw[0], 21)) return Flow::next();
  memory::View& view = s_.view(bit(dw[0], 22));
  const uint64_t address = memory_address(dw[2], dw[3], 8);
  uint32_t value = view.load_acquire<uint32_t>(address);
  if (bit(dw[0], 19)) value &= view.load_acquire<uint32_t>(address + 4);
  return value > dw[1] ? Flow::next() : Flow::end();
}

// Signal mode looks again whenever it is signalled, poll mode whenever memory may have changed; both also with a timer, so that
// neither can sleep for good. The walk comes back to the command in front of which it stopped.
Flow Executor::semaphore_wait(Dwords dw) {
  uint32_t value;
  if (bit(dw[0], 16))  // Register Poll Mode
    value = s_.links().registers.read(dw[2] & 0x007f'fffc);
  else
    value = s_.view(bit(dw[0], 22)).load_acquire<uint32_t>(memory_address(dw[2], dw[3], 4));
  if (compare(bits(dw[0], 14, 12), value, dw[1])) {
    s_.set_waiting(false);
    return Flow::next();
  }
  // Without the inhibit the context is switched out, to be submitted again; the interrupt is for those that wait here (SKL PRM vol 2a, MI_SEMAPHORE_WAIT).
  if (s_.execlists() && !s_.in_workaround_ && !(s_.get(reg::ctx_control) & reg::inhibit_switch_on_wait)) {
    s_.failed_wait = event_wait_semaphore | (bit(dw[0], 15) ? event_wait_polls : 0u);
    return stop(Reason::failed_wait);
  }
  s_.set_waiting(true);
  return stop(Reason::waiting);
}

void Executor::semaphore_signal(Dwords dw) {
  static constexpr EngineId targets[] = {EngineId::rcs, EngineId::vcs0, EngineId::bcs, EngineId::vecs, EngineId::vcs1};
  const uint32_t target = bits(dw[0], 17, 15);
  if (target < std::size(targets)) return s_.links().signal(targets[target]);
  guest_error("MI_SEMAPHORE_SIGNAL to no engine", "target {}", target);
}

void Executor::predicate(uint32_t header) {
  const uint64_t src0 = s_.get64(reg::predicate_src0), src1 = s_.get64(reg::predicate_src1);
  const bool state = reg::predicate_bit.of(s_.get(reg::predicate_result));
  bool value = false;
  switch (bits(header, 1, 0)) {
    case 0: value = true; break;
    case 1: value = false; break;
    case 2: value = src0 == src1; break;
    case 3: value = src0 - src1 == s_.get64(reg::predicate_data); break;
  }
  switch (bits(header, 4, 3)) {
    case 0: break;
    case 1: value = value && state; break;
    case 2: value = value || state; break;
    case 3: value = value != state; break;
  }
  switch (bits(header, 7, 6)) {
    case 2: s_.set(reg::predicate_result, value); break;
    case 3: s_.set(reg::predicate_result, !value); break;
    default: break;  // KEEP
  }
}

// Commands that need a display, a resource streamer or a cache that is not there, and have no effect on what a driver sees.
void Executor::display_command(const Packet& packet) {
  using defs::CommandId;
  switch (packet.command->id) {
    case CommandId::MI_WAIT_FOR_EVENT: return unimplemented("MI_WAIT_FOR_EVENT", "does not wait: {:#x}", packet.dwords[0]);
    case CommandId::MI_DISPLAY_FLIP: return unsupported("MI_DISPLAY_FLIP", "flips are MMIO on Gen9");
    case CommandId::MI_LOAD_URB_MEM:
    case CommandId::MI_STORE_URB_MEM:
    case CommandId::MI_RS_STORE_DATA_IMM: return unimplemented(packet.command->name);
    default: return;
  }
}

}  // namespace softgen::cs
