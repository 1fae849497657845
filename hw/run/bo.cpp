// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/run/bo.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <i915_drm.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <thread>

#include "hw/base/bits.h"
#include "hw/base/signals.h"
#include "hw/run/own_memory.h"

namespace softgen::run {
namespace {

std::atomic<uint64_t> next_id{1};

struct flock whole_file(short type) {
  struct flock lock = {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  return lock;
}

/// A new open file description of the same file.
int reopen(int fd) { return open(fmt::format("/proc/self/fd/{}", fd).c_str(), O_RDWR | O_CLOEXEC); }

bool pending(const FencePtr& fence) { return fence && !FenceClock::get().signalled(fence); }

}  // namespace

Bo::Bo(Arena& arena, int fd, uint64_t gpa, uint64_t size)
    : keeps_(arena.weak_from_this().lock()), arena_(arena), fd_(fd), gpa_(gpa), size_(size), id_(next_id++) {
  struct stat st = {};
  if (fd >= 0) fstat(fd, &st);
  inode_ = {st.st_dev, st.st_ino};
}

Bo::~Bo() {
  if (lock_fd_ >= 0) close(lock_fd_);
  arena_.release(gpa_, size_);
  if (fd_ >= 0) close(fd_);
}

std::shared_ptr<Bo> Bo::map(Arena& arena, int fd, uint64_t size) {
  const uint64_t gpa = arena.allocate_shared(fd, size);
  if (!gpa) {
    close(fd);
    return nullptr;
  }
  return std::shared_ptr<Bo>(new Bo(arena, fd, gpa, size));
}

std::shared_ptr<Bo> Bo::create(Arena& arena, uint64_t size) {
  size = align_up<uint64_t>(size, 4096);
  if (size == 0 || size > arena.size()) return nullptr;
  const int fd = memfd_create("softgen-bo", MFD_CLOEXEC);
  if (fd < 0) return nullptr;
  if (ftruncate(fd, static_cast<off_t>(size)) != 0) {
    close(fd);
    return nullptr;
  }
  return map(arena, fd, size);
}

std::shared_ptr<Bo> Bo::import(Arena& arena, int fd) {
  const off_t size = lseek(fd, 0, SEEK_END);
  if (size <= 0 || (size & 4095)) return nullptr;
  const int own = fcntl(fd, F_DUPFD_CLOEXEC, 3);
  const auto bo = own < 0 ? nullptr : map(arena, own, static_cast<uint64_t>(size));
  if (bo) bo->share();
  return bo;
}

// The access of others, of which nobody is one: a memfd has no path. A new one has all three bits.
constexpr mode_t tiling_bits = S_IRWXO;

uint32_t Bo::tiling() const {
  struct stat st;
  if (fd_ < 0 || fstat(fd_, &st) != 0) return I915_TILING_NONE;
  const mode_t bits = st.st_mode & tiling_bits;
  return bits <= I915_TILING_Y ? bits : I915_TILING_NONE;
}

bool Bo::set_tiling(uint32_t tiling) {
  if (tiling == this->tiling()) return true;
  struct stat st;
  return fd_ >= 0 && fstat(fd_, &st) == 0 && fchmod(fd_, (st.st_mode & (ALLPERMS & ~tiling_bits)) | tiling) == 0;
}

void Bo::share() {
  if (lock_fd_ < 0) lock_fd_ = reopen(fd_);
}

void Bo::begin_use(bool write) {
  if (!shared()) return;
  ++uses_[write];
  lock_for_uses();
}

void Bo::end_use(bool write) {
  if (!shared() || !uses_[write]) return;
  --uses_[write];
  lock_for_uses();
}

/// When another process holds what is asked for, its work came first: ours waits for it (foreign_work), and the lock is tried again at our
/// next use.
void Bo::lock_for_uses() {
  struct flock lock = whole_file(uses_[1] ? F_WRLCK : uses_[0] ? F_RDLCK : F_UNLCK);
  fcntl(lock_fd_, F_OFD_SETLK, &lock);
}

bool Bo::foreign_busy(bool write) const {
  if (!shared()) return false;
  struct flock lock = whole_file(write ? F_WRLCK : F_RDLCK);
  return fcntl(lock_fd_, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

bool Bo::awaits_foreign_work() const { return pending(foreign_[0]) || pending(foreign_[1]); }

FencePtr Bo::foreign_work(bool write, const std::function<void()>& changed) {
  for (const bool kind : {true, write})
    if (pending(foreign_[kind])) return foreign_[kind];
  if (!foreign_busy(write)) return pending(foreign_[0]) ? foreign_[0] : nullptr;
  const int waiter = reopen(fd_);
  if (waiter < 0) return nullptr;
  const auto fence = foreign_[write] = std::make_shared<Fence>();
  const SignalsBlocked in_new_threads;
  std::thread([waiter, write, fence, changed] {
    struct flock wanted = whole_file(write ? F_WRLCK : F_RDLCK);
    while (fcntl(waiter, F_OFD_SETLKW, &wanted) != 0 && errno == EINTR) {}
    close(waiter);  // with the lock, which would be in the way of our own
    FenceClock::get().signal(fence);
    changed();
  }).detach();
  return fence;
}

std::shared_ptr<Bo> Bo::wrap(Arena& arena, void* memory, uint64_t size, bool write) {
  const uint64_t gpa = size <= arena.size() ? arena.allocate(size) : 0;
  if (!gpa) return nullptr;
  const std::shared_ptr<Bo> bo(new Bo(arena, -1, gpa, size));
  return share_memory(memory, size, write, bo->host()) ? bo : nullptr;
}

}  // namespace softgen::run
