// SPDX-License-Identifier: GPL-2.0-or-later
// The thread that compiles while others run.
#pragma once

#include <deque>
#include <functional>
#include <thread>
#include <vector>

#include "hw/base/mutex.h"

namespace softgen::eu::jit {

/// Work on one thread, which is started when it is first needed and sleeps when there is nothing to do. Work that is left when this is destroyed or the
/// process exits is dropped; from then on nothing is taken. Any thread.
class Background {
 public:
  /// `loads_llvm`: work uses LLVM, which the thread loads before the first of it. `interrupt`: called by another thread when this one is to stop, to end its
  /// current work soon; may be empty.
  explicit Background(bool loads_llvm = false, std::function<void()> interrupt = {});
  ~Background();
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  /// `find` is asked first, in order; where it finds nothing (false), `make` follows once nobody waits to be asked, the newest first: what was asked for last
  /// is what runs now. False: as much is waiting as may wait, or this has stopped.
  bool add(std::function<bool()> find, std::function<void()> make);
  /// Until all that was asked for is done.
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
