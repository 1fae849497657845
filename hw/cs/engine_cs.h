// SPDX-License-Identifier: GPL-2.0-or-later
// A command streamer with its host thread. What a submission to an idle streamer begins with (the context's restore, a few MI commands)
// takes less time than waking the thread, so the submitting thread does it, up to the first packet for the Engine that may take long.
//
// The thread sleeps while it is idle; it runs its streamer when it is kicked,
// and from time to time while a semaphore waits, since writes of guest CPUs to memory are not announced. A batch that only jumps in a circle is a
// guest's busy wait: the thread sleeps between rounds, so that the CPU that shall end it gets the host.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <utility>

#include "hw/base/condition.h"
#include "hw/base/mutex.h"
#include "hw/cs/streamer.h"
#include "hw/memory/gate.h"

namespace softgen::cs {

class EngineCs {
 public:
  /// `threaded` false: work runs in run_slice() only, on its caller's thread.
  EngineCs(std::unique_ptr<Streamer> streamer, memory::Gate& gate, bool threaded);
  ~EngineCs();
  EngineCs(const EngineCs&) = delete;
  EngineCs& operator=(const EngineCs&) = delete;

  Streamer& streamer() { return *streamer_; }
  const StreamerConfig& config() const { return streamer_->config(); }

  /// Runs, waits, or has been kicked.
  bool busy();
  /// Its last run ended idle or waiting, and it has not been kicked since.
  bool rests();

  // -- any thread ----------------------------------------------------------------------------------------------------------------
  /// Something has changed that the streamer must see.
  void kick();
  /// As kick(), when a semaphore waits. The caller has a sequentially consistent fence after its write.
  void kick_if_waiting() {
    if (waits_.load(std::memory_order_relaxed)) kick();
  }
  /// Software has submitted a list. When the streamer is idle the first commands run at once, on this thread (see run_first()).
  void submitted();

  // -- the front end's thread ----------------------------------------------------------------------------------------------------
  /// Counted. The streamer stops at the next command boundary or where its packet can be preempted. wait_paused() returns whether it has stopped
  /// by then; abandon() stops it within milliseconds: a packet that is still under way is dropped, and the streamer hangs there until it
  /// is reset. Then wait_paused() without a limit.
  using Clock = std::chrono::steady_clock;
  void request_pause();
  bool wait_paused(Clock::time_point until = Clock::time_point::max());
  void abandon();
  void resume();
  /// Drops the running work and holds the streamer until restart(); wait_held() returns when it has stopped. Called from a streamer's own thread
  /// (a register load reached GDRST) both do not wait: the reset happens when that thread is back at its loop. Paused or not.
  void request_reset();
  void wait_held();
  /// Resets the streamer and lets it go.
  void restart();
  /// While paused.
  void state(Archive& archive);

  /// threads=0: runs at most `commands`; false: there was no work that could run.
  bool run_slice(uint64_t commands);
  /// Kicked since, and allowed to run.
  bool due();

 private:
  void thread_main();
  bool may_run_first() SG_REQUIRES(mutex_);
  void run_first();
  RunEnd run(uint64_t commands);
  bool may_run() const SG_REQUIRES(mutex_) { return pauses_ == 0 && holds_ == 0; }
  /// The thread has something to do.
  bool thread_due() const SG_REQUIRES(mutex_) { return quit_ || (kicked_ && may_run() && !running_); }
  /// Until then, at most for `limit`. False: it is over.
  bool wait_due(std::chrono::microseconds limit) SG_REQUIRES(mutex_);
  void wait_for_work() SG_REQUIRES(mutex_);
  void finish_slice(RunEnd end) SG_REQUIRES(mutex_);
  void tell_end(RunEnd end) SG_REQUIRES(mutex_);

  const std::unique_ptr<Streamer>
      streamer_;  ///< of the thread that has set running_, else of who holds the mutex; but for what any thread may call
  memory::Gate& gate_;

  Mutex mutex_;
  Condition wake_, stands_;
  bool kicked_ SG_GUARDED_BY(mutex_) = false;
  bool running_ SG_GUARDED_BY(mutex_) = false;
  bool quit_ SG_GUARDED_BY(mutex_) = false;
  unsigned pauses_ SG_GUARDED_BY(mutex_) = 0, holds_ SG_GUARDED_BY(mutex_) = 0;
  bool naps_ SG_GUARDED_BY(mutex_) = false;  ///< a batch loops: it gets a share of the host only
  bool rests_ SG_GUARDED_BY(mutex_) = true;  ///< its last run ended so
  std::chrono::microseconds back_off_ SG_GUARDED_BY(mutex_){};

  std::atomic<bool> waits_{false};  ///< changes under the mutex; kick_if_waiting() looks without it
  std::thread thread_;
};

}  // namespace softgen::cs
