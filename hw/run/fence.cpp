// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/run/fence.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sync_file.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cstring>
#include <thread>
#include <unordered_map>
#include <utility>

#include "hw/base/signals.h"

namespace softgen::run {
namespace {

/// Waits for a byte or the other end's closing; true when there is one. `timeout`: as poll() has it.
bool wait_readable(int fd, int timeout) {
  pollfd p{fd, POLLIN, 0};
  int found;
  while ((found = poll(&p, 1, timeout)) < 0 && errno == EINTR) {}
  return found > 0;
}

void write_byte(int fd) { [[maybe_unused]] const ssize_t n = send(fd, "", 1, MSG_NOSIGNAL); }

struct SyncFiles {
  Mutex mutex;
  std::unordered_map<int, FencePtr> fences SG_GUARDED_BY(mutex);
};

SyncFiles& sync_files() {
  static SyncFiles& instance = *new SyncFiles;
  return instance;
}

/// Of a sync_file of this process, or of another one's that is signalled; else null.
FencePtr known_fence(int fd) {
  {
    MutexLock lock(sync_files().mutex);
    const auto it = sync_files().fences.find(fd);
    if (it != sync_files().fences.end()) return it->second;
  }
  return is_socket(fd) && wait_readable(fd, 0) ? FenceClock::get().completed() : nullptr;
}

}  // namespace

FenceClock& FenceClock::get() {
  static FenceClock& instance = *new FenceClock;
  return instance;
}

void FenceClock::mark(const FencePtr& fence, int error) {
  MutexLock lock(mutex_);
  mark_locked(fence, error);
}

void FenceClock::mark_locked(const FencePtr& first, int error) {
  std::vector<std::pair<FencePtr, int>> due{{first, error}};
  while (!due.empty()) {
    const auto [fence, why] = std::move(due.back());
    due.pop_back();
    if (fence->signalled) continue;
    fence->signalled = true;
    if (why) fence->error = why;
    fence->signalled_ns = monotonic_ns();
    for (const int fd : std::exchange(fence->sockets, {})) {
      write_byte(fd);
      close(fd);
    }
    for (const FencePtr& joined : std::exchange(fence->joined, {})) {
      if (fence->error) joined->error = fence->error;
      if (--joined->missing == 0) due.emplace_back(joined, 0);
    }
  }
}

FencePtr FenceClock::both(const FencePtr& a, const FencePtr& b) {
  MutexLock lock(mutex_);
  if (a->signalled) return b;
  if (b->signalled) return a;
  auto joined = std::make_shared<Fence>();
  joined->missing = 2;
  a->joined.push_back(joined);
  b->joined.push_back(joined);
  return joined;
}

void FenceClock::signal(const FencePtr& fence, int error) {
  mark(fence, error);
  notify();
}

void FenceClock::set_service(Service service) {
  MutexLock lock(mutex_);
  service_ = std::move(service);
  offered_ = false;
  while (serving_ != 0) served_.wait(mutex_);
}

bool FenceClock::offer() {
  {
    MutexLock lock(mutex_);
    if (!waiting_ || !service_.serve) return false;
    offered_ = true;
  }
  changed_.notify_one();
  return true;
}

/// The mutex is released while the work is done.
void FenceClock::serve() {
  offered_ = false;
  const auto work = service_.serve;
  ++serving_;
  mutex_.unlock();
  work();
  mutex_.lock();
  if (--serving_ == 0) served_.notify_all();
}

/// One waits no more.
void FenceClock::leave() {
  --waiting_;
  if (!offered_) return;
  if (waiting_) return changed_.notify_one();
  offered_ = false;
  service_.refuse();
}

bool FenceClock::signalled(const FencePtr& fence) {
  MutexLock lock(mutex_);
  return !fence || fence->signalled;
}

FencePtr FenceClock::completed() {
  auto fence = std::make_shared<Fence>();
  fence->signalled = true;
  fence->signalled_ns = monotonic_ns();
  return fence;
}

int64_t monotonic_ns() {
  timespec ts;
  clock_gettime(CLOCK_MONOTONIC, &ts);
  return ts.tv_sec * int64_t{1'000'000'000} + ts.tv_nsec;
}

int64_t deadline_after(int64_t timeout_ns) {
  if (timeout_ns < 0) return INT64_MAX;
  const int64_t now = monotonic_ns();
  return timeout_ns > INT64_MAX - now ? INT64_MAX : now + timeout_ns;
}

FencePtr Syncobj::find(uint64_t point) const {
  if (point == 0 || points.empty()) return fence;
  const auto it = points.lower_bound(point);
  return it == points.end() ? nullptr : it->second;
}

void Syncobj::add_point(uint64_t point, FencePtr f) {
  points[point] = f;
  fence = std::move(f);
}

uint64_t Syncobj::signalled_point() const {
  uint64_t reached = 0;
  for (const auto& [point, f] : points) {
    if (!f->signalled) break;
    reached = point;
  }
  return reached;
}

int export_sync_file(const FencePtr& fence) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) < 0) return -errno;
  const auto [reader, writer] = ends;
  const bool signalled = FenceClock::get().locked([&, writer = writer] {
    if (!fence->signalled) fence->sockets.push_back(writer);
    return fence->signalled;
  });
  if (signalled) {
    write_byte(writer);
    close(writer);
  }
  MutexLock lock(sync_files().mutex);
  sync_files().fences[reader] = fence;
  return reader;
}

