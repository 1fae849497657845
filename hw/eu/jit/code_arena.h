// SPDX-License-Identifier: GPL-2.0-or-later
// Memory for compiled code: one reserved address range, allocated in whole pages. A page is writable or executable, never both.
#pragma once

#include <cstddef>
#include <map>
#include <span>

#include "hw/base/mutex.h"

namespace softgen::eu::jit {

class CodeArena {
 public:
  /// Reserves addresses only; pages use memory while they are allocated.
  explicit CodeArena(size_t capacity);
  ~CodeArena();
  CodeArena(const CodeArena&) = delete;
  CodeArena& operator=(const CodeArena&) = delete;

  /// The bound of a compiler's live code. Real programs have some megabytes.
  static constexpr size_t default_capacity = size_t{256} << 20;

  /// Whole pages, writable and zero. Empty if no free range is long enough, or the host has no memory.
  std::span<std::byte> allocate(size_t bytes);
  /// Makes a block executable and read only. False: the host refuses it.
  bool seal(std::span<std::byte> block);
  /// Frees a block of allocate(). Its memory is returned to the host.
  void release(std::span<std::byte> block);

  size_t used() const;

 private:
  void give_back(size_t offset, size_t size) SG_REQUIRES(mutex_);

  const size_t capacity_;
  std::byte* base_ = nullptr;  ///< null: the host gave no addresses, and allocate() fails
  mutable Mutex mutex_;
  std::map<size_t, size_t> free_ SG_GUARDED_BY(mutex_);  ///< offset to size; neighbours are merged
  size_t used_ SG_GUARDED_BY(mutex_) = 0;
};

}  // namespace softgen::eu::jit
