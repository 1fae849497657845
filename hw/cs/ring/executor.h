// SPDX-License-Identifier: GPL-2.0-or-later
// The visitor of Ironlake's streamers. What its commands have in common with Gen8's is the base class's.
#pragma once

#include <optional>

#include "hw/cs/decode/ring_packets.h"
#include "hw/cs/executor.h"

namespace softgen::cs {

class RingExecutor final : public Executor {
 public:
  using Executor::Executor;

  ParseEnd walk(Cursor& cursor, std::vector<uint32_t>& packet) override;
  /// The flush that INSTPM asks for, if it does (ILK PRM vol 1 part 2, 5.3.11.2). What ends the walk, if it is not done.
  std::optional<Flow> sync_flush();
  /// After a reset, or when a saved state has been loaded.
  void forget_wait() { waits_at_.reset(); }

  // For the parser, in place of the base class's.
  Flow command(const Packet& packet, const Cursor& after) {
    const Flow flow = execute(packet, after);
    report_page_fault();
    return finished(packet, after, flow);
  }

 private:
  Flow execute(const Packet& packet, const Cursor& after);
  void report_page_fault();
  Flow ring_mi(const Packet& packet, const Cursor& after);
  /// The Engine's fence; nothing: it is done.
  std::optional<Flow> fence(const FlushRequest& request);
  Flow flush(Dwords dw);
  Flow start(Dwords dw, const Cursor& after);
  Flow end(const Cursor& after);
  Flow set_context(const Packet& packet, const Cursor& after);
  Flow store_data_imm(const Packet& packet);
  void store_physical(uint64_t address, uint64_t value, unsigned bytes);
  void load_register_imm(Dwords dw);
  void store_register_mem(Dwords dw);
  void update_gtt(Dwords dw);
  Flow semaphore(const Packet& packet);
  Flow wait_for_event(const Packet& packet);
  Flow wait_for_pipe(const Packet& packet);
  void flip(Dwords dw);
  void suspend_flush(Dwords dw);
  Flow pipe_control(Dwords dw);
  /// Stands at the packet while `waits`; `bit`: of RING_CTL, which software clears to end the wait.
  Flow hold(const Packet& packet, bool waits, uint32_t bit);
  void end_wait();
  /// UHPTR is forgotten once HEAD has come to it, where MI_MODE says so.
  void follow_pending_head(const Cursor& after);

  std::optional<uint64_t> waits_at_{};  ///< the address of the packet that waits
  int64_t wait_ns_ = 0;                 ///< guest time until which it waits for a display pipe
  ScanLines scan_lines_{};
};

}  // namespace softgen::cs
