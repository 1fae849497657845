// SPDX-License-Identifier: GPL-2.0-or-later
// The visitor of Ironlake's streamers. What its commands have in common with Gen8's is the base class's.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "hw/cs/decode/ring_packets.h"
#include "hw/cs/executor.h"
#include "hw/cs/ring/fault_interface.h"
#include "hw/cs/ring/process_tables.h"
#include "hw/cs/ring/video_contexts.h"

namespace softgen::cs {

class RingExecutor final : public Executor {
 public:
  using Executor::Executor;
  /// Before the first walk. `faults`, `contexts`: null where the streamer has none.
  struct Units {
    ProcessTables* tables = nullptr;
    FaultInterface* faults = nullptr;
    VideoContexts* contexts = nullptr;
  };
  void plug(const Units& units) { units_ = units; }

  ParseEnd walk(Cursor& cursor, std::vector<uint32_t>& packet) override;
  /// The flush that INSTPM asks for, if it does (ILK PRM vol 1 part 2, 5.3.11.2). What ends the walk, if it is not done.
  std::optional<Flow> sync_flush();
  /// After a reset, or when a saved state has been loaded.
  void forget_wait() { waits_at_.reset(); }
  bool waits() const { return waits_at_.has_value(); }

  // For the parser, in place of the base class's.
  Flow command(const Packet& packet, const Cursor& after) {
    const bool logs = units_.faults && units_.faults->armed();
    const Flow flow = logs ? stalling(packet, after) : execute(packet, after);
    report_page_fault();
    return finished(packet, after, flow);
  }
  Flow no_memory(uint64_t address, const Cursor& after);

 private:
  Flow execute(const Packet& packet, const Cursor& after);
  /// As execute(), with the page fault interface: a command that faults is as if it had not begun, and waits.
  Flow stalling(const Packet& packet, const Cursor& after);
  Flow page_fault();
  bool has_faulted() const { return units_.faults && units_.faults->armed() && units_.faults->met() != FaultInterface::Met::nothing; }
  /// What a command writes to or reads from; null: the running batch may not, and that is reported.
  memory::View* target(bool global);
  /// What the commands here were fetched through.
  memory::View& fetched(const Cursor& after) { return after.level() ? units_.tables->batch(after.in_ppgtt()) : units_.tables->ring(); }
  void report_page_fault();
  Flow ring_mi(const Packet& packet, const Cursor& after);
  /// The Engine's fence; nothing: it is done.
  std::optional<Flow> fence(const FlushRequest& request);
  Flow flush(Dwords dw);
  Flow start(Dwords dw, const Cursor& after);
  Flow end(const Cursor& after);
  Flow set_context(const Packet& packet, const Cursor& after);
  Flow store_data_imm(const Packet& packet, const Cursor& after);
  /// Where MI_STORE_DATA_IMM writes; null, with no fault: nowhere.
  memory::View* store_target(bool global, const Cursor& after);
  void store_physical(uint64_t address, uint64_t value, unsigned bytes);
  Flow load_register_imm(Dwords dw);
  void store_register_mem(Dwords dw);
  void update_gtt(Dwords dw);
  void update_process_table(Dwords dw);
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

  Units units_;
  std::vector<std::byte> before_;       ///< the Engine's state in front of a command that may fault
  std::optional<uint64_t> waits_at_{};  ///< the address of the packet that waits
  int64_t wait_ns_ = 0;                 ///< guest time until which it waits for a display pipe
  ScanLines scan_lines_{};
};

}  // namespace softgen::cs
