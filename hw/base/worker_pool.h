// SPDX-License-Identifier: GPL-2.0-or-later
// Host threads that share out independent pieces of one job. Zero workers: the caller does everything itself, in order.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "hw/base/condition.h"
#include "hw/base/mutex.h"

namespace softgen {

class WorkerPool {
 public:
  /// `workers` extra threads; they sleep while there is nothing to do.
  explicit WorkerPool(unsigned workers);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  unsigned workers() const { return static_cast<unsigned>(threads_.size()); }
  /// Slots that `for_each` may pass: caller plus workers. Use them to index scratch memory of one's own.
  unsigned slots() const { return workers() + 1; }

  /// Calls body(index, slot) once for each index in [0, count), in any order, on the caller (slot 0) and the workers, and returns
  /// when all are done. Several threads may call it at the same time; `slot` is unique among the calls that run at one moment in
  /// one for_each. body must not call for_each on the same pool. When a body throws, bodies that were not begun are left out, and one such exception is
  /// thrown on when all others have returned.
  void for_each(size_t count, const std::function<void(size_t index, unsigned slot)>& body);
  /// The same for index first to the last before enough() says true, which it is asked between bodies, on any of the threads; one body
  /// at least is called. Returns the first index that body was not called with: all before it were done.
  size_t for_each_until(size_t first, size_t count, const std::function<void(size_t index, unsigned slot)>& body,
                        const std::function<bool()>& enough);

 private:
  friend class BackgroundJob;
  struct Job;
  void share_out(Job& job);
  void begin(Job& job);
  void end(Job& job);
  bool is_done(const Job& job);
  void run(Job& job, unsigned slot);
  static void take(Job& job, unsigned slot);
  Job* first_open_job() SG_REQUIRES(mutex_);
  void thread_main(unsigned slot);

  Mutex mutex_;
  Condition wake_;
  Condition done_;
  std::vector<Job*> jobs_ SG_GUARDED_BY(mutex_);
  bool quit_ SG_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

/// A job that workers do while its owner does something else. One thread at a time uses it.
class BackgroundJob {
 public:
  explicit BackgroundJob(WorkerPool& pool);
  /// Bodies that were not begun are left out.
  ~BackgroundJob();
  BackgroundJob(const BackgroundJob&) = delete;
  BackgroundJob& operator=(const BackgroundJob&) = delete;

  /// body(index, slot) will be called as by WorkerPool::for_each(), with slot 0 in finish() alone. Not while started().
  void start(size_t count, std::function<void(size_t index, unsigned slot)> body);
  /// Since start(), and until finish().
  bool started() const { return job_ != nullptr; }
  /// Of a started job: whether all bodies have returned.
  bool done() const;
  /// Calls the bodies that are left on the caller, too, and returns when all are done. Exceptions: as of for_each(). Not started: nothing.
  void finish();

 private:
  WorkerPool& pool_;
  std::function<void(size_t index, unsigned slot)> body_;
  std::unique_ptr<WorkerPool::Job> job_;
};

/// WorkerPool::for_each(); without a pool (null) the caller does everything, in order, as slot 0.
inline void for_each(WorkerPool* pool, size_t count, const std::function<void(size_t index, unsigned slot)>& body) {
  if (pool) return pool->for_each(count, body);
  for (size_t i = 0; i < count; ++i) body(i, 0);
}
/// WorkerPool::for_each_until(), also for `first` behind the last index: then no body is called, and it is returned.
inline size_t for_each_until(WorkerPool* pool, size_t first, size_t count, const std::function<void(size_t index, unsigned slot)>& body,
                             const std::function<bool()>& enough) {
  if (pool && first < count) return pool->for_each_until(first, count, body, enough);
  while (first < count) {
    body(first++, 0);
    if (enough()) break;
  }
  return first;
}
/// The slots that these may pass.
inline unsigned slots_of(const WorkerPool* pool) { return pool ? pool->slots() : 1; }

}  // namespace softgen
