// SPDX-License-Identifier: GPL-2.0-or-later
// One command streamer as a machine without a thread: run() works until there is nothing to do, and says why it stopped. The thread
// around it is EngineCs (hw/cs/engine_cs.h).
//
// Guards: what stands under "mailbox" may be called by any thread. Everything else belongs to the thread that runs the streamer, one at a time.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

#include "hw/base/archive.h"
#include "hw/cs/image_layout.h"
#include "hw/cs/parser.h"
#include "hw/cs/registers.h"
#include "hw/cs/submission.h"
#include "hw/defs/command.h"
#include "hw/iface/engine.h"
#include "hw/iface/host.h"
#include "hw/memory/view.h"
#include "hw/mmio/interrupts.h"
#include "hw/mmio/register_file.h"

namespace softgen::cs {

struct StreamerConfig {
  EngineId id;
  const defs::CommandSet& commands;
  const defs::ContextLayout& context;
  defs::EngineClass engine_class;
  uint32_t mmio_base;
};

/// What a streamer is plugged into. All of it outlives the streamer.
struct StreamerLinks {
  HostMemory& memory;
  memory::Ggtt& ggtt;
  memory::FaultSink* faults;
  memory::TlbGeneration& tlb;
  mmio::RegisterFile& registers;
  mmio::Interrupts& interrupts;
  Submission& submission;
  Engine& engine;
  /// This streamer wrote memory that others may wait for. Cheap when nobody waits.
  std::function<void()> memory_written;
  /// MI_SEMAPHORE_SIGNAL.
  std::function<void(EngineId target)> signal;
  /// MI_REPORT_PERF_COUNT: fills the 256 bytes (zeroed, but for report id and timestamp). May be empty.
  std::function<void(std::span<std::byte> report)> perf_report;
  /// MI_UPDATE_GTT changed entries. May be empty.
  std::function<void()> gtt_written;
  PacketObserver* observer = nullptr;  ///< may be null
};

/// Why run() came back.
enum class RunEnd : uint8_t {
  idle,     ///< no context, or (ring mode) HEAD == TAIL
  waiting,  ///< a semaphore, or a command that is not whole yet: look again later, or when told
  stopped,  ///< MI_MODE Stop Rings, or an error: nothing until a register write or a reset
  paused,   ///< StopFlag::pause
  reset,    ///< StopFlag::reset: the caller must reset()
  looping,  ///< the batch keeps jumping and does nothing else: more to do, but there is no hurry
  budget,   ///< so many commands done: more to do
};

class Streamer {
 public:
  Streamer(const StreamerConfig& config, StreamerLinks links);
  Streamer(const Streamer&) = delete;
  Streamer& operator=(const Streamer&) = delete;

  /// Runs at most `budget` commands.
  RunEnd run(uint64_t budget = ~uint64_t{0});
  /// run() threw, which only the host's own failures do (no memory): what waits is dropped, and the streamer hangs where it stood.
  RunEnd failed(const char* why) noexcept;
  /// An engine reset: the running context is dropped without an event, registers get their reset values.
  void reset();
  /// The complete state, at a command boundary.
  void state(Archive& archive);

  // -- mailbox -------------------------------------------------------------------------------------------------------------------
  /// The submission has a list that has not been taken yet.
  void submitted();
  /// A masked write of MI_MODE changed Stop Rings.
  void stop_ring_changed();
  /// EIR or EMR were written.
  void error_mask_changed();
  StopFlag& stop() { return stop_; }
  bool busy() const { return busy_.load(std::memory_order_acquire); }
  /// What StopFlag::abandon dropped: the packet that was last parsed, and how often that happened since the device was made. Any thread.
  struct Abandoned {
    uint64_t count = 0;    ///< not part of a saved state
    bool stands = false;   ///< the streamer has not been reset since; else the rest is zero
    uint64_t address = 0;  ///< of its header, as in ACTHD
    uint32_t header = 0;   ///< as in IPEHR
  };
  Abandoned abandoned();
  /// Which memory the running context sees. Any thread.
  memory::AddressSpace address_space() const;
  /// CTX_TIMESTAMP of the running context now.
  uint32_t context_timestamp() const;

