// SPDX-License-Identifier: GPL-2.0-or-later
// Sections are those of the ILK PRM vol 1: "2:" of part 2, "4:" of part 4.
#include "hw/cs/ring/executor.h"

#include "hw/base/log.h"
#include "hw/cs/decode/ring_packets.h"
#include "hw/mmio/page_faults.h"

namespace softgen::cs {

namespace field = softgen::reg::field;
using defs::CommandId;

ParseEnd RingExecutor::walk(Cursor& cursor, std::vector<uint32_t>& packet) {
  begin();
  ProcessTables& tables = *units_.tables;
  const ParseMemory memory{.ggtt = tables.ring(),
                           .ppgtt = core_.ppgtt(),
                           .buffer = packet,
                           .batch = tables.form() == ProcessTables::Form::flat ? &tables.batch(true) : nullptr};
  return parse(cursor, memory, core_.config().commands, core_.config().engine_class, *this);
}

Flow RingExecutor::execute(const Packet& packet, const Cursor& after) {
  if (const std::optional<Flow> stopped = sync_flush()) return *stopped;
  publish(packet.address, packet.dwords[0], after);
  follow_pending_head(after);
  outcome_ = WatchedPacket::Outcome::executed;
  if (waits_at_ && *waits_at_ != packet.address) end_wait();
  if (is_short(packet)) return fault(reg::error_instruction);
  privileged_ = after.privileged();
  if (!privileged_ && is_privileged_in_ring(packet)) {
    guest_error("privileged command in a non-secure batch", "{} at {:#x}", packet.command->name, packet.address);
    outcome_ = WatchedPacket::Outcome::refused;
    return Flow::next();
  }
  if (packet.dwords[0] >> 29 == 0) {
    if (const std::optional<Flow> stopped = finish_before(packet)) return *stopped;
    return ring_mi(packet, after);
  }
  if (packet.command->id == CommandId::PIPE_CONTROL) return pipe_control(packet.dwords);
  if (units_.tables->form() == ProcessTables::Form::flat) core_.env().constants = &fetched(after);  // 2: 3.6.2
  return engine_packet(packet);
}

// 2: 1.3.3. Draws are not left to later commands: their faults are the command's own.
Flow RingExecutor::stalling(const Packet& packet, const Cursor& after) {
  FaultInterface& faults = *units_.faults;
  if (faults.in_service()) return stop(Reason::waiting);
  units_.tables->invalidate();
  Engine& engine = core_.links().engine;
  before_.resize(engine.context_size());
  engine.save_context(before_);
  faults.begin();
  Flow flow = execute(packet, after);
  const ExecResult finished = core_.finish_deferred();
  if (flow.kind == Flow::Kind::next && finished != ExecResult::done) flow = result(finished);
  const FaultInterface::Met met = faults.met();
  const bool back = faults.end(met == FaultInterface::Met::pages);
  if (met == FaultInterface::Met::nothing || core_.halted() || core_.stop().aborting()) return flow;
  // "Any access by a process that requires a PD entry in a set that is not enabled [...] will cause a fatal error" (2: 1.3.2.4).
  if (met == FaultInterface::Met::no_entry) return fault(reg::error_page_table);
  if (back && flow.kind == Flow::Kind::repeat) engine.restore_context(before_);  // a packet that was preempted does not go on in its middle
  if (back) return page_fault();
  unimplemented("Ironlake: page fault of a command that has written more than is kept", "{} at {:#x}", packet.command->name,
                packet.address);
  return flow;
}

Flow RingExecutor::page_fault() {
  units_.faults->signal();
  core_.flush({.texture = true, .state = true});  // what was read as zeros
  if (!(core_.levels() & mmio::engine_event::page_fault)) core_.toggle(mmio::engine_event::page_fault);
  return stop(Reason::waiting);
}

Flow RingExecutor::no_memory(uint64_t address, const Cursor& after) {
  if (!has_faulted() || units_.faults->met() == FaultInterface::Met::no_entry) return Executor::no_memory(address, after);
  return units_.faults->in_service() ? stop(Reason::waiting) : page_fault();
}

// "Commands executing directly from a ring buffer or from a 'secure' batch buffer have these access rights; other commands do not" (2: 1.3).
memory::View* RingExecutor::target(bool global) {
  if (!global) return &units_.tables->process();
  if (privileged_ || units_.tables->form() != ProcessTables::Form::two_level) return &core_.ggtt();
  guest_error("global memory in a non-secure batch", "with a per-process table, at {:#x}", core_.get(reg::acthd));
  return nullptr;
}

// A fault of data ends no command: reads found zeros, writes were dropped (2: 5.7.1.1). The error cannot be cleared (2: 5.7.1).
void RingExecutor::report_page_fault() {
  const uint32_t recorded = core_.links().registers.peek(mmio::page_fault_register(core_.config().id));
  if (!field::GFX_PAGE_FAULT_VALID.of(recorded) || core_.get(reg::esr) & reg::error_page_table) return;
  core_.error(reg::error_page_table, EngineCore::Error::lasting);
}

Flow RingExecutor::ring_mi(const Packet& packet, const Cursor& after) {
  const Dwords dw = packet.dwords;
  switch (packet.command->id) {
    case CommandId::MI_FLUSH: return flush(dw);
    case CommandId::MI_BATCH_BUFFER_START: return start(dw, after);
    case CommandId::MI_BATCH_BUFFER_END: return end(after);
    case CommandId::MI_SET_CONTEXT: return set_context(packet, after);
    case CommandId::MI_ARB_CHECK:
      if (after.level() == 0 && units_.contexts && units_.contexts->pending() && arbiter_.arbitration())
        return stop(Reason::arbitration, Flow::stop());
      break;
    case CommandId::MI_STORE_DATA_IMM: return store_data_imm(packet, after);
    case CommandId::MI_LOAD_REGISTER_IMM: return load_register_imm(dw);
    case CommandId::MI_STORE_REGISTER_MEM: return store_register_mem(dw), Flow::next();
    case CommandId::MI_UPDATE_GTT: return update_gtt(dw), Flow::next();
    case CommandId::MI_SEMAPHORE_MBOX: return semaphore(packet);
    case CommandId::MI_WAIT_FOR_EVENT: return wait_for_event(packet);
    case CommandId::MI_SUSPEND_FLUSH: return suspend_flush(dw), Flow::next();
    case CommandId::MI_LOAD_SCAN_LINES_INCL:
    case CommandId::MI_LOAD_SCAN_LINES_EXCL: return load_scan_lines(packet, scan_lines_), Flow::next();
    case CommandId::MI_DISPLAY_FLIP: return flip(dw), Flow::next();
    case CommandId::MI_REPORT_HEAD:
      if (after.level() == 0) break;
      return guest_error("MI_REPORT_HEAD in a batch"), Flow::next();  // 4: 1.2.6
    default: break;
  }
  return mi(packet, after);
}

std::optional<Flow> RingExecutor::fence(const FlushRequest& request) {
  const ExecResult flushed = core_.flush(request);
  return flushed == ExecResult::done ? std::nullopt : std::optional(result(flushed));
}

// Software polls the bit, and the level. MI_SUSPEND_FLUSH holds it back.
std::optional<Flow> RingExecutor::sync_flush() {
  const uint32_t sync = field::RING_INSTPM_SYNC_FLUSH_ENABLE.mask();
  if (!(core_.get(reg::instpm) & sync) || field::RING_MI_MODE_SUSPEND_FLUSH.of(core_.get(reg::mi_mode))) return std::nullopt;
  if (const std::optional<Flow> stopped = fence({.texture = true, .state = true})) return stopped;
  core_.links().registers.clear_bits(core_.config().mmio_base + reg::instpm, sync);
  core_.toggle(mmio::engine_event::sync_status);
  return std::nullopt;
}

// The sampler's cache is invalidated by each internal flush (2: 5.3.10.2). Indirect State Pointers Disable keeps a context's image from naming pointers
// that are no longer good: images name none here.
Flow RingExecutor::flush(Dwords dw) {
  using Command = ring_packets::MI_FLUSH;
  const Command::View flush(dw);
  const bool state = flush.state_instruction_cache_invalidate() == Command::StateInstructionCacheInvalidate::INVALIDATE;
  if (const std::optional<Flow> stopped = fence({.texture = true, .state = state})) return *stopped;
  if (flush.generic_media_state_clear()) unimplemented("Ironlake: MI_FLUSH with Generic Media State Clear");
  if (flush.protected_memory_enable()) unimplemented("Ironlake: MI_FLUSH with Protected Memory Enable");
  if (flush.global_snapshot_count_reset() == Command::GlobalSnapshotCountReset::RESET)
    core_.links().registers.poke64(softgen::reg::PS_DEPTH_COUNT(0), 0);
  return Flow::next();
}

// 4: 1.2.3. Its bits 7:6 select no other memory than the table of graphics memory (docs/ironlake.md).
Flow RingExecutor::start(Dwords dw, const Cursor& after) {
  if (after.level() == 0)
    if (Faults* const faults = core_.links().registers.faults()) [[unlikely]]
      if (const std::optional<Flow> held = planned_request(*faults)) return *held;
  if (ring_packets::MI_BATCH_BUFFER_START::View(dw).encrypted_memory_read_enable()) unimplemented("Ironlake: batch in encrypted memory");
  const Flow flow = ring_batch_start(dw, after);
  if (flow.kind == Flow::Kind::jump) ++execution_.jumps;
  core_.set(softgen::reg::RING_BB_STATE, batch_state(flow.ppgtt, flow.mode));
  return flow;
}

// Control returns to the ring, also from a chained batch (2: 5.3.5.1). BB_ADDR's Valid: 4: 1.1.8.1.
Flow RingExecutor::end(const Cursor& after) {
  if (after.level() == 0) guest_error("MI_BATCH_BUFFER_END in a ring");
  else core_.set(reg::bb_addr, core_.get(reg::bb_addr) & ~reg::batch_valid);
  return Flow::end();
}

// Permitted in a ring only (2: 5.8.1.2); flushes (2: 5.3.8).
Flow RingExecutor::set_context(const Packet& packet, const Cursor& after) {
  if (after.level()) return guest_error("MI_SET_CONTEXT in a batch"), Flow::next();
  if (const std::optional<Flow> stopped = fence({.texture = true})) return *stopped;
  set_context_(packet.dwords);
  return units_.tables->stale() ? Flow::stop() : Flow::next();
}

void RingExecutor::suspend_flush(Dwords dw) {
  const uint32_t mode = core_.config().mmio_base + reg::mi_mode, bit = field::RING_MI_MODE_SUSPEND_FLUSH.mask();
  if (ring_packets::MI_SUSPEND_FLUSH::View(dw).suspend_flush()) core_.links().registers.set_bits(mode, bit);
  else core_.links().registers.clear_bits(mode, bit);
}

// 4: 1.1.3.1, Invalidate UHPTR.
void RingExecutor::follow_pending_head(const Cursor& after) {
  if (after.level() || !core_.head_pending() || !field::RING_MI_MODE_INVALIDATE_UHPTR_ENABLE.of(core_.get(reg::mi_mode))) return;
  if (after.ring.into(core_.get(reg::uhptr) & reg::ring_offset_mask) == after.ring.head)
    core_.links().registers.clear_bits(core_.config().mmio_base + reg::uhptr, reg::head_pending);
}

// -- waits ----------------------------------------------------------------------------------------------------------------------

void RingExecutor::end_wait() {
  if (!waits_at_) return;
  waits_at_.reset();
  core_.links().registers.clear_bits(core_.config().mmio_base + reg::ctl, field::RING_CTL_RBWAIT.mask() | reg::ring_wait_semaphore);
}

// While it waits a bit of RING_CTL is set; software ends the wait by clearing it (2: 5.3.7.2; 4: 1.1.5, RBWait and Semaphore Wait).
Flow RingExecutor::hold(const Packet& packet, bool waits, uint32_t bit) {
  const bool known = waits_at_ == packet.address;
  if (!waits || (known && !(core_.get(reg::ctl) & bit))) return end_wait(), Flow::next();
  if (!known) {
    waits_at_ = packet.address;
    core_.links().registers.set_bits(core_.config().mmio_base + reg::ctl, bit);
  }
  return stop(Reason::waiting);
}

// While the condition code is set the command waits (2: 5.3.7.3.5; 4: 1.1.3.4, 1.2.11): codes 1 to 5 select bits 0 to 4 of EXCC.
Flow RingExecutor::wait_for_event(const Packet& packet) {
  const uint32_t code = ring_packets::MI_WAIT_FOR_EVENT::View(packet.dwords).condition_code_wait_select();
  if (code == 0) return wait_for_pipe(packet);
  if (code > 5) return guest_error("MI_WAIT_FOR_EVENT", "condition code {}", code), Flow::next();
  return hold(packet, core_.get(reg::excc) >> (code - 1) & 1, field::RING_CTL_RBWAIT.mask());
}

// An event lasts until the time at which it was to come when the command was first executed (2: 5.3.7.3.1 to 5.3.7.3.4).
Flow RingExecutor::wait_for_pipe(const Packet& packet) {
  const std::optional<PipeWait> what = pipe_wait(packet.dwords, scan_lines_);
  const DisplayLink* const display = core_.links().display;
  if (!what || !display) return Flow::next();
  if (waits_at_ != packet.address) {
    const std::optional<int64_t> until = display->events.next(*what);
    if (!until) return Flow::next();
    wait_ns_ = *until;
  }
  const bool waits = display->clock_ns() < wait_ns_;
  if (waits) display->wake_at(wait_ns_);
  return hold(packet, waits, field::RING_CTL_RBWAIT.mask());
}

// As a driver writes the plane's registers, the surface last: with the next vertical blank it is shown.
void RingExecutor::flip(Dwords dw) {
  const DisplayFlip to = display_flip(dw);
  if (to.asynchronous) unimplemented("Ironlake: asynchronous MI_DISPLAY_FLIP", "it takes effect with the next vertical blank");
  mmio::RegisterFile& registers = core_.links().registers;
  namespace all = softgen::reg;
  const uint32_t control = to.sprite ? all::DVSCNTR(to.pipe) : all::DSPCNTR(to.pipe);
  const uint32_t tiled = to.sprite ? field::DVSCNTR_TILED.mask() : field::DSPCNTR_TILED.mask();
  const auto write = [&](uint32_t offset, uint32_t value) { registers.write(offset, value, mmio::Initiator::streamer); };
  write(control, to.tiled ? registers.peek(control) | tiled : registers.peek(control) & ~tiled);
  write(to.sprite ? all::DVSSTRIDE(to.pipe) : all::DSPSTRIDE(to.pipe), to.pitch);
  write(to.sprite ? all::DVSSURF(to.pipe) : all::DSPSURF(to.pipe), to.base);
}

// Passes where the value found is greater than the one in the command (i915 of Linux 3.1, intel_ringbuffer.c, "the comparison is strictly greater than").
Flow RingExecutor::semaphore(const Packet& packet) {
  const ring_packets::MI_SEMAPHORE_MBOX::View mbox(packet.dwords);
  const uint32_t data = mbox.semaphore_data_dword(), address = mbox.semaphore_address();
  memory::View* const view = mbox.compare_register() ? nullptr : target(mbox.use_global_gtt());
  if (!mbox.compare_register() && !view) return Flow::next();
  if (mbox.update_semaphore()) {
    if (!mbox.compare_register()) view->store_release<uint32_t>(address, data), core_.links().memory_written();
    else if (privileged_) write_register(address, data);
    else guest_error("MI_SEMAPHORE_MBOX that writes a register in a non-secure batch", "{:#x}", address);
    return Flow::next();
  }
  if (!mbox.compare_semaphore()) return Flow::next();
  uint32_t value = 0;
  if (!mbox.compare_register()) value = view->load_acquire<uint32_t>(address);
  else if (mbox.register_select() == 0) value = core_.get(softgen::reg::RING_SYNC_0);
  else if (mbox.register_select() == 2) value = core_.get(softgen::reg::RING_SYNC_1);
  else return guest_error("MI_SEMAPHORE_MBOX", "register {}", mbox.register_select()), Flow::next();
  return hold(packet, value <= data, reg::ring_wait_semaphore);
}

}  // namespace softgen::cs
