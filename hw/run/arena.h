// SPDX-License-Identifier: GPL-2.0-or-later
// "Guest physical memory" of a program under softgen-run: one reserved range of the process. Buffer objects are mapped into it, so that
// the core sees a single region whose holes read as zero.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

namespace softgen::run {

class Arena : public std::enable_shared_from_this<Arena> {
 public:
  /// Reserves `size` bytes of address space (none is committed). Throws std::bad_alloc when the process cannot have them.
  explicit Arena(uint64_t size);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  std::byte* base() const { return base_; }
  uint64_t size() const { return size_; }
  std::byte* host(uint64_t gpa) const { return base_ + gpa; }

  /// Zero-filled pages; `size` is a multiple of 4096. Returns 0 when the arena is full (address 0 is never handed out).
  uint64_t allocate(uint64_t size);
  /// As allocate, but backed by `fd` from offset 0, shared.
  uint64_t allocate_shared(int fd, uint64_t size);
  /// Gives pages back; they read as zero from now on.
  void release(uint64_t gpa, uint64_t size);

 private:
  uint64_t take(uint64_t size);

  std::byte* base_ = nullptr;
  uint64_t size_ = 0;
  std::map<uint64_t, uint64_t> free_;  // start -> size, never adjacent
};

}  // namespace softgen::run
