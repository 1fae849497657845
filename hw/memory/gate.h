// SPDX-License-Identifier: GPL-2.0-or-later
// Run permission. Whoever touches guest memory outside the front end's lock holds a Pass; the front end
// closes the gate to change the memory map, to stop the VM, to save state. Closing is counted, waits for
// passes to come back, and lets no new ones out.
//
// A thread holds at most one Pass: worker threads run under the Pass of the engine that waits for them.
#pragma once

#include <atomic>
#include <cstdint>

#include "hw/base/condition.h"
#include "hw/base/mutex.h"

namespace softgen::memory {

class Gate {
 public:
  Gate() = default;
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  /// Held for a slice of work: from one command boundary to the next, not while sleeping.
  class Pass {
   public:
    /// Waits while the gate is closed.
    explicit Pass(Gate& gate) : gate_(gate) { gate_.enter(); }
    ~Pass() { gate_.leave(); }
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;
    /// At a command boundary: steps aside when the gate is closing, and comes back when it is open again.
    /// Returns whether it did (cached state of guest memory may be stale then).
    bool step_aside() {
      if (!gate_.closing()) return false;
      gate_.leave();
      gate_.enter();
      return true;
    }

   private:
    Gate& gate_;
  };

  /// A Pass without waiting: false while the gate is closed, else leave() gives it back.
  bool try_enter() {
    if (state_.fetch_add(1, std::memory_order_acquire) < one_closer) return true;
    leave();
    return false;
  }
  void leave() {
    if (state_.fetch_sub(1, std::memory_order_release) > one_closer) [[unlikely]]
      leave_slow();
  }

  /// Somebody waits for the passes to come back. One relaxed load.
  bool closing() const { return state_.load(std::memory_order_relaxed) >= one_closer; }

  /// Waits until no pass is out. The caller must not hold one. As many open() as close().
  void close();
  void open();
  /// Asks for the gate to be closed without waiting; counts as a close(). wait_closed() then waits.
  void begin_close();
  void wait_closed();

 private:
  static constexpr uint64_t one_closer = uint64_t{1} << 32;  // low half: passes out
  void enter() {
    if (state_.fetch_add(1, std::memory_order_acquire) >= one_closer) [[unlikely]]
      enter_slow();
  }
  void enter_slow();
  void leave_slow();

  std::atomic<uint64_t> state_{0};
  Mutex mutex_;
  Condition changed_;
};

}  // namespace softgen::memory
