// SPDX-License-Identifier: GPL-2.0-or-later
// One engine as its streamer and the executor of its commands see it: registers, memory, errors, interrupts, and the plugged Engine.
//
// Any thread may call stop(), error_mask_changed(), abandoned(), address_space() and context_timestamp(); the rest belongs to the thread that
// runs the streamer.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>

#include "hw/base/mutex.h"
#include "hw/cs/registers.h"
#include "hw/cs/submission.h"
#include "hw/cs/translation.h"
#include "hw/defs/command.h"
#include "hw/defs/context.h"
#include "hw/iface/display_events.h"
#include "hw/iface/engine.h"
#include "hw/iface/host.h"
#include "hw/iface/observation.h"
#include "hw/iface/watch.h"
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
  bool position = false;          ///< POCS (hw/cs/position/)
  unsigned preempt_commands = 0;  ///< a check: commands after which the running context is preempted and restored; 0: never
};

class PositionLink;

/// What a streamer is plugged into. All of it outlives the streamer.
/// The display as the render streamer waits for it.
struct DisplayLink {
  DisplayEvents& events;
  std::function<int64_t()> clock_ns;        ///< guest time
  std::function<void(int64_t ns)> wake_at;  ///< CommandStreamers::look() is to be called at this guest time, or earlier
};

struct StreamerLinks {
  HostMemory& memory;
  memory::Ggtt& ggtt;
  const defs::PageFormat& ppgtt_pages;
  memory::FaultSink* faults;
  memory::TlbGeneration& tlb;
  mmio::RegisterFile& registers;
  mmio::Interrupts& interrupts;
  Submission& submission;
  Engine& engine;
  /// This streamer wrote memory that others may wait for. Cheap when none waits.
  std::function<void()> memory_written;
  /// MI_SEMAPHORE_SIGNAL.
  std::function<void(EngineId target)> signal;
  /// A context came or left, with its registers. May be empty.
  std::function<void()> context_changed;
  /// MI_UPDATE_GTT changed entries. May be empty.
  std::function<void()> gtt_written;
  PacketObserver* observer = nullptr;    ///< may be null
  const WatchPoint* watch = nullptr;     ///< null: never watched
  Observation* observation = nullptr;    ///< null: the engine's events are not counted
  const DisplayLink* display = nullptr;  ///< null: there is none to wait for
  /// RCS: what it asks of POCS; null: there is no POCS.
  PositionLink* position = nullptr;
  /// Called when a context status event has been written to the CSB. May be empty.
  std::function<void(const ContextSwitch& event)> switched{};
  /// The streamer has come back from a run, and rests until something changes, or hangs until a reset. Called under its lock. May be empty.
  std::function<void(bool rests, bool hangs)> came_back{};
};

/// What StopFlag::abandon has dropped: the packet that was last parsed, and how often that happened since the device was made.
struct Abandoned {
  uint64_t count = 0;    ///< not part of a saved state
  bool stands = false;   ///< the streamer has not been reset since; else the rest is zero
  uint64_t address = 0;  ///< of its header, as in ACTHD
  uint32_t header = 0;   ///< as in IPEHR
};

class EngineCore {
 public:
  EngineCore(const StreamerConfig& config, StreamerLinks links);
  EngineCore(const EngineCore&) = delete;
  EngineCore& operator=(const EngineCore&) = delete;

  /// Null: there is no watch.
  Watch* watch() const { return links_.watch ? links_.watch->get() : nullptr; }
  const StreamerConfig& config() const { return config_; }
  StreamerLinks& links() { return links_; }
  StopFlag& stop() { return stop_; }
  const StopFlag& stop() const { return stop_; }

  // -- registers -----------------------------------------------------------------------------------------------------------------
  uint32_t get(uint32_t relative) const { return links_.registers.peek(config_.mmio_base + relative); }
  void set(uint32_t relative, uint32_t value) { links_.registers.poke(config_.mmio_base + relative, value); }
  /// Whether the platform's streamers have the register.
  bool has(uint32_t relative) const;
  /// An address in a register and, where addresses have more than 32 bits, a second one.
  uint64_t get_address(uint32_t low, uint32_t high) const { return get(low) | (wide_ ? uint64_t{get(high)} << 32 : 0); }
  void set_address(uint32_t low, uint32_t high, uint64_t address, uint32_t flags = 0) {
    set(low, static_cast<uint32_t>(address) | flags);
    if (wide_) set(high, static_cast<uint32_t>(address >> 32));
  }
  uint64_t get64(uint32_t relative) const { return links_.registers.peek64(config_.mmio_base + relative); }
  void set64(uint32_t relative, uint64_t value) { links_.registers.poke64(config_.mmio_base + relative, value); }
  /// GGTT addresses of the status pages; the per-process one is the global one outside execlists.
  uint64_t hwsp() const { return reg::status_page.in_place(get(reg::hws_pga)); }
  uint64_t pphwsp() const { return context_.valid() ? context_.lrca() : hwsp(); }
  bool execlists() const { return links_.submission.selected(mode()); }
  /// Ring mode: software has written UHPTR, for the next arbitration point.
  bool head_pending() const { return !execlists() && (get(reg::uhptr) & reg::head_pending); }
  /// IPEHR and ACTHD: what error capture and hang detection read (i915 gt/intel_engine_cs.c, i915_gpu_error.c).
  void publish(uint64_t address, uint32_t header);

