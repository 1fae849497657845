// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/base/worker_pool.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "hw/base/failure_log.h"

namespace softgen {

struct WorkerPool::Job {
  const std::function<void(size_t, unsigned)>& body;
  size_t count;
  const std::function<bool()>* enough = nullptr;
  std::atomic<size_t> next{0};
  std::atomic<size_t> cut{count};  // the first index that is left out
  unsigned helpers = 0;            // workers inside run(); guarded by the pool's mutex, as is what follows
  std::exception_ptr thrown;
};

WorkerPool::WorkerPool(unsigned workers) {
  threads_.reserve(workers);
  for (unsigned i = 0; i < workers; ++i) threads_.emplace_back(with_this_log([this, i] { thread_main(i + 1); }));
}

WorkerPool::~WorkerPool() {
  {
    MutexLock lock(mutex_);
    quit_ = true;
  }
  wake_.notify_all();
  for (auto& thread : threads_) thread.join();
}

void WorkerPool::run(Job& job, unsigned slot) {
  try {
    take(job, slot);
  } catch (...) {
    job.next = job.count;  // the others take no more
    MutexLock lock(mutex_);
    if (!job.thrown) job.thrown = std::current_exception();
  }
}

void WorkerPool::take(Job& job, unsigned slot) {
  for (size_t i = job.next.fetch_add(1); i < job.count; i = job.next.fetch_add(1)) {
    job.body(i, slot);
    if (!job.enough || !(*job.enough)()) continue;
    // Indices taken before are done; workers find none left.
    const size_t taken = job.next.exchange(job.count);
    if (taken < job.count) job.cut = taken;
  }
}

void WorkerPool::for_each(size_t count, const std::function<void(size_t, unsigned)>& body) {
  Job job{body, count};
  share_out(job);
}

size_t WorkerPool::for_each_until(size_t first, size_t count, const std::function<void(size_t, unsigned)>& body,
                                  const std::function<bool()>& enough) {
  Job job{body, count, &enough};
  job.next = first;
  share_out(job);
  return job.cut;
}

void WorkerPool::begin(Job& job) {
  {
    MutexLock lock(mutex_);
    jobs_.push_back(&job);
  }
  wake_.notify_all();
}

void WorkerPool::end(Job& job) {
  MutexLock lock(mutex_);
  std::erase(jobs_, &job);
  while (job.helpers != 0) done_.wait(mutex_);
}

bool WorkerPool::is_done(const Job& job) {
  MutexLock lock(mutex_);
  return job.next.load() >= job.count && job.helpers == 0;
}

void WorkerPool::share_out(Job& job) {
  const bool shared = job.count > job.next + 1 && !threads_.empty();
  if (shared) begin(job);
  run(job, 0);
  if (shared) end(job);
  if (job.thrown) std::rethrow_exception(job.thrown);
}

/// Null: no job has indices left to take.
WorkerPool::Job* WorkerPool::first_open_job() {
  const auto at = std::find_if(jobs_.begin(), jobs_.end(), [](const Job* j) { return j->next.load() < j->count; });
  return at == jobs_.end() ? nullptr : *at;
}

void WorkerPool::thread_main(unsigned slot) {
  MutexLock lock(mutex_);
  for (;;) {
    // Looked for once: other threads may take the last of it at any moment, but it stays in the list while the lock is held.
    Job* found = nullptr;
    while (!quit_ && !(found = first_open_job())) wake_.wait(mutex_);
    if (quit_) return;
    Job& job = *found;
    ++job.helpers;
    lock.unlock();
    run(job, slot);
    lock.lock();
    if (--job.helpers == 0) done_.notify_all();
  }
}

BackgroundJob::BackgroundJob(WorkerPool& pool) : pool_(pool) {}

BackgroundJob::~BackgroundJob() {
  if (!job_) return;
  job_->next = job_->count;
  pool_.end(*job_);
}

void BackgroundJob::start(size_t count, std::function<void(size_t, unsigned)> body) {
  body_ = std::move(body);
  job_.reset(new WorkerPool::Job{body_, count});
  pool_.begin(*job_);
}

bool BackgroundJob::done() const { return pool_.is_done(*job_); }

void BackgroundJob::finish() {
  if (!job_) return;
  pool_.run(*job_, 0);
  pool_.end(*job_);
  const auto job = std::move(job_);
  if (job->thrown) std::rethrow_exception(job->thrown);
}

}  // namespace softgen
