// SPDX-License-Identifier: GPL-2.0-or-later
// PIPE_CONTROL and MI_FLUSH_DW: the engine's fence, then the post-sync operation, then the notification (SKL PRM vol 2a).
#include "hw/base/log.h"
#include "hw/cs/decode/packets.h"
#include "hw/cs/executor.h"

namespace softgen::cs {

using packets::MI_FLUSH_DW;
using packets::PIPE_CONTROL;

// In a non-privileged batch a write through the GGTT or to a status page is dropped, the flush itself is done.
void Executor::post_sync_write(uint64_t address, bool global, bool index, uint64_t value, unsigned bytes) {
  if (!privileged_ && (global || index)) {
    guest_error("post-sync write from a non-privileged batch");
    return refuse();
  }
  if (index) address = (global ? core_.hwsp() : core_.pphwsp()) + (address & 0xff8);
  memory::View& view = core_.view(global || index);
  const std::optional<uint64_t> written = planned(value, bytes, index);
  if (!written) return;
  if (bytes == 8) view.store_release<uint64_t>(address, *written);
  else view.store_release<uint32_t>(address, static_cast<uint32_t>(*written));
  core_.links().memory_written();
}

// Of the bits that software must not set on POCS (ICL PRM vol 9, "Programming Restrictions for PIPE_CONTROL") two would have an effect here.
Flow Executor::pipe_control(Dwords dw) {
  using enum PIPE_CONTROL::PostSyncOperation;
  const PIPE_CONTROL::View control(dw);
  const auto operation = control.post_sync_operation();
  // Only where there is no other operation ("Programming Restrictions", LRI Post Sync Operation).
  const bool loads =
      operation == NO_WRITE && control.lri_post_sync_operation() == PIPE_CONTROL::LRIPostSyncOperation::MMIO_WRITE_IMMEDIATE_DATA;
  // Each one finishes all earlier work, whether it asks for a stall or not.
  const FlushRequest request{.texture = control.texture_cache_invalidation_enable(), .state = control.state_cache_invalidation_enable()};
  if (const ExecResult flushed = core_.flush(request); flushed != ExecResult::done) return result(flushed);
  if (control.tlb_invalidate()) core_.links().tlb.bump();

  const uint64_t data = control.immediate_data();
  if (loads) {
    // The address is a register's.
    write_register(static_cast<uint32_t>(control.address()), static_cast<uint32_t>(data));
  } else {
    const uint64_t address = align_down(control.address(), uint64_t{8});
    const bool global = control.destination_address_type() == PIPE_CONTROL::DestinationAddressType::DAT_GGTT,
               index = control.store_data_index();
    switch (operation) {
      // Five dwords write a dword: chosen, as MI_FLUSH_DW has it.
      case WRITE_IMMEDIATE_DATA: post_sync_write(address, global, index, data, dw.size() > 5 ? 8 : 4); break;
      case WRITE_PS_DEPTH_COUNT:
        if (core_.config().position) break;
        post_sync_write(address, global, index, core_.links().registers.peek64(softgen::reg::PS_DEPTH_COUNT(0)), 8);
        break;
      case WRITE_TIMESTAMP: post_sync_write(address, global, index, core_.timestamp(), 8); break;
      default: break;
    }
  }
  if (control.notify_enable() && !core_.config().position) core_.raise(mmio::engine_event::flush_notify);
  return Flow::next();
}

// It may leave out the dwords of a post-sync operation that it does not ask for.
Flow Executor::flush_dw(Dwords dw) {
  using enum MI_FLUSH_DW::PostSyncOperation;
  const MI_FLUSH_DW::View flush(dw);
  if (const ExecResult flushed = core_.flush({}); flushed != ExecResult::done) return result(flushed);
  if (flush.tlb_invalidate()) core_.links().tlb.bump();

  const uint64_t address = flush.address();
  const bool global = flush.destination_address_type() == MI_FLUSH_DW::DestinationAddressType::DAT_GGTT, index = flush.store_data_index();
  switch (flush.post_sync_operation()) {
    // Four dwords write a dword (i915 gt/gen8_engine_cs.c, emit_xcs_breadcrumb), five a qword.
    case WRITE_IMMEDIATE_DATA: post_sync_write(address, global, index, flush.immediate_data(), dw.size() > 4 ? 8 : 4); break;
    case WRITE_TIMESTAMP: post_sync_write(address, global, index, core_.timestamp(), 8); break;
    default: break;
  }
  if (flush.notify_enable()) core_.raise(mmio::engine_event::flush_notify);
  return Flow::next();
}

}  // namespace softgen::cs
