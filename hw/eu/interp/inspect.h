// SPDX-License-Identifier: GPL-2.0-or-later
// Looking at EU threads while they run ("where does it hang?"). A thread is seen at its next backward jump, on its own host thread, so that
// nothing is copied or locked unless look() runs. Threads that wait (barrier, notification) are not seen: they do not run.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "hw/base/condition.h"
#include "hw/base/mutex.h"

namespace softgen::eu {

class Thread;

class Inspector {
 public:
  static Inspector& get();

  /// A description of each thread that jumps backward within `patience`, at most one a host thread: place, masks, the instructions around it,
  /// general registers that are not zero. Returns early when `enough` have shown themselves. One caller at a time; others wait.
  std::vector<std::string> look(std::chrono::milliseconds patience, size_t enough = 16);

  /// At a backward jump of `thread`, from the instruction at `offset`.
  static void passed(const Thread& thread, uint32_t offset) {
    if (wanted_.load(std::memory_order_relaxed)) [[unlikely]]
      get().describe(thread, offset);
  }

 private:
  void describe(const Thread& thread, uint32_t offset);

  static inline std::atomic<uint32_t> wanted_{0};  ///< number of the look under way; 0: none
  Mutex callers_, mutex_;
  Condition seen_;
  uint32_t looks_ SG_GUARDED_BY(mutex_) = 0;
  size_t enough_ SG_GUARDED_BY(mutex_) = 0;
  std::vector<std::string> found_ SG_GUARDED_BY(mutex_);
};

}  // namespace softgen::eu
