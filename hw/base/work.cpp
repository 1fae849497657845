// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/base/work.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <mutex>
#include <vector>

#include "hw/base/per_thread.h"

namespace softgen {
namespace {

/// Written by one thread, read by any.
class Counter {
 public:
  void add(uint64_t n) { value_.store(value_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed); }
  uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> value_{0};
};

struct alignas(64) ThreadCounts {
  std::array<Counter, std::tuple_size_v<decltype(WorkCounts::done)>> done;
  std::array<Counter, std::tuple_size_v<decltype(WorkCounts::nanoseconds)>> nanoseconds;
  std::array<std::array<Counter, WorkCounts::types>, WorkCounts::sfids> messages;

  ThreadCounts();
  ~ThreadCounts();
  void add_to(WorkCounts& sum) const;
};

void ThreadCounts::add_to(WorkCounts& sum) const {
  for (size_t i = 0; i < done.size(); i++) sum.done[i] += done[i].value();
  for (size_t i = 0; i < nanoseconds.size(); i++) sum.nanoseconds[i] += nanoseconds[i].value();
  for (size_t sfid = 0; sfid < messages.size(); sfid++)
    for (size_t type = 0; type < WorkCounts::types; type++) sum.messages[sfid][type] += messages[sfid][type].value();
}

/// Outlives all threads: a program's threads may end after its static objects do.
struct Registry {
  std::mutex mutex;
  std::vector<const ThreadCounts*> threads;
  WorkCounts ended;  ///< by threads that are no more
};
Registry& registry() {
  static auto& all = *new Registry;
  return all;
}

ThreadCounts::ThreadCounts() {
  const std::lock_guard lock(registry().mutex);
  registry().threads.push_back(this);
}

ThreadCounts::~ThreadCounts() {
  const std::lock_guard lock(registry().mutex);
  std::erase(registry().threads, this);
  add_to(registry().ended);
}

ThreadCounts& mine() { return per_thread<ThreadCounts>(); }

}  // namespace

void count_work(Work work, uint64_t n) { mine().done[static_cast<size_t>(work)].add(n); }

void count_message(unsigned sfid, unsigned type, uint64_t n) {
  mine().messages[sfid % WorkCounts::sfids][type % WorkCounts::types].add(n);
}

void count_time(TimedStage stage, std::chrono::steady_clock::duration time) {
  mine().nanoseconds[static_cast<size_t>(stage)].add(static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(time).count()));
}

WorkCounts work_counts() {
  const std::lock_guard lock(registry().mutex);
  WorkCounts sum = registry().ended;
  for (const ThreadCounts* thread : registry().threads) thread->add_to(sum);
  return sum;
}

WorkCounts work_between(const WorkCounts& before, const WorkCounts& after) {
  WorkCounts difference;
  std::transform(after.done.begin(), after.done.end(), before.done.begin(), difference.done.begin(), std::minus());
  std::transform(after.nanoseconds.begin(), after.nanoseconds.end(), before.nanoseconds.begin(), difference.nanoseconds.begin(), std::minus());
  for (size_t sfid = 0; sfid < WorkCounts::sfids; sfid++)
    std::transform(after.messages[sfid].begin(), after.messages[sfid].end(), before.messages[sfid].begin(), difference.messages[sfid].begin(), std::minus());
  return difference;
}

}  // namespace softgen
