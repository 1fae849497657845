// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/run/arena.h"

#include <sys/mman.h>

#include <iterator>
#include <new>

#include "hw/base/log.h"

namespace softgen::run {
namespace {

constexpr int anonymous = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
constexpr uint64_t page = 4096;

}  // namespace

Arena::Arena(uint64_t size) : size_(size) {
  void* p = mmap(nullptr, size, PROT_READ | PROT_WRITE, anonymous, -1, 0);
  if (p == MAP_FAILED) throw std::bad_alloc();
  base_ = static_cast<std::byte*>(p);
  free_[page] = size - page;
}

Arena::~Arena() { munmap(base_, size_); }

uint64_t Arena::take(uint64_t size) {
  for (auto it = free_.begin(); it != free_.end(); ++it) {
    if (it->second < size) continue;
    const auto [start, length] = *it;
    free_.erase(it);
    if (length > size) free_[start + size] = length - size;
    return start;
  }
  return 0;
}

uint64_t Arena::allocate(uint64_t size) { return take(size); }

uint64_t Arena::allocate_shared(int fd, uint64_t size) {
  const uint64_t gpa = take(size);
  if (!gpa) return 0;
  if (mmap(host(gpa), size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED) {
    release(gpa, size);
    return 0;
  }
  return gpa;
}

void Arena::release(uint64_t gpa, uint64_t size) {
  if (mmap(host(gpa), size, PROT_READ | PROT_WRITE, anonymous | MAP_FIXED, -1, 0) == MAP_FAILED)
    return unsupported("memory not released", "the process cannot have another mapping");  // the next object must not see its contents
  const auto next = free_.lower_bound(gpa);
  uint64_t start = gpa, length = size;
  if (next != free_.end() && gpa + size == next->first) {
    length += next->second;
    free_.erase(next);
  }
  const auto after = free_.lower_bound(start);
  if (after != free_.begin()) {
    const auto before = std::prev(after);
    if (before->first + before->second == start) {
      before->second += length;
      return;
    }
  }
  free_[start] = length;
}

}  // namespace softgen::run
