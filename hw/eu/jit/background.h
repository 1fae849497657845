// SPDX-License-Identifier: GPL-2.0-or-later
// A thread that compiles in the background.
#pragma once

#include <deque>
#include <functional>
#include <thread>
#include <vector>

#include "hw/base/condition.h"
#include "hw/base/mutex.h"

namespace softgen::eu::jit {

/// Runs work on one thread, which starts with the first work and sleeps without any. Pending work is dropped when this is destroyed or the
/// process exits; from then on no work is accepted. May be called by any thread.
class Background {
 public:
  /// `loads_llvm`: the work uses LLVM, which the thread loads first. `interrupt`: called by the thread that stops this one, to end its
  /// current work soon; may be empty.
  explicit Background(bool loads_llvm = false, std::function<void()> interrupt = {});
  ~Background();
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  /// Calls `find`, in the order of add(). If it returns false, calls `make` once no `find` is pending, the newest first: the kernel that
  /// was requested last is running now. Returns false if too much work is pending, or this has stopped.
  bool add(std::function<bool()> find, std::function<void()> make);
  /// Waits until all work is done.
  void drain();

 private:
  struct Work {
    std::function<bool()> find;
    std::function<void()> make;
  };

  static void stop_all();
  void stop();
  void load();
  void main();
  bool nothing() const SG_REQUIRES(mutex_) { return asked_.empty() && unmade_.empty(); }

  const bool loads_llvm_;
  const std::function<void()> interrupt_;
  Mutex mutex_;
  Mutex loading_;  ///< held while LLVM is being loaded; guards no member
  Condition wake_, idle_;
  std::deque<Work> asked_ SG_GUARDED_BY(mutex_);
  std::vector<Work> unmade_ SG_GUARDED_BY(mutex_);
  bool quit_ SG_GUARDED_BY(mutex_) = false, busy_ SG_GUARDED_BY(mutex_) = false;
  std::thread thread_;  ///< started under the mutex while quit_ is not set, joined when it is

  friend struct StopWithThread;
};

}  // namespace softgen::eu::jit
