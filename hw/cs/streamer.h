// SPDX-License-Identifier: GPL-2.0-or-later
// One command streamer as a machine without a thread: run() works until it is idle or must stop, and says why. The thread
// around it is EngineCs (hw/cs/engine_cs.h).
//
// Functions under "any thread" may be called by any. Everything else belongs to the thread that runs the streamer, one at a time.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "hw/base/archive.h"
#include "hw/cs/arbiter.h"
#include "hw/cs/context_store.h"
#include "hw/cs/engine_core.h"
#include "hw/cs/executor.h"
#include "hw/cs/parser.h"
#include "hw/cs/watchdog.h"

namespace softgen::cs {

/// Why run() came back.
enum class RunEnd : uint8_t {
  idle,             ///< no context, or (ring mode) HEAD == TAIL
  waiting,          ///< a semaphore, or a command that is not complete yet: poll again later, or when notified
  awaits_position,  ///< RCS is to leave a context that POCS still has: until POCS kicks
  stopped,          ///< MI_MODE Stop Rings, or an error: until a register write or a reset
  paused,           ///< StopFlag::pause
  reset,            ///< StopFlag::reset: the caller must reset()
  looping,          ///< the batch only jumps: it can continue, at low priority
  budget,           ///< so many commands done: more to do
};

class Streamer {
 public:
  /// Of a platform with execlists and Gen8's commands.
  Streamer(const StreamerConfig& config, StreamerLinks links);
  virtual ~Streamer() = default;
  Streamer(const Streamer&) = delete;
  Streamer& operator=(const Streamer&) = delete;

  /// Runs at most `budget` commands.
  RunEnd run(uint64_t budget = ~uint64_t{0});
  /// run() threw, which only the host's own failures do (no memory): what waits is dropped, and the streamer hangs where it stood.
  RunEnd failed(const char* why) noexcept;
  /// An engine reset: the running context is dropped without an event, registers get their reset values.
  virtual void reset();
  /// The complete state, at a command boundary.
  virtual void state(Archive& archive);
  /// Whether the submitting thread may restore the contexts of the pending list: their images name no workaround batch, or short ones, in which no
  /// command waits, jumps or is for the Engine.
  bool restores_shortly();
  Execution& execution() { return executor_->execution(); }
  StreamerLinks& links() { return core_.links(); }
  /// It hangs at a command, until a reset.
  bool halted() const { return core_.halted(); }
  /// The registers whose writes by software it has to see, where the platform has them.
  virtual std::span<const uint32_t> kicking_registers() const;
  /// The same of registers that are not the engine's own, in BAR0.
  virtual std::span<const uint32_t> other_kicking_registers() const { return {}; }
  /// The engine's watchdog timer, if one is built. Gen8's and later ones': the render engine's alone. The other engines' counters start by other values
  /// (ILK PRM vol 1 part 4, "VCS_CNTR": zero): their registers are only stored.
  virtual std::optional<WatchdogForm> watchdog() const;

  // -- any thread ----------------------------------------------------------------------------------------------------------------
  const StreamerConfig& config() const { return core_.config(); }
  /// Whether the platform's streamers have the register.
  bool has(uint32_t relative) const { return core_.has(relative); }
  StopFlag& stop() { return core_.stop(); }
  void submitted() { arbiter_.submitted(); }
  /// A masked write of MI_MODE changed Stop Rings.
  void stop_ring_changed() { arbiter_.stop_ring_changed(); }
  /// EIR or EMR were written.
  void error_mask_changed() { core_.error_mask_changed(); }
  /// How often StreamerConfig::preempt_commands has preempted a context.
  uint64_t preemptions() const { return preemptions_.load(std::memory_order_relaxed); }
  bool busy() const { return busy_.load(std::memory_order_acquire); }
  Abandoned abandoned() { return core_.abandoned(); }
  /// Which memory the running context sees.
  memory::AddressSpace address_space() const { return core_.address_space(); }
  uint32_t context_timestamp() const { return core_.context_timestamp(); }
  /// A context is on the engine; in ring mode, the ring is enabled.
  bool has_context() const { return core_.execlists() ? core_.counts_time() : core_.get(reg::ctl) & reg::ring_valid; }

 protected:
  /// Without execlists: contexts_ is null, and what asks for it is overridden.
  using MakeExecutor = std::unique_ptr<Executor> (*)(EngineCore& core, Arbiter& arbiter, Executor::SetContext set_context);
  Streamer(const StreamerConfig& config, StreamerLinks links, MakeExecutor make_executor);

  /// MI_SET_CONTEXT.
  virtual void set_context(Executor::Dwords packet) { contexts_->set_context(packet); }
  /// The Engine's state as part of a saved state of the device; accept_engine_state() gives it to the Engine.
  virtual void engine_state(Archive& archive) { contexts_->engine_state(archive); }
  virtual void accept_engine_state() { contexts_->accept(); }

  enum class Work : uint8_t { none, ready, blocked };
  /// Brings the cursor to the next work. blocked: POCS has to leave the context first.
  virtual Work next_work();
  /// HEAD has met TAIL. False: as `blocked`.
  virtual bool drained();
  virtual ParseEnd walk();
  /// In front of a walk without execlists.
  virtual void follow_tables() { core_.set_address_space(); }

  EngineCore core_;
  Arbiter arbiter_;
  Cursor cursor_;
  const std::unique_ptr<Executor> executor_;
  const std::unique_ptr<ContextStore> contexts_;
  bool can_switch_ = true;        ///< the cursor is at an arbitration point
  std::vector<uint32_t> packet_;  ///< room for a packet that a page boundary or the ring's end divides

 private:
  /// What a walk ended with, for run(); none: it goes on.
  std::optional<RunEnd> end_of(ParseEnd end, uint64_t commands);
  bool load_own_ring();
  // These three: false, the context is not left, since POCS has not.
  bool accept_list();
  bool preempt_to_idle();
  /// The running context is saved, as for a list, and restored (Arbiter::request_restore). No event: software has submitted no list.
  bool save_and_restore();
  /// The running context leaves: `why` is an event, in addition to those of the next context.
  bool leave_element(uint32_t why);
  void start_element(unsigned index);
  void tell_lite_restore(Watch& watch, uint32_t old_tail);
  /// Notifies the observation unit; to be called before the running context is saved or dropped.
  void context_leaves();
  /// The running context leaves the engine. `complete`: its ring is empty.
  void save_context(bool complete);
  // hw/cs/position/leader.cpp
  void begin_position();
  /// False: POCS has been asked to leave, and kicks when it has.
  bool position_left();
  /// False: POCS has work, and kicks when it has none.
  bool position_rests();
  /// The context goes on, whatever POCS has been asked for.
  void position_stays();
  /// As position_stays(), and RING_TAIL has moved.
  void position_follows();
  void position_ends();
  void hang_with_position();
  void update_status();
  void post_event(const ContextSwitch& event);
  void run_workaround_batch(const WorkaroundBatch& batch);
  bool is_short(const WorkaroundBatch& batch);
  void list_state(Archive& archive, Execlist& list);

  std::atomic<bool> busy_{false};
  std::atomic<uint64_t> preemptions_{0};
  Execlist list_;
  unsigned element_ = 0;
  uint32_t last_event_ = 0;
};

/// Of a platform with execlists.
std::unique_ptr<Streamer> list_streamer(const StreamerConfig& config, StreamerLinks links);

}  // namespace softgen::cs