  // -- for the Executor ----------------------------------------------------------------------------------------------------------
  const StreamerConfig& config() const { return config_; }
  StreamerLinks& links() { return links_; }
  memory::View& ggtt() { return ggtt_; }
  memory::View& ppgtt() { return ppgtt_; }
  memory::View& view(bool global) { return global ? ggtt_ : ppgtt_; }
  uint32_t get(uint32_t relative) const { return links_.registers.peek(config_.mmio_base + relative); }
  void set(uint32_t relative, uint32_t value) { links_.registers.poke(config_.mmio_base + relative, value); }
  uint64_t get64(uint32_t relative) const { return links_.registers.peek64(config_.mmio_base + relative); }
  void set64(uint32_t relative, uint64_t value) { links_.registers.poke64(config_.mmio_base + relative, value); }
  /// To the interrupt registers and, as HWSTAM says, the status page.
  void raise(mmio::EngineEvents events);
  /// Latches an error. Fatal ones also stop the streamer until a reset.
  void error(uint32_t bit, bool fatal);
  bool halted() const { return halted_; }
  uint64_t timestamp();
  /// GGTT addresses of the status pages; the per-process one is the global one outside execlists.
  uint64_t hwsp() const { return reg::status_page.in_place(get(reg::hws_pga)); }
  uint64_t pphwsp() const { return current_.valid() ? current_.lrca() : hwsp(); }
  uint32_t context_id() const { return current_.high; }
  bool execlists() const { return links_.submission.selected(get(reg::mode)); }
  /// Ring mode: software has written UHPTR, for the next arbitration point.
  bool head_pending() const { return !execlists() && (get(reg::uhptr) & reg::head_pending); }
  void set_arbitration(bool on);
  bool arbitration() const { return arbitration_.load(std::memory_order_relaxed); }
  /// A submitted list waits for the next arbitration point.
  bool switch_wanted() const { return switch_wanted_; }
  bool attention() const { return attention_.load(std::memory_order_relaxed); }
  /// Whether the submitting thread may restore the contexts of the pending list: their images name no workaround batch, or short ones, in which no command
  /// waits, jumps or is for the Engine. Called by the thread that runs the streamer.
  bool restores_shortly();
  /// At a command boundary with attention(): true when run() must look before the next command.
  bool must_leave();
  ExecResult execute(const Packet& packet);
  ExecResult flush(const FlushRequest& request);
  /// The end of what the engine has put off.
  ExecResult finish();
  void set_waiting(bool on);
  /// MI_SET_CONTEXT (ring mode).
  void set_context(std::span<const uint32_t> packet);
  uint32_t set_predicate = 0;    ///< MI_SET_PREDICATE's mode
  uint32_t failed_wait = 0;      ///< the event of the wait that a context is to be switched out for
  uint32_t jumps_to_loop = 0;    ///< chained batches in a row without work for the engine that make a loop; 0: run() never says so
  uint32_t jumps = 0;            ///< of them so far
  uint64_t budget = 0;           ///< commands left
  bool leave_to_thread = false;  ///< run() ends with `budget` in front of a packet for the Engine

