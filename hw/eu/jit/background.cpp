// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/eu/jit/background.h"

#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <deque>
#include <thread>
#include <vector>

#include "hw/base/mutex.h"
#include "hw/base/signals.h"
#include "hw/eu/jit/llvm_api.h"

namespace softgen::eu::jit {

namespace {

/// A guest can make kernels faster than they are compiled.
constexpr size_t max_waiting = 512;
/// Interpreted threads take ten times as long: so the compiler is to get on, but not to take a core from two busy threads.
constexpr int niceness = 2;

struct Work {
  std::function<bool()> find;
  std::function<void()> make;
};

void stop_at_exit();

class Background {
 public:
  /// Waits while LLVM is being loaded: LLVM's exit handlers and ours are then all registered before the first of them runs.
  void stop() {
    {
      MutexLock loading(loading_);
      MutexLock lock(mutex_);
      quit_ = true;
      asked_.clear();
      unmade_.clear();
    }
    wake_.notify_all();
    idle_.notify_all();
    if (const auto interrupt = interrupt_.load()) interrupt();
    if (thread_.joinable()) thread_.join();
  }

  void load() {
    if (!loads_llvm_) return;
    MutexLock loading(loading_);
    {
      MutexLock lock(mutex_);
      if (quit_) return;
    }
    // Registered after the library's own handlers, and so run before them.
    if (llvm::available()) std::atexit(stop_at_exit);
  }

  bool add(Work work) {
    {
      MutexLock lock(mutex_);
      if (quit_ || asked_.size() + unmade_.size() >= max_waiting) return false;
      asked_.push_back(std::move(work));
      const SignalsBlocked in_new_threads;
      if (!thread_.joinable()) thread_ = std::thread([this] { main(); });
    }
    wake_.notify_all();
    return true;
  }

  void load_llvm_first() { loads_llvm_ = true; }
  void when_stopping(void (*function)()) { interrupt_ = function; }

  void drain() {
    MutexLock lock(mutex_);
    while (!quit_ && (busy_ || !nothing())) idle_.wait(mutex_);
  }

 private:
  bool nothing() const SG_REQUIRES(mutex_) { return asked_.empty() && unmade_.empty(); }

  void main() {
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
      // What it holds may be the last of a program; not under the lock.
      if (done) work = {};
      lock.lock();
      if (!done && !quit_) unmade_.push_back(std::move(work));
      busy_ = false;
      if (nothing()) idle_.notify_all();
    }
  }

  Mutex mutex_, loading_;
  Condition wake_, idle_;
  std::deque<Work> asked_ SG_GUARDED_BY(mutex_);
  std::vector<Work> unmade_ SG_GUARDED_BY(mutex_);
  bool quit_ SG_GUARDED_BY(mutex_) = false, busy_ SG_GUARDED_BY(mutex_) = false;
  std::atomic<bool> loads_llvm_{false};
  std::atomic<void (*)()> interrupt_{nullptr};
  std::thread thread_;
};

/// Never destroyed: threads may ask it for something until the very end.
Background& background() {
  static auto& instance = *new Background;
  return instance;
}
void stop_at_exit() { background().stop(); }

}  // namespace

/// LLVM makes static objects while it compiles, so no handler of ours would run before all of its own. exit() destroys the objects of its
/// thread before it runs handlers (glibc, __run_exit_handlers), and the thread is nearly always the first one.
struct StopWithThread {
  ~StopWithThread() { background().stop(); }
};

void stop_before_exit() {
  static const int registered = std::atexit(stop_at_exit);
  static_cast<void>(registered);
  if (gettid() == getpid()) {
    thread_local StopWithThread stop;
    static_cast<void>(stop);
  }
}
bool compile_later(std::function<bool()> find, std::function<void()> make) { return background().add({std::move(find), std::move(make)}); }
void load_llvm_first() { background().load_llvm_first(); }
void when_stopping(void (*function)()) { background().when_stopping(function); }
void drain() { background().drain(); }

}  // namespace softgen::eu::jit
