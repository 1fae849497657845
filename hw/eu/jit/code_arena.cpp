// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/eu/jit/code_arena.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>

namespace softgen::eu::jit {

namespace {

size_t page_size() {
  static const auto size = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

size_t whole_pages(size_t bytes) { return (bytes + page_size() - 1) & ~(page_size() - 1); }

}  // namespace

CodeArena::CodeArena(size_t capacity) : capacity_(whole_pages(capacity)) {
  void* at = mmap(nullptr, capacity_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) return;
  base_ = static_cast<std::byte*>(at);
  free_.emplace(0, capacity_);
}

CodeArena::~CodeArena() {
  if (base_) munmap(base_, capacity_);
}

std::span<std::byte> CodeArena::allocate(size_t bytes) {
  if (bytes == 0 || bytes > capacity_) return {};
  const size_t size = whole_pages(bytes);
  MutexLock lock(mutex_);
  // First fit keeps used pages together, and the number of mappings small.
  const auto place = std::find_if(free_.begin(), free_.end(), [&](const auto& run) { return run.second >= size; });
  if (place == free_.end()) return {};
  const auto [offset, room] = *place;
  if (mprotect(base_ + offset, size, PROT_READ | PROT_WRITE)) return {};
  free_.erase(place);
  if (room > size) free_.emplace(offset + size, room - size);
  used_ += size;
  return {base_ + offset, size};
}

bool CodeArena::seal(std::span<std::byte> block) { return mprotect(block.data(), block.size(), PROT_READ | PROT_EXEC) == 0; }

void CodeArena::release(std::span<std::byte> block) {
  if (block.empty()) return;
  // The pages are returned before their addresses are marked free, so the next owner finds zeros. If the host cannot split the mapping
  // (ENOMEM), the pages are not allocated again.
  const bool gone = madvise(block.data(), block.size(), MADV_DONTNEED) == 0 && mprotect(block.data(), block.size(), PROT_NONE) == 0;
  MutexLock lock(mutex_);
  used_ -= block.size();
  if (gone) give_back(static_cast<size_t>(block.data() - base_), block.size());
}

void CodeArena::give_back(size_t offset, size_t size) {
  const auto next = free_.lower_bound(offset);
  if (next != free_.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == offset) {
      offset = before->first;
      size += before->second;
      free_.erase(before);
    }
  }
  if (next != free_.end() && offset + size == next->first) {
    size += next->second;
    free_.erase(next);
  }
  free_.emplace(offset, size);
}

size_t CodeArena::used() const {
  MutexLock lock(mutex_);
  return used_;
}

}  // namespace softgen::eu::jit
