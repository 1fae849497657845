// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/eu/jit/background.h"

#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <utility>

#include "hw/base/failure_log.h"
#include "hw/base/signals.h"
#include "hw/eu/jit/llvm_api.h"

namespace softgen::eu::jit {

namespace {

/// Bounds the queue: a guest can make kernels faster than they are compiled.
constexpr size_t max_waiting = 512;
/// Low: interpreted threads take ten times as long, so the compiler should make progress, but not take a core from busy threads.
constexpr int niceness = 2;

/// All existing objects. exit() runs the destructors of LLVM and of static objects; no background thread may be at work then.
struct Existing {
  Mutex mutex;
  std::vector<Background*> all SG_GUARDED_BY(mutex);
};
Existing& existing() {
  static auto& instance = *new Existing;  // never destroyed: used during exit
  return instance;
}

}  // namespace

/// Stops all work when the main thread exits. LLVM makes static objects while it compiles, so an atexit handler could run after some of
/// their destructors. But exit() destroys the thread_local objects of its thread before it runs handlers (glibc, __run_exit_handlers), and
/// that is nearly always the main one.
struct StopWithThread {
  ~StopWithThread() { Background::stop_all(); }
};

Background::Background(bool loads_llvm, std::function<void()> interrupt) : loads_llvm_(loads_llvm), interrupt_(std::move(interrupt)) {
  static const int registered = std::atexit(stop_all);
  static_cast<void>(registered);
  if (gettid() == getpid()) {
    thread_local StopWithThread stop;
    static_cast<void>(stop);
  }
  MutexLock lock(existing().mutex);
  existing().all.push_back(this);
}

Background::~Background() {
  {
    MutexLock lock(existing().mutex);
    std::erase(existing().all, this);
  }
  stop();
}

void Background::stop_all() {
  MutexLock lock(existing().mutex);
  for (Background* one : existing().all) one->stop();
}

/// Waits while LLVM is being loaded, so that LLVM's exit handlers and ours are all registered before the first of them runs.
void Background::stop() {
  {
    MutexLock loading(loading_);
    std::deque<Work> asked;
    std::vector<Work> unmade;
    MutexLock lock(mutex_);
    quit_ = true;
    asked_.swap(asked);
    unmade_.swap(unmade);
  }
  wake_.notify_all();
  idle_.notify_all();
  if (interrupt_) interrupt_();
  if (thread_.joinable()) thread_.join();
}

void Background::load() {
  if (!loads_llvm_) return;
  MutexLock loading(loading_);
  {
    MutexLock lock(mutex_);
    if (quit_) return;
  }
  // Registered after the library's handlers, so it runs before them.
  if (llvm::available()) std::atexit(stop_all);
}

bool Background::add(std::function<bool()> find, std::function<void()> make) {
  {
    MutexLock lock(mutex_);
    if (quit_ || asked_.size() + unmade_.size() >= max_waiting) return false;
    asked_.push_back({std::move(find), std::move(make)});
    const SignalsBlocked in_new_threads;
    if (!thread_.joinable()) thread_ = std::thread(with_this_log([this] { main(); }));
  }
  wake_.notify_all();
  return true;
}

void Background::drain() {
  MutexLock lock(mutex_);
  while (!quit_ && (busy_ || !nothing())) idle_.wait(mutex_);
}

void Background::main() {
#if defined(__linux__)
  setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), niceness);
#endif
  load();
  MutexLock lock(mutex_);
  while (true) {
    while (!quit_ && nothing()) wake_.wait(mutex_);
    if (quit_) return;
    const bool asked = !asked_.empty();
    Work work = std::move(asked ? asked_.front() : unmade_.back());
    if (asked) asked_.pop_front();
    else unmade_.pop_back();
    busy_ = true;
    lock.unlock();
    const bool done = !asked || work.find();
    if (!asked) work.make();
    // Not under the lock: the work may own the last reference to a program, whose destructor takes other locks.
    if (done) work = {};
    lock.lock();
    if (!done && !quit_) unmade_.push_back(std::move(work));
    busy_ = false;
    if (nothing()) idle_.notify_all();
  }
}

}  // namespace softgen::eu::jit
