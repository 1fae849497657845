// SPDX-License-Identifier: GPL-2.0-or-later
// Guest physical memory for offline front ends (replay, tests): the whole address space is there and reads as
// zero; what is written takes host memory by the chunk, up to a bound.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>

#include "hw/base/shared_mutex.h"
#include "hw/iface/host_memory.h"

namespace softgen::memory {

class SparseMemory final : public HostMemory {
 public:
  static constexpr uint64_t chunk_size = 64 * 1024;

  /// `limit`: bytes that chunks may take together. Writes beyond it find no RAM (counted as "sparse memory is
  /// full").
  explicit SparseMemory(uint64_t limit) : limit_(limit) {}

  HostSpan resolve(uint64_t gpa, Access access) override;
  void mark_dirty(uint64_t, uint64_t) override {}

  /// For loaders and checks: false when the bound was hit (what fits is written).
  bool write(uint64_t gpa, const void* src, uint64_t size);
  void read(uint64_t gpa, void* dst, uint64_t size);
  uint64_t allocated() const;

 private:
  struct Unmap {
    void operator()(std::byte* chunk) const;
  };
  using Chunk = std::unique_ptr<std::byte, Unmap>;
  std::byte* find(uint64_t index) const;
  std::byte* allocate(uint64_t index);

  const uint64_t limit_;
  mutable SharedMutex mutex_;
  std::unordered_map<uint64_t, Chunk> chunks_ SG_GUARDED_BY(mutex_);  ///< a chunk stays where it is; its bytes are the guest's to order
};

}  // namespace softgen::memory
