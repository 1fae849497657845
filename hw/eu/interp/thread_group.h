// SPDX-License-Identifier: GPL-2.0-or-later
// EU threads that may meet at barriers (a compute thread group, the hull shader instances of a patch), run in turn on one host thread: a
// thread runs until it ends or waits, then the next one does. It answers the gateway's messages (SFID 3) for them.
//
//   group.clear();
//   for (…) { Thread& thread = group.add(env); …fill registers…; thread.start(how); }
//   group.run(target);
//
// SKL PRM vol 7, "Message Gateway"; Mesa brw_fs_visitor.cpp, emit_barrier, emit_tcs_barrier.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "hw/eu/isa/isa.h"
#include "hw/eu/program/thread.h"

namespace softgen::eu {

class ThreadGroup : public MessageTarget {
 public:
  /// Threads that can wait at the same time: more than a subslice of Gen9 holds (56).
  static constexpr unsigned max_threads = 64;

  enum class Result : uint8_t {
    finished,    ///< all threads have ended
    aborted,     ///< the stop flag says that the work is dropped
    deadlocked,  ///< each remaining thread waits for a notification that no thread will send: hardware would hang
  };

  /// Forgets its threads; their memory is kept for the next ones.
  void clear();
  unsigned size() const { return static_cast<unsigned>(envs_.size()); }
  /// One more thread, at most max_threads. The copy of `env` names this group as its gateway. Good until clear().
  Thread& add(const ThreadEnv& env);
  Result run(MessageTarget& target);

  SendResult send(const Message& message, ThreadEnv& env) override;

 private:
  struct Slot {
    bool done = false, waiting = false;
    std::array<uint32_t, 8> seen{};  ///< its notification counts when it began to wait
    bool arrived[barrier_ids] = {};  ///< at barrier N
  };
  bool runnable(unsigned i) const;
  SendResult barrier(const Message& message);

  std::vector<std::unique_ptr<Thread>> threads_;
  std::deque<ThreadEnv> envs_;
  std::vector<Slot> slots_;
  unsigned current_ = 0;
};

}  // namespace softgen::eu
