// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/run/bo.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstring>

#include "hw/base/bits.h"

namespace softgen::run {
namespace {

std::atomic<uint64_t> next_id{1};

}  // namespace

Bo::Bo(Arena& arena, int fd, uint64_t gpa, uint64_t size)
    : arena_(arena), fd_(fd), gpa_(gpa), size_(size), id_(next_id++) {
  struct stat st = {};
  fstat(fd, &st);
  inode_ = {st.st_dev, st.st_ino};
}

Bo::~Bo() {
  arena_.release(gpa_, size_);
  close(fd_);
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
  return own < 0 ? nullptr : map(arena, own, static_cast<uint64_t>(size));
}

std::shared_ptr<Bo> Bo::wrap(Arena& arena, void* memory, uint64_t size) {
  auto bo = create(arena, size);
  if (!bo) return nullptr;
  // The GPU and the program must see one memory: the pages move into the object, which then takes their place.
  std::memcpy(bo->host(), memory, size);
  if (mmap(memory, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, bo->fd(), 0) == MAP_FAILED) return nullptr;
  return bo;
}

}  // namespace softgen::run
