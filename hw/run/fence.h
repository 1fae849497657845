// SPDX-License-Identifier: GPL-2.0-or-later
// Fences as DRM knows them: dma-fence, syncobj (binary and timeline), sync_file.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace softgen::run {

/// Signalled once, never reset. All state is guarded by FenceClock's mutex.
class Fence {
 public:
  bool signalled = false;
  int error = 0;             ///< negative errno when the work was dropped
  int64_t signalled_ns = 0;  ///< CLOCK_MONOTONIC
  std::vector<int> eventfds; ///< written when signalled (exported sync_files); owned
};
using FencePtr = std::shared_ptr<Fence>;

/// The one place threads wait for fences.
class FenceClock {
 public:
  static FenceClock& get();

  void signal(const FencePtr& fence, int error = 0);
  bool signalled(const FencePtr& fence);
  FencePtr completed();

  /// Evaluates `done` under the lock until it is true or CLOCK_MONOTONIC reaches `deadline_ns` (INT64_MAX: never). False: timed out.
  template <typename Done>
  bool wait(int64_t deadline_ns, Done done);
  /// Runs `body` under the lock.
  template <typename Body>
  auto locked(Body body) {
    std::scoped_lock lock(mutex_);
    return body();
  }
  /// Something other than a fence changed that waiters look at (a syncobj was given its fence).
  void notify() { changed_.notify_all(); }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
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
  void replace(FencePtr f) { points.clear(); fence = std::move(f); }
  void add_point(uint64_t point, FencePtr f);
  /// Greatest point whose fence, and all before it, are signalled.
  uint64_t signalled_point() const;
};
using SyncobjPtr = std::shared_ptr<Syncobj>;

/// A pollable descriptor that becomes readable when `fence` is signalled. Negative errno on failure.
int export_sync_file(const FencePtr& fence);
/// The fence behind a sync_file; for descriptors of other processes it waits (poll) and returns a signalled fence. Null: not a sync_file.
FencePtr import_sync_file(int fd);
/// ioctl on a sync_file (merge, info). -ENOTTY for others.
int sync_file_ioctl(int fd, unsigned long request, void* arg);
void forget_sync_file(int fd);
/// `to` is a duplicate of `from`.
void share_sync_file(int from, int to);
bool is_sync_file(int fd);

template <typename Done>
bool FenceClock::wait(int64_t deadline_ns, Done done) {
  std::unique_lock lock(mutex_);
  while (!done()) {
    if (deadline_ns == INT64_MAX) {
      changed_.wait(lock);
      continue;
    }
    const std::chrono::time_point<std::chrono::steady_clock> when{std::chrono::nanoseconds(deadline_ns)};
    if (changed_.wait_until(lock, when) == std::cv_status::timeout) return done();
  }
  return true;
}

}  // namespace softgen::run
