// SPDX-License-Identifier: GPL-2.0-or-later
// Which of the program's descriptors are streams of performance reports.
#include <errno.h>
#include <i915_drm.h>

#include <atomic>
#include <unordered_map>
#include <utility>

#include "hw/run/perf_stream.h"

namespace softgen::run {
namespace {

/// The number of such descriptors. While it is 0 no lock is needed: every read() of the program comes through here.
constinit std::atomic<size_t> count{0};

struct Streams {
  Mutex mutex;
  std::unordered_map<int, std::shared_ptr<PerfStream>> by_fd SG_GUARDED_BY(mutex);
};

/// Never destroyed: threads and exit handlers still use it at the end.
Streams& streams() {
  static Streams& instance = *new Streams;
  return instance;
}

}  // namespace

bool is_perf_stream(int fd) { return count.load(std::memory_order_acquire) != 0 && perf_stream(fd) != nullptr; }

std::shared_ptr<PerfStream> perf_stream(int fd) {
  if (count.load(std::memory_order_acquire) == 0) return nullptr;
  MutexLock lock(streams().mutex);
  const auto found = streams().by_fd.find(fd);
  return found == streams().by_fd.end() ? nullptr : found->second;
}

void add_perf_stream(int fd, std::shared_ptr<PerfStream> stream) {
  MutexLock lock(streams().mutex);
  streams().by_fd[fd] = std::move(stream);
  count = streams().by_fd.size();
}

void forget_perf_stream(int fd) {
  if (count.load(std::memory_order_acquire) == 0) return;
  std::shared_ptr<PerfStream> stream;  // outlives the lock: the last descriptor's end closes it
  MutexLock lock(streams().mutex);
  const auto found = streams().by_fd.find(fd);
  if (found == streams().by_fd.end()) return;
  stream = std::move(found->second);
  streams().by_fd.erase(found);
  count = streams().by_fd.size();
}

void share_perf_stream(int from, int to) {
  if (auto stream = perf_stream(from)) add_perf_stream(to, std::move(stream));
}

int perf_stream_ioctl(PerfStream& stream, unsigned long request, uint64_t argument) {
  switch (request) {
    case I915_PERF_IOCTL_ENABLE: return stream.enable(), 0;
    case I915_PERF_IOCTL_DISABLE: return stream.disable(), 0;
    case I915_PERF_IOCTL_CONFIG: return stream.set_config(argument);
    default: return -EINVAL;
  }
}

}  // namespace softgen::run
