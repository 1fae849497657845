// SPDX-License-Identifier: GPL-2.0-or-later
// Fences as DRM knows them: dma-fence, syncobj (binary and timeline), sync_file.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "hw/base/condition.h"
#include "hw/base/mutex.h"

namespace softgen::run {

/// Signalled once, never reset. All state is guarded by FenceClock's mutex.
class Fence {
 public:
  bool signalled = false;
  int error = 0;                               ///< negative errno when the work was dropped
  int64_t signalled_ns = 0;                    ///< CLOCK_MONOTONIC
  std::vector<int> sockets;                    ///< a byte is written when signalled (exported sync_files); owned
  std::vector<std::shared_ptr<Fence>> joined;  ///< by both(): each waits for this one, too
  unsigned missing = 0;                        ///< of a joined one: fences that it waits for
};
using FencePtr = std::shared_ptr<Fence>;

/// The one place threads wait for fences.
class FenceClock {
 public:
  static FenceClock& get();

  void signal(const FencePtr& fence, int error = 0);
  /// The same without waking waiters: the caller calls notify() later.
  void mark(const FencePtr& fence, int error = 0);
  bool signalled(const FencePtr& fence);
  FencePtr completed();
  /// Signalled when both are; with an error when one is.
  FencePtr both(const FencePtr& a, const FencePtr& b);

  /// Evaluates `done` under the lock until it is true or CLOCK_MONOTONIC reaches `deadline_ns` (INT64_MAX: never). False: timed out.
  template <typename Done>
  bool wait(int64_t deadline_ns, Done done);
  /// Runs `body` under the lock.
  template <typename Body>
  auto locked(Body body) {
    MutexLock lock(mutex_);
    return body();
  }
  /// Something other than a fence changed that waiters test (a syncobj was given its fence).
  void notify() { changed_.notify_all(); }

  /// A waiter may do the work that comes before a fence is signalled: the kernel's interrupt work, which would else wake a thread
  /// that wakes the waiter.
  struct Service {
    std::function<void()> serve;   ///< called without any lock
    std::function<void()> refuse;  ///< the chosen waiter left, and there is no other
  };
  /// An empty one ends it; then no waiter is in `serve` any more. The caller holds no lock that it takes.
  void set_service(Service service);
  /// There is work to serve. False: there is no waiter.
  bool offer();

 private:
  void mark_locked(const FencePtr& fence, int error) SG_REQUIRES(mutex_);
  void serve() SG_REQUIRES(mutex_);
  void leave() SG_REQUIRES(mutex_);

  Mutex mutex_;
  Condition changed_, served_;
  Service service_ SG_GUARDED_BY(mutex_);
  unsigned waiting_ SG_GUARDED_BY(mutex_) = 0, serving_ SG_GUARDED_BY(mutex_) = 0;
  bool offered_ SG_GUARDED_BY(mutex_) = false;
};

int64_t monotonic_ns();
/// Deadline of a relative timeout; negative or huge: never.
int64_t deadline_after(int64_t timeout_ns);

/// A DRM syncobj. Binary use: `fence`. Timeline use: `points`. Guarded by FenceClock's mutex.
struct Syncobj {
  FencePtr fence;
  std::map<uint64_t, FencePtr> points;

  /// The fence that stands for `point` (0: the binary fence), or null when none has been submitted.
  FencePtr find(uint64_t point) const;
  void replace(FencePtr f) {
    points.clear();
    fence = std::move(f);
  }
  void add_point(uint64_t point, FencePtr f);
  /// Greatest point whose fence, and all before it, are signalled.
  uint64_t signalled_point() const;
};
using SyncobjPtr = std::shared_ptr<Syncobj>;

/// A pollable descriptor that becomes readable when `fence` is signalled: one end of a pair of sockets, so that other processes see it, too, and it
/// hangs up when this process dies. Negative errno on failure.
int export_sync_file(const FencePtr& fence);
/// The fence of a sync_file. That of another process is signalled by a thread, which then calls `changed`. Null: not a sync_file.
FencePtr import_sync_file(int fd, const std::function<void()>& changed);
/// ioctl on a sync_file (merge, info); `changed`: see above. -ENOTTY for others.
int sync_file_ioctl(int fd, unsigned long request, void* arg, const std::function<void()>& changed);
void forget_sync_file(int fd);
/// `to` is a duplicate of `from`.
void share_sync_file(int from, int to);
bool is_sync_file(int fd);
/// What a sync_file of another process is here.
bool is_socket(int fd);

template <typename Done>
bool FenceClock::wait(int64_t deadline_ns, Done done) {
  const std::chrono::time_point<std::chrono::steady_clock> when{std::chrono::nanoseconds(deadline_ns)};
  MutexLock lock(mutex_);
  ++waiting_;
  bool in_time = true, is_done = done();
  for (; !is_done && in_time; is_done = done()) {
    if (offered_) serve();
    else if (deadline_ns == INT64_MAX) changed_.wait(mutex_);
    else in_time = changed_.wait_until(mutex_, when);
  }
  leave();
  return is_done;
}

}  // namespace softgen::run
