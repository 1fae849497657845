// SPDX-License-Identifier: GPL-2.0-or-later
// All work of an input must end on request. A run that takes longer than run_ms is asked to stop, as by a reset. If it then continues for
// stop_ms of processor time, that is a finding: the process prints the positions of its timer's last ticks and aborts. Time in the kernel
// does not count, as a page fault may wait for compaction. The cause may be state left by earlier inputs (such as a full cache), so that
// the input alone does not reproduce
// it: run the target with --first some 100,000 inputs earlier.
#pragma once

#include <execinfo.h>
#include <signal.h>
#include <sys/resource.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>

#include "hw/iface/engine.h"

#if defined(__SANITIZE_ADDRESS__)
#define SOFTGEN_FUZZ_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SOFTGEN_FUZZ_SANITIZED 1
#endif
#endif

namespace softgen::fuzz {

class LimitedRun {
 public:
#ifdef SOFTGEN_FUZZ_SANITIZED
  static constexpr int64_t run_ms = 10, stop_ms = 2000;
#else
  static constexpr int64_t run_ms = 1, stop_ms = 100;
#endif

  /// `ms`: until the stop request.
  explicit LimitedRun(StopFlag& stop, int64_t ms = run_ms) : stop_(stop) {
    static const bool installed = install();
    (void)installed;
    stop.clear(~0u);
    asked_at_ = 0, ticks_ = 0, limit_ = static_cast<int>(2 * ms);
    current_.store(&stop, std::memory_order_release);
  }
  ~LimitedRun() {
    current_.store(nullptr, std::memory_order_release);
    stop_.clear(~0u);
  }
  LimitedRun(const LimitedRun&) = delete;
  LimitedRun& operator=(const LimitedRun&) = delete;

 private:
  static int64_t processor_ms() {
    rusage used;
    getrusage(RUSAGE_THREAD, &used);
    return used.ru_utime.tv_sec * 1000 + used.ru_utime.tv_usec / 1000;
  }
  static void on_tick(int, siginfo_t*, void* context) {
    StopFlag* const stop = current_.load(std::memory_order_acquire);
    if (!stop) return;
    const int ticks = ++ticks_;
    interrupted_[ticks % places] = reinterpret_cast<void*>(static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
    const int limit = limit_;
    if (ticks == limit) {
      asked_at_ = processor_ms();
      stop->request(StopFlag::reset);
    } else if (ticks > limit && processor_ms() > asked_at_ + stop_ms) {
      static const char text[] = "\nliveness: it runs on after the stop request, in (for addr2line -Cfie)\n";
      if (write(STDERR_FILENO, text, sizeof text - 1) >= 0) backtrace_symbols_fd(interrupted_, std::min(ticks, places), STDERR_FILENO);
      std::abort();
    }
  }
  static bool install() {
    struct sigaction action = {};
    action.sa_sigaction = on_tick;
    action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
    sigaction(SIGRTMIN, &action, nullptr);
    // To the thread that runs the inputs: in another one (libFuzzer has its own) the handler would read what the next run resets meanwhile.
    sigevent event = {};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = SIGRTMIN;
    event._sigev_un._tid = gettid();  // sigev_notify_thread_id, which glibc 2.36 does not name
    timer_t timer;
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0) std::abort();
    const itimerspec half_ms = {{0, 500'000}, {0, 500'000}};
    timer_settime(timer, 0, &half_ms, nullptr);
    return true;
  }

  StopFlag& stop_;
  static inline std::atomic<StopFlag*> current_{nullptr};
  static inline std::atomic<int> ticks_{0}, limit_{0};
  static constexpr int places = 16;
  static inline void* interrupted_[places] = {};
  static inline std::atomic<int64_t> asked_at_{0};
};

}  // namespace softgen::fuzz
