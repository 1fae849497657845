// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/eu/jit/background.h"

#include <sys/resource.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <thread>

#include "hw/eu/jit/llvm_api.h"

namespace softgen::eu::jit {

namespace {

/// A guest can make kernels faster than they are compiled.
constexpr size_t most_waiting = 512;

void stop_at_exit();

class Background {
 public:
  /// While LLVM is being loaded this waits: its handlers, and ours behind them, are then there before any of them runs.
  void stop() {
    {
      const std::scoped_lock lock(loading_, mutex_);
      quit_ = true;
      work_.clear();
    }
    wake_.notify_all();
    idle_.notify_all();
    if (thread_.joinable()) thread_.join();
  }

  void load() {
    const std::lock_guard loading(loading_);
    {
      const std::lock_guard lock(mutex_);
      if (quit_) return;
    }
    // Registered behind the library's own handlers, and so run before them.
    if (llvm::available()) std::atexit(stop_at_exit);
  }

  bool add(std::function<void()> work) {
    {
      const std::lock_guard lock(mutex_);
      if (quit_ || work_.size() == most_waiting) return false;
      work_.push_back(std::move(work));
      if (!thread_.joinable()) thread_ = std::thread([this] { main(); });
    }
    wake_.notify_all();
    return true;
  }

  void drain() {
    std::unique_lock lock(mutex_);
    idle_.wait(lock, [this] { return quit_ || (work_.empty() && !busy_); });
  }

 private:
  void main() {
#if defined(__linux__)
    setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), 10);
#endif
    load();
    std::unique_lock lock(mutex_);
    while (true) {
      wake_.wait(lock, [this] { return quit_ || !work_.empty(); });
      if (quit_) return;
      auto work = std::move(work_.front());
      work_.pop_front();
      busy_ = true;
      lock.unlock();
      work();
      work = nullptr;
      lock.lock();
      busy_ = false;
      if (work_.empty()) idle_.notify_all();
    }
  }

  std::mutex mutex_, loading_;
  std::condition_variable wake_, idle_;
  std::deque<std::function<void()>> work_;
  bool quit_ = false, busy_ = false;
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
bool compile_later(std::function<void()> work) { return background().add(std::move(work)); }
void drain() { background().drain(); }

}  // namespace softgen::eu::jit
