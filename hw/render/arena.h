// SPDX-License-Identifier: GPL-2.0-or-later
// Memory for what a batch of objects carries: given out piece by piece without a call of the allocator, taken back as a whole.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <vector>

namespace softgen::render {

/// A list whose room was taken from an arena; copies share it.
template <typename T>
class Slice {
 public:
  Slice() = default;
  Slice(T* data, size_t room) : data_(data), room_(static_cast<uint32_t>(room)) {}

  void push_back(const T& value) {
    assert(size_ < room_);
    data_[size_++] = value;
  }
  /// One more, to be filled in where it is: copies of what was just stored in smaller pieces wait for these stores.
  T& add() {
    assert(size_ < room_);
    return *new (data_ + size_++) T;
  }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  const T& operator[](size_t i) const { return data_[i]; }
  size_t size() const { return size_; }
  size_t room() const { return room_; }
  bool empty() const { return size_ == 0; }

 private:
  T* data_ = nullptr;
  uint32_t size_ = 0, room_ = 0;
};

class Arena {
 public:
  /// Not initialized; good until clear().
  template <typename T>
  T* allocate(size_t count) {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T> && alignof(T) <= alignment);
    return reinterpret_cast<T*>(bytes((count * sizeof(T) + alignment - 1) & ~(alignment - 1)));
  }
  template <typename T>
  Slice<T> slice(size_t room) {
    return {allocate<T>(room), room};
  }
  template <typename T>
  const T* keep(const T& value) {
    return new (allocate<T>(1)) T(value);
  }
  /// Keeps the memory.
  void clear() { block_ = used_ = 0; }

 private:
  static constexpr size_t alignment = 32, block_size = 128 * 1024;
  struct Block {
    alignas(alignment) std::byte bytes[block_size];
  };

  std::byte* bytes(size_t size) {
    assert(size <= block_size);
    if (used_ + size > block_size) ++block_, used_ = 0;
    if (block_ >= blocks_.size()) blocks_.emplace_back(new Block);
    std::byte* at = blocks_[block_]->bytes + used_;
    used_ += size;
    return at;
  }

  std::vector<std::unique_ptr<Block>> blocks_;
  size_t block_ = 0, used_ = 0;
};

}  // namespace softgen::render
