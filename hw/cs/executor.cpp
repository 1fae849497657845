// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/cs/executor.h"

#include "hw/base/log.h"
#include "hw/cs/decode/packets.h"
#include "hw/cs/privilege.h"

namespace softgen::cs {

using defs::CommandId;

namespace {

/// Ironlake's video streamer has another register at the place of the others' (docs/ironlake.md).
uint32_t nopid_of(EngineCore& core) {
  const uint32_t own = core.config().mmio_base + reg::nopid;
  const defs::Register* const row = core.links().registers.set().find(own);
  return row && !row->engine ? softgen::reg::VCS_NOPID : own;
}

}  // namespace

// RCS takes a MI_BATCH_BUFFER_START with POSH Start for a no-op (ICL PRM vol 9, "POSH Start Batch Buffers").
Executor::Executor(EngineCore& core, Arbiter& arbiter, SetContext set_context)
    : core_(core),
      set_context_(std::move(set_context)),
      arbiter_(arbiter),
      nopid_(nopid_of(core)),
      relative_(core.config().commands),
      posh_start_(core.config().engine_class == defs::EngineClass::render && !core.config().position
                      ? header_bit(core.config().commands, "MI_BATCH_BUFFER_START", posh_start_field)
                      : 0) {}

ParseEnd Executor::walk(Cursor& cursor, std::vector<uint32_t>& packet) {
  begin();
  return parse(cursor, ParseMemory{core_.ggtt(), core_.ppgtt(), packet}, core_.config().commands, core_.config().engine_class, *this);
}

bool Executor::before(const Cursor&) {
  const uint32_t reasons = core_.stop().reasons();
  if (reasons & (execution_.in_workaround || core_.in_picture() ? StopFlag::dropping : StopFlag::dropping | StopFlag::pause)) [[unlikely]] {
    reason_ = Reason::attention;
    return false;
  }
  if (arbiter_.attention() && !execution_.in_workaround && arbiter_.must_leave()) [[unlikely]] {
    reason_ = Reason::attention;
    return false;
  }
  if (execution_.jumps_to_loop && execution_.jumps >= execution_.jumps_to_loop && !execution_.in_workaround) [[unlikely]] {
    execution_.jumps = 0;
    reason_ = Reason::looping;
    return false;
  }
  if (execution_.budget == 0) [[unlikely]] {
    reason_ = Reason::budget;
    return false;
  }
  --execution_.budget;
  if (core_.config().preempt_commands) [[unlikely]]
    count_for_preemption();
  return true;
}

// A packet that is repeated counts again, so that each is executed between two preemptions.
void Executor::count_for_preemption() {
  if (execution_.in_workaround || execution_.leave_to_thread || !core_.context().valid() || arbiter_.restore_requested()) return;
  if (++since_preemption_ <= core_.config().preempt_commands) return;
  since_preemption_ = 0;
  arbiter_.request_restore();
}

Flow Executor::command(const Packet& packet, const Cursor& after) { return finished(packet, after, execute(packet, after)); }

Flow Executor::finished(const Packet& packet, const Cursor& after, const Flow& flow) {
  if (Watch* const watch = core_.watch()) [[unlikely]]
    tell(*watch, packet, after, flow);
  return core_.links().observer ? observe(packet, flow) : flow;
}

Flow Executor::observe(const Packet& packet, Flow flow) {
  if (flow.kind == Flow::Kind::repeat || core_.links().observer->executed(core_.config().id, packet, core_.ppgtt())) return flow;
  if (const ExecResult flushed = core_.flush({}); flushed != ExecResult::done) return result(flushed);
  return {Flow::Kind::leave};
}

/// A packet that is repeated is reported once, when it is done.
void Executor::tell(Watch& watch, const Packet& packet, const Cursor& after, const Flow& flow) {
  if (reason_ == Reason::fault) outcome_ = WatchedPacket::Outcome::faulted;
  else if (flow.kind == Flow::Kind::repeat) return;
  watch.packet({core_.config().id, packet, after.level(), after.privileged(), outcome_});
}

void Executor::refuse() {
  outcome_ = WatchedPacket::Outcome::refused;
  core_.error(reg::error_privilege, EngineCore::Error::passing);
}

bool Executor::is_short(const Packet& packet) {
  if (packet.dwords.size() >= packet.command->min_dwords) return false;
  guest_error("command shorter than its definition", "{} at {:#x}: {} dwords", packet.command->name, packet.address, packet.dwords.size());
  return true;
}

Flow Executor::execute(const Packet& packet, const Cursor& after) {
  const uint32_t header = packet.dwords[0];
  publish(packet.address, header, after);
  outcome_ = WatchedPacket::Outcome::executed;
  if (execution_.predicate_mode && predicated_off(packet)) [[unlikely]] {
    outcome_ = WatchedPacket::Outcome::skipped;
    return Flow::next();
  }
  if (is_short(packet)) return fault(reg::error_instruction);
  privileged_ = after.privileged();
  if (!privileged_ && is_privileged(packet)) {
    guest_error("privileged command in a non-privileged batch", "{} at {:#x}", packet.command->name, packet.address);
    refuse();
    return Flow::next();
  }
  if (header >> 29 == 0) {
    if (const std::optional<Flow> stopped = finish_before(packet)) return *stopped;
    return mi(packet, after);
  }
  if (packet.command->id == CommandId::PIPE_CONTROL) return pipe_control(packet.dwords);
  return engine_packet(packet);
}

Flow Executor::unknown(const Packet& packet, const Cursor& after) {
  publish(packet.address, packet.dwords[0], after);
  guest_error("unknown command", "{:#010x} at {:#x}", packet.dwords[0], packet.address);
  if (Watch* const watch = core_.watch()) watch->unknown_command(core_.config().id, packet.address, packet.dwords[0]);
  return fault(reg::error_instruction);
}

Flow Executor::no_memory(uint64_t address, const Cursor&) {
  guest_error("command in unmapped memory", "at {:#x}", address);
  if (Watch* const watch = core_.watch()) watch->missing_command(core_.config().id, address);
  return fault(reg::error_page_table);
}

void Executor::publish(uint64_t address, uint32_t header, const Cursor& after) {
  core_.publish(address, header);
  if (after.level() == 0) publish_head(after);
  else if (after.level() == 1) core_.set_address(reg::bb_addr, reg::bb_addr_udw, address, reg::batch_valid);
  else core_.set_address(reg::sbb_addr, reg::sbb_addr_udw, address, reg::batch_valid);
}

// MI_SET_PREDICATE turns what follows into no-ops, except what ends that state (SKL PRM vol 2a, MI_SET_PREDICATE).
bool Executor::predicated_off(const Packet& packet) const {
  switch (packet.command->id) {
    case CommandId::MI_SET_PREDICATE:
    case CommandId::MI_BATCH_BUFFER_START:
    case CommandId::MI_BATCH_BUFFER_END: return false;
    default: break;
  }
  using enum packets::MI_SET_PREDICATE::PREDICATEENABLE;
  switch (static_cast<packets::MI_SET_PREDICATE::PREDICATEENABLE>(execution_.predicate_mode)) {
    case NOOP_ON_RESULT2_CLEAR: return !reg::predicate_bit.of(core_.get(reg::predicate_result_2));
    case NOOP_ON_RESULT2_SET: return reg::predicate_bit.of(core_.get(reg::predicate_result_2));
    case NOOP_ON_RESULT_CLEAR: return !reg::predicate_bit.of(core_.get(reg::predicate_result));
    case NOOP_ON_RESULT_SET: return reg::predicate_bit.of(core_.get(reg::predicate_result));
    case EXECUTE_WHEN_ONE_SLICE_ENABLED: return false;  // GT2 has one
    case EXECUTE_WHEN_TWO_SLICES_ARE_ENABLED:
    case EXECUTE_WHEN_THREE_SLICES_ARE_ENABLED:
    case NOOP_ALWAYS: return true;
    default: return false;
  }
}

Flow Executor::stop(Reason reason, Flow flow) {
  reason_ = reason;
  return flow;
}

Flow Executor::fault(uint32_t error) {
  core_.error(error, EngineCore::Error::fatal);
  return stop(Reason::fault);
}

Flow Executor::arbitrate() {
  if (arbiter_.attention() && !execution_.in_workaround) arbiter_.must_leave();
  return arbiter_.switch_wanted() && arbiter_.arbitration() && !core_.in_picture() ? stop(Reason::arbitration, Flow::stop()) : Flow::next();
}

Flow Executor::result(ExecResult result) {
  switch (result) {
    case ExecResult::done: return Flow::next();
    case ExecResult::preempted: return stop(Reason::arbitration);
    case ExecResult::aborted: return stop(Reason::attention);
    case ExecResult::fault: return fault(reg::error_instruction);
  }
  return Flow::next();
}

/// What a workaround batch may not hold: packets that start work (SKL PRM vol 2c, INDIRECT_CTX and BB_PER_CTX_PTR, which list 3DPRIMITIVE,
/// GPGPU_WALKER and MEDIA_OBJECT* among the commands that are not supported there). Copy and video engines have no others.
bool Executor::starts_work(const Packet& packet) const {
  switch (packet.command->id) {
    case CommandId::_3DPRIMITIVE:
    case CommandId::_3DSTATE_WM_HZ_OP:
    case CommandId::GPGPU_WALKER:
    case CommandId::MEDIA_OBJECT:
    case CommandId::MEDIA_OBJECT_PRT:
    case CommandId::MEDIA_OBJECT_WALKER:
    case CommandId::MEDIA_OBJECT_GRPID: return true;
    default: return core_.config().engine_class != defs::EngineClass::render;
  }
}

// Between packets that start work the streamer may be preempted, as at 3DPRIMITIVE and GPGPU_WALKER (SKL PRM vol 3, "Preemption").
Flow Executor::engine_packet(const Packet& packet) {
  if (execution_.in_workaround) {
    // On the submitting thread restores_shortly() has seen none; the guest has changed the batch since.
    if (execution_.leave_to_thread || starts_work(packet)) {
      guest_error("packet that a context workaround batch may not hold", "{} at {:#x}", packet.command->name, packet.address);
      return fault(reg::error_instruction);
    }
    return result(core_.execute(packet));
  }
  if (execution_.leave_to_thread) {
    const std::optional<ExecResult> done = core_.execute_short(packet);
    return done ? result(*done) : stop(Reason::budget);
  }
  switch (packet.command->id) {
    case CommandId::_3DPRIMITIVE:
    case CommandId::GPGPU_WALKER:
    case CommandId::MEDIA_OBJECT:
    case CommandId::MEDIA_OBJECT_WALKER:
    case CommandId::MEDIA_STATE_FLUSH:
      if (arbitrate().kind == Flow::Kind::stop) return stop(Reason::arbitration);
      break;
    default: break;
  }
  execution_.jumps = 0;
  return result(core_.execute(packet));
}

std::optional<Flow> Executor::finish_before(const Packet& packet) {
  const ExecResult finished = packet.command->overlaps ? ExecResult::done : core_.finish_deferred();
  return finished == ExecResult::done ? std::nullopt : std::optional(result(finished));
}

Flow Executor::mi(const Packet& packet, const Cursor& after) {
  const std::span<const uint32_t> dw = packet.dwords;
  switch (packet.command->id) {
    case CommandId::MI_NOOP:
      if (const packets::MI_NOOP::View noop(dw); noop.identification_number_register_write_enable())
        core_.links().registers.poke(nopid_, noop.identification_number());
      return Flow::next();
    case CommandId::MI_USER_INTERRUPT: core_.raise(mmio::engine_event::user); return Flow::next();
    case CommandId::MI_ARB_CHECK:
      if (after.level() == 0 && core_.head_pending() && arbiter_.arbitration()) return stop(Reason::arbitration, Flow::stop());
      return arbitrate();
    case CommandId::MI_ARB_ON_OFF:
      if (execution_.in_workaround) return Flow::next();
      arbiter_.set_arbitration(packets::MI_ARB_ON_OFF::View(dw).arbitration_enable());
      return arbitrate();
    case CommandId::MI_BATCH_BUFFER_START: return start_batch(dw, after);
    case CommandId::MI_BATCH_BUFFER_END:
      if (after.level() == 0) guest_error("MI_BATCH_BUFFER_END in a ring");
      return Flow::end();
    case CommandId::MI_CONDITIONAL_BATCH_BUFFER_END: return conditional_end(dw);
    case CommandId::MI_SEMAPHORE_WAIT: return semaphore_wait(dw);
    case CommandId::MI_SEMAPHORE_SIGNAL: return semaphore_signal(dw), Flow::next();
    case CommandId::MI_SET_PREDICATE:
      execution_.predicate_mode = static_cast<uint32_t>(packets::MI_SET_PREDICATE::View(dw).predicate_enable());
      return Flow::next();
    case CommandId::MI_PREDICATE: return predicate(dw), Flow::next();
    case CommandId::MI_MATH: return math(dw);
    case CommandId::MI_LOAD_REGISTER_IMM: return load_register_imm(dw), Flow::next();
    case CommandId::MI_LOAD_REGISTER_MEM: return load_register_mem(dw), Flow::next();
    case CommandId::MI_LOAD_REGISTER_REG: return load_register_reg(dw), Flow::next();
    case CommandId::MI_STORE_REGISTER_MEM: return store_register_mem(dw), Flow::next();
    case CommandId::MI_STORE_DATA_IMM: return store_data_imm(dw), Flow::next();
    case CommandId::MI_STORE_DATA_INDEX: return store_data_index(dw), Flow::next();
    case CommandId::MI_UPDATE_GTT: return update_gtt(dw), Flow::next();
    case CommandId::MI_COPY_MEM_MEM: return copy_mem_mem(dw), Flow::next();
    case CommandId::MI_ATOMIC: return atomic(dw);
    case CommandId::MI_FLUSH_DW: return flush_dw(dw);
    case CommandId::MI_REPORT_PERF_COUNT: return report_perf_count(dw), Flow::next();
    case CommandId::MI_REPORT_HEAD: return report_head(after), Flow::next();
    case CommandId::MI_SET_CONTEXT:
      if (core_.execlists()) return guest_error("MI_SET_CONTEXT with execlists"), Flow::next();
      set_context_(dw);
      return core_.halted() ? stop(Reason::fault) : Flow::next();
    default: return display_command(packet), Flow::next();
  }
}

}  // namespace softgen::cs
