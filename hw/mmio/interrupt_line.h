// SPDX-License-Identifier: GPL-2.0-or-later
// The line from a platform's interrupt registers to the host: a level, whose edges are messages (MSI).
#pragma once

#include <atomic>

#include "hw/base/mutex.h"
#include "hw/iface/host.h"

namespace softgen::mmio {

class InterruptLine {
 public:
  /// `mutex` is the owner's, over the registers that make the level.
  InterruptLine(Host& host, Mutex& mutex) : host_(host), mutex_(mutex) {}

  /// With the mutex held. `edge`: the level fell and rose again within this change. While the host sees a high line, each further rising edge
  /// needs a falling one first: it is another message.
  void set(bool level, bool edge = false);
  /// Without the mutex. One thread at a time calls the host, with the mutex released; concurrent and nested calls leave the delivery to that
  /// thread. A level that falls and rises again before it is reported is a separate edge.
  void deliver();
  /// The same with the mutex held by `lock`, which holds it again afterwards.
  void deliver(MutexLock& lock);

  /// With the mutex held.
  bool level() const { return level_; }

 private:
  Host& host_;
  Mutex& mutex_;
  bool level_ = false;
  // The host's side: the level reported last, whether it has to see the line fall before it is high (again), whether a thread is reporting.
  bool reported_ = false, fall_ = false, reporting_ = false;
  std::atomic<bool> unreported_ = false;  ///< deliver() has something to do
};

}  // namespace softgen::mmio
