// SPDX-License-Identifier: GPL-2.0-or-later
// The memory that a message works on, as bytes [0, size): a buffer surface, all of the general state or address space (stateless), or
// shared local memory. Reads outside return zero, writes are dropped.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "hw/iface/message_target.h"
#include "hw/memory/view.h"
#include "hw/surface/surface.h"

namespace softgen::dataport {

class Space {
 public:
  /// By the descriptor's binding table index. Stateless ones start at General State Base, plus the header's scratch space (dw5) if there is
  /// a header.
  static Space bound(const Message& message, ThreadEnv& env);
  /// The whole address space (A64 messages).
  static Space everything(ThreadEnv& env) { return {env.view, 0, uint64_t{1} << 48}; }
  /// A buffer whose base() and size() are known.
  static Space buffer(ThreadEnv& env, uint64_t base, uint64_t size) { return {env.view, base, size}; }

  /// Where offset 0 is, if it is not shared local memory; and bytes.
  uint64_t base() const { return base_; }
  uint64_t size() const { return size_; }
  bool is_local() const { return slm_; }
  /// Behind the binding table or a bindless handle.
  bool is_surface() const { return is_surface_; }
  /// Bytes an entry of a structured buffer (whose messages bring an index and an offset), else 0.
  uint32_t structure_pitch() const { return structure_pitch_; }
  bool contains(uint64_t offset, uint64_t n) const {
    offset = within(offset);
    return offset < size_ && n <= size_ - offset;
  }
  /// Of an offset into shared local memory only these bits are looked at: IGC's local pointers have bit 28 set, so that none is null.
  static constexpr uint64_t slm_bits = 0xffff;

  template <typename T>
  T load(uint64_t offset) {
    T value{};
    if (!contains(offset, sizeof(T))) return value;
    const uint64_t at = place(offset);
    if (slm_) std::memcpy(&value, slm_ + at, sizeof(T));
    else if (within_page<sizeof(T)>(at)) std::memcpy(&value, reading(at), sizeof(T));
    else view_->read(at, &value, sizeof(T));
    return value;
  }
  template <typename T>
  void store(uint64_t offset, T value) {
    if (!contains(offset, sizeof(T))) return;
    const uint64_t at = place(offset);
    if (slm_) std::memcpy(slm_ + at, &value, sizeof(T));
    else if (within_page<sizeof(T)>(at)) std::memcpy(writing(at), &value, sizeof(T));
    else view_->write(at, &value, sizeof(T));
  }
  /// For atomics, aligned down to sizeof(T). Null: outside.
  template <std::unsigned_integral T>
  T* cell(uint64_t offset) {
    offset &= ~uint64_t{sizeof(T) - 1};
    if (!contains(offset, sizeof(T))) return nullptr;
    // A base that is not aligned itself is not allowed (SKL PRM vol 2d, RENDER_SURFACE_STATE, Surface Base Address).
    const uint64_t at = place(offset) & ~uint64_t{sizeof(T) - 1};
    return reinterpret_cast<T*>(slm_ ? slm_ + at : writing(at));
  }
  /// The address of [offset, offset + n), when all of it is inside and in one page; else null. Read only, unless `write`.
  std::byte* window(uint64_t offset, uint64_t n, bool write) {
    if (!contains(offset, n)) return nullptr;
    const uint64_t at = place(offset);
    if (slm_) return slm_ + at;
    if ((at & (memory::View::page_size - 1)) + n > memory::View::page_size) return nullptr;
    return write ? writing(at) : const_cast<std::byte*>(reading(at));
  }
  /// Any size; the part outside is zero, or dropped.
  void read(uint64_t offset, void* to, uint64_t n);
  void write(uint64_t offset, const void* from, uint64_t n);

 private:
  Space(memory::View& view, uint64_t base, uint64_t size) : view_(&view), base_(base), size_(size) {}

  uint64_t within(uint64_t offset) const { return slm_ ? offset & slm_bits : offset; }
  uint64_t place(uint64_t offset) const { return slm_ ? within(offset) : strip_canonical(base_ + offset); }
  template <size_t n>
  static bool within_page(uint64_t at) {
    return (at & (memory::View::page_size - 1)) <= memory::View::page_size - n;
  }
  const std::byte* reading(uint64_t at) {
    if (at >> 12 != read_page_) {
      read_page_ = at >> 12;
      read_ = view_->at(read_page_ << 12);
    }
    return read_ + (at & 4095);
  }
  std::byte* writing(uint64_t at) {
    if (at >> 12 != write_page_) {
      write_page_ = at >> 12;
      write_ = view_->at_for_write(write_page_ << 12);
    }
    return write_ + (at & 4095);
  }

  static constexpr uint64_t no_page = ~uint64_t{0};
  memory::View* view_;
  uint64_t base_, size_;
  std::byte* slm_ = nullptr;
  bool is_surface_ = false;
  uint32_t structure_pitch_ = 0;
  // The page met last: lanes are neighbours.
  uint64_t read_page_ = no_page, write_page_ = no_page;
  const std::byte* read_ = nullptr;
  std::byte* write_ = nullptr;
};

}  // namespace softgen::dataport