 private:
  friend class Executor;
  bool next_work();
  ExecResult left(ExecResult result);
  void hang_abandoned();
  void drained();
  void accept_state(Archive& archive, const std::optional<Execlist>& waiting, bool arbitrates, bool counting, uint32_t ran);
  void list_state(Archive& archive, Execlist& list);
  void start_timestamp(uint32_t value);
  void update_status();
  void post_event(uint32_t event, uint32_t context_id);
  bool has_list() const { return attention_.load(std::memory_order_acquire) & attention_list; }
  std::optional<Execlist> take_list();
  bool is_lite_restore(const Execlist& list) const;
  bool list_is_lite() const;
  void accept_list();
  void start_element(unsigned index);
  /// The running context leaves: `why` is an event, beside those for what comes next.
  void leave_element(uint32_t why);
  /// Writes the status page's first dword, if HWSTAM lets one of these events do so.
  void write_status(mmio::EngineEvents events);
  void load_ring_registers();
  bool load_ring();
  void store_head();

  // hw/cs/context.cpp
  void restore_context();
  void save_context();
  /// `page`: GGTT address of the image's page 1.
  void restore_image(uint64_t page, bool ring_context, bool inhibit);
  void save_image(uint64_t page, bool ring_context);
  void run_lists(ImageWalk& walk, uint64_t page_address, std::span<const uint32_t> page, size_t until);
  void load_list(const ImageWalk::List& list, uint64_t page_address, std::span<const uint32_t> page);
  void inhibit_engine_registers();
  void store_registers();
  void load_cursor();
  void store_cursor();
  void restore_engine(uint64_t state, bool inhibit);
  void save_engine(uint64_t state);
  void set_address_space();
  void set_address_space(const memory::AddressSpace& space);

  // hw/cs/workaround_batch.cpp
  void run_workaround_batch(uint64_t address, uint64_t bytes);
  bool is_short(uint64_t address, uint64_t bytes);

  static constexpr uint32_t attention_list = 1, attention_stop = 2;

  const StreamerConfig config_;
  StreamerLinks links_;
  memory::View ggtt_, ppgtt_;
  mutable std::mutex space_mutex_;
  memory::AddressSpace space_;  ///< that of ppgtt_, for other threads; guarded by space_mutex_
  EngineEnv env_;
  const ImageLayout layout_;
  /// Dwords of page 1 with the values that the streamer uses outside a restore.
  struct ImageDwords {
    explicit ImageDwords(const defs::ContextLayout& layout)
        : context_control(layout.value_dword(reg::ctx_control)),
          tail(layout.value_dword(reg::tail)),
          ring_control(layout.value_dword(reg::ctl)),
          timestamp(layout.value_dword(reg::ctx_timestamp)),
          per_context(layout.value_dword(reg::bb_per_ctx_ptr)),
          indirect(layout.value_dword(reg::indirect_ctx)) {}
    const uint32_t context_control, tail, ring_control, timestamp, per_context, indirect;
  } image_dwords_;
  std::vector<uint32_t> image_;     ///< page 1 as it is saved
  std::vector<uint32_t> restored_;  ///< page 1 as it is restored
  std::vector<uint32_t> packet_;
  std::vector<std::byte> engine_image_, resident_image_;
  bool resident_valid_ = false;

  std::mutex attention_mutex_;  ///< attention_list and arbitration_ change together with StopFlag::preempt
  std::mutex register_mutex_;   ///< CSB pointers, error registers and abandoned_, which several threads use
  Abandoned abandoned_;
  std::atomic<uint32_t> attention_{0};
  StopFlag stop_;
  std::atomic<bool> busy_{false};
  std::atomic<bool> status_due_{false};  ///< software has cleared or masked errors: write_status() is due
  std::atomic<bool> arbitration_{true};
  std::atomic<uint64_t> timestamp_base_{0};  ///< CTX_TIMESTAMP minus TIMESTAMP, low half; bit 32: counting

  Cursor cursor_;
  Execlist list_;
  unsigned element_ = 0;
  Descriptor current_;
  bool switch_wanted_ = false;
  bool can_switch_ = true;  ///< the cursor stands at an arbitration point
  bool halted_ = false;
  bool waiting_ = false;  ///< in a semaphore wait that has been announced
  bool in_workaround_ = false;
  uint32_t last_event_ = 0;
};

}  // namespace softgen::cs
