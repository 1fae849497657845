// SPDX-License-Identifier: GPL-2.0-or-later
// MI commands that decide what runs next: batches, conditions, semaphores, predicates (SKL PRM vol 2a).
#include <optional>

#include "hw/base/log.h"
#include "hw/cs/decode/packets.h"
#include "hw/cs/executor.h"

namespace softgen::cs {
namespace {

using packets::MI_PREDICATE;
using packets::MI_SEMAPHORE_WAIT;

/// SAD is the dword in memory, SDD the one in the command.
bool compare(MI_SEMAPHORE_WAIT::CompareOperation operation, uint32_t sad, uint32_t sdd) {
  using enum MI_SEMAPHORE_WAIT::CompareOperation;
  switch (operation) {
    case COMPARE_SAD_GREATER_THAN_SDD: return sad > sdd;
    case COMPARE_SAD_GREATER_THAN_OR_EQUAL_SDD: return sad >= sdd;
    case COMPARE_SAD_LESS_THAN_SDD: return sad < sdd;
    case COMPARE_SAD_LESS_THAN_OR_EQUAL_SDD: return sad <= sdd;
    case COMPARE_SAD_EQUAL_SDD: return sad == sdd;
    case COMPARE_SAD_NOT_EQUAL_SDD: return sad != sdd;
    default: return true;  // reserved: not waiting is what cannot hang
  }
}

std::optional<EngineId> engine_of(packets::MI_SEMAPHORE_SIGNAL::TargetEngineSelect target) {
  using enum packets::MI_SEMAPHORE_SIGNAL::TargetEngineSelect;
  switch (target) {
    case RCS: return EngineId::rcs;
    case VCS0: return EngineId::vcs0;
    case BCS: return EngineId::bcs;
    case VECS: return EngineId::vecs;
    case VCS1: return EngineId::vcs1;
    default: return std::nullopt;
  }
}

}  // namespace

// Only the ring's own MI_BATCH_BUFFER_START is an arbitration point: a batch that loops by chaining to itself is a hang that i915 must
// see (IGT lib/igt_dummyload.c, IGT_SPIN_NO_PREEMPTION).
Flow Executor::start_batch(Dwords dw, const Cursor& after) {
  if (dw[0] & posh_start_) return Flow::next();
  if (predicated_start(dw)) return Flow::next();
  if (after.level() == 0 && !execution_.in_workaround) {
    if (arbiter_.attention()) arbiter_.must_leave();
    if (arbiter_.switch_wanted() && arbiter_.arbitration()) return stop(Reason::arbitration);
    if (Faults* const faults = core_.links().registers.faults()) [[unlikely]]
      if (const std::optional<Flow> held = planned_request(*faults)) return *held;
  }
  return enter_batch(dw, after, after.mode());
}

std::optional<Flow> Executor::planned_request(Faults& faults) {
  Execution::Held& held = execution_.held;
  const uint64_t address = core_.get_address(reg::acthd, reg::acthd_udw);
  if (held.on && held.context == core_.context().lrca() && held.address == address) {
    if (held.on->load(std::memory_order_acquire)) return stop(Reason::waiting);
    held = {};
    return std::nullopt;
  }
  const FaultAnswer answer = ask(&faults, {.point = FaultPoint::request, .unit = static_cast<uint32_t>(core_.config().id)});
  if (!answer) return std::nullopt;
  if (answer.action == FaultAction::hang) {
    core_.halt();
    return stop(Reason::fault);
  }
  const auto on = std::make_shared<std::atomic<bool>>(true);
  if (answer.action == FaultAction::slow && !faults.later(answer.time_ns, [on] { on->store(false, std::memory_order_release); }))
    return std::nullopt;
  held = {core_.context().lrca(), address, on};
  return stop(Reason::waiting);
}

/// Predication Enable (SKL PRM vol 2a): ignored when MI_PREDICATE_RESULT_1 is clear.
bool Executor::predicated_start(Dwords dw) const {
  return packets::MI_BATCH_BUFFER_START::View(dw).predication_enable() && !reg::predicate_bit.of(core_.get(reg::predicate_result_1));
}

Flow Executor::enter(const Packet& packet, const Cursor& after, BatchMode mode) {
  publish(packet.address, packet.dwords[0], after);
  if (is_short(packet)) return fault(reg::error_instruction);
  return after.level() && predicated_start(packet.dwords) ? Flow::next() : enter_batch(packet.dwords, after, mode);
}

Flow Executor::enter_batch(Dwords dw, const Cursor& after, BatchMode mode) {
  Flow flow = batch_start(dw, after);
  flow.mode = mode;
  if (flow.kind == Flow::Kind::jump) ++execution_.jumps;
  if (packets::MI_BATCH_BUFFER_START::View(dw).add_offset_enable()) flow.address += core_.get(reg::bb_offset);
  const unsigned level = flow.kind == Flow::Kind::call ? after.level() + 1 : after.level();
  const uint32_t state = batch_state(flow.ppgtt, flow.mode);
  if (level == 1) {
    core_.set(reg::bb_start_addr, static_cast<uint32_t>(flow.address)),
        core_.set(reg::bb_start_addr_udw, static_cast<uint32_t>(flow.address >> 32));
    core_.set(reg::bb_state, state);
  } else {
    core_.set(reg::sbb_state, state);
  }
  return flow;
}

// The batch continues while the dword in memory is greater than the one in the command. With Compare Mask Mode the dword after it is
// a mask. Without Compare Semaphore there is no comparison and the batch continues.
Flow Executor::conditional_end(Dwords dw) {
  using Command = packets::MI_CONDITIONAL_BATCH_BUFFER_END;
  const Command::View end(dw);
  if (!end.compare_semaphore()) return Flow::next();
  memory::View& view = core_.view(end.use_global_gtt());
  const uint64_t address = strip_canonical(end.compare_address());
  uint32_t value = view.load_acquire<uint32_t>(address);
  if (end.compare_mask_mode() == Command::CompareMaskMode::COMPARE_MASK_MODE_ENABLED) value &= view.load_acquire<uint32_t>(address + 4);
  return value > end.compare_data_dword() ? Flow::next() : Flow::end();
}

// Signal mode compares again whenever it is signalled, poll mode whenever memory may have changed; both also with a timer, so that
// neither can sleep forever. The walk resumes at the command before which it stopped.
Flow Executor::semaphore_wait(Dwords dw) {
  const MI_SEMAPHORE_WAIT::View wait(dw);
  const bool global = wait.memory_type() == MI_SEMAPHORE_WAIT::MemoryType::GLOBAL_GRAPHICS_ADDRESS;
  const uint64_t address = strip_canonical(wait.semaphore_address());
  const uint32_t value = wait.register_poll_mode() ? core_.links().registers.read(static_cast<uint32_t>(address) & register_offset_mask,
                                                                                  mmio::Initiator::streamer)
                                                   : core_.view(global).load_acquire<uint32_t>(address);
  if (compare(wait.compare_operation(), value, wait.semaphore_data_dword())) {
    core_.set_waiting(false);
    return Flow::next();
  }
  // Without the inhibit the context is switched out, to be submitted again; the interrupt is for those that wait here (SKL PRM vol 2a,
  // MI_SEMAPHORE_WAIT).
  if (core_.execlists() && !core_.config().position && !execution_.in_workaround &&
      !(core_.get(reg::ctx_control) & reg::inhibit_switch_on_wait)) {
    const bool polls = wait.wait_mode() == MI_SEMAPHORE_WAIT::WaitMode::POLLING_MODE;
    execution_.failed_wait = event_wait_semaphore | (polls ? event_wait_polls : 0u);
    return stop(Reason::failed_wait);
  }
  core_.set_waiting(true);
  return stop(Reason::waiting);
}

void Executor::semaphore_signal(Dwords dw) {
  const auto target = packets::MI_SEMAPHORE_SIGNAL::View(dw).target_engine_select();
  if (const std::optional<EngineId> engine = engine_of(target)) return core_.links().signal(*engine);
  guest_error("MI_SEMAPHORE_SIGNAL to no engine", "target {}", static_cast<uint32_t>(target));
}

void Executor::predicate(Dwords dw) {
  using enum MI_PREDICATE::CompareOperation;
  using enum MI_PREDICATE::CombineOperation;
  using enum MI_PREDICATE::LoadOperation;
  const MI_PREDICATE::View command(dw);
  const uint64_t src0 = core_.get64(reg::predicate_src0), src1 = core_.get64(reg::predicate_src1);
  const bool state = reg::predicate_bit.of(core_.get(reg::predicate_result));
  bool value = false;
  switch (command.compare_operation()) {
    case COMPARE_TRUE: value = true; break;
    case COMPARE_FALSE: value = false; break;
    case COMPARE_SRCS_EQUAL: value = src0 == src1; break;
    case COMPARE_DELTAS_EQUAL: value = src0 - src1 == core_.get64(reg::predicate_data); break;
  }
  switch (command.combine_operation()) {
    case COMBINE_SET: break;
    case COMBINE_AND: value = value && state; break;
    case COMBINE_OR: value = value || state; break;
    case COMBINE_XOR: value = value != state; break;
  }
  switch (command.load_operation()) {
    case LOAD_LOAD: core_.set(reg::predicate_result, value); break;
    case LOAD_LOADINV: core_.set(reg::predicate_result, !value); break;
    default: break;
  }
}

// Commands that need a display, a resource streamer or a cache that is not there, and have no effect on what a driver sees. Those without a case
// are done by being passed over: memory is coherent (MI_CLFLUSH), nothing sleeps (MI_FORCE_WAKEUP) or flushes by itself (MI_SUSPEND_FLUSH).
void Executor::display_command(const Packet& packet) {
  using defs::CommandId;
  switch (packet.command->id) {
    case CommandId::MI_WAIT_FOR_EVENT: return unimplemented("MI_WAIT_FOR_EVENT", "does not wait: {:#x}", packet.dwords[0]);
    case CommandId::MI_WAIT_FOR_EVENT_2:
      if (waits_for_display(packet.dwords)) unimplemented("MI_WAIT_FOR_EVENT_2", "does not wait: {:#x}", packet.dwords[0]);
      return;
    case CommandId::MI_DISPLAY_FLIP: return unsupported("MI_DISPLAY_FLIP", "flips are MMIO on Gen9");
    case CommandId::MI_LOAD_URB_MEM:
    case CommandId::MI_STORE_URB_MEM:
    case CommandId::MI_RS_STORE_DATA_IMM: return unimplemented(packet.command->name);
    default: return;
  }
}

}  // namespace softgen::cs
