// SPDX-License-Identifier: GPL-2.0-or-later
// Ironlake's commands that move data. Sections are those of the ILK PRM vol 1: "2:" of part 2, "4:" of part 4.
#include <algorithm>
#include <array>
#include <cstring>

#include "hw/base/log.h"
#include "hw/cs/decode/packets.h"
#include "hw/cs/decode/ring_packets.h"
#include "hw/cs/ring/executor.h"
#include "hw/memory/ggtt.h"

namespace softgen::cs {
namespace {

namespace field = softgen::reg::field;

/// The window to the memory controller's registers, which works for the CPU alone: loads are dropped, stores give zeros (2: chapter 2).
bool is_cpu_window(const mmio::RegisterFile& registers, uint32_t offset) {
  const defs::Register* const row = registers.set().find(softgen::reg::MCHBAR_ALIAS);
  return row && offset - row->offset < row->block;
}

}  // namespace

// Use Global GTT: of a flat table's process the table through which the command was fetched (2: 3.6.2). Clear: a table of two levels (4: 1.2.3), else a
// physical address, which is a command error in a non-secure batch, ended by a full reset alone (2: 5.3.7.6).
Flow RingExecutor::store_data_imm(const Packet& packet, const Cursor& after) {
  const ring_packets::MI_STORE_DATA_IMM::View store(packet.dwords);
  const bool qword = packet.dwords.size() > 4;
  const bool physical = !store.use_global_gtt() && units_.tables->form() != ProcessTables::Form::two_level;
  if (physical && !privileged_) {
    guest_error("MI_STORE_DATA_IMM to a physical address in a non-secure batch", "at {:#x}", packet.address);
    core_.set(reg::ipeir, field::RING_IPEIR_BATCH_BUFFER_ERROR.mask());
    return fault(reg::error_instruction);
  }
  memory::View* const view = physical ? nullptr : store_target(store.use_global_gtt(), after);
  if (!physical && !view) return Flow::next();
  const unsigned bytes = qword ? 8 : 4;
  const std::optional<uint64_t> value = planned(qword ? store.immediate_data() : packet.dwords[3], bytes, false);
  if (!value) return Flow::next();
  const uint64_t address = align_down(uint64_t{store.address()}, uint64_t{bytes});
  if (physical) store_physical(address | uint64_t{store.physical_start_address_extension()} << 32, *value, bytes);
  else if (qword) view->store_release<uint64_t>(address, *value);
  else view->store_release<uint32_t>(address, static_cast<uint32_t>(*value));
  core_.links().memory_written();
  return Flow::next();
}

memory::View* RingExecutor::store_target(bool global, const Cursor& after) {
  return units_.tables->form() == ProcessTables::Form::flat ? &fetched(after) : target(global);
}

void RingExecutor::store_physical(uint64_t address, uint64_t value, unsigned bytes) {
  HostMemory& memory = core_.links().memory;
  const HostSpan span = memory.resolve(address, Access::write);
  if (!span.data || span.size < bytes) return guest_error("store outside of memory", "{:#x}", address);
  memory.mark_dirty(address, bytes);
  if (bytes == 8) __atomic_store_n(reinterpret_cast<uint64_t*>(span.data), value, __ATOMIC_RELEASE);
  else __atomic_store_n(reinterpret_cast<uint32_t*>(span.data), static_cast<uint32_t>(value), __ATOMIC_RELEASE);
}

// A no-op while RING_CTL disables register accesses (4: 1.1.5, 1.2.4).
Flow RingExecutor::load_register_imm(Dwords dw) {
  if (field::RING_CTL_DISABLE_REGISTER_ACCESSES.of(core_.get(reg::ctl))) return Flow::next();
  mmio::RegisterFile& registers = core_.links().registers;
  const uint32_t kept = load_register_imm_kept(dw[0]);
  const ring_packets::MI_LOAD_REGISTER_IMM::View load(dw);
  for (size_t i = 0; i < load.elements(); ++i) {
    const uint32_t offset = load.register_offset(i);
    if (is_cpu_window(registers, offset)) continue;
    const uint32_t old = kept ? registers.read(offset, mmio::Initiator::streamer) & kept : 0;
    write_register(offset, (load.data_dword(i) & ~kept) | old);
  }
  return units_.tables->stale() ? Flow::stop() : Flow::next();  // the next walk has the views that the registers say
}

void RingExecutor::store_register_mem(Dwords dw) {
  const ring_packets::MI_STORE_REGISTER_MEM::View store(dw);
  mmio::RegisterFile& registers = core_.links().registers;
  const uint32_t offset = store.register_address();
  memory::View* const view = target(store.use_global_gtt());
  if (!view) return;
  const uint32_t value = is_cpu_window(registers, offset) ? 0 : registers.read(offset, mmio::Initiator::streamer);
  view->store_release<uint32_t>(store.memory_address(), value);
  core_.links().memory_written();
}

// Consecutive entries from that of the page in dword 1 on (2: 3.6.1).
void RingExecutor::update_gtt(Dwords dw) {
  const ring_packets::MI_UPDATE_GTT::View update(dw);
  if (!update.use_global_gtt()) return update_process_table(dw);
  memory::Ggtt& table = core_.links().ggtt;
  uint64_t entry = update.entry_address() >> 12;
  for (size_t i = 0; i < update.elements() && entry < table.entries(); ++i, ++entry) table.set_pte(entry, update.entry_data(i));
  if (core_.links().gtt_written) core_.links().gtt_written();
}

// The same of the running per-process table (2: 1.3.2), whose entries are in memory.
void RingExecutor::update_process_table(Dwords dw) {
  const ring_packets::MI_UPDATE_GTT::View update(dw);
  uint64_t page = update.entry_address() >> 12;
  for (size_t i = 0; i < update.elements(); ++i, ++page) {
    const uint64_t at = units_.tables->entry_address(page);
    if (at) store_physical(at, update.entry_data(i), 4);
    else guest_error("MI_UPDATE_GTT of a page that no per-process table has", "{:#x}", page << 12);
  }
  units_.tables->invalidate();
}

// PIPE_CONTROL: the fence, the post-sync operation, the notification (2: 5.4.8). Graphics memory may be written by any batch (2: 5.3.7.6).
Flow RingExecutor::pipe_control(Dwords dw) {
  using Command = ring_packets::PIPE_CONTROL;
  using enum Command::PostSyncOperation;
  const Command::View control(dw);
  if (const std::optional<Flow> stopped =
          fence({.texture = control.texture_cache_flush_enable(), .state = control.instruction_cache_invalidate_enable()}))
    return *stopped;
  uint64_t data = control.immediate_data();
  switch (control.post_sync_operation()) {
    case WRITE_PS_DEPTH_COUNT: data = core_.links().registers.peek64(softgen::reg::PS_DEPTH_COUNT(0)); break;
    case WRITE_TIMESTAMP: data = core_.timestamp(); break;
    default: break;
  }
  const bool global = control.destination_address_type() == Command::DestinationAddressType::GGTT;
  if (control.post_sync_operation() != NO_WRITE)
    if (memory::View* const view = target(global))
      if (const std::optional<uint64_t> value = planned(data, 8, false)) {
        view->store_release<uint64_t>(control.address(), *value);
        core_.links().memory_written();
      }
  if (control.notify_enable() && !has_faulted()) core_.raise(mmio::engine_event::flush_notify);
  return Flow::next();
}

}  // namespace softgen::cs