  // -- the running context, and memory as it sees it -----------------------------------------------------------------------------
  /// Not valid: none runs.
  const Descriptor& context() const { return context_; }
  void set_context(const Descriptor& context) { context_ = context; }
  memory::View& ggtt() { return ggtt_; }
  memory::View& ppgtt() { return ppgtt_; }
  memory::View& view(bool global) { return global ? ggtt_ : ppgtt_; }
  const Translation& translation() const { return translation_; }
  /// What the Engine is lent.
  EngineEnv& env() { return env_; }
  memory::AddressSpace address_space() const;
  /// That of the running context, or of ring mode's registers.
  void set_address_space();
  void set_address_space(const memory::AddressSpace& space);
  void invalidate();

  // -- time ----------------------------------------------------------------------------------------------------------------------
  uint64_t timestamp();
  /// CTX_TIMESTAMP of the running context now.
  uint32_t context_timestamp() const;
  void start_timestamp(uint32_t value);
  void stop_timestamp() { timestamp_base_.store(0, std::memory_order_release); }
  bool counts_time() const { return timestamp_base_.load(std::memory_order_acquire) >> 32; }

  // -- events and errors ---------------------------------------------------------------------------------------------------------
  /// To the interrupt registers and, as HWSTAM says, the status page.
  void raise(mmio::EngineEvents events);
  /// Turns the levels of these events over.
  void toggle(mmio::EngineEvents events);
  /// Levels that toggle() has set.
  mmio::EngineEvents levels() const { return levels_; }
  void set_levels(mmio::EngineEvents levels) { levels_ = levels; }
  enum class Error : uint8_t {
    passing,  ///< in EIR
    lasting,  ///< in ESR, too, until a reset
    fatal,    ///< lasting, and the streamer stops until a reset
  };
  /// Latches an error.
  void error(uint32_t bit, Error kind);
  bool halted() const { return halted_; }
  void halt() { halted_ = true; }
  /// EIR or EMR were written.
  void error_mask_changed();
  /// The write to the status page that is due since then.
  void write_due_status();
  /// Of the current semaphore wait: announced once.
  void set_waiting(bool on);

  // -- the plugged Engine --------------------------------------------------------------------------------------------------------
  ExecResult execute(const Packet& packet);
  /// Engine::execute_short().
  std::optional<ExecResult> execute_short(const Packet& packet);
  ExecResult flush(const FlushRequest& request) { return left(links_.engine.flush(request, env_)); }
  /// Finishes what the engine has deferred, if there is such work.
  ExecResult finish_deferred() {
    DeferredWork* const work = links_.engine.deferred();
    return work ? left(work->finish(env_)) : ExecResult::done;
  }
  /// The same when the host has failed: what is left is dropped.
  void drop();
  bool in_picture() const { return links_.engine.in_picture(); }
  /// The Engine has executed no packet since its context was last saved.
  bool as_saved() const { return as_saved_; }
  void set_as_saved(bool on) { as_saved_ = on; }
  /// StopFlag::abandon has dropped a packet: the streamer hangs there.
  void hang_abandoned();
  Abandoned abandoned();

  void reset();
  /// What a saved state has of it.
  struct Saved {
    Descriptor context;
    bool halted = false, waiting = false;
    Abandoned abandoned;
  };
  Saved saved();
  void load(const Saved& saved);

 private:
  uint32_t mode() const { return has_mode_ ? get(reg::mode) : 0; }
  /// Writes the status page's first dword, if HWSTAM lets one of these events do so.
  void write_status(mmio::EngineEvents events);
  ExecResult left(ExecResult result);
  /// For the next packet, which may change the engine's state.
  EngineEnv& packet_env();

  const StreamerConfig config_;
  StreamerLinks links_;
  const Translation translation_;
  const bool wide_, has_mode_;  ///< has(reg::acthd_udw), has(reg::mode)
  memory::View ggtt_, ppgtt_;
  mutable Mutex space_mutex_;
  memory::AddressSpace space_ SG_GUARDED_BY(space_mutex_);  ///< that of ppgtt_, for other threads
  StopFlag stop_;
  EngineEnv env_;
  Descriptor context_;
  Mutex register_mutex_;  ///< also orders the changes of the error registers
  Abandoned abandoned_ SG_GUARDED_BY(register_mutex_);
  mmio::EngineEvents levels_ = 0;
  std::atomic<bool> status_due_{false};      ///< software has cleared or masked errors: write_status() is due
  std::atomic<uint64_t> timestamp_base_{0};  ///< CTX_TIMESTAMP minus TIMESTAMP, low half; bit 32: counting
  bool halted_ = false;
  bool waiting_ = false;  ///< in a semaphore wait that has been announced
  bool as_saved_ = false;
};

}  // namespace softgen::cs