bool is_socket(int fd) {
  struct stat is;
  return fstat(fd, &is) == 0 && S_ISSOCK(is.st_mode);
}

FencePtr import_sync_file(int fd, const std::function<void()>& changed) {
  if (FencePtr found = known_fence(fd)) return found;
  if (!is_socket(fd)) return nullptr;
  const int own = fcntl(fd, F_DUPFD_CLOEXEC, 3);
  if (own < 0) return nullptr;
  auto fence = std::make_shared<Fence>();
  const SignalsBlocked in_new_threads;
  std::thread([own, fence, changed] {
    wait_readable(own, -1);
    close(own);
    FenceClock::get().signal(fence);
    changed();
  }).detach();
  return fence;
}

bool is_sync_file(int fd) {
  MutexLock lock(sync_files().mutex);
  return sync_files().fences.contains(fd);
}

void forget_sync_file(int fd) {
  MutexLock lock(sync_files().mutex);
  sync_files().fences.erase(fd);
}

void share_sync_file(int from, int to) {
  MutexLock lock(sync_files().mutex);
  const auto it = sync_files().fences.find(from);
  if (it == sync_files().fences.end()) return;
  const FencePtr fence = it->second;
  sync_files().fences[to] = fence;
}

int sync_file_ioctl(int fd, unsigned long request, void* arg, const std::function<void()>& changed) {
  if (request == SYNC_IOC_MERGE) {
    const FencePtr fence = import_sync_file(fd, changed);
    if (!fence) return -ENOTTY;
    auto* merge = static_cast<sync_merge_data*>(arg);
    const FencePtr other = import_sync_file(merge->fd2, changed);
    if (!other) return -ENOENT;
    const int merged = export_sync_file(FenceClock::get().both(fence, other));
    if (merged < 0) return merged;
    merge->fence = merged;
    return 0;
  }
  if (request == SYNC_IOC_FILE_INFO) {
    FencePtr fence = known_fence(fd);
    if (!fence && !is_socket(fd)) return -ENOTTY;
    if (!fence) fence = std::make_shared<Fence>();  // it is pending in another process
    auto* info = static_cast<sync_file_info*>(arg);
    const auto [status, when] =
        FenceClock::get().locked([&] { return std::pair(fence->signalled ? (fence->error ? fence->error : 1) : 0, fence->signalled_ns); });
    info->status = status;
    if (info->num_fences && info->sync_fence_info) {
      auto* out = reinterpret_cast<sync_fence_info*>(info->sync_fence_info);
      std::memset(out, 0, sizeof *out);
      std::strncpy(out->driver_name, "i915", sizeof out->driver_name - 1);
      out->status = status;
      out->timestamp_ns = static_cast<uint64_t>(when);
    }
    info->num_fences = 1;
    return 0;
  }
  return -ENOTTY;
}

}  // namespace softgen::run
