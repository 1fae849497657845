// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/memory/sparse_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "hw/base/log.h"

namespace softgen::memory {
namespace {

alignas(64) const std::byte zero_chunk[SparseMemory::chunk_size] = {};

}  // namespace

void SparseMemory::Unmap::operator()(std::byte* chunk) const { munmap(chunk, chunk_size); }

std::byte* SparseMemory::find(uint64_t index) const {
  ReadLock lock(mutex_);
  const auto it = chunks_.find(index);
  return it == chunks_.end() ? nullptr : it->second.get();
}

std::byte* SparseMemory::allocate(uint64_t index) {
  WriteLock lock(mutex_);
  if (const auto it = chunks_.find(index); it != chunks_.end()) return it->second.get();
  void* block = MAP_FAILED;
  if ((chunks_.size() + 1) * chunk_size <= limit_)
    block = mmap(nullptr, chunk_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (block == MAP_FAILED) {
    guest_error("sparse memory is full", "{} bytes in {} chunks", chunks_.size() * chunk_size, chunks_.size());
    return nullptr;
  }
  auto* chunk = static_cast<std::byte*>(block);
  chunks_.emplace(index, Chunk(chunk));
  // Readers may have the page of zeros in their TLBs.
  advance_epoch();
  return chunk;
}

HostSpan SparseMemory::resolve(uint64_t gpa, Access access) {
  const uint64_t index = gpa / chunk_size, offset = gpa % chunk_size;
  std::byte* chunk = find(index);
  if (!chunk) {
    if (access == Access::write) chunk = allocate(index);
    else chunk = const_cast<std::byte*>(zero_chunk);  // spans for reading are not written
  }
  if (!chunk) return {};
  return {chunk + offset, chunk_size - offset};
}

bool SparseMemory::write(uint64_t gpa, const void* src, uint64_t size) {
  const auto* from = static_cast<const std::byte*>(src);
  while (size) {
    const HostSpan span = resolve(gpa, Access::write);
    if (!span.data) return false;
    const uint64_t n = std::min(size, span.size);
    std::memcpy(span.data, from, n);
    gpa += n, from += n, size -= n;
  }
  return true;
}

void SparseMemory::read(uint64_t gpa, void* dst, uint64_t size) {
  auto* to = static_cast<std::byte*>(dst);
  while (size) {
    const HostSpan span = resolve(gpa, Access::read);
    const uint64_t n = std::min(size, span.size);
    std::memcpy(to, span.data, n);
    gpa += n, to += n, size -= n;
  }
}

uint64_t SparseMemory::allocated() const {
  ReadLock lock(mutex_);
  return chunks_.size() * chunk_size;
}

}  // namespace softgen::memory
