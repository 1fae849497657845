// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/run/bo.h"

#include <fcntl.h>
#include <i915_drm.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstring>

#include "hw/base/bits.h"
#include "hw/run/own_memory.h"

namespace softgen::run {
namespace {

std::atomic<uint64_t> next_id{1};

}  // namespace

Bo::Bo(Arena& arena, int fd, uint64_t gpa, uint64_t size)
    : keeps_(arena.weak_from_this().lock()), arena_(arena), fd_(fd), gpa_(gpa), size_(size), id_(next_id++) {
  struct stat st = {};
  if (fd >= 0) fstat(fd, &st);
  inode_ = {st.st_dev, st.st_ino};
}

Bo::~Bo() {
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

// The permission bits of other users, which have no effect: a memfd has no path. In a new one all three are set.
constexpr mode_t tiling_bits = S_IRWXO;

uint32_t Bo::tiling() const {
  struct stat st;
  if (fd_ < 0 || fstat(fd_, &st) != 0) return I915_TILING_NONE;
  const mode_t bits = st.st_mode & tiling_bits;
  return bits <= I915_TILING_Y ? bits : I915_TILING_NONE;
}

bool Bo::set_tiling(uint32_t tiling, uint32_t pitch) {
  const bool same = tiling == this->tiling();
  if (!same || pitch != pitch_) {
    flush_view();
    view_ = nullptr;
    pitch_ = pitch;
  }
  if (same) return true;
  struct stat st;
  return fd_ >= 0 && fstat(fd_, &st) == 0 && fchmod(fd_, (st.st_mode & (ALLPERMS & ~tiling_bits)) | tiling) == 0;
}

LinearView* Bo::make_linear_view(defs::Bit6Swizzle swizzle) {
  if (!view_) view_ = LinearView::create(tiling() == I915_TILING_X ? surface::Tiling::x : surface::Tiling::y, pitch_, size_, swizzle);
  return view_.get();
}

void Bo::share() {
  if (!locks_) locks_.emplace(fd_);
}

std::shared_ptr<Bo> Bo::wrap(Arena& arena, void* memory, uint64_t size, bool write) {
  const uint64_t gpa = size <= arena.size() ? arena.allocate(size) : 0;
  if (!gpa) return nullptr;
  const std::shared_ptr<Bo> bo(new Bo(arena, -1, gpa, size));
  return share_memory(memory, size, write, bo->host()) ? bo : nullptr;
}

}  // namespace softgen::run
