// SPDX-License-Identifier: GPL-2.0-or-later
// Where frames are composed: on a thread of the display's own, so that neither a register access nor the front end's lock waits for a
// picture. It sleeps while there is nothing to compose. Without a thread (threads=0) the caller composes; the pixels are the same.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <thread>

#include "hw/base/condition.h"
#include "hw/base/mutex.h"
#include "hw/iface/host_memory.h"
#include "hw/memory/gate.h"
#include "hw/memory/ggtt.h"
#include "hw/memory/view.h"

namespace softgen::display {

class Compositor {
 public:
  /// What work composes with. Graphic memory may be read until next_row() is called.
  class Turn {
   public:
    Turn(memory::View& view, const std::atomic<bool>& ending, memory::Gate::Pass* pass) : view_(view), ending_(ending), pass_(pass) {}
    memory::View& view() { return view_; }
    /// To be asked between rows: a pending change of the memory map is made first. False: the display ends, and the work must.
    bool next_row() {
      if (pass_) pass_->step_aside();
      return !ending_.load(std::memory_order_relaxed);
    }

   private:
    memory::View& view_;
    const std::atomic<bool>& ending_;
    memory::Gate::Pass* pass_;
  };
  using Work = std::function<void(Turn&)>;
  /// Work that can wait: the CRC and the picture of each pipe.
  static constexpr unsigned slots = 8;

  Compositor(HostMemory& memory, const memory::Ggtt& ggtt, bool threaded);
  ~Compositor();

  bool threaded() const { return threaded_; }
  /// With a thread: runs `work` there, soon, instead of what still waits in `slot`. Slots take turns. Any thread.
  void post(unsigned slot, Work work);
  /// Without a thread: for work in the call.
  Turn& own_turn() { return own_turn_; }

  /// Between hold and release the memory map may change: no guest memory is touched. Waits for a row. Front end's thread.
  void hold_memory() { gate_.close(); }
  void release_memory() { gate_.open(); }

 private:
  void serve();
  Work next() SG_REQUIRES(mutex_);

  const bool threaded_;
  memory::View view_;
  memory::Gate gate_;
  std::atomic<bool> ending_{false};
  Turn own_turn_;
  Mutex mutex_;
  Condition wake_;
  std::array<Work, slots> waiting_ SG_GUARDED_BY(mutex_);
  unsigned last_ SG_GUARDED_BY(mutex_) = 0;  ///< slot that had its turn last
  std::thread thread_;
};

}  // namespace softgen::display
