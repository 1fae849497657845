// SPDX-License-Identifier: GPL-2.0-or-later
// What RCS and POCS say to each other (ICL PRM vol 9, "POSH Programming Model", "POSH Preemption"). RCS names a context, and asks for it to be
// left; POCS claims the context, and releases it once its image is saved. Neither waits for the other on its thread: who has answered kicks.
//
// Any thread. What is RCS's or POCS's to call comes from the thread that runs that streamer, or while it stands.
#pragma once

#include <atomic>
#include <functional>

#include "hw/base/archive.h"
#include "hw/base/mutex.h"
#include "hw/cs/execlists.h"

namespace softgen::cs {

class PositionLink {
 public:
  struct Calls {
    std::function<void()> call_follower;  ///< POCS is to look at this object before its next command
    std::function<void()> kick_follower;  ///< POCS has something to look at when it is at rest
    std::function<void()> kick_leader;
    std::function<bool()> follower_rests;  ///< POCS is idle or waits, and nothing has happened since
  };
  /// Before any engine runs.
  void attach(Calls calls) { calls_ = std::move(calls); }

  // -- RCS -----------------------------------------------------------------------------------------------------------------------
  /// Its context is one for POCS, whose descriptor names POCS's image.
  bool active() const { return active_.load(std::memory_order_relaxed); }
  void begin(const Descriptor& context);
  /// Whether POCS does not have the context; else it is asked to leave, and kicks.
  bool leave();
  /// leave() is no longer wanted.
  void stay();
  /// The context is over.
  void end();
  /// Whether POCS rests; else it kicks when it does.
  bool rests();
  /// POCS hangs at a command. Without a context for it that is of no account: a reset of both begins with RCS.
  bool failed() const { return active() && failed_.load(std::memory_order_relaxed); }
  /// RING_TAIL, which POCS takes from RCS. Any thread.
  void tail_moved() {
    if (active()) calls_.kick_follower();
  }

  // -- POCS ----------------------------------------------------------------------------------------------------------------------
  /// The context that it has from now on; not valid: none.
  Descriptor claim();
  /// The context that it has is to be left.
  bool must_leave() const;
  /// It has saved the context.
  void release();
  void reset();
  /// StreamerLinks::came_back.
  void came_back(bool rests, bool hangs);

  void state(Archive& archive);

 private:
  bool wants() const SG_REQUIRES(mutex_) { return asked_.valid() && !leaving_; }

  Calls calls_;
  mutable Mutex mutex_;
  Descriptor asked_ SG_GUARDED_BY(mutex_);  ///< RCS's context
  bool leaving_ SG_GUARDED_BY(mutex_) = false;
  Descriptor claimed_ SG_GUARDED_BY(mutex_);  ///< what POCS has
  std::atomic<bool> active_{false};           ///< asked_ is valid
  std::atomic<bool> awaited_{false};          ///< RCS waits for POCS to rest
  std::atomic<bool> failed_{false};
};

}  // namespace softgen::cs
