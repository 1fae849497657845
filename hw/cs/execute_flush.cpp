// SPDX-License-Identifier: GPL-2.0-or-later
// PIPE_CONTROL and MI_FLUSH_DW: the engine's fence, then the post-sync operation, then the notification (SKL PRM vol 2a).
#include <algorithm>
#include <array>

#include "hw/base/log.h"
#include "hw/cs/executor.h"

namespace softgen::cs {
namespace {

constexpr uint32_t ps_depth_count = 0x2350;

enum PostSync : uint32_t { no_write = 0, immediate = 1, depth_count = 2, write_timestamp = 3 };

}  // namespace

// In a non-privileged batch a write through the GGTT or to a status page is dropped, the flush itself is done.
void Executor::post_sync_write(uint64_t address, bool global, bool index, uint64_t value, unsigned bytes) {
  if (!privileged_ && (global || index)) {
    guest_error("post-sync write from a non-privileged batch");
    return s_.error(reg::error_privilege, false);
  }
  if (index) address = (global ? s_.hwsp() : s_.pphwsp()) + (address & 0xff8);
  memory::View& view = s_.view(global || index);
  if (bytes == 8)
    view.store_release<uint64_t>(address, value);
  else
    view.store_release<uint32_t>(address, static_cast<uint32_t>(value));
  s_.links().memory_written();
}

Flow Executor::pipe_control(Dwords dw) {
  const uint32_t flags = dw[1];
  const uint32_t operation = bits(flags, 15, 14);
  const FlushRequest request{
      .render_target = bit(flags, 12),
      .depth = bit(flags, 0),
      .data_cache = bit(flags, 5),
      .texture = bit(flags, 10),
      .state = bit(flags, 2),
      .constant = bit(flags, 3),
      .vertex = bit(flags, 4),
      .instruction = bit(flags, 11),
      // A post-sync write happens after all earlier work, which only a stalled engine can promise here.
      .stall = bit(flags, 20) || operation != no_write || bit(flags, 8) || bit(flags, 23),
      .generic_media_state_clear = bit(flags, 16),
  };
  if (const ExecResult flushed = s_.flush(request); flushed != ExecResult::done) return result(flushed);
  if (bit(flags, 18)) s_.links().tlb.bump();

  const uint64_t address = (dw[2] | uint64_t{dw[3] & 0xffff} << 32) & ~uint64_t{3};
  const bool global = bit(flags, 24), index = bit(flags, 21);
  if (bit(flags, 23)) {
    write_register(dw[2] & 0x007f'fffc, dw[4]);  // LRI Post Sync Operation: the address is a register's
  } else {
    switch (operation) {
      case immediate: post_sync_write(address & ~uint64_t{7}, global, index, dw[4] | uint64_t{dw[5]} << 32, 8); break;
      case depth_count: post_sync_write(address & ~uint64_t{7}, global, index, s_.links().registers.peek64(ps_depth_count), 8); break;
      case write_timestamp: post_sync_write(address & ~uint64_t{7}, global, index, s_.timestamp(), 8); break;
      default: break;
    }
  }
  if (bit(flags, 8)) s_.raise(reg::irq_flush_notify);
  return Flow::next();
}

Flow Executor::flush_dw(Dwords packet) {
  std::array<uint32_t, 5> dw{};
  std::copy_n(packet.begin(), std::min(packet.size(), dw.size()), dw.begin());
  const uint32_t header = dw[0];
  const FlushRequest request{.render_target = true, .depth = true, .data_cache = true, .instruction = bit(header, 7), .stall = true};
  if (const ExecResult flushed = s_.flush(request); flushed != ExecResult::done) return result(flushed);
  if (bit(header, 18)) s_.links().tlb.bump();

  const uint64_t address = (dw[1] | uint64_t{dw[2] & 0xffff} << 32) & ~uint64_t{7};
  const bool global = bit(dw[1], 2), index = bit(header, 21);
  switch (bits(header, 15, 14)) {
    // Four dwords write a dword (i915 gt/gen8_engine_cs.c, emit_xcs_breadcrumb), five a qword.
    case immediate:
      post_sync_write(address, global, index, dw[3] | uint64_t{dw[4]} << 32, packet.size() > 4 ? 8 : 4);
      break;
    case write_timestamp: post_sync_write(address, global, index, s_.timestamp(), 8); break;
    default: break;
  }
  if (bit(header, 8)) s_.raise(reg::irq_flush_notify);
  return Flow::next();
}

}  // namespace softgen::cs
