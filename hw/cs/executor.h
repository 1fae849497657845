// SPDX-License-Identifier: GPL-2.0-or-later
// The visitor that does what the commands say: MI commands, PIPE_CONTROL and post-sync here, everything else by the plugged Engine.
#pragma once

#include "hw/cs/streamer.h"

namespace softgen::cs {

class Executor {
 public:
  explicit Executor(Streamer& streamer) : s_(streamer) {}

  /// Why the walk was stopped.
  enum class Reason : uint8_t { none, attention, arbitration, waiting, failed_wait, fault, looping, budget };
  Reason reason() const { return reason_; }

  bool before(const Cursor& cursor);
  Flow command(const Packet& packet, const Cursor& behind);
  Flow unknown(const Packet& packet, const Cursor& behind);
  Flow no_memory(uint64_t address, const Cursor& behind);

 private:
  using Dwords = std::span<const uint32_t>;

  void publish(uint64_t address, uint32_t header, const Cursor& behind);
  bool predicated_off(const Packet& packet) const;
  Flow stop(Reason reason, Flow flow = Flow::repeat());
  Flow fault(uint32_t error);
  /// The next boundary is an arbitration point.
  Flow arbitrate();
  Flow result(ExecResult result);
  Flow execute(const Packet& packet, const Cursor& behind);
  Flow observe(const Packet& packet, Flow flow);
  bool starts_work(const Packet& packet) const;
  Flow engine_packet(const Packet& packet);
  Flow mi(const Packet& packet, const Cursor& behind);

  // hw/cs/execute_memory.cpp
  void store_data_imm(Dwords dw);
  void store_data_index(Dwords dw);
  void copy_mem_mem(Dwords dw);
  void update_gtt(Dwords dw);
  Flow atomic(Dwords dw);
  void report_perf_count(Dwords dw);
  void report_head(const Cursor& behind);
  void publish_head(const Cursor& behind);

  // hw/cs/execute_register.cpp
  void load_register_imm(Dwords dw);
  void load_register_mem(Dwords dw);
  void load_register_reg(Dwords dw);
  void store_register_mem(Dwords dw);
  Flow math(Dwords dw);
  void write_register(uint32_t offset, uint32_t value);

  // hw/cs/execute_flow.cpp
  Flow start_batch(Dwords dw, const Cursor& behind);
  Flow conditional_end(Dwords dw);
  Flow semaphore_wait(Dwords dw);
  void semaphore_signal(Dwords dw);
  void predicate(Dwords dw);
  void display_command(const Packet& packet);

  // hw/cs/execute_flush.cpp
  Flow pipe_control(Dwords dw);
  Flow flush_dw(Dwords dw);
  void post_sync_write(uint64_t address, bool global, bool index, uint64_t value, unsigned bytes);

  Streamer& s_;
  Reason reason_ = Reason::none;
  bool privileged_ = true;
};

}  // namespace softgen::cs
