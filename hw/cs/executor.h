// SPDX-License-Identifier: GPL-2.0-or-later
// The visitor that does what the commands say: MI commands, PIPE_CONTROL and post-sync here, everything else by the plugged Engine.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "hw/cs/arbiter.h"
#include "hw/cs/engine_core.h"
#include "hw/cs/parser.h"
#include "hw/cs/relative_registers.h"

namespace softgen::cs {

/// State of a walk besides its cursor.
struct Execution {
  uint32_t predicate_mode = 0;   ///< MI_SET_PREDICATE's; belongs to the context
  uint32_t failed_wait = 0;      ///< the event of the wait that a context is to be switched out for
  uint32_t jumps_to_loop = 0;    ///< chained batches in a row without work for the engine that make a loop; 0: none do
  uint32_t jumps = 0;            ///< of them so far
  uint64_t budget = 0;           ///< commands left
  bool leave_to_thread = false;  ///< the walk ends with `budget` in front of a packet for the Engine that may take long
  bool in_workaround = false;
  /// A request that a fault plan holds at its start: until `*on` is false.
  struct Held {
    uint32_t context = 0;  ///< its image
    uint64_t address = 0;  ///< of its MI_BATCH_BUFFER_START
    std::shared_ptr<const std::atomic<bool>> on{};
  } held;
};

class Executor {
 public:
  using Dwords = std::span<const uint32_t>;
  using SetContext = std::function<void(Dwords packet)>;
  Executor(EngineCore& core, Arbiter& arbiter, SetContext set_context);
  virtual ~Executor() = default;
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  Execution& execution() { return execution_; }
  /// Parses from the cursor on, itself the visitor. `packet`: see ParseMemory::buffer.
  virtual ParseEnd walk(Cursor& cursor, std::vector<uint32_t>& packet);
  /// Before a walk.
  void begin() {
    reason_ = Reason::none;
    privileged_ = true;
  }

  /// Why the walk was stopped.
  enum class Reason : uint8_t { none, attention, arbitration, waiting, failed_wait, fault, looping, budget };
  Reason reason() const { return reason_; }

  bool before(const Cursor& cursor);
  Flow command(const Packet& packet, const Cursor& after);
  Flow unknown(const Packet& packet, const Cursor& after);
  Flow no_memory(uint64_t address, const Cursor& after);

  // -- for the walk of the position-only streamer --------------------------------------------------------------------------------
  /// A command that the engine passes over.
  Flow skip(const Packet& packet, const Cursor& after) { return publish(packet.address, packet.dwords[0], after), Flow::next(); }
  /// A MI_BATCH_BUFFER_START. Its Predication Enable counts in batches only.
  Flow enter(const Packet& packet, const Cursor& after, BatchMode mode);

 protected:
  void publish(uint64_t address, uint32_t header, const Cursor& after);
  Flow stop(Reason reason, Flow flow = Flow::repeat());
  Flow fault(uint32_t error);
  /// The next boundary is an arbitration point.
  Flow arbitrate();
  Flow result(ExecResult result);
  /// Reports it.
  static bool is_short(const Packet& packet);
  /// A command has been executed, with this answer: reports it to a watch and an observer.
  Flow finished(const Packet& packet, const Cursor& after, const Flow& flow);
  Flow engine_packet(const Packet& packet);
  /// Ends deferred work that the MI command may not run beside. Nothing: it is done.
  std::optional<Flow> finish_before(const Packet& packet);
  Flow mi(const Packet& packet, const Cursor& after);
  /// A value that commands write, as the fault plan has it; nothing: it is not written.
  std::optional<uint64_t> planned(uint64_t value, unsigned bytes, bool to_status_page);
  void write_register(uint32_t offset, uint32_t value);
  /// A batch starts from the ring. Nothing: it runs.
  std::optional<Flow> planned_request(Faults& faults);

  EngineCore& core_;
  Execution execution_;
  const SetContext set_context_;  ///< does MI_SET_CONTEXT
  Arbiter& arbiter_;
  bool privileged_ = true;
  WatchedPacket::Outcome outcome_ = WatchedPacket::Outcome::executed;  ///< of the last command

 private:
  /// A check (StreamerConfig::preempt_commands).
  void count_for_preemption();
  bool predicated_off(const Packet& packet) const;
  Flow execute(const Packet& packet, const Cursor& after);
  Flow observe(const Packet& packet, Flow flow);
  void tell(Watch& watch, const Packet& packet, const Cursor& after, const Flow& flow);
  /// Drops what the running batch is not allowed to do.
  void refuse();
  bool starts_work(const Packet& packet) const;

  // hw/cs/execute_memory.cpp
  void store_data_imm(Dwords dw);
  void store_data_index(Dwords dw);
  void copy_mem_mem(Dwords dw);
  void update_gtt(Dwords dw);
  Flow atomic(Dwords dw);
  void report_perf_count(Dwords dw);
  void report_head(const Cursor& after);
  void publish_head(const Cursor& after);

  // hw/cs/execute_register.cpp
  void load_register_imm(Dwords dw);
  void load_register_mem(Dwords dw);
  void load_register_reg(Dwords dw);
  void store_register_mem(Dwords dw);
  Flow math(Dwords dw);
  /// What is added to a register's offset in a command with this header. `relative`: the header bit of relative_.
  uint32_t register_base(uint32_t header, uint32_t relative) const { return header & relative ? core_.config().mmio_base : 0; }

  // hw/cs/execute_flow.cpp
  Flow start_batch(Dwords dw, const Cursor& after);
  Flow enter_batch(Dwords dw, const Cursor& after, BatchMode mode);
  bool predicated_start(Dwords dw) const;
  Flow conditional_end(Dwords dw);
  Flow semaphore_wait(Dwords dw);
  void semaphore_signal(Dwords dw);
  void predicate(Dwords dw);
  void display_command(const Packet& packet);

  // hw/cs/execute_flush.cpp
  Flow pipe_control(Dwords dw);
  Flow flush_dw(Dwords dw);
  void post_sync_write(uint64_t address, bool global, bool index, uint64_t value, unsigned bytes);

  unsigned since_preemption_ = 0;  ///< commands
  const uint32_t nopid_;           ///< in BAR0: where MI_NOOP keeps its number
  const RelativeRegisters relative_;
  const uint32_t posh_start_;  ///< header bit of a MI_BATCH_BUFFER_START that is a no-op for this engine
  Reason reason_ = Reason::none;
};

}  // namespace softgen::cs
