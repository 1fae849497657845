// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/eu/jit/background.h"

#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <utility>

#include "hw/base/log.h"
#include "hw/base/signals.h"
#include "hw/eu/jit/llvm_api.h"

namespace softgen::eu::jit {

namespace {

/// A guest can make kernels faster than they are compiled.
constexpr size_t max_waiting = 512;
/// Interpreted threads take ten times as long: so the compiler is to get on, but not to take a core from two busy threads.
constexpr int niceness = 2;

/// Those that exist. Exit runs the destructors of LLVM and of static objects, which must not meet such a thread at work.
struct Existing {
  Mutex mutex;
  std::vector<Background*> all SG_GUARDED_BY(mutex);
};
Existing& existing() {
  static auto& instance = *new Existing;  // never destroyed: exit asks for it
  return instance;
}

}  // namespace

/// LLVM makes static objects while it compiles, so no handler of ours would run before all of its own. exit() destroys the objects of its
/// thread before it runs handlers (glibc, __run_exit_handlers), and the thread is nearly always the first one.
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

/// Waits while LLVM is being loaded: LLVM's exit handlers and ours are then all registered before the first of them runs.
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
  // Registered after the library's own handlers, and so run before them.
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
    // What it holds may be the last of a program; not under the lock.
    if (done) work = {};
    lock.lock();
    if (!done && !quit_) unmade_.push_back(std::move(work));
    busy_ = false;
    if (nothing()) idle_.notify_all();
  }
}

}  // namespace softgen::eu::jit
