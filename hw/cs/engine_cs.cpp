// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/cs/engine_cs.h"

#include <algorithm>
#include <cassert>
#include <exception>
#include <optional>

#include "hw/base/failure_log.h"

namespace softgen::cs {
namespace {

// A semaphore that a CPU releases is seen this late at most. The first polls come soon: most waits are short.
constexpr std::chrono::microseconds first_look{20}, last_look{1000};
// Of a loop: jumps at a stretch (Mesa's loops of mi_builder are shorter), and the sleep between them.
constexpr uint32_t loop_jumps = 256;
constexpr std::chrono::microseconds nap{100};
// What a submitting thread does itself: i915's requests around a batch have about 20 commands, a few microseconds.
constexpr uint64_t first_commands = 64;

thread_local bool on_streamer_thread = false;

}  // namespace

EngineCs::EngineCs(std::unique_ptr<Streamer> streamer, memory::Gate& gate, bool threaded) : streamer_(std::move(streamer)), gate_(gate) {
  if (threaded) streamer_->execution().jumps_to_loop = loop_jumps;
  if (threaded) thread_ = std::thread(with_this_log([this] { thread_main(); }));
}

EngineCs::~EngineCs() {
  {
    MutexLock lock(mutex_);
    quit_ = true;
    streamer_->stop().request(StopFlag::reset);
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

bool EngineCs::busy() {
  MutexLock lock(mutex_);
  return running_ || kicked_ || streamer_->busy();
}

bool EngineCs::rests() {
  MutexLock lock(mutex_);
  return rests_ && !running_ && !kicked_;
}

void EngineCs::kick() {
  {
    MutexLock lock(mutex_);
    kicked_ = true;
  }
  wake_.notify_one();
}

void EngineCs::submitted() {
  bool first;
  {
    MutexLock lock(mutex_);
    streamer_->submitted();
    first = may_run_first();
    if (first) running_ = true;
    else kicked_ = true;
  }
  if (!first) return wake_.notify_one();
  run_first();
}

// Takes a pass of the gate if so.
bool EngineCs::may_run_first() {
  if (!thread_.joinable() || on_streamer_thread || running_ || kicked_ || !may_run() || streamer_->busy() || !gate_.try_enter())
    return false;
  if (streamer_->restores_shortly()) return true;
  gate_.leave();
  return false;
}

void EngineCs::run_first() {
  streamer_->execution().leave_to_thread = true;
  const RunEnd end = run(first_commands);
  streamer_->execution().leave_to_thread = false;
  gate_.leave();
  {
    MutexLock lock(mutex_);
    finish_slice(end);
    tell_end(end);
    if (!kicked_ && !waits_.load(std::memory_order_relaxed)) return;
  }
  wake_.notify_one();
}

RunEnd EngineCs::run(uint64_t commands) {
  const bool outer = std::exchange(on_streamer_thread, true);
  RunEnd end;
  try {
    end = streamer_->run(commands);
  } catch (const std::exception& problem) { end = streamer_->failed(problem.what()); } catch (...) {
    end = streamer_->failed("not a std::exception");
  }
  on_streamer_thread = outer;
  return end;
}

bool EngineCs::wait_due(std::chrono::microseconds limit) {
  const Clock::time_point until = Clock::now() + limit;
  while (!thread_due())
    if (!wake_.wait_until(mutex_, until)) return thread_due();
  return true;
}

// Comes back when the thread is due, and from time to time while a batch loops or a semaphore waits.
void EngineCs::wait_for_work() {
  do {
    if (naps_ && may_run()) {
      wait_due(nap);
    } else if (waits_.load(std::memory_order_relaxed) && may_run()) {
      if (!wait_due(back_off_)) back_off_ = std::min(back_off_ * 2, last_look);
    } else {
      while (!thread_due()) wake_.wait(mutex_);
    }
  } while (!quit_ && (running_ || !may_run()));
}

void EngineCs::thread_main() {
  MutexLock lock(mutex_);
  for (;;) {
    wait_for_work();
    if (quit_) return;
    kicked_ = false;
    running_ = true;
    lock.unlock();
    RunEnd end;
    {
      memory::Gate::Pass pass(gate_);
      end = run(~uint64_t{0});
    }
    lock.lock();
    finish_slice(end);
    tell_end(end);
  }
}

// After the streamer came back.
void EngineCs::finish_slice(RunEnd end) {
  running_ = false;
  streamer_->stop().clear(StopFlag::abandon);
  naps_ = end == RunEnd::looping;
  rests_ = end == RunEnd::idle || end == RunEnd::waiting;
  if (end == RunEnd::reset && holds_ == 0 && !quit_) {
    streamer_->reset();
    streamer_->stop().clear(StopFlag::reset);
  }
  if (end == RunEnd::waiting) {
    // Writers kick once they see this flag; one more poll covers writes from before it was set.
    if (!waits_.load(std::memory_order_relaxed)) {
      waits_.store(true, std::memory_order_seq_cst);
      std::atomic_thread_fence(std::memory_order_seq_cst);
      kicked_ = true;
      back_off_ = first_look;
    }
  } else {
    waits_.store(false, std::memory_order_relaxed);
  }
  if (end == RunEnd::budget) kicked_ = true;
  if (!may_run()) stands_.notify_all();
}

void EngineCs::tell_end(RunEnd end) {
  if (const auto& came_back = streamer_->links().came_back) came_back(rests_ && !kicked_, end == RunEnd::stopped && streamer_->halted());
}

bool EngineCs::run_slice(uint64_t commands) {
  assert(!thread_.joinable());
  {
    MutexLock lock(mutex_);
    if (running_ || !may_run() || !(kicked_ || waits_.load(std::memory_order_relaxed))) return false;
    kicked_ = false;
    running_ = true;
  }
  const RunEnd end = run(commands);
  const uint64_t done = commands - std::min(commands, streamer_->execution().budget);
  MutexLock lock(mutex_);
  finish_slice(end);
  if (end == RunEnd::waiting) kicked_ = false;  // no other thread runs in between
  tell_end(end);
  return end == RunEnd::waiting ? done > 1 : kicked_;
}

bool EngineCs::due() {
  MutexLock lock(mutex_);
  return kicked_ && may_run();
}

// -- stopping -------------------------------------------------------------------------------------------------------------------

void EngineCs::request_pause() {
  MutexLock lock(mutex_);
  ++pauses_;
  streamer_->stop().request(StopFlag::pause);
}

bool EngineCs::wait_paused(Clock::time_point until) {
  MutexLock lock(mutex_);
  assert(pauses_ > 0 && !on_streamer_thread);
  while (running_) {
    if (until == Clock::time_point::max()) stands_.wait(mutex_);
    else if (!stands_.wait_until(mutex_, until)) return !running_;
  }
  return true;
}

// finish_slice() takes the reason back, so that it never meets a packet that begins later.
void EngineCs::abandon() {
  MutexLock lock(mutex_);
  assert(pauses_ > 0);
  if (running_) streamer_->stop().request(StopFlag::abandon);
}

void EngineCs::resume() {
  {
    MutexLock lock(mutex_);
    assert(pauses_ > 0);
    if (--pauses_) return;
    streamer_->stop().clear(StopFlag::pause);
    kicked_ = true;
  }
  wake_.notify_one();
}

void EngineCs::request_reset() {
  {
    MutexLock lock(mutex_);
    streamer_->stop().request(StopFlag::reset);
    kicked_ = true;
    if (!on_streamer_thread) ++holds_;
  }
  wake_.notify_one();
}

void EngineCs::wait_held() {
  if (on_streamer_thread) return;
  MutexLock lock(mutex_);
  while (running_) stands_.wait(mutex_);
}

void EngineCs::restart() {
  {
    MutexLock lock(mutex_);
    if (on_streamer_thread || holds_ == 0) return;
    streamer_->reset();
    streamer_->stop().clear(StopFlag::reset);
    naps_ = false;
    waits_.store(false, std::memory_order_relaxed);
    --holds_;
    kicked_ = true;
  }
  wake_.notify_one();
}

void EngineCs::state(Archive& archive) {
  MutexLock lock(mutex_);
  assert(pauses_ > 0 && !running_);
  streamer_->links().submission.state(archive);
  streamer_->state(archive);
}

}  // namespace softgen::cs
