// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/run/use_locks.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/dma-buf.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <string_view>
#include <thread>
#include <utility>

#include "hw/base/signals.h"

namespace softgen::run {
namespace {

struct flock bytes(short type, Ticket from, Ticket to) {
  struct flock lock = {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = from;
  lock.l_len = to - from;
  return lock;
}

short type_of(bool write) { return write ? F_WRLCK : F_RDLCK; }

/// A new open file description of the same file.
int reopen(int fd) { return open(fmt::format("/proc/self/fd/{}", fd).c_str(), O_RDWR | O_CLOEXEC); }

/// The first lock found that conflicts with a use by the owner of `fd`; its type is F_UNLCK when there is none.
struct flock conflict(int fd, Ticket from, Ticket to, bool write) {
  struct flock lock = bytes(type_of(write), from, to);
  if (from >= to || fcntl(fd, F_OFD_GETLK, &lock) != 0) lock.l_type = F_UNLCK;
  return lock;
}

/// Takes each conflicting lock once, which the system grants when the other process has let it go, and releases it.
void wait_for_others(int own, int waiter, Ticket before, bool write) {
  for (;;) {
    const struct flock found = conflict(own, 1, before, write);
    if (found.l_type == F_UNLCK) return;
    // The system joins neighbouring locks: the range may hold tickets that must not be waited for.
    const Ticket end = found.l_len ? std::min<Ticket>(found.l_start + found.l_len, before) : before;
    struct flock wanted = bytes(type_of(found.l_type == F_RDLCK), std::max<Ticket>(found.l_start, 1), end);
    while (fcntl(waiter, F_OFD_SETLKW, &wanted) != 0)
      if (errno != EINTR) return;
    wanted.l_type = F_UNLCK;
    fcntl(waiter, F_OFD_SETLK, &wanted);
  }
}

bool reads_or_writes(uint32_t flags) { return flags && !(flags & ~uint32_t{DMA_BUF_SYNC_RW}); }

/// UseLocks opens the file anew, so that uses by this process are others', too.
int export_uses(int fd, dma_buf_export_sync_file& uses, const std::function<void()>& changed) {
  if (!reads_or_writes(uses.flags)) return -EINVAL;
  const FencePtr fence = UseLocks(fd).others_done(next_ticket(), uses.flags & DMA_BUF_SYNC_WRITE, changed);
  const int file = export_sync_file(fence ? fence : FenceClock::get().completed());
  if (file < 0) return file;
  uses.fd = file;
  return 0;
}

/// A thread holds the use until the fence is signalled.
int import_use(int fd, const dma_buf_import_sync_file& use, const std::function<void()>& changed) {
  if (!reads_or_writes(use.flags)) return -EINVAL;
  const FencePtr fence = import_sync_file(use.fd, changed);
  if (!fence) return -EINVAL;
  if (FenceClock::get().signalled(fence)) return 0;
  auto locks = std::make_unique<UseLocks>(fd);
  while (!locks->begin(next_ticket(), use.flags & DMA_BUF_SYNC_WRITE)) {}
  const SignalsBlocked in_new_threads;
  std::thread([locks = std::move(locks), fence] { FenceClock::get().wait(INT64_MAX, [&] { return fence->signalled; }); }).detach();
  return 0;
}

}  // namespace

Ticket next_ticket() {
  static std::atomic<Ticket> last{0};
  Ticket before = last, ticket;
  do ticket = std::max(before + 1, monotonic_ns());
  while (!last.compare_exchange_weak(before, ticket));
  return ticket;
}

UseLocks::UseLocks(int fd) : fd_(fd), own_(reopen(fd)) {}

UseLocks::~UseLocks() {
  if (own_ >= 0) close(own_);
}

bool UseLocks::begin(Ticket ticket, bool write) {
  struct flock lock = bytes(type_of(write), ticket, ticket + 1);
  if (fcntl(own_, F_OFD_SETLK, &lock) != 0) return errno != EAGAIN && errno != EACCES;  // else the system has no memory for locks
  if (!others(ticket + 1, last_ticket, write)) return true;
  end(ticket);
  return false;
}

void UseLocks::end(Ticket ticket) {
  struct flock lock = bytes(F_UNLCK, ticket, ticket + 1);
  fcntl(own_, F_OFD_SETLK, &lock);
}

bool UseLocks::others(Ticket from, Ticket to, bool write) const { return conflict(own_, from, to, write).l_type != F_UNLCK; }

FencePtr UseLocks::others_done(Ticket before, bool write, const std::function<void()>& changed) {
  Wait& last = waits_[write];
  if (last.fence && !FenceClock::get().signalled(last.fence) && !others(last.before, before, write)) return last.fence;
  if (!others(1, before, write)) return nullptr;
  const int own = fcntl(own_, F_DUPFD_CLOEXEC, 3), waiter = reopen(fd_);
  if (own < 0 || waiter < 0) {
    for (const int fd : {own, waiter})
      if (fd >= 0) close(fd);
    return nullptr;
  }
  last = {std::make_shared<Fence>(), before};
  const SignalsBlocked in_new_threads;
  std::thread([own, waiter, before, write, fence = last.fence, changed] {
    wait_for_others(own, waiter, before, write);
    close(waiter);
    close(own);
    FenceClock::get().signal(fence);
    changed();
  }).detach();
  return last.fence;
}

bool is_dma_buf(int fd) {
  char name[64] = {};
  const ssize_t length = readlink(fmt::format("/proc/self/fd/{}", fd).c_str(), name, sizeof name - 1);
  return length > 0 && std::string_view(name).starts_with("/memfd:softgen-bo ");
}

int dma_buf_ioctl(int fd, unsigned long request, void* arg, const std::function<void()>& changed) {
  if (!is_dma_buf(fd)) return -ENOTTY;
  switch (request) {
    case DMA_BUF_IOCTL_SYNC: {
      const uint64_t flags = static_cast<const dma_buf_sync*>(arg)->flags;
      if ((flags & ~uint64_t{DMA_BUF_SYNC_VALID_FLAGS_MASK}) || !(flags & DMA_BUF_SYNC_RW)) return -EINVAL;
      if (flags & DMA_BUF_SYNC_END) return 0;
      const FencePtr fence = UseLocks(fd).others_done(next_ticket(), flags & DMA_BUF_SYNC_WRITE, changed);
      FenceClock::get().wait(INT64_MAX, [&] { return !fence || fence->signalled; });
      return 0;
    }
    case DMA_BUF_IOCTL_EXPORT_SYNC_FILE: return export_uses(fd, *static_cast<dma_buf_export_sync_file*>(arg), changed);
    case DMA_BUF_IOCTL_IMPORT_SYNC_FILE: return import_use(fd, *static_cast<const dma_buf_import_sync_file*>(arg), changed);
    default: return -ENOTTY;
  }
}

}  // namespace softgen::run
