// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/base/work.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <vector>

#include "hw/base/mutex.h"
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
  std::array<Counter, std::tuple_size_v<decltype(WorkCounts::taken)>> taken;
  using Messages = std::array<std::array<Counter, WorkCounts::types>, WorkCounts::sfids>;
  Messages messages, direct;

  ThreadCounts();
  ~ThreadCounts();
  void add_to(WorkCounts& sum) const;
};

template <typename Counters, typename Sums>
void add(const Counters& counters, Sums& sums) {
  for (size_t i = 0; i < counters.size(); i++) sums[i] += counters[i].value();
}

void ThreadCounts::add_to(WorkCounts& sum) const {
  add(done, sum.done);
  add(nanoseconds, sum.nanoseconds);
  add(taken, sum.taken);
  for (size_t sfid = 0; sfid < messages.size(); sfid++) add(messages[sfid], sum.messages[sfid]), add(direct[sfid], sum.direct[sfid]);
}

/// Outlives all threads: a program's threads may end after its static objects do.
struct Registry {
  Mutex mutex;
  std::vector<const ThreadCounts*> threads SG_GUARDED_BY(mutex);
  WorkCounts ended SG_GUARDED_BY(mutex);  ///< by threads that are no more
};
Registry& registry() {
  static auto& all = *new Registry;
  return all;
}

ThreadCounts::ThreadCounts() {
  MutexLock lock(registry().mutex);
  registry().threads.push_back(this);
}

ThreadCounts::~ThreadCounts() {
  MutexLock lock(registry().mutex);
  std::erase(registry().threads, this);
  add_to(registry().ended);
}

ThreadCounts& mine() { return per_thread<ThreadCounts>(); }

}  // namespace

void count_work(Work work, uint64_t n) { mine().done[static_cast<size_t>(work)].add(n); }

void count_work(std::initializer_list<WorkAmount> amounts) {
  auto& done = mine().done;
  for (const WorkAmount& amount : amounts) done[static_cast<size_t>(amount.work)].add(amount.n);
}

void count_path(Path path, uint64_t n) { mine().taken[static_cast<size_t>(path)].add(n); }

void count_message(unsigned sfid, unsigned type) { mine().messages[sfid % WorkCounts::sfids][type % WorkCounts::types].add(1); }

void count_direct_messages(unsigned sfid, unsigned type, uint64_t n) {
  sfid %= WorkCounts::sfids, type %= WorkCounts::types;
  mine().messages[sfid][type].add(n);
  mine().direct[sfid][type].add(n);
}

void count_time(TimedStage stage, std::chrono::steady_clock::duration time) {
  mine().nanoseconds[static_cast<size_t>(stage)].add(
      static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(time).count()));
}

WorkCounts work_counts() {
  MutexLock lock(registry().mutex);
  WorkCounts sum = registry().ended;
  for (const ThreadCounts* thread : registry().threads) thread->add_to(sum);
  return sum;
}

WorkCounts work_between(const WorkCounts& before, const WorkCounts& after) {
  WorkCounts difference = after;
  const auto subtract = [](auto& from, const auto& what) {
    std::transform(from.begin(), from.end(), what.begin(), from.begin(), std::minus());
  };
  subtract(difference.done, before.done);
  subtract(difference.nanoseconds, before.nanoseconds);
  subtract(difference.taken, before.taken);
  for (size_t sfid = 0; sfid < WorkCounts::sfids; sfid++) {
    subtract(difference.messages[sfid], before.messages[sfid]);
    subtract(difference.direct[sfid], before.direct[sfid]);
  }
  return difference;
}

}  // namespace softgen
